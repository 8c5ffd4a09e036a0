//! The HTTP client of one forward: no magic between an attempt and the wire.

use std::time::Duration;

use reqwest::{Client, redirect, retry};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Below the 5 s after which Node's server closes an idle connection
/// (<https://nodejs.org/api/http.html#serverkeepalivetimeout>): reusing one at that very moment fails the attempt.
const IDLE: Duration = Duration::from_secs(4);

/// The attempt's own timeout is the caller's.
pub(super) fn build(tls: bool) -> reqwest::Result<Client> {
    // An error says that the program has chosen a provider already, and that choice stands.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(IDLE)
        .redirect(redirect::Policy::none())
        .no_proxy()
        // By default reqwest resends what an HTTP/2 peer refused; each request has to be an attempt that is recorded.
        .retry(retry::never())
        // These are on if any crate of the user's program switches reqwest's features on.
        .no_gzip()
        .no_brotli()
        .no_zstd()
        .no_deflate();
    // A plain-text destination must work where no CA certificates are installed.
    if tls { client.build() } else { client.tls_certs_only([]).build() }
}
