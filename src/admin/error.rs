//! What API clients are told when something is wrong: RFC 9457 problem details. Inside text stays inside.

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde_json::json;

use crate::steer::SteerError;

/// Why a request to the API failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ApiError {
    #[error("no known token was given")]
    Unauthorized,
    #[error("the token's role is too low: {0}")]
    RoleTooLow(&'static str),
    #[error("refused as cross-site: {0}")]
    OtherSite(&'static str),
    #[error("not found: {0}")]
    NotFound(&'static str),
    #[error("wrong method")]
    WrongMethod,
    #[error("bad request: {0}")]
    Invalid(String),
    #[error("not as things stand: {0}")]
    Conflict(String),
    #[error("the database failed")]
    Database(#[from] sqlx::Error),
}

/// What the client sees: a name that stays, a status, what is wrong and what to do.
struct Problem {
    name: &'static str,
    title: &'static str,
    status: StatusCode,
    detail: String,
    action: &'static str,
}

const CANCELED_BY_TIMEOUT: &str = "57014";

impl ApiError {
    fn problem(&self) -> Problem {
        match self {
            Self::Unauthorized => Problem {
                name: "unauthorized",
                title: "A token is needed",
                status: StatusCode::UNAUTHORIZED,
                detail: "The request carries no token this gateway knows.".to_owned(),
                action: "Send 'Authorization: Bearer <token>' with the secret of an [[operator.token]].",
            },
            Self::RoleTooLow(needed) => Problem {
                name: "role-too-low",
                title: "This token may not do that",
                status: StatusCode::FORBIDDEN,
                detail: format!("This needs the role '{needed}'."),
                action: "Use a token whose role is at least that, or raise this one's in the configuration.",
            },
            Self::OtherSite(what) => Problem {
                name: "other-site",
                title: "Refused as a request from another site",
                status: StatusCode::FORBIDDEN,
                detail: format!("Without tokens the API answers local clients only; {what}."),
                action: "Call it as http://127.0.0.1 or http://localhost, changes with \
                         'Content-Type: application/json'; or configure an [[operator.token]].",
            },
            Self::NotFound(what) => Problem {
                name: "not-found",
                title: "Not found",
                status: StatusCode::NOT_FOUND,
                detail: sentence(what),
                action: "GET / lists the paths; a delivery is gone once its retention is over.",
            },
            Self::WrongMethod => Problem {
                name: "method-not-allowed",
                title: "This path does not take that method",
                status: StatusCode::METHOD_NOT_ALLOWED,
                detail: "The path exists but not for this method.".to_owned(),
                action: "Use a method that the Allow header names.",
            },
            Self::Invalid(detail) => Problem {
                name: "invalid-request",
                title: "The request can't be understood",
                status: StatusCode::BAD_REQUEST,
                detail: sentence(detail),
                action: "Change what the detail names and send it again; docs/API.md has every parameter.",
            },
            Self::Conflict(detail) => Problem {
                name: "conflict",
                title: "Not as things stand",
                status: StatusCode::CONFLICT,
                detail: sentence(detail),
                action: "Look at it again with GET, and do first what the detail names.",
            },
            Self::Database(error) if is_timeout(error) => Problem {
                name: "search-too-long",
                title: "The search took too long",
                status: StatusCode::SERVICE_UNAVAILABLE,
                detail: "The search was stopped after 5 s so that it does not slow down ingest.".to_owned(),
                action: "Narrow it with after and before, or ask again when the database is less busy.",
            },
            Self::Database(error) if is_our_mistake(error) => Problem {
                name: "internal-error",
                title: "hookgate made a mistake",
                status: StatusCode::INTERNAL_SERVER_ERROR,
                detail: "The request was understood but could not be answered.".to_owned(),
                action: "The log has the cause; please report it with the version and the request's path.",
            },
            Self::Database(_) => Problem {
                name: "database-unavailable",
                title: "The database did not answer",
                status: StatusCode::SERVICE_UNAVAILABLE,
                detail: "The database did not answer.".to_owned(),
                action: "Ask again in a few seconds; GET /readyz says what is missing, the log says why.",
            },
        }
    }
}

impl From<SteerError> for ApiError {
    fn from(error: SteerError) -> Self {
        match error {
            SteerError::UnknownHandler(_) => {
                Self::NotFound("there is no handler of this name; GET /api/v1/handlers lists them")
            }
            SteerError::UnknownSource(_) => {
                Self::NotFound("there is no source of this name; GET /api/v1/sources lists them")
            }
            SteerError::NotSubscribed { .. } => {
                Self::NotFound("this handler has nothing to do with this source; GET /api/v1/handlers has its sources")
            }
            SteerError::Itself(name) => Self::Invalid(format!(
                "the jobs are handler '{}'s already: name another one in \"to\", or replay the deliveries",
                name.escape_debug()
            )),
            SteerError::NotTaken { to, sources } => Self::Invalid(format!(
                "handler '{}' is not subscribed to {}, where jobs wait to be handed over: let its `from` cover them first, \
                 or name a handler that does",
                to.escape_debug(),
                sources.join(", ")
            )),
            SteerError::Database(error) => Self::Database(error),
        }
    }
}

fn is_timeout(error: &sqlx::Error) -> bool {
    matches!(error, sqlx::Error::Database(e) if e.code().as_deref() == Some(CANCELED_BY_TIMEOUT))
}

/// Whether asking again can't help: the server refused our SQL, or its answer was not what we expect.
fn is_our_mistake(error: &sqlx::Error) -> bool {
    use sqlx::Error::{ColumnDecode, ColumnNotFound, Decode, Encode, RowNotFound};
    match error {
        // 22 data, 23 constraint, 42 syntax or access rule.
        sqlx::Error::Database(e) => {
            e.code().is_some_and(|code| ["22", "23", "42"].iter().any(|class| code.starts_with(class)))
        }
        ColumnDecode { .. } | ColumnNotFound(_) | Decode(_) | Encode(_) | RowNotFound => true,
        _ => false,
    }
}

fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", chars.as_str().trim_end_matches('.'))
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let Problem { name, title, status, detail, action } = self.problem();
        if let Self::Database(error) = &self {
            tracing::error!(error = error as &dyn std::error::Error, problem = name, "operator query failed");
        }
        let body = json!({
            "type": format!("urn:hookgate:problem:{name}"),
            "title": title,
            "status": status.as_u16(),
            "detail": detail,
            "action": action,
        });
        let mut response = (status, body.to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        match status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"hookgate\""));
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
            }
            _ => {}
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_database_said_is_not_shown() {
        let inside = sqlx::Error::Protocol("password of role hookgate".to_owned());
        let problem = ApiError::from(inside).problem();
        assert_eq!(problem.status, StatusCode::SERVICE_UNAVAILABLE);
        let mistake = ApiError::from(sqlx::Error::RowNotFound).problem();
        assert_eq!(mistake.status, StatusCode::INTERNAL_SERVER_ERROR, "asking again would not help");
        assert!(!format!("{} {}", problem.detail, problem.action).contains("password"));
    }
}
