//! One request in, one verdict out.

use crate::handshake::{self, Stage};
use crate::scheme::{Clock, Stop};
use crate::view::View;
use crate::{Event, KeyRequest, Keys, Provider, Reject, Reply, Request, Secret, event};

/// The most live secrets of one source: each costs a hash of the body.
pub const MAX_SECRETS: usize = 16;

/// What an accepted request is.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// Authentic and to be stored.
    Delivery(Verified),
    /// Asks for this answer and carries no event.
    Handshake(Reply),
    /// Cannot be judged before this was fetched: fetch it, add it to the [`Keys`], and call [`verify_with_keys`] again, a few
    /// times at most. Only of providers whose keys change by themselves.
    NeedKey(KeyRequest),
}

/// Proof that a request was authentic when it was verified. Only [`verify`] makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Verified {
    secret_index: usize,
    events: Vec<Event>,
}

impl Verified {
    /// Which of the secrets matched: its position in the slice given to [`verify`].
    pub fn secret_index(&self) -> usize {
        self.secret_index
    }

    /// The events of the request: exactly one unless the provider sends batches.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The events, owned.
    pub fn into_events(self) -> Vec<Event> {
        self.events
    }
}

/// Judges a request: is it authentic under one of the secrets, fresh at `now` (Unix seconds), and what does it carry?
///
/// Never panics. Work and memory are bounded by a small multiple of the request's size.
pub fn verify(provider: &Provider, request: &Request<'_>, secrets: &[Secret], now: i64) -> Result<Verdict, Reject> {
    verify_with_keys(provider, request, secrets, &Keys::new(), now)
}

/// [`verify`], with the keys that were fetched so far.
///
/// A key is asked for ([`Verdict::NeedKey`]) only when everything that can be judged without it is right: the headers'
/// form, the address the key is to come from, the time, the claims, and that one of the secrets means this request.
/// [`Reject::KeyUnknown`] says that fetching the same again may help; do so once a minute at most.
pub fn verify_with_keys(
    provider: &Provider,
    request: &Request<'_>,
    secrets: &[Secret],
    keys: &Keys,
    now: i64,
) -> Result<Verdict, Reject> {
    let family = provider.scheme.family(provider.families, request.headers);
    let view = View::new(provider, request, family);
    if let Some(reply) = handshake::answer(provider, &view, secrets, Stage::Unsigned)? {
        return Ok(Verdict::Handshake(reply));
    }
    if secrets.is_empty() {
        return Err(Reject::NoSecret);
    }
    if secrets.len() > MAX_SECRETS {
        return Err(Reject::TooManySecrets);
    }
    let clock = Clock { now, tolerance_s: provider.tolerance_s };
    let secret_index = match provider.scheme.check(request, family, secrets, clock, keys) {
        Ok(index) => index,
        Err(Stop::Reject(reject)) => return Err(reject),
        Err(Stop::NeedKey(request)) => return Ok(Verdict::NeedKey(*request)),
    };
    if let Some(reply) = handshake::answer(provider, &view, &secrets[secret_index..=secret_index], Stage::Signed)? {
        return Ok(Verdict::Handshake(reply));
    }
    Ok(Verdict::Delivery(Verified { secret_index, events: event::events(provider, &view)? }))
}
