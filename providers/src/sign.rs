//! Makes the request a provider would have sent: for the simulator, re-signed forwards, and tests.

use crate::{Headers, Locate, Provider, Request, Secret, SecretError};

/// A request to sign.
#[derive(Debug, Clone, Copy)]
pub struct Unsigned<'a> {
    /// The method, upper case.
    pub method: &'a str,
    /// The URL the request will be sent to, where it is signed.
    pub url: &'a str,
    /// The headers it already has.
    pub headers: &'a Headers,
    /// The body.
    pub body: &'a [u8],
    /// The delivery id, where the provider writes it in a header.
    pub id: &'a str,
    /// The time of sending, Unix seconds.
    pub now: i64,
}

impl<'a> Unsigned<'a> {
    pub(crate) fn request(&self) -> Request<'a> {
        Request { method: self.method, url: self.url, headers: self.headers, body: self.body }
    }
}

/// Why a request cannot be signed as this provider would.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SignError {
    /// The provider signs with a key that only it has.
    #[error("this provider's requests cannot be signed with what a receiver holds")]
    NotSignable,
    /// A public key verifies; it cannot sign.
    #[error("whpk_ is a public key, which only verifies: sign with the whsk_ key that belongs to it")]
    PublicKey,
    /// The secret is not of this provider's kind.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// The id is empty or has a dot.
    #[error("the id is part of what is signed: it must not be empty or contain a dot")]
    UnusableId,
    /// A header that is signed is not there.
    #[error("a header that is part of what is signed is missing")]
    SignedHeaderMissing,
    /// The signature or its time is in the body, which is sent on as it was received.
    #[error("this provider writes its signature into the body, which is sent on as it was received")]
    InBody,
    /// The signature or the token is in the URL, which is the destination's own.
    #[error("this provider writes its signature into the URL, and the destination has a URL of its own")]
    InUrl,
}

/// The headers to add to a request to make it one that `provider` would have sent.
pub fn sign(provider: &Provider, unsigned: &Unsigned<'_>, secret: &Secret) -> Result<Headers, SignError> {
    let family = family(provider, unsigned.headers);
    let id_header = match provider.delivery_id.first() {
        Some(Locate::Header(name)) => Some((*name).to_owned()),
        Some(Locate::Family(name)) => Some(format!("{family}{name}")),
        _ => None,
    };
    let mut complete = unsigned.headers.clone();
    let mut added = Headers::new();
    if let Some(name) = id_header
        && !unsigned.id.is_empty()
        && unsigned.headers.single(&name) == Ok(None)
    {
        complete.push(&name, unsigned.id);
        added.push(&name, unsigned.id);
    }
    let signed = provider.scheme.sign(&Unsigned { headers: &complete, ..*unsigned }, family, secret)?;
    added.extend(signed.iter().filter(|(name, _)| complete.single(name) == Ok(None)));
    Ok(added)
}

/// The names of those of a request's headers that authenticate it as the provider's: its signature, what tells how it was
/// made, and the time of it. Neither the delivery id nor the event type, which stay what they are under any signature.
pub fn signature_headers<'h>(provider: &Provider, headers: &'h Headers) -> Vec<&'h str> {
    let names = headers.iter().map(|(name, _)| name);
    names.filter(|name| provider.scheme.writes(provider.families, name)).collect()
}

/// Makes a request that was received one that `provider` sends now, to another URL and with another secret: its headers,
/// complete, in which those that authenticate it are replaced and the others are as they were.
///
/// `request.headers` are those received. An id in them is kept; `request.id` stands in only where one is signed and missing.
pub fn resign(provider: &Provider, request: &Unsigned<'_>, secret: &Secret) -> Result<Headers, SignError> {
    // The body stays: what the scheme would sign beside it may be possible where the destination would refuse it.
    provider.scheme.check_resigning(secret)?;
    let received = request.request();
    let family = provider.scheme.family(provider.families, request.headers);
    let old = signature_headers(provider, request.headers);
    let mut headers: Headers = request.headers.iter().filter(|(name, _)| !old.contains(name)).collect();
    let unsigned = Unsigned { headers: &headers, ..*request };
    let signed = provider.scheme.sign_as_received(&received, &unsigned, family, secret)?;
    let added: Vec<_> = signed.iter().filter(|(name, _)| headers.single(name) == Ok(None)).collect();
    headers.extend(added);
    Ok(headers)
}

impl Provider {
    /// Whether [`resign`] can sign with this secret; the error says why not.
    ///
    /// For where configuration is read. What a single request lacks is found when it is signed.
    pub fn check_resigning(&self, secret: &Secret) -> Result<(), SignError> {
        self.scheme.check_resigning(secret)
    }
}

/// The family the request's own headers are of; without any, the last, which is the one most receivers know.
fn family(provider: &Provider, headers: &Headers) -> &'static str {
    let used = |family: &&&str| headers.iter().any(|(name, _)| name.starts_with(**family));
    provider.families.iter().find(used).or(provider.families.last()).copied().unwrap_or_default()
}
