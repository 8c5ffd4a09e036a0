//! Providers that sign with a key of their own, which is fetched unless the operator gives it.
//!
//! Everybody with an account has the provider sign requests, so a signature alone says little: each secret says whose
//! requests are meant (a topic, a webhook, an account), and may carry the key behind it. With the key given, nothing is
//! fetched. Everything that can be judged without the key is judged before it is asked for, so that nobody can make us
//! fetch by sending what would be refused anyway. A key at hand is used even so: "too old" is only said of what is authentic.

use super::key_set::KeySet;
use super::pem;
use crate::{KeyRequest, Keys, Reject, Secret, SecretError};

/// No verdict yet.
pub(crate) enum Stop {
    /// Refused.
    Reject(Reject),
    /// First, this has to be fetched.
    NeedKey(Box<KeyRequest>),
}

impl<R: Into<Reject>> From<R> for Stop {
    fn from(reject: R) -> Self {
        Self::Reject(reject.into())
    }
}

/// What a secret says: whose requests are meant, and the key, if the operator gives it.
pub(super) struct Held<'s> {
    /// Empty: the secret is a key for all that the other secrets mean.
    pub(super) meant: &'s str,
    pub(super) keys: Option<KeySet>,
}

impl<'s> Held<'s> {
    pub(super) fn of(secret: &'s Secret) -> Result<Self, SecretError> {
        if secret.verify_token().is_some() {
            return Err(SecretError::VerifyToken);
        }
        let text = std::str::from_utf8(secret.bytes()).map_err(|_| SecretError::NotPublicKey)?;
        let start = [text.find(pem::BEGIN), text.find('{')].into_iter().flatten().min();
        let (meant, key) = text.split_at(start.unwrap_or(text.len()));
        let keys = match start {
            Some(_) => Some(KeySet::parse(key.as_bytes()).ok_or(SecretError::NotPublicKey)?),
            None => None,
        };
        Ok(Self { meant: meant.trim(), keys })
    }
}

/// The index of the secret that means this request and under whose key, given or fetched, it is authentic.
pub(super) fn matching(
    secrets: &[Secret],
    means: impl Fn(&str) -> bool,
    fetched: impl Fn(&str) -> Result<KeySet, Stop>,
    verifies: impl Fn(&str, &KeySet) -> Result<bool, Reject>,
    is_fresh: Result<(), Reject>,
) -> Result<usize, Stop> {
    let held: Vec<_> = secrets.iter().map(|secret| Held::of(secret).ok()).collect();
    let shared = || held.iter().flatten().filter(|held| held.meant.is_empty()).filter_map(|held| held.keys.as_ref());
    let mut refused = if held.iter().all(Option::is_none) { Reject::SecretUnusable } else { Reject::NotForThisSource };
    let mut needed = None;
    for (index, held) in held.iter().enumerate() {
        let Some(held) = held.as_ref().filter(|held| means(held.meant)) else { continue };
        let verifies = |keys: &KeySet| verifies(held.meant, keys);
        let verdict = match &held.keys {
            Some(keys) => verifies(keys),
            None if shared().next().is_some() => any(shared(), &verifies),
            None => match fetched(held.meant) {
                Ok(keys) => verifies(&keys),
                Err(Stop::Reject(reject)) => Err(reject),
                Err(Stop::NeedKey(_)) if is_fresh.is_err() => Err(Reject::KeyNotFetched),
                Err(Stop::NeedKey(request)) => {
                    needed.get_or_insert(request);
                    continue;
                }
            },
        };
        match verdict {
            Ok(true) => return Ok(is_fresh.map(|()| index)?),
            Ok(false) => refused = Reject::SignatureMismatch,
            Err(reject) => refused = reject,
        }
    }
    Err(needed.map_or(Stop::Reject(refused), Stop::NeedKey))
}

fn any<'k>(
    sets: impl Iterator<Item = &'k KeySet>,
    verifies: &impl Fn(&KeySet) -> Result<bool, Reject>,
) -> Result<bool, Reject> {
    let mut verdict = Err(Reject::KeyUnknown);
    for keys in sets {
        match verifies(keys) {
            Ok(true) => return Ok(true),
            other => verdict = other,
        }
    }
    verdict
}

/// The keys in the answer to a request; without an answer, the request.
pub(super) fn keys_at(request: KeyRequest, keys: &Keys) -> Result<KeySet, Stop> {
    match keys.get(&request) {
        Some(answer) => Ok(KeySet::parse(answer).ok_or(Reject::KeyUnusable)?),
        None => Err(Stop::NeedKey(Box::new(request))),
    }
}
