//! Verify: request, live secrets and now → `Verified`, or the reason why not. Pure code does it, in `providers/`.

use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use hookgate_providers::{Headers, Provider, Reject, Request, Secret, Verdict};

/// One configured ingest endpoint.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: Arc<str>,
    pub(crate) provider: Provider,
    pub(crate) secrets: Vec<Secret>,
    pub(crate) max_body: usize,
    /// Where senders reach us, without a trailing slash: what URL-signing providers sign.
    pub(crate) public_url: String,
}

impl Source {
    pub(crate) fn provider(&self) -> &Provider {
        &self.provider
    }

    /// Whether any live secret vouches for these very bytes.
    pub(crate) fn verify(
        &self,
        method: &str,
        target: &str,
        headers: &Headers,
        body: &Bytes,
        now: DateTime<Utc>,
    ) -> Result<Verdict, Reject> {
        let url = format!("{}{target}", self.public_url);
        let request = Request { method, url: &url, headers, body };
        hookgate_providers::verify(&self.provider, &request, &self.secrets, now.timestamp())
    }
}
