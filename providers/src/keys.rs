//! Keys that have to be fetched: which, from where, and what came back. This crate only asks; its caller fetches.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use zeroize::Zeroizing;

/// A fetch that a verdict waits for, made only for a request that passed every check that needs no key.
///
/// The URL is `https` without credentials, port or fragment, on a host the provider's module pins. Whoever fetches it follows
/// no redirect, resolves to public addresses only, and bounds time and size. Two requests with one [`KeyRequest::id`] are
/// one fetch. The name of the key in it is the sender's: whoever fetches also bounds how many of a source's fetches may
/// fail in a minute.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyRequest {
    pub(crate) method: &'static str,
    pub(crate) url: String,
    pub(crate) headers: Vec<(&'static str, Zeroizing<String>)>,
    pub(crate) body: Zeroizing<Vec<u8>>,
    pub(crate) keep: Duration,
}

pub(crate) const HOUR: Duration = Duration::from_secs(3_600);

/// What was fetched, by [`KeyRequest::id`]: the bodies of answers with status 200.
#[derive(Clone, Default)]
pub struct Keys(BTreeMap<String, Arc<[u8]>>);

impl KeyRequest {
    /// The key at this address, which the provider changes now and then.
    pub(crate) fn get(url: impl Into<String>) -> Self {
        Self { method: "GET", url: url.into(), headers: Vec::new(), body: Zeroizing::default(), keep: HOUR * 24 }
    }

    /// An answer to this body.
    pub(crate) fn post(url: impl Into<String>, content_type: &str, body: String) -> Self {
        let headers = vec![("content-type", Zeroizing::new(content_type.to_owned()))];
        Self { method: "POST", headers, body: Zeroizing::new(body.into_bytes()), ..Self::get(url) }
    }

    pub(crate) fn with(mut self, header: &'static str, value: Zeroizing<String>) -> Self {
        self.headers.push((header, value));
        self
    }

    pub(crate) fn keep(self, keep: Duration) -> Self {
        Self { keep, ..self }
    }

    /// `GET` or `POST`.
    pub fn method(&self) -> &'static str {
        self.method
    }

    /// Where from.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Headers to send, lower-case names. Values may be credentials.
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.headers.iter().map(|(name, value)| (*name, value.as_str()))
    }

    /// The body to send; may hold credentials.
    pub fn body(&self) -> &[u8] {
        &self.body
    }

    /// How long an answer may be used; it may have to be forgotten earlier, see [`crate::Reject::KeyUnknown`].
    pub fn keep_for(&self) -> Duration {
        self.keep
    }

    /// What an answer to this is kept under: holds no credential in clear, and differs where they do.
    pub fn id(&self) -> String {
        use sha2::{Digest, Sha256};
        let mut hash = Sha256::new();
        for part in
            self.headers.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]).chain([&self.body[..]])
        {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        format!("{} {} {}", self.method, self.url, hex::encode(hash.finalize()))
    }
}

impl Keys {
    /// None fetched.
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// Adds what was answered to a request.
    pub fn insert(&mut self, request: &KeyRequest, answer: impl Into<Arc<[u8]>>) {
        self.0.insert(request.id(), answer.into());
    }

    pub(crate) fn get(&self, request: &KeyRequest) -> Option<&[u8]> {
        self.0.get(&request.id()).map(AsRef::as_ref)
    }
}

/// Where to, but no credential.
impl std::fmt::Debug for KeyRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyRequest").field("method", &self.method).field("url", &self.url).finish_non_exhaustive()
    }
}

/// How many, but no key.
impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Keys({})", self.0.len())
    }
}
