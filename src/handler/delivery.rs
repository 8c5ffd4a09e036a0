//! The event a handler is given, beyond its typed payload.

use std::fmt;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use http::HeaderMap;
use uuid::Uuid;

/// The stored request an event came in, and what is known about the event.
pub struct Delivery {
    pub(crate) id: Uuid,
    pub(crate) event: i32,
    pub(crate) source: String,
    pub(crate) event_id: Option<String>,
    pub(crate) event_type: Option<String>,
    pub(crate) version: Option<i64>,
    pub(crate) received_at: DateTime<Utc>,
    pub(crate) headers: HeaderMap,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Bytes,
    /// JSON pointer to this event's element, where one request carried several.
    pub(crate) element: Option<String>,
    /// Which events of such a request the job stands for: one, or for a forward several.
    pub(crate) indexes: Vec<i32>,
    pub(crate) ordering_key: Option<String>,
    pub(crate) sequence: Option<i64>,
    pub(crate) replay: bool,
}

impl Delivery {
    /// Hookgate's own id of the delivery, a UUIDv7: the one in the answer to the sender and in the API.
    pub fn id(&self) -> Uuid {
        self.id
    }

    /// Which event of the request this is, from 0; always 0 unless the provider sends batches.
    pub fn event(&self) -> u32 {
        self.event.unsigned_abs()
    }

    /// The configured source that received it.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The provider's own id of the event, the same when it sends it again; `None` where the request has none.
    pub fn event_id(&self) -> Option<&str> {
        self.event_id.as_deref()
    }

    /// The provider's name for what happened, such as `invoice.paid`; `None` where the request names none.
    pub fn event_type(&self) -> Option<&str> {
        self.event_type.as_deref()
    }

    /// When the request arrived.
    pub fn received_at(&self) -> DateTime<Utc> {
        self.received_at
    }

    /// The request's headers as received.
    pub fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    /// The request's `Content-Type`.
    pub fn content_type(&self) -> Option<&str> {
        self.content_type.as_deref()
    }

    /// The bytes that were received and signed: the whole request's, also for an event of a batch. [`Raw`](super::Raw)
    /// has the event's alone.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// What orders this event among others, such as an invoice's id; `None` where the provider has no such thing.
    pub fn ordering_key(&self) -> Option<&str> {
        self.ordering_key.as_deref()
    }

    /// What the provider counts its changes of that object by: an integer of its own, or the microseconds of a date. The
    /// higher one is the newer state. `None` where the event has no such thing.
    pub fn version(&self) -> Option<i64> {
        self.version
    }

    /// The job's place in its lane: rises in received order, with gaps. `None` unless the handler runs in lanes.
    pub fn sequence(&self) -> Option<i64> {
        self.sequence
    }

    /// Whether an operator ordered this run after the live one.
    pub fn is_replay(&self) -> bool {
        self.replay
    }
}

/// Without headers and body: a delivery that ends up in a log must not take its content there.
impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery")
            .field("id", &self.id)
            .field("event", &self.event)
            .field("source", &self.source)
            .field("event_type", &self.event_type)
            .field("bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// A delivery like any other, for tests that only care for a part of it.
#[cfg(test)]
pub(super) fn sample() -> Delivery {
    Delivery {
        id: Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001),
        event: 0,
        source: "stripe".to_owned(),
        event_type: Some("invoice.paid".to_owned()),
        received_at: DateTime::UNIX_EPOCH,
        headers: HeaderMap::new(),
        content_type: Some("application/json".to_owned()),
        body: Bytes::from_static(b"{}"),
        event_id: None,
        version: None,
        element: None,
        indexes: Vec::new(),
        ordering_key: Some("in_1".to_owned()),
        sequence: None,
        replay: false,
    }
}
