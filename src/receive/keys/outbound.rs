//! The one client that calls out while receiving: to hosts that `hookgate-providers` pins, and no further.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::BytesMut;
use hookgate_providers::KeyRequest;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::{Certificate, Client, Url, redirect, retry};

use super::freshness::fresh_for;
use super::public::PublicOnly;

/// From the first look-up to the last byte. A sender waits meanwhile.
const TIMEOUT: Duration = Duration::from_secs(3);
/// How long what is no longer fresh still serves at most while it can't be had anew.
const STALE: Duration = Duration::from_secs(24 * 3600);
/// Published keys and certificates take a few kB.
const LARGEST: usize = 256 * 1024;

/// What to fetch.
pub(super) struct Wanted {
    /// What the answer is kept under.
    pub(super) id: String,
    method: Method,
    url: String,
    headers: HeaderMap,
    body: Vec<u8>,
    /// How long the answer may be used at most: a token for a key server dies by itself.
    keep_for: Duration,
}

/// What came back.
pub(super) struct Fetched {
    pub(super) bytes: Vec<u8>,
    pub(super) fresh_for: Duration,
    /// Longer than fresh, so that it can be fetched anew while it still serves.
    pub(super) usable_for: Duration,
}

/// Why nothing came back.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// Not a URL that may be called.
    #[error("not an https URL of a named host, without port, credentials and fragment")]
    Url,
    /// There is no client.
    #[error("no client for https can be made; are CA certificates installed?")]
    Client(#[source] reqwest::Error),
    /// No connection, or no answer in time.
    #[error("the host can't be reached")]
    Unreachable(#[source] reqwest::Error),
    /// Another answer than 200.
    #[error("the host answered {0}")]
    Status(StatusCode),
    /// More bytes than any key has.
    #[error("the answer is too large")]
    TooLarge,
    /// As many fetches run as may.
    #[error("too many fetches at once")]
    Busy,
}

/// Where a test answers instead of the internet.
#[derive(Debug, Clone)]
pub(crate) struct Seam {
    /// Every name resolves to this address.
    pub(crate) at: SocketAddr,
    /// Who signs the certificate of whoever listens there, as PEM.
    pub(crate) root: Vec<u8>,
}

/// The client, made when it is first needed: most gateways fetch nothing, and without CA certificates on the machine it
/// can't be made.
#[derive(Debug)]
pub(crate) struct Outbound {
    seam: Option<Seam>,
    client: OnceLock<Client>,
}

impl Outbound {
    pub(crate) fn new(seam: Option<Seam>) -> Self {
        Self { seam, client: OnceLock::new() }
    }

    fn client(&self) -> Result<&Client, Failure> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let client = self.build().map_err(Failure::Client)?;
        Ok(self.client.get_or_init(|| client))
    }

    fn build(&self) -> reqwest::Result<Client> {
        // An error says that the program has chosen a provider already, and that choice stands.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .https_only(true)
            .timeout(TIMEOUT)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .retry(retry::never())
            .referer(false)
            .user_agent(concat!("hookgate/", env!("CARGO_PKG_VERSION")))
            .pool_max_idle_per_host(1)
            // These are on if any crate of the user's program switches reqwest's features on, and would undo the cap.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate();
        let client = match &self.seam {
            None => client.dns_resolver(PublicOnly),
            Some(seam) => client.dns_resolver(Always(seam.at)).tls_certs_only([Certificate::from_pem(&seam.root)?]),
        };
        client.build()
    }

    pub(super) async fn fetch(&self, wanted: &Wanted) -> Result<Fetched, Failure> {
        let url = callable(&wanted.url)?;
        let unreachable = |error: reqwest::Error| Failure::Unreachable(error.without_url());
        let request = self.client()?.request(wanted.method.clone(), url).headers(wanted.headers.clone());
        let request = if wanted.body.is_empty() { request } else { request.body(wanted.body.clone()) };
        let mut answer = request.send().await.map_err(unreachable)?;
        if answer.status() != StatusCode::OK {
            return Err(Failure::Status(answer.status()));
        }
        let cache_control = answer.headers().get(header::CACHE_CONTROL).and_then(|value| value.to_str().ok());
        let fresh_for = fresh_for(cache_control).min(wanted.keep_for / 2);
        let mut bytes = BytesMut::new();
        while let Some(chunk) = answer.chunk().await.map_err(unreachable)? {
            if bytes.len() + chunk.len() > LARGEST {
                return Err(Failure::TooLarge);
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(Fetched { bytes: bytes.to_vec(), fresh_for, usable_for: (fresh_for + STALE).min(wanted.keep_for) })
    }
}

impl Wanted {
    pub(super) fn of(request: &KeyRequest) -> Self {
        let headers = request.headers().filter_map(|(name, value)| {
            let mut value = HeaderValue::from_str(value).ok()?;
            value.set_sensitive(true);
            Some((http::HeaderName::from_static(name), value))
        });
        Self {
            id: request.id(),
            method: if request.method() == "POST" { Method::POST } else { Method::GET },
            url: request.url().to_owned(),
            headers: headers.collect(),
            body: request.body().to_vec(),
            keep_for: request.keep_for(),
        }
    }

    pub(super) fn visit(url: &str) -> Self {
        Self::get(String::new(), url.to_owned())
    }

    pub(super) fn get(id: String, url: String) -> Self {
        Self { id, method: Method::GET, url, headers: HeaderMap::new(), body: Vec::new(), keep_for: Duration::MAX }
    }

    /// For the log: the rest of a URL may hold a token.
    pub(super) fn host(&self) -> String {
        Url::parse(&self.url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
    }
}

/// `hookgate-providers` makes only such URLs; what is fetched in a sender's name is checked where it is fetched too. An
/// address instead of a name would be reached without being resolved, and so without being judged.
fn callable(text: &str) -> Result<Url, Failure> {
    let url = Url::parse(text).map_err(|_| Failure::Url)?;
    let named = url.domain().is_some_and(|name| name.contains('.') && !name.ends_with('.'));
    let bare =
        url.port().is_none() && url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    if url.scheme() == "https" && named && bare { Ok(url) } else { Err(Failure::Url) }
}

/// Leads every name to one address.
struct Always(SocketAddr);

impl Resolve for Always {
    fn resolve(&self, _: Name) -> Resolving {
        let at = self.0;
        Box::pin(async move { Ok(Box::new(std::iter::once(at)) as Addrs) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_https_urls_of_named_hosts_are_called() {
        assert!(callable("https://sns.eu-west-1.amazonaws.com/key.pem?a=b").is_ok());
        let refused = [
            "http://sns.eu-west-1.amazonaws.com/",
            "https://sns.eu-west-1.amazonaws.com:8443/",
            "https://user@sns.eu-west-1.amazonaws.com/",
            "https://sns.eu-west-1.amazonaws.com/#x",
            "https://127.0.0.1/",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://[::1]/",
            "https://localhost/",
            "https://example.com./",
            "ftp://example.com/",
            "/key.pem",
        ];
        for url in refused {
            assert!(matches!(callable(url), Err(Failure::Url)), "{url}");
        }
    }

    #[tokio::test]
    async fn a_name_of_this_machine_is_not_reached() {
        let outbound = Outbound::new(None);
        // By RFC 6761 every name below localhost is loopback, and where it is not, it does not exist.
        let wanted = Wanted::get("k".into(), "https://keys.localhost/".into());
        assert!(matches!(outbound.fetch(&wanted).await, Err(Failure::Unreachable(_))));
    }
}
