//! A request by hand, to any source, with any method, signed as its provider would.

use std::net::SocketAddr;

use hookgate_providers::{Headers, Secret, Unsigned, find, sign};

use crate::support::wire::{RawAnswer, exchange};

/// Any 16 characters or more; every source of these tests that takes a plain secret has it.
pub(super) const SECRET: &str = "a-secret-of-32-characters-or-more";

/// A source's table; `more` are further lines of it.
pub(super) fn source(name: &str, provider: &str, more: &str) -> String {
    source_with(name, provider, &format!("[{{ literal = {SECRET:?} }}]"), more)
}

/// The same with these secrets.
pub(super) fn source_with(name: &str, provider: &str, secrets: &str, more: &str) -> String {
    format!("[source.{name}]\nprovider = {provider:?}\nsecrets = {secrets}\n{more}\n")
}

/// One request.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) method: &'static str,
    pub(super) target: String,
    pub(super) headers: Headers,
    pub(super) body: Vec<u8>,
}

impl Call {
    pub(super) fn new(method: &'static str, target: &str) -> Self {
        Self { method, target: target.to_owned(), headers: Headers::new(), body: Vec::new() }
    }

    pub(super) fn post(target: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..Self::new("POST", target) }
    }

    pub(super) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push(name, value);
        self
    }

    /// Signs it now as this provider does when it calls `base` and the target.
    pub(super) fn signed(self, provider: &str, base: &str) -> Self {
        self.signed_by(provider, SECRET, base)
    }

    pub(super) fn signed_by(mut self, provider: &str, secret: &str, base: &str) -> Self {
        let url = format!("{base}{}", self.target);
        let now = chrono::Utc::now().timestamp();
        let unsigned =
            Unsigned { method: self.method, url: &url, headers: &self.headers, body: &self.body, id: "id-1", now };
        let provider = find(provider).expect("a provider of this name");
        let added = sign(provider, &unsigned, &Secret::new(secret).expect("a secret")).expect("sign");
        self.headers.extend(added.iter());
        self
    }

    pub(super) async fn send(&self, to: SocketAddr) -> RawAnswer {
        let mut request = format!("{} {} HTTP/1.1\r\nhost: gate.test\r\n", self.method, self.target).into_bytes();
        for (name, value) in self.headers.iter() {
            request.extend_from_slice(format!("{name}: ").as_bytes());
            request.extend_from_slice(value);
            request.extend_from_slice(b"\r\n");
        }
        if !self.body.is_empty() {
            request.extend_from_slice(format!("content-length: {}\r\n", self.body.len()).as_bytes());
        }
        request.extend_from_slice(b"\r\n");
        request.extend_from_slice(&self.body);
        exchange(to, &request).await
    }
}
