//! Trying a hypothesis out, within bounds.

use std::cell::Cell;

use super::Refused;
use crate::{Headers, Provider, Reject, Request, Secret, authenticate};

/// The most verifications of one explanation, each a hash of the body.
const MOST: u32 = 4_000;
/// And the most bytes they hash together.
const MOST_BYTES: usize = 1 << 30;

/// A refused request, changed and verified again and again.
pub(super) struct Trial<'a> {
    pub(super) refused: &'a Refused<'a>,
    left: Cell<u32>,
    left_bytes: Cell<usize>,
}

impl<'a> Trial<'a> {
    pub(super) fn new(refused: &'a Refused<'a>) -> Self {
        Self { refused, left: Cell::new(MOST), left_bytes: Cell::new(MOST_BYTES) }
    }

    /// Whether another request is what one of the live secrets signed.
    pub(super) fn proves(&self, request: &Request<'_>) -> bool {
        self.proves_of(self.refused.provider, request)
    }

    pub(super) fn proves_body(&self, body: &[u8]) -> bool {
        self.proves(&Request { body, ..self.refused.request })
    }

    pub(super) fn proves_headers(&self, headers: &Headers) -> bool {
        let Request { method, url, body, .. } = self.refused.request;
        self.proves(&Request { method, url, headers, body })
    }

    /// Whether it is another provider's.
    pub(super) fn proves_of(&self, provider: &Provider, request: &Request<'_>) -> bool {
        self.refused.secrets.iter().any(|secret| self.is_signed_with(provider, request, secret))
    }

    pub(super) fn proves_secret(&self, secret: &Secret) -> bool {
        self.is_signed_with(self.refused.provider, &self.refused.request, secret)
    }

    /// At whatever time: too old, or too new, is only said of what is authentic.
    fn is_signed_with(&self, provider: &Provider, request: &Request<'_>, secret: &Secret) -> bool {
        let (Some(left), Some(bytes)) =
            (self.left.get().checked_sub(1), self.left_bytes.get().checked_sub(request.body.len()))
        else {
            return false;
        };
        self.left.set(left);
        self.left_bytes.set(bytes);
        let verdict =
            authenticate(provider, request, std::slice::from_ref(secret), self.refused.keys, self.refused.now);
        matches!(verdict, Ok(_) | Err(Reject::TimestampTooOld | Reject::TimestampInFuture))
    }
}
