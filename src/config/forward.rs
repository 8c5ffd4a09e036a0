//! `[[forward]]`: a built-in handler that posts what was received to a URL.

mod auth;
mod connection;
mod permanent;
mod signing;

use std::collections::BTreeMap;
use std::time::Duration;

use http::{HeaderName, HeaderValue};
use reqwest::Url;
use serde::{Deserialize, Serialize, Serializer};

use super::error::Complaints;
use super::secret::{Keyring, Place, Reference, SecretSetting};
use super::{HandlerPolicy, Mode, Name, OnFailure, Order, Pattern, Rate, Source, duration, places, policy};
use crate::condition::{Condition, Filter, When};
use auth::{Auth, Basic};
use connection::TlsSettings;
pub use connection::{Connection, ForwardTls, Http2};
pub use permanent::Permanent;
use signing::Sign;
pub use signing::Signing;

/// A built-in handler that posts what was received to a URL.
#[derive(Debug, Clone, Serialize)]
pub struct Forward {
    /// The handler's name.
    pub name: Name,
    /// Which sources it takes from.
    pub from: Pattern,
    /// Which event types it takes.
    pub events: Vec<Pattern>,
    /// Where to, http or https.
    #[serde(serialize_with = "as_text")]
    pub to: Url,
    /// How the request is signed.
    #[serde(flatten)]
    pub signing: Signing,
    /// Headers added to every request.
    #[serde(serialize_with = "as_table", skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<StaticHeader>,
    /// Whether its destination is left alone while it fails.
    pub breaker: bool,
    /// Its own authentication, which is the header `authorization`.
    #[serde(serialize_with = "as_shown", skip_serializing_if = "Option::is_none")]
    pub auth: Option<StaticHeader>,
    /// How it connects.
    #[serde(flatten)]
    pub connection: Connection,
    /// The answers after which no retry is made.
    pub permanent: Permanent,
    /// What its events must fulfil besides their type; empty: nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub when: Vec<Condition>,
    /// Whether the destination's answer goes to the sender.
    pub respond: bool,
    /// How it is run.
    #[serde(flatten)]
    pub policy: HandlerPolicy,
}

/// A header added to every request of a forward.
#[derive(Debug, Clone)]
pub struct StaticHeader {
    /// Its name.
    pub name: HeaderName,
    /// Its value, marked sensitive (so hidden in `Debug`) unless it stands in the configuration itself.
    pub value: HeaderValue,
    /// Where the value came from.
    pub reference: Reference,
}

fn as_text<S: Serializer>(url: &Url, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(url.as_str())
}

fn as_table<S: Serializer>(headers: &[StaticHeader], out: S) -> Result<S::Ok, S::Error> {
    out.collect_map(headers.iter().map(|header| (header.name.as_str(), shown(header))))
}

fn as_shown<S: Serializer>(header: &Option<StaticHeader>, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(&header.as_ref().map(shown).unwrap_or_default())
}

fn as_optional_text<S: Serializer>(url: &Option<Url>, out: S) -> Result<S::Ok, S::Error> {
    out.collect_str(url.as_ref().map_or("", Url::as_str))
}

fn shown(header: &StaticHeader) -> String {
    match header.value.to_str() {
        Ok(text) if !header.value.is_sensitive() => text.to_owned(),
        _ => format!("{} (set, {} bytes)", header.reference, header.value.len()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
pub(super) struct ForwardSettings {
    name: Name,
    from: Pattern,
    events: Vec<Pattern>,
    to: String,
    sign: Sign,
    secret: Option<SecretSetting>,
    #[serde(default)]
    headers: BTreeMap<String, SecretSetting>,
    auth: Option<Auth>,
    #[serde(with = "duration")]
    connect_timeout: Duration,
    http2: Http2,
    tls: Option<TlsSettings>,
    proxy: Option<String>,
    proxy_auth: Option<Basic>,
    permanent: Permanent,
    #[serde(default)]
    attempts: u32,
    #[serde(with = "duration::list")]
    retry: Vec<Duration>,
    #[serde(default, with = "duration::optional")]
    give_up_after: Option<Duration>,
    #[serde(with = "duration")]
    timeout: Duration,
    concurrency: usize,
    rate: Option<Rate>,
    burst: Option<u32>,
    breaker: bool,
    #[serde(with = "duration")]
    backoff_base: Duration,
    backoff_factor: u32,
    #[serde(with = "duration")]
    backoff_cap: Duration,
    #[serde(with = "duration")]
    block_for: Duration,
    order: Order,
    on_failure: OnFailure,
    #[serde(with = "duration")]
    reorder_window: Duration,
    #[serde(default, with = "places")]
    ordering_key: Option<Vec<String>>,
    #[serde(default, with = "places")]
    version: Option<Vec<String>>,
    when: Option<When>,
    #[serde(default)]
    respond: bool,
}

/// `[forward_defaults]`. Read only so that a wrong value in it is refused even while no forward inherits it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of settings")]
#[expect(dead_code, reason = "forwards inherit the table before this is read")]
pub(super) struct ForwardDefaults {
    events: Vec<Pattern>,
    sign: Sign,
    breaker: bool,
    #[serde(with = "duration")]
    connect_timeout: Duration,
    http2: Http2,
    permanent: Permanent,
}

impl ForwardSettings {
    /// `sources` are all there are: what a forward takes decides as whom it can sign.
    pub(super) fn resolve(
        self,
        sources: &BTreeMap<Name, Source>,
        keyring: &Keyring<'_>,
        complaints: &mut Complaints,
    ) -> Option<Forward> {
        let prefix = format!("forward.{}", self.name);
        if self.events.is_empty() {
            complaints
                .say(format!("`{prefix}.events` is empty, so nothing is forwarded: write [\"*\"] for everything"));
        }
        let to = complaints.take(destination(&prefix, &self.to));
        let wanted = signing::Wanted { prefix: &prefix, from: &self.from, sign: self.sign, secret: self.secret };
        let signing = wanted.resolve(sources, keyring, complaints);
        let mut headers = Vec::new();
        for (name, value) in self.headers {
            headers.extend(complaints.take(header(&prefix, &name, value, keyring)));
        }
        let auth = self.auth.map(|auth| complaints.take(auth.resolve(&prefix, keyring)));
        if auth.is_some() && headers.iter().any(|header| header.name == http::header::AUTHORIZATION) {
            complaints.say(format!(
                "`{prefix}.auth` and `{prefix}.headers.authorization` say who calls twice: remove one of the two"
            ));
        }
        let wanted = connection::Wanted {
            prefix: &prefix,
            secure: to.as_ref().map(|to| to.scheme() == "https"),
            connect_timeout: self.connect_timeout,
            http2: self.http2,
            tls: self.tls,
            proxy: self.proxy,
            proxy_auth: self.proxy_auth,
        };
        let connection = wanted.resolve(keyring, complaints);
        let added: Vec<StaticHeader> = auth.iter().flatten().cloned().collect();
        if signing.iter().any(|signing| !signing.written_by_it(&added).is_empty()) {
            complaints.say(format!(
                "`{prefix}.auth` is a header that `{prefix}.sign` = \"provider\" writes itself: remove one of the two"
            ));
        }
        for name in signing.iter().flat_map(|signing| signing.written_by_it(&headers)) {
            complaints.say(format!(
                "`{prefix}.headers.{name}` is a header that `{prefix}.sign` = \"provider\" writes itself: remove one of the \
                 two"
            ));
        }
        let when = self.when.map(|When(conditions)| conditions);
        if let Some(conditions) = &when {
            complaints.take(Filter::of(&format!("{prefix}.when"), conditions));
        }
        Some(Forward {
            name: self.name,
            from: self.from,
            events: self.events,
            to: to?,
            signing: signing?,
            headers,
            breaker: self.breaker,
            auth: match auth {
                Some(auth) => Some(auth?),
                None => None,
            },
            connection: connection?,
            permanent: self.permanent,
            when: when.unwrap_or_default(),
            respond: self.respond,
            policy: HandlerPolicy {
                attempts: policy::attempts(self.attempts, &self.retry),
                timeout: self.timeout,
                concurrency: self.concurrency,
                rate: self.rate,
                burst: self.burst,
                backoff_base: self.backoff_base,
                backoff_factor: self.backoff_factor,
                backoff_cap: self.backoff_cap,
                retry: self.retry,
                give_up_after: self.give_up_after,
                block_for: self.block_for,
                order: self.order,
                on_failure: self.on_failure,
                reorder_window: self.reorder_window,
                ordering_key: self.ordering_key,
                version: self.version,
            },
        })
    }
}

fn destination(prefix: &str, text: &str) -> Result<Url, String> {
    // The text is not repeated in these sentences: it may hold the very credentials that are refused.
    let url = Url::parse(text).map_err(|error| {
        format!("`{prefix}.to` is not a URL ({error}): write http://host/path or https://host/path")
    })?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{prefix}.to` has the scheme `{}`: only http and https are spoken", url.scheme()));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!(
            "`{prefix}.to` has credentials in it, which end up in logs: put them in \
             `{prefix}.auth`, as {{ bearer = {{ env = \"VARIABLE\" }} }} or \
             {{ basic = {{ user = \"…\", password = {{ env = \"VARIABLE\" }} }} }}"
        ));
    }
    if url.fragment().is_some() {
        return Err(format!("`{prefix}.to` has a fragment (#…), which HTTP does not send: remove it"));
    }
    Ok(url)
}

/// Set by hookgate or by HTTP itself; a second one would contradict or shadow it.
const RESERVED: [&str; 11] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "idempotency-key",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "content-encoding",
];
const RESERVED_PREFIXES: [&str; 3] = ["webhook-", "hookgate-", "proxy-"];
const CREDENTIALS: [&str; 3] = ["authorization", "cookie", "x-api-key"];

fn header(prefix: &str, name: &str, setting: SecretSetting, keyring: &Keyring<'_>) -> Result<StaticHeader, String> {
    let key = format!("{prefix}.headers.{name}");
    let name: HeaderName = name
        .to_ascii_lowercase()
        .parse()
        .map_err(|_| format!("`{}` is not a header name: use letters, digits and -", key.escape_debug()))?;
    if RESERVED.contains(&name.as_str()) || RESERVED_PREFIXES.iter().any(|p| name.as_str().starts_with(p)) {
        return Err(format!("`{key}` is a header that hookgate or HTTP sets itself: choose another name"));
    }
    let literal = matches!(setting.place, Place::Literal(_));
    if literal && keyring.mode != Mode::Dev && CREDENTIALS.contains(&name.as_str()) {
        return Err(format!(
            "`{key}` holds a credential in clear: write {{ env = \"VARIABLE\" }} or {{ file = \"path\" }}"
        ));
    }
    let secret = keyring.fetch_any(&key, setting)?;
    let mut value: HeaderValue = secret.expose().parse().map_err(|_| {
        format!("`{key}` ({}) has a line break or control character in it: a header is one line", secret.reference())
    })?;
    value.set_sensitive(!literal || CREDENTIALS.contains(&name.as_str()));
    Ok(StaticHeader { name, value, reference: secret.reference().clone() })
}
