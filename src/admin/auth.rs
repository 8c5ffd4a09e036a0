//! Who calls, what they may do, and whether a browser was tricked into calling.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, Method, Uri, header};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::{Choice, ConstantTimeEq};

use super::Operator;
use super::error::ApiError;

/// What the holder of a token may do. Each role includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// See.
    Read,
    /// Replay and release.
    Operate,
    /// Everything.
    Admin,
}

/// A bearer token of the operator listener.
#[derive(Debug, Clone)]
pub struct OperatorToken {
    /// Stands in the audit trail.
    pub name: String,
    /// What its holder may do.
    pub role: Role,
    /// What the holder sends.
    pub secret: SecretString,
}

/// Who calls.
#[derive(Debug, Clone)]
struct Caller {
    name: Arc<str>,
    role: Role,
}

/// Proof that the caller may operate. An argument of every handler that changes something.
#[derive(Debug)]
pub(super) struct MayOperate {
    /// For the audit trail.
    pub(super) name: Arc<str>,
}

impl<S: Sync> FromRequestParts<S> for MayOperate {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let caller = parts.extensions.get::<Caller>().ok_or(ApiError::Unauthorized)?;
        match caller.role {
            Role::Read => Err(ApiError::RoleTooLow("operate")),
            Role::Operate | Role::Admin => Ok(Self { name: caller.name.clone() }),
        }
    }
}

/// Lets in who has a token; every role may read.
pub(super) async fn identify(
    State(operator): State<Arc<Operator>>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let caller = if operator.tokens.is_empty() {
        Caller { name: "local".into(), role: Role::Admin }
    } else {
        bearer(request.headers()).and_then(|given| holder(&operator.tokens, given)).ok_or(ApiError::Unauthorized)?
    };
    request.extensions_mut().insert(caller);
    Ok(next.run(request).await)
}

fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(header::AUTHORIZATION)?.as_bytes();
    let (scheme, token) = value.split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

/// Compares hashes, so that neither the secret's bytes nor its length show in the time, and goes through all tokens
/// whichever matches.
fn holder(tokens: &[OperatorToken], given: &[u8]) -> Option<Caller> {
    let given = Sha256::digest(given);
    let mut found = None;
    for token in tokens {
        let secret = token.secret.expose_secret().as_bytes();
        let same = Sha256::digest(secret).as_slice().ct_eq(given.as_slice());
        // A token without a secret would let in whoever sends an empty one.
        let set = Choice::from(u8::from(!secret.is_empty()));
        if bool::from(same & set) {
            found = Some(Caller { name: token.name.as_str().into(), role: token.role });
        }
    }
    found
}

/// Keeps web pages from using a listener that needs no token: one that resolves its own name to loopback (DNS
/// rebinding) is known by its Host, one that posts across sites by Origin, Sec-Fetch-Site and the content type, which
/// a form can't set. With tokens none of this matters: a page has no token, and we set no cookie.
pub(super) async fn refuse_other_sites(
    State(operator): State<Arc<Operator>>,
    request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    if operator.tokens.is_empty() {
        check_local(request.method(), request.uri(), request.headers())?;
    }
    Ok(next.run(request).await)
}

fn check_local(method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), ApiError> {
    // HTTP/2 has its authority in the URI.
    let host = match headers.get(header::HOST) {
        Some(host) => host.to_str().ok().and_then(|host| host.parse().ok()),
        None => uri.authority().cloned(),
    };
    if !host.is_some_and(|host| is_loopback(host.host())) {
        return Err(ApiError::OtherSite("the Host header does not name this machine's loopback"));
    }
    if method.is_safe() {
        return Ok(());
    }
    if headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none") {
        return Err(ApiError::OtherSite("the browser says that another site asks"));
    }
    if let Some(origin) = headers.get(header::ORIGIN) {
        let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
        if !origin.is_some_and(|origin| origin.host().is_some_and(is_loopback)) {
            return Err(ApiError::OtherSite("the Origin is another site"));
        }
    }
    if !is_json(headers) {
        return Err(ApiError::OtherSite("a change must be sent as application/json"));
    }
    Ok(())
}

fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    value.and_then(|value| value.split(';').next()).is_some_and(|media| media.trim() == "application/json")
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(name: &str, secret: &str) -> OperatorToken {
        OperatorToken { name: name.to_owned(), role: Role::Read, secret: secret.to_owned().into() }
    }

    #[test]
    fn only_the_exact_secret_opens() {
        let tokens = [token("a", "one"), token("b", "two"), token("blank", "")];
        assert_eq!(holder(&tokens, b"two").map(|c| c.name.to_string()), Some("b".to_owned()));
        for given in [&b"tw"[..], b"two ", b"TWO", b""] {
            assert!(holder(&tokens, given).is_none(), "{given:?}");
        }
    }

    #[test]
    fn a_name_that_only_looks_like_loopback_is_not() {
        for host in ["localhost", "127.0.0.1", "127.8.8.8", "[::1]"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.evil.example", "127.0.0.1.nip.io", "10.0.0.1", "", "[::2]"] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
