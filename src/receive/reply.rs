//! Outcome → the answer this provider expects. A refusal teaches the sender nothing.

use axum::response::{IntoResponse, Response};
use hookgate_providers::{Acknowledgement, Reply};
use http::{HeaderValue, StatusCode, header};

use super::body::Unread;
use super::record::{NotDurable, Recorded};

/// What was done with the request, in the words of the public contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Accepted,
    Unhandled,
    Duplicate,
    Conflict,
    Requeued,
}

impl Status {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Unhandled => "unhandled",
            Self::Duplicate => "duplicate",
            Self::Conflict => "conflict",
            Self::Requeued => "requeued",
        }
    }
}

/// Recorded, durably: the provider's own answer, or 202 with our id and what was done.
pub(crate) fn recorded(recorded: &Recorded, demanded: &Acknowledgement) -> Response {
    let id = recorded.delivery.to_string();
    let status = StatusCode::from_u16(demanded.status).unwrap_or(StatusCode::ACCEPTED);
    let mut response = match demanded.body {
        Some((content_type, body)) => (status, [(header::CONTENT_TYPE, content_type)], body).into_response(),
        None => {
            let body = serde_json::json!({"id": id, "status": recorded.status.as_str()});
            (status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
        }
    };
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("hookgate-delivery-id", id);
    }
    response
}

/// A handshake's reply, exactly as the provider's module declares it.
pub(crate) fn handshake(reply: Reply) -> Response {
    let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK);
    let mut response = (status, reply.body).into_response();
    for (name, value) in reply.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// One answer to every refusal: missing, malformed, wrong and stale look alike.
pub(crate) fn refused() -> Response {
    plain(StatusCode::UNAUTHORIZED, "unauthorized")
}

/// No such source; answered before the body is read.
pub(crate) fn unknown_source() -> Response {
    plain(StatusCode::NOT_FOUND, "not found")
}

/// The body was not read; the connection is closed, since the rest of it may still be on its way.
pub(crate) fn unread(why: Unread) -> Response {
    let mut response = match why {
        Unread::TooLarge => plain(StatusCode::PAYLOAD_TOO_LARGE, "payload too large"),
        Unread::TooSlow => plain(StatusCode::REQUEST_TIMEOUT, "request timeout"),
        Unread::Broken => plain(StatusCode::BAD_REQUEST, "bad request"),
        Unread::NoMemory => retry_later(),
    };
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Not durable, so not acknowledged: the provider sends it again.
pub(crate) fn not_durable(_: NotDurable) -> Response {
    retry_later()
}

fn retry_later() -> Response {
    let mut response = plain(StatusCode::SERVICE_UNAVAILABLE, "try again later");
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}
