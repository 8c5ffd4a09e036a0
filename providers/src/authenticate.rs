//! The first half of a verdict, alone.

use crate::scheme::{Clock, Stop};
use crate::{Keys, MAX_SECRETS, Provider, Reject, Request, Secret};

/// Only whether a request is authentic under one of the secrets and fresh at `now` (Unix seconds): the index of that secret.
/// No handshake is answered, nothing is located, and a key that is not among `keys` is [`Reject::KeyNotFetched`]. For
/// measuring, and for explaining refusals.
pub fn authenticate(
    provider: &Provider,
    request: &Request<'_>,
    secrets: &[Secret],
    keys: &Keys,
    now: i64,
) -> Result<usize, Reject> {
    if secrets.is_empty() {
        return Err(Reject::NoSecret);
    }
    if secrets.len() > MAX_SECRETS {
        return Err(Reject::TooManySecrets);
    }
    let family = provider.scheme.family(provider.families, request.headers);
    let clock = Clock { now, tolerance_s: provider.tolerance_s };
    provider.scheme.check(request, family, secrets, clock, keys).map_err(|stop| match stop {
        Stop::Reject(reject) => reject,
        Stop::NeedKey(_) => Reject::KeyNotFetched,
    })
}
