//! Outcome → the answer this provider expects. A refusal teaches the sender nothing.

use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hookgate_providers::Reply;
use http::{HeaderValue, StatusCode, header};

use super::body::Unread;
use super::record::{NotDurable, Recorded};
use crate::answers::Answer;
use crate::config;

/// What was done with the request, in the words of the public contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Accepted,
    Unhandled,
    Filtered,
    Duplicate,
    Conflict,
    Requeued,
}

impl Status {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Unhandled => "unhandled",
            Self::Filtered => "filtered",
            Self::Duplicate => "duplicate",
            Self::Conflict => "conflict",
            Self::Requeued => "requeued",
        }
    }
}

/// What a source says: to a recorded delivery, or to what it refuses.
#[derive(Debug, Clone)]
pub(crate) struct Acknowledgement {
    status: StatusCode,
    /// Content type and body; `None`: our own, for a delivery with its id.
    body: Option<(Option<HeaderValue>, Bytes)>,
}

impl Acknowledgement {
    /// As the provider demands it.
    pub(crate) fn of_provider(demanded: &hookgate_providers::Acknowledgement) -> Self {
        Self {
            status: StatusCode::from_u16(demanded.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            body: demanded.body.map(|(content_type, body)| {
                let content_type = HeaderValue::from_str(content_type).ok().filter(|_| !body.is_empty());
                (content_type, Bytes::from_static(body.as_bytes()))
            }),
        }
    }

    /// As the operator wants it.
    pub(crate) fn configured(own: &config::Reply) -> Self {
        let content_type = own.content_type.as_deref().and_then(|text| HeaderValue::from_str(text).ok());
        Self {
            status: StatusCode::from_u16(own.status).unwrap_or(StatusCode::OK),
            body: own.body.as_ref().map(|body| (content_type, Bytes::copy_from_slice(body.as_bytes()))),
        }
    }
}

/// Recorded, durably: the source's own answer, or 202 with our id and what was done.
pub(crate) fn recorded(recorded: &Recorded, acknowledgement: &Acknowledgement) -> Response {
    let id = recorded.delivery.to_string();
    let (content_type, body) = acknowledgement.body.clone().unwrap_or_else(|| {
        let body = serde_json::json!({"id": id, "status": recorded.status.as_str()}).to_string();
        (Some(HeaderValue::from_static("application/json")), body.into())
    });
    let mut response = bare(acknowledgement.status, body);
    if let Some(content_type) = content_type {
        response.headers_mut().insert(header::CONTENT_TYPE, content_type);
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("hookgate-delivery-id", id);
    }
    response
}

/// Recorded, durably, and answered by its handler.
pub(crate) fn answered(recorded: &Recorded, answer: &Answer) -> Response {
    let mut response = bare(answer.status, answer.body.clone());
    response.headers_mut().extend(answer.headers.clone());
    if let Ok(id) = HeaderValue::from_str(&recorded.delivery.to_string()) {
        response.headers_mut().insert("hookgate-delivery-id", id);
    }
    response
}

/// A handshake's reply, exactly as the provider's module declares it.
pub(crate) fn handshake(reply: Reply) -> Response {
    let mut response = bare(StatusCode::from_u16(reply.status).unwrap_or(StatusCode::OK), reply.body.into());
    for (name, value) in reply.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

/// No header but those that are added: a type that nobody declared is one that some sender chokes on.
fn bare(status: StatusCode, body: Bytes) -> Response {
    let mut response = Response::new(if body.is_empty() { Body::empty() } else { Body::from(body) });
    *response.status_mut() = status;
    response
}

/// One answer to every refusal of a source: missing, malformed, wrong and stale look alike.
pub(crate) fn refused(refusal: &Acknowledgement) -> Response {
    match (&refusal.body, refusal.status) {
        (Some((_, body)), status) => bare(status, body.clone()),
        (None, StatusCode::NOT_FOUND) => unknown_source(),
        (None, status) => plain(status, "unauthorized"),
    }
}

/// No such source; answered before the body is read.
pub(crate) fn unknown_source() -> Response {
    plain(StatusCode::NOT_FOUND, "not found")
}

/// The provider does not call this source so; answered before the body is read.
pub(crate) fn method_not_allowed(allow: &HeaderValue) -> Response {
    let mut response = bare(StatusCode::METHOD_NOT_ALLOWED, Bytes::new());
    response.headers_mut().insert(header::ALLOW, allow.clone());
    response
}

/// More handshakes than a source takes.
pub(crate) fn too_many(wait: Duration) -> Response {
    let mut response = plain(StatusCode::TOO_MANY_REQUESTS, "too many requests");
    let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    response
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

/// Our trouble, and not judged or not durable: the provider sends it again.
pub(crate) fn retry_later() -> Response {
    let mut response = plain(StatusCode::SERVICE_UNAVAILABLE, "try again later");
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    response
}

fn plain(status: StatusCode, text: &'static str) -> Response {
    (status, [(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}
