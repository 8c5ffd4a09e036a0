//! Why a request got no answer, in words that say what to do. Pure.
//!
//! All of it is retried: names come back, servers start, certificates are renewed.

use std::error::Error;
use std::io;

use rustls::{AlertDescription, CertificateError};

/// The sentence for an attempt's record. `host` is who was called; neither path nor query is ever in it.
pub(super) fn told(error: &reqwest::Error, host: &str) -> String {
    let chain: Vec<&(dyn Error + 'static)> =
        std::iter::successors(error.source(), |error: &&(dyn Error + 'static)| (*error).source()).collect();
    let why = match kind(error, &chain) {
        Trouble::Name => format!("the name of {host} could not be resolved: is `to` right, and does DNS answer here?"),
        Trouble::Refused => {
            format!("nothing listens at {host}: is the destination running, and is the port in `to` right?")
        }
        Trouble::Silent => format!(
            "{host} could not be reached within `connect_timeout`: is it up, and does a firewall let us through?"
        ),
        Trouble::UnknownAuthority => format!(
            "the certificate of {host} is signed by nobody known here: for an authority of your own, name it in `tls.ca`"
        ),
        Trouble::WantsCertificate => {
            format!("{host} wants to know who calls: give it `tls.client_cert` and `tls.client_key`")
        }
        Trouble::Tls => format!("TLS with {host} failed"),
        Trouble::Unreachable => format!("{host} could not be reached"),
        Trouble::Broken => {
            format!(
                "the connection to {host} broke before an answer came; whether the destination handled it is not known"
            )
        }
    };
    let mut told = why;
    // The last of a chain is the cause; what wraps it says "error sending request" and the like.
    if let Some(cause) = chain.last() {
        told.push_str(&format!(" ({cause})"));
    }
    told
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Trouble {
    Name,
    Refused,
    Silent,
    UnknownAuthority,
    WantsCertificate,
    Tls,
    Unreachable,
    Broken,
}

fn kind(error: &reqwest::Error, chain: &[&(dyn Error + 'static)]) -> Trouble {
    if let Some(tls) = chain.iter().find_map(|error| tls_error(*error)) {
        return match tls {
            rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer) => Trouble::UnknownAuthority,
            rustls::Error::AlertReceived(AlertDescription::CertificateRequired) => Trouble::WantsCertificate,
            _ => Trouble::Tls,
        };
    }
    // h2 keeps only the words of what its connection said.
    if chain.iter().any(|error| error.to_string().ends_with("received fatal alert: CertificateRequired")) {
        return Trouble::WantsCertificate;
    }
    if !error.is_connect() {
        return Trouble::Broken;
    }
    if error.is_timeout() {
        return Trouble::Silent;
    }
    // hyper-util's connector keeps its errors to itself but for their words.
    if chain.iter().any(|error| error.to_string().starts_with("dns error")) {
        return Trouble::Name;
    }
    let refused = |error: &&(dyn Error + 'static)| {
        error.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
    };
    if chain.iter().any(refused) { Trouble::Refused } else { Trouble::Unreachable }
}

/// The TLS library's own error: wrapped in I/O errors, one in the other, whose `source` skips what they hold.
fn tls_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e rustls::Error> {
    error.downcast_ref().or_else(|| tls_error(error.downcast_ref::<io::Error>()?.get_ref()?))
}
