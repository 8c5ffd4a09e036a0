//! What a token says of itself and of the request.

use serde_json::{Map, Value};
use subtle::ConstantTimeEq;

use super::super::{Clock, Encoding, Hash};
use super::{Issuer, Jwt, UrlClaim};
use crate::{Reject, Request};

impl Jwt {
    pub(super) fn check_claims(
        &self,
        claims: &Map<String, Value>,
        name: Option<&str>,
        request: &Request<'_>,
        clock: Clock,
    ) -> Result<(), Reject> {
        self.check_subject(claims, name, request)?;
        self.check_times(claims, clock)
    }

    /// Whether the token is about this request, whenever it was made.
    pub(super) fn check_subject(
        &self,
        claims: &Map<String, Value>,
        name: Option<&str>,
        request: &Request<'_>,
    ) -> Result<(), Reject> {
        let claim = |name: &str| claims.get(name).and_then(Value::as_str);
        let issued_by = claim("iss");
        let issuer_is_right = match self.issuer {
            Issuer::Any => true,
            Issuer::Is(issuer) => issued_by == Some(issuer),
            Issuer::KeyName => name.is_some() && issued_by == name,
        };
        if !issuer_is_right || !self.signer.issued(claims) {
            return Err(Reject::ClaimMismatch);
        }
        if let Some((name, encoding)) = self.body_hash
            && !body_is(claim(name), encoding, request.body)
        {
            return Err(Reject::ClaimMismatch);
        }
        if let Some((name, url)) = self.url
            && !claim(name).is_some_and(|claim| url.holds(claim, request.url))
        {
            return Err(Reject::ClaimMismatch);
        }
        Ok(())
    }

    pub(super) fn check_times(&self, claims: &Map<String, Value>, clock: Clock) -> Result<(), Reject> {
        let now = clock.now;
        let time = |name: &str| match claims.get(name) {
            None => Ok(None),
            Some(value) => value.as_f64().map(|seconds| Some(seconds as i64)).ok_or(Reject::TimestampMalformed),
        };
        let own_leeway = clock.tolerance_s.filter(|_| self.must_expire);
        let leeway = i64::from(own_leeway.unwrap_or(self.leeway_s));
        if time("exp")?.is_some_and(|end| now.saturating_sub(leeway) >= end) {
            return Err(Reject::TimestampTooOld);
        }
        if time("nbf")?.is_some_and(|start| now.saturating_add(leeway) < start) {
            return Err(Reject::TimestampInFuture);
        }
        if self.must_expire {
            if time("exp")?.is_none() {
                return Err(Reject::TimestampMissing);
            }
            if time("iat")?.is_some_and(|issued| now.saturating_add(leeway) < issued) {
                return Err(Reject::TimestampInFuture);
            }
        }
        let Some(within) = self.issued_within_s else { return Ok(()) };
        let within = i64::from(clock.tolerance_s.unwrap_or(within));
        let issued = time("iat")?.ok_or(Reject::TimestampMissing)?;
        match now.saturating_sub(issued) {
            age if age > within => Err(Reject::TimestampTooOld),
            age if age < -within => Err(Reject::TimestampInFuture),
            _ => Ok(()),
        }
    }
}

impl UrlClaim {
    pub(super) fn of(self, url: &str) -> String {
        match self {
            Self::Sha256 => hex::encode(Hash::Sha256.digest(&[url.as_bytes().into()])),
            Self::WithoutQuery => {
                let url = url.split(['?', '#']).next().unwrap_or_default();
                let host_ends = url.match_indices('/').nth(2).map_or(url.len(), |(index, _)| index);
                let (origin, path) = url.split_at(host_ends);
                format!("{}{}", origin.to_ascii_lowercase(), path.trim_end_matches('/'))
            }
        }
    }

    fn holds(self, claim: &str, url: &str) -> bool {
        match self {
            Self::Sha256 => claim == self.of(url),
            Self::WithoutQuery => self.of(claim) == self.of(url),
        }
    }
}

/// Senders leave the claim out when there is no body; with neither, nothing can have been changed.
fn body_is(claim: Option<&str>, encoding: Encoding, body: &[u8]) -> bool {
    match claim {
        None => body.is_empty(),
        Some(claim) => {
            let expected = Hash::Sha256.digest(&[body.into()]);
            encoding.decode(claim).is_some_and(|hash| hash.ct_eq(&expected).into())
        }
    }
}
