//! The built-in handler for programs that are not in this process: it posts the very bytes received.
//!
//! Promised: the body and the end-to-end headers arrive unchanged; one attempt is one request, never resent behind the
//! state machine's back; only a 2xx is success; a redirect is not followed, because the destination the operator
//! configured is the one that gets the data and the signature.

mod answer;
mod client;
mod headers;
mod indexes;
mod relay;
mod sign;
mod signature;
mod trouble;

use std::fmt;
use std::time::Duration;

use chrono::Utc;
use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderName};
use reqwest::{Client, Response, Url};

use super::{Context, Handler, HandlerError, Named, Run, on};
use crate::config::{self, Connection, Pattern, Permanent, Signing};
use answer::{Excerpt, Verdict};
use sign::{AsProvider, Sign};
use signature::Key;

/// After a 2xx nothing the destination still sends changes the outcome: this long we read it, beside the job, to keep the
/// connection.
const DRAIN: Duration = Duration::from_secs(1);

/// How long a failing destination may take to say what is wrong.
const EXPLAIN: Duration = Duration::from_secs(5);

/// What is configured of a forward.
pub(crate) struct ForwardSpec {
    /// `http` or `https`, without user name and password.
    pub(crate) url: String,
    /// What the destination can verify.
    pub(crate) signing: Signing,
    /// Added to every request, in place of received ones of the same name; for the destination's own authentication.
    pub(crate) headers: HeaderMap,
    /// How to connect.
    pub(crate) connection: Connection,
    /// The answers after which no retry is made.
    pub(crate) permanent: Permanent,
    /// Whether what the destination answers goes to the sender.
    pub(crate) relays: bool,
}

/// Why a forward can't be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ForwardError {
    #[error("`to` is not a URL: use one such as `http://127.0.0.1:3000/hooks`")]
    Url,
    #[error("`to` must begin with http:// or https://")]
    Scheme,
    #[error("`to` must not hold a user name or password: send them as a header")]
    UserInfo,
    #[error(transparent)]
    Secret(#[from] signature::KeyError),
    #[error("header `{0}` can't be set on a forward: hookgate or HTTP sets it")]
    Header(HeaderName),
    #[error(
        "the HTTP client could not be set up: for https, are CA certificates installed? With `tls`, does the key belong to \
         the certificate?"
    )]
    Client(#[source] reqwest::Error),
}

/// One destination with its connections.
pub(crate) struct Forward {
    to: Url,
    sign: Sign,
    headers: HeaderMap,
    permanent: Permanent,
    /// For errors.
    called: String,
    relays: bool,
    client: Client,
}

/// The handler that a `[[forward]]` of the configuration describes.
pub(crate) fn configured(forward: &config::Forward) -> Result<Handler, ForwardError> {
    let patterns: Vec<&str> = forward.events.iter().map(Pattern::as_str).collect();
    let spec = ForwardSpec {
        url: forward.to.to_string(),
        signing: forward.signing.clone(),
        headers: (forward.headers.iter().chain(&forward.auth))
            .map(|header| (header.name.clone(), header.value.clone()))
            .collect(),
        connection: forward.connection.clone(),
        permanent: forward.permanent.clone(),
        relays: forward.respond,
    };
    let named = on(forward.from.as_str(), &patterns).name(forward.name.as_str()).policy(&forward.policy);
    let named = forward.when.iter().cloned().fold(named, Named::when);
    let named = if forward.respond { named.respond() } else { named };
    let handler = named.forward(Forward::new(spec)?);
    Ok(Handler { breaker: forward.breaker.then(|| origin(&forward.to).into()), ..handler })
}

/// What fails together: what has one scheme, host and port.
fn origin(to: &Url) -> String {
    let port = to.port_or_known_default().unwrap_or_default();
    format!("{}://{}:{port}", to.scheme(), to.host_str().unwrap_or_default())
}

impl Forward {
    /// Checks the settings and sets up the connections' pool. Connects to nothing yet.
    pub(crate) fn new(spec: ForwardSpec) -> Result<Self, ForwardError> {
        let to = Url::parse(&spec.url).map_err(|_| ForwardError::Url)?;
        if !matches!(to.scheme(), "http" | "https") {
            return Err(ForwardError::Scheme);
        }
        if !to.username().is_empty() || to.password().is_some() {
            return Err(ForwardError::UserInfo);
        }
        if let Some(name) = spec.headers.keys().find(|name| headers::is_ours(name) || headers::is_hop_by_hop(name)) {
            return Err(ForwardError::Header(name.clone()));
        }
        let sign = match spec.signing {
            Signing::StandardWebhooks { secret } => Sign::StandardWebhooks(Key::parse(&secret.expose().into())?),
            Signing::Provider { provider, key, .. } => {
                Sign::AsProvider(Box::new(AsProvider { provider: *provider, secret: key }))
            }
            Signing::None => Sign::Not,
        };
        let client = client::build(to.scheme() == "https", &spec.connection).map_err(ForwardError::Client)?;
        let called = called(&to, spec.connection.proxy.as_ref());
        Ok(Self { to, sign, headers: spec.headers, permanent: spec.permanent, relays: spec.relays, called, client })
    }

    async fn send(&self, cx: &mut Context) -> Result<(), HandlerError> {
        let delivery = cx.shared_delivery();
        let headers = headers::outgoing(
            &delivery,
            headers::Facts {
                id: cx.idempotency_key(),
                attempt: cx.attempt(),
                timestamp: Utc::now().timestamp(),
                sign: &self.sign,
                to: self.to.as_str(),
                configured: &self.headers,
            },
        )
        .map_err(|error| {
            HandlerError::because(format!("it cannot be signed as its provider would: {error}")).permanent()
        })?;
        let request = self.client.post(self.to.clone()).headers(headers).body(delivery.body.clone());
        let response =
            request.send().await.map_err(|error| HandlerError::because(trouble::told(&error, &self.called)))?;
        cx.set_status(response.status().as_u16());
        let left = cx.left();
        if self.relays && response.status().is_success() {
            if let Some(answer) = relay::answer(response, left / 2).await {
                cx.relay(answer);
            }
            return Ok(());
        }
        self.judge(response, left).await
    }

    /// The status decides; what follows it must neither turn the verdict nor use up the time in which it can be told.
    async fn judge(&self, response: Response, left: Duration) -> Result<(), HandlerError> {
        let (status, headers) = (response.status(), response.headers().clone());
        let excerpt = if status.is_success() {
            tokio::spawn(excerpt(response, DRAIN));
            Excerpt::default()
        } else {
            excerpt(response, EXPLAIN.min(left / 2)).await
        };
        match answer::judge(status, &headers, &self.to, &excerpt, &self.permanent, Utc::now()) {
            Verdict::Accepted => Ok(()),
            Verdict::Final { why } => Err(HandlerError::because(why).permanent()),
            Verdict::Refused { why, retry_after: None } => Err(HandlerError::because(why)),
            Verdict::Refused { why, retry_after: Some(wait) } => Err(HandlerError::because(why).retry_after(wait)),
        }
    }
}

/// Whom a forward calls, for people: paths and queries may hold tokens.
fn called(to: &Url, proxy: Option<&Url>) -> String {
    let host = |url: &Url| match (url.host_str(), url.port_or_known_default()) {
        (Some(host), Some(port)) => format!("{host}:{port}"),
        (host, _) => host.unwrap_or("nobody").to_owned(),
    };
    match proxy {
        Some(proxy) => format!("{} (through the proxy {})", host(to), host(proxy)),
        None => host(to),
    }
}

/// Neither URL nor headers: both may hold tokens.
impl fmt::Debug for Forward {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Forward").field("host", &self.to.host_str()).finish_non_exhaustive()
    }
}

impl Run for Forward {
    fn run<'a>(&'a self, cx: &'a mut Context) -> BoxFuture<'a, Result<(), HandlerError>> {
        Box::pin(self.send(cx))
    }
}

/// Reads what is needed of a response's body. Its end, its size and its errors don't matter: the status has decided.
async fn excerpt(mut response: Response, limit: Duration) -> Excerpt {
    let mut excerpt = Excerpt::default();
    let reading = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            if excerpt.take(&chunk).is_break() {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(limit, reading).await;
    excerpt
}

#[cfg(test)]
mod tests;
