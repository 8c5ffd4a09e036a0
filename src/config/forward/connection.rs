//! How a `[[forward]]` connects: TLS of its own, a proxy, HTTP's version, and how long connecting may take.

use std::time::Duration;

use http::header;
use reqwest::Url;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde::{Deserialize, Serialize};

use super::StaticHeader;
use super::auth::Basic;
use crate::config::duration;
use crate::config::error::Complaints;
use crate::config::secret::{Keyring, Secret, SecretSetting};

/// How a forward connects to its destination.
#[derive(Debug, Clone, Serialize)]
pub struct Connection {
    /// How long connecting may take, TLS included.
    #[serde(with = "duration")]
    pub connect_timeout: Duration,
    /// Which version of HTTP is spoken.
    pub http2: Http2,
    /// Certificates of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<ForwardTls>,
    /// The HTTP proxy it goes through.
    #[serde(serialize_with = "super::as_optional_text", skip_serializing_if = "Option::is_none")]
    pub proxy: Option<Url>,
    /// What the proxy wants to be told.
    #[serde(serialize_with = "super::as_shown", skip_serializing_if = "Option::is_none")]
    pub proxy_auth: Option<StaticHeader>,
}

/// Which version of HTTP a forward speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Http2 {
    /// What the destination chooses while TLS is set up; HTTP/1.1 without TLS.
    Auto,
    /// HTTP/1.1.
    Never,
    /// HTTP/2 from the first byte, without asking.
    PriorKnowledge,
}

/// Certificates of a forward's own, as PEM.
#[derive(Debug, Clone, Serialize)]
pub struct ForwardTls {
    /// Shown to a destination that asks who calls, with its chain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_cert: Option<Secret>,
    /// The certificate's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_key: Option<Secret>,
    /// Who may vouch for the destination, in place of the system's authorities.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ca: Option<Secret>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table of `client_cert`, `client_key` and `ca`")]
pub(super) struct TlsSettings {
    client_cert: Option<SecretSetting>,
    client_key: Option<SecretSetting>,
    ca: Option<SecretSetting>,
}

/// What a forward says about its connection.
pub(super) struct Wanted<'a> {
    /// `forward.NAME`.
    pub(super) prefix: &'a str,
    /// Whether `to` is https; `None` where it is nothing.
    pub(super) secure: Option<bool>,
    pub(super) connect_timeout: Duration,
    pub(super) http2: Http2,
    pub(super) tls: Option<TlsSettings>,
    pub(super) proxy: Option<String>,
    pub(super) proxy_auth: Option<Basic>,
}

impl Wanted<'_> {
    pub(super) fn resolve(self, keyring: &Keyring<'_>, complaints: &mut Complaints) -> Option<Connection> {
        let prefix = self.prefix;
        if self.connect_timeout.is_zero() {
            complaints.say(format!("`{prefix}.connect_timeout` is 0, so nothing could be reached: give it some time"));
        }
        if self.tls.is_some() && self.secure == Some(false) {
            complaints
                .say(format!("`{prefix}.tls` needs an https:// address in `{prefix}.to`: without TLS it does nothing"));
        }
        if self.proxy_auth.is_some() && self.proxy.is_none() {
            complaints.say(format!("`{prefix}.proxy_auth` has no `{prefix}.proxy` to go to: write both or none"));
        }
        let tls = self.tls.map(|tls| complaints.take(tls.resolve(&format!("{prefix}.tls"), keyring)));
        let proxy = self.proxy.map(|text| complaints.take(proxy(prefix, &text)));
        let key = format!("{prefix}.proxy_auth");
        let proxy_auth =
            self.proxy_auth.map(|basic| complaints.take(basic.resolve(&key, header::PROXY_AUTHORIZATION, keyring)));
        Some(Connection {
            connect_timeout: self.connect_timeout,
            http2: self.http2,
            tls: each(tls)?,
            proxy: each(proxy)?,
            proxy_auth: each(proxy_auth)?,
        })
    }
}

/// `None` if it is there and was refused.
fn each<T>(part: Option<Option<T>>) -> Option<Option<T>> {
    match part {
        Some(None) => None,
        Some(some) => Some(some),
        None => Some(None),
    }
}

impl TlsSettings {
    fn resolve(self, key: &str, keyring: &Keyring<'_>) -> Result<ForwardTls, String> {
        let pem = |name: &str, setting: Option<SecretSetting>| {
            setting.map(|setting| keyring.fetch(&format!("{key}.{name}"), setting)).transpose()
        };
        let tls = ForwardTls {
            client_cert: pem("client_cert", self.client_cert)?,
            client_key: pem("client_key", self.client_key)?,
            ca: pem("ca", self.ca)?,
        };
        match (&tls.client_cert, &tls.client_key) {
            (Some(_), None) => {
                return Err(format!("`{key}.client_cert` has no `{key}.client_key`: write both or none"));
            }
            (None, Some(_)) => {
                return Err(format!("`{key}.client_key` has no `{key}.client_cert`: write both or none"));
            }
            _ => {}
        }
        for (name, pem) in [("client_cert", &tls.client_cert), ("ca", &tls.ca)] {
            if pem.as_ref().is_some_and(|pem| !has_certificates(pem.expose().as_bytes())) {
                return Err(format!(
                    "`{key}.{name}` is no certificate in PEM: it begins with -----BEGIN CERTIFICATE-----"
                ));
            }
        }
        if tls.client_key.as_ref().is_some_and(|pem| PrivateKeyDer::from_pem_slice(pem.expose().as_bytes()).is_err()) {
            return Err(format!(
                "`{key}.client_key` is no private key in PEM without a passphrase: it begins with -----BEGIN PRIVATE KEY-----"
            ));
        }
        Ok(tls)
    }
}

fn has_certificates(pem: &[u8]) -> bool {
    let mut found = CertificateDer::pem_slice_iter(pem).peekable();
    found.peek().is_some() && found.all(|one| one.is_ok())
}

/// The text is not repeated in these sentences: it may hold the very credentials that are refused.
fn proxy(prefix: &str, text: &str) -> Result<Url, String> {
    let url =
        Url::parse(text).map_err(|error| format!("`{prefix}.proxy` is not a URL ({error}): write http://host:port"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!(
            "`{prefix}.proxy` has the scheme `{}`: only http and https proxies are spoken to",
            url.scheme()
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(format!(
            "`{prefix}.proxy` has credentials in it, which end up in logs: put them into `{prefix}.proxy_auth` as \
             {{ user = \"…\", password = {{ env = \"VARIABLE\" }} }}"
        ));
    }
    Ok(url)
}
