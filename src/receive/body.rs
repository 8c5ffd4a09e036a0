//! Reads a request's body under its limits: size, time, and the memory of all bodies together.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use http::HeaderMap;
use http_body_util::{BodyExt, Limited};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Memory is counted in pages of this many bytes, so that a semaphore's permits are enough for any budget.
const PAGE: usize = 1024;

/// Why a body was not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unread {
    /// More bytes than the source takes.
    TooLarge,
    /// Not all there in time.
    TooSlow,
    /// The sender went away, or its framing was broken.
    Broken,
    /// The gateway holds as many unanswered bytes as it may.
    NoMemory,
}

impl Unread {
    /// The word for metrics and operators.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::TooLarge => "too_large",
            Self::TooSlow => "too_slow",
            Self::Broken => "broken",
            Self::NoMemory => "no_memory",
        }
    }
}

/// What bodies may cost.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    pub(crate) timeout: Duration,
    memory: Arc<Semaphore>,
}

impl Limits {
    pub(crate) fn new(bytes_in_flight: usize, timeout: Duration) -> Self {
        Self { timeout, memory: Arc::new(Semaphore::new(bytes_in_flight.div_ceil(PAGE))) }
    }

    /// Reads a body of at most `limit` bytes. The permit is held as long as the body is.
    ///
    /// A stated length is judged before a byte is read, and believed no further: memory is reserved as bytes come, since
    /// strangers who only promise some would else take it all.
    pub(crate) async fn read(
        &self,
        headers: &HeaderMap,
        body: Body,
        limit: usize,
    ) -> Result<(Bytes, OwnedSemaphorePermit), Unread> {
        if stated_length(headers).is_some_and(|length| length > limit as u64) {
            return Err(Unread::TooLarge);
        }
        let mut permit = self.reserve(0)?;
        let read = async {
            let mut body = Limited::new(body, limit);
            let mut bytes = BytesMut::new();
            while let Some(frame) = body.frame().await {
                let frame = frame.map_err(|error| {
                    if error.is::<http_body_util::LengthLimitError>() { Unread::TooLarge } else { Unread::Broken }
                })?;
                let Ok(data) = frame.into_data() else {
                    continue;
                };
                bytes.extend_from_slice(&data);
                let held = permit.num_permits() * PAGE;
                if bytes.len() > held {
                    permit.merge(self.reserve(bytes.len() - held)?);
                }
            }
            Ok(bytes.freeze())
        };
        let bytes = tokio::time::timeout(self.timeout, read).await.map_err(|_| Unread::TooSlow)??;
        Ok((bytes, permit))
    }

    fn reserve(&self, bytes: usize) -> Result<OwnedSemaphorePermit, Unread> {
        let pages = u32::try_from(bytes.div_ceil(PAGE)).map_err(|_| Unread::TooLarge)?;
        Arc::clone(&self.memory).try_acquire_many_owned(pages).map_err(|_| Unread::NoMemory)
    }
}

fn stated_length(headers: &HeaderMap) -> Option<u64> {
    headers.get(http::header::CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}
