//! Verify: request, live secrets and now → `Verified`, or the reason why not. Pure code does it, in `providers/`; the keys
//! that it asks for are fetched here.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use hookgate_providers::{KeyRequest, Keys, Provider, Reject, Reply, Request, Verdict, Verified};
use http::HeaderValue;

use super::address::Door;
use super::handshake::Pace;
use super::keys::{KeyStore, Unavailable};
use super::reply::Acknowledgement;
use super::respond::within;
use super::secrets::LiveSecrets;
use crate::config;

/// Keys one request may ask for, one after the other. A token for a key server and the key itself are two.
const ROUNDS: usize = 4;

/// One configured ingest endpoint.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) name: Arc<str>,
    pub(crate) provider: Provider,
    pub(crate) secrets: Arc<LiveSecrets>,
    pub(crate) max_body: usize,
    /// Where senders reach us, without a trailing slash, as configured: what URL-signing providers sign.
    pub(crate) public_url: Option<String>,
    pub(crate) door: Door,
    pub(crate) methods: Vec<&'static str>,
    pub(crate) allow: HeaderValue,
    pub(crate) acknowledgement: Acknowledgement,
    /// How long a handler may take that answers, from the request's head.
    pub(crate) respond_within: Duration,
    pub(crate) refusal: Acknowledgement,
    pub(crate) handshakes: Pace,
}

/// An authentic request.
#[derive(Debug)]
pub(crate) enum Accepted {
    Delivery {
        verified: Verified,
        /// What its row calls the secret that vouched for it.
        secret: i16,
    },
    Handshake(Reply),
}

/// Why a request was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotAccepted {
    /// Not authentic, or not as the provider sends it.
    Refused(Reject),
    /// Authentic, but by a method with which the provider makes handshakes only, and none of them.
    NoEvent,
    /// Not judged: a key can't be had now.
    KeyUnavailable,
}

impl NotAccepted {
    /// The word for metrics and operators.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Refused(reject) => reject.as_str(),
            Self::NoEvent => "no_event",
            Self::KeyUnavailable => "key_unavailable",
        }
    }

    /// Whether it might be accepted with a secret that is not here yet.
    pub(crate) fn is_of_secret(self) -> bool {
        matches!(self, Self::Refused(Reject::NoSecret | Reject::SignatureMismatch))
    }
}

impl From<Unavailable> for NotAccepted {
    fn from(_: Unavailable) -> Self {
        Self::KeyUnavailable
    }
}

impl Source {
    pub(crate) fn new(source: &config::Source, server: &config::Server) -> Self {
        let public_url = source.public_url.as_ref().or(server.public_url.as_ref());
        let methods: Vec<&'static str> = source.provider.accepts().collect();
        let acknowledgement = match &source.reply {
            Some(own) => Acknowledgement::configured(own),
            None => Acknowledgement::of_provider(&source.provider.reply),
        };
        Self {
            name: source.name.as_str().into(),
            provider: source.provider,
            secrets: Arc::new(LiveSecrets::new(source.keys.clone())),
            max_body: source.max_body.unwrap_or(server.max_body),
            public_url: public_url.map(|url| url.trim_end_matches('/').to_owned()),
            door: Door::new(source.url_key.as_ref().map(config::Secret::expose), source.subpaths),
            allow: HeaderValue::from_str(&methods.join(", ")).unwrap_or(HeaderValue::from_static("POST")),
            methods,
            respond_within: source.respond_within.unwrap_or(within(source.provider.ack_deadline)),
            acknowledgement,
            refusal: Acknowledgement::of_provider(&source.provider.refusal),
            handshakes: Pace::new(),
        }
    }

    /// Whether any live secret vouches for this very request.
    pub(crate) async fn judge(
        &self,
        request: &Request<'_>,
        now: DateTime<Utc>,
        store: &Arc<KeyStore>,
    ) -> Result<Accepted, NotAccepted> {
        let (mut keys, mut asked) = (Keys::new(), Vec::new());
        let mut renewed = false;
        let live = self.secrets.now();
        loop {
            let verdict =
                hookgate_providers::verify_with_keys(&self.provider, request, live.secrets(), &keys, now.timestamp());
            match verdict {
                Ok(Verdict::Handshake(reply)) => return Ok(Accepted::Handshake(reply)),
                Ok(Verdict::Delivery(verified)) if self.provider.sends_events_by(request.method) => {
                    let secret = live.number(verified.secret_index());
                    return Ok(Accepted::Delivery { verified, secret });
                }
                Ok(Verdict::Delivery(_)) => return Err(NotAccepted::NoEvent),
                Ok(Verdict::NeedKey(wanted)) if asked.len() < ROUNDS => {
                    keys.insert(&wanted, store.get(&wanted).await?);
                    asked.push(wanted);
                }
                Ok(Verdict::NeedKey(_)) => return Err(NotAccepted::KeyUnavailable),
                Err(reject) if may_be_outdated(reject) && !renewed && renew(store, &asked, &mut keys).await => {
                    renewed = true;
                }
                Err(reject) => return Err(NotAccepted::Refused(reject)),
            }
        }
    }
}

/// Whether what was fetched may not be what the provider publishes now.
fn may_be_outdated(reject: Reject) -> bool {
    matches!(reject, Reject::KeyUnknown | Reject::KeyUnusable | Reject::KeyExpired)
}

/// Whether anything was fetched anew.
async fn renew(store: &Arc<KeyStore>, asked: &[KeyRequest], keys: &mut Keys) -> bool {
    let mut any = false;
    for request in asked {
        if let Some(answer) = store.renew(request).await {
            keys.insert(request, answer);
            any = true;
        }
    }
    any
}
