//! The HTTP client of one forward: no magic between an attempt and the wire.

use std::time::Duration;

use reqwest::{Certificate, Client, ClientBuilder, Identity, Proxy, redirect, retry};
use secrecy::{ExposeSecret, SecretString};

use crate::config::{Connection, ForwardTls, Http2, StaticHeader};

/// Below the 5 s after which Node's server closes an idle connection
/// (<https://nodejs.org/api/http.html#serverkeepalivetimeout>): reusing one at that very moment fails the attempt.
const IDLE: Duration = Duration::from_secs(4);

/// The attempt's own timeout is the caller's.
pub(super) fn build(secure: bool, connection: &Connection) -> reqwest::Result<Client> {
    // An error says that the program has chosen a provider already, and that choice stands.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .connect_timeout(connection.connect_timeout)
        .pool_idle_timeout(IDLE)
        .redirect(redirect::Policy::none())
        // Neither HTTP_PROXY nor NO_PROXY: what is not in the configuration does not decide where payloads go.
        .no_proxy()
        // By default reqwest resends what an HTTP/2 peer refused (GOAWAY, REFUSED_STREAM); each request has to be an
        // attempt that is recorded. Below it, hyper takes another connection only for a request of which it wrote nothing.
        .retry(retry::never())
        // These are on if any crate of the user's program switches reqwest's features on.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate();
    let client = match connection.http2 {
        Http2::Auto => client,
        Http2::Never => client.http1_only(),
        Http2::PriorKnowledge => client.http2_prior_knowledge(),
    };
    let client = match &connection.proxy {
        Some(proxy) => client.proxy(through(proxy.clone(), connection.proxy_auth.as_ref())?),
        None => client,
    };
    let to_secure_proxy = connection.proxy.as_ref().is_some_and(|proxy| proxy.scheme() == "https");
    match &connection.tls {
        Some(tls) => with_certificates(client, tls)?.build(),
        None if secure || to_secure_proxy => client.build(),
        // A plain-text destination must work where no CA certificates are installed.
        None => client.tls_certs_only([]).build(),
    }
}

fn through(proxy: reqwest::Url, auth: Option<&StaticHeader>) -> reqwest::Result<Proxy> {
    let proxy = Proxy::all(proxy)?;
    Ok(match auth {
        Some(auth) => proxy.custom_http_auth(auth.value.clone()),
        None => proxy,
    })
}

/// A `ca` stands alone: whoever signs its own certificates trusts no other authority to vouch for the destination.
fn with_certificates(client: ClientBuilder, tls: &ForwardTls) -> reqwest::Result<ClientBuilder> {
    let client = match &tls.ca {
        Some(ca) => client.tls_certs_only(Certificate::from_pem_bundle(ca.expose().as_bytes())?),
        None => client,
    };
    match (&tls.client_cert, &tls.client_key) {
        (Some(certificate), Some(key)) => {
            let both = SecretString::from(format!("{}\n{}\n", certificate.expose(), key.expose()));
            Ok(client.identity(Identity::from_pem(both.expose_secret().as_bytes())?))
        }
        _ => Ok(client),
    }
}
