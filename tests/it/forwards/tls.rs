//! A destination that has an authority of its own and wants to know who calls.

use std::path::Path;
use std::sync::Arc;
use std::sync::Mutex;

use http::Version;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair};
use rustls::RootCertStore;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::server::WebPkiClientVerifier;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use super::{first_error, forward};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start};
use crate::support::work::{attempts, database_with_effects, number, tried};

/// A certificate authority of the test's own.
pub(super) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(super) fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        Self(CertifiedIssuer::self_signed(params, key).expect("a certificate"))
    }

    pub(super) fn pem(&self) -> String {
        self.0.pem()
    }

    /// A certificate for 127.0.0.1, good for either side, and its key.
    fn issue(&self, usage: ExtendedKeyUsagePurpose) -> (rcgen::Certificate, KeyPair) {
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("parameters");
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate().expect("a key");
        (params.signed_by(&key, &self.0).expect("a certificate"), key)
    }
}

/// A server that wants a certificate of `authority`, offers HTTP/2, and notes which HTTP was spoken.
async fn destination(authority: &Authority) -> (String, Arc<Mutex<Vec<Version>>>) {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(authority.0.der().to_vec())).expect("a root");
    let callers = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
        .build()
        .expect("a verifier");
    let (certificate, key) = authority.issue(ExtendedKeyUsagePurpose::ServerAuth);
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let mut tls = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            builder.with_client_cert_verifier(callers).with_single_cert(vec![certificate.der().clone()], key)
        })
        .expect("a TLS configuration");
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let addr = listener.local_addr().expect("an address");
    let spoken = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&spoken);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, noted) = (acceptor.clone(), Arc::clone(&noted));
            tokio::spawn(async move {
                let Ok(stream) = acceptor.accept(stream).await else { return };
                let service = hyper::service::service_fn(move |request: http::Request<hyper::body::Incoming>| {
                    noted.lock().expect("no panic").push(request.version());
                    async { Ok::<_, std::convert::Infallible>(http::Response::new(axum::body::Body::empty())) }
                });
                let server = auto::Builder::new(TokioExecutor::new());
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    (format!("https://{addr}/hooks?token=s3cret"), spoken)
}

/// The files that a forward's `tls` names.
fn write(folder: &Path, authority: &Authority, trusted: &Authority) -> (String, String) {
    let (certificate, key) = authority.issue(ExtendedKeyUsagePurpose::ClientAuth);
    let file = |name: &str, pem: String| {
        let path = folder.join(name);
        std::fs::write(&path, pem).expect("write");
        format!("{{ file = {path:?} }}")
    };
    let ca = format!("ca = {}", file("ca.pem", trusted.pem()));
    let certificate = file("client.pem", certificate.pem());
    let caller = format!("client_cert = {certificate}, client_key = {}", file("client.key", key.serialize_pem()));
    (ca, caller)
}

#[tokio::test]
async fn a_certificate_of_its_own_opens_a_destination_and_http2_is_spoken_where_it_is_offered() {
    let authority = Authority::new("ours");
    let folder = tempfile::tempdir().expect("a folder");
    let (ca, caller) = write(folder.path(), &authority, &authority);
    for (option, version) in [("auto", Version::HTTP_2), ("never", Version::HTTP_11)] {
        let (database, pool) = database_with_effects().await;
        let (to, spoken) = destination(&authority).await;
        let options = format!("http2 = '{option}'\ntls = {{ {ca}, {caller} }}");
        let gateway = start(&database, &forward(&to, &options), vec![]).await;
        Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
        eventually("its end", tried(&["ok"]), async || attempts(&pool).await).await;
        assert_eq!(*spoken.lock().expect("no panic"), [version], "{option}");
        gateway.shutdown().await;
    }
}

/// The error of an attempt with these certificates, which is tried again.
async fn error_with(to: &str, tls: &str) -> String {
    let (database, pool) = database_with_effects().await;
    let gateway = start(&database, &forward(to, &format!("tls = {{ {tls} }}")), vec![]).await;
    Signed::stripe_event("evt_1", "a.b", "in_1").send(gateway.ingest_addr().unwrap()).await;
    let failed = "select count(*) from hookgate.attempts where outcome = 'failed'";
    eventually("two attempts", true, async || number(&pool, failed).await >= 2).await;
    gateway.shutdown().await;
    let error = first_error(&pool).await.expect("an error");
    assert!(!error.contains("s3cret"), "{error}");
    error
}

#[tokio::test]
async fn a_missing_or_unknown_certificate_is_told_by_the_option_that_is_missing() {
    let (authority, other) = (Authority::new("ours"), Authority::new("another"));
    let folder = tempfile::tempdir().expect("a folder");
    let (to, _) = destination(&authority).await;
    let (ca, _) = write(folder.path(), &authority, &authority);
    let error = error_with(&to, &ca).await;
    assert!(error.contains("wants to know who calls: give it `tls.client_cert`"), "{error}");
    // The authorities of the system do not count beside one that is named.
    let (wrong, caller) = write(folder.path(), &authority, &other);
    let error = error_with(&to, &format!("{wrong}, {caller}")).await;
    assert!(error.contains("signed by nobody known here") && error.contains("`tls.ca`"), "{error}");
}
