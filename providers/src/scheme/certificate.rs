//! The provider's certificate, fetched from its own pinned host or given as a secret.
//!
//! TLS to that host is what makes it the provider's; the chain behind it is not followed. Its names and its validity
//! still count, so that another certificate of that host does not pass for the one that signs.

use x509_cert::Certificate as Leaf;
use x509_cert::der::{Decode, Encode};
use x509_cert::ext::pkix::SubjectAltName;
use x509_cert::ext::pkix::name::GeneralName;

use crate::Reject;

/// What of a certificate counts here.
pub(super) struct Certificate {
    /// The public key (SubjectPublicKeyInfo, DER).
    pub(super) key: Vec<u8>,
    names: Vec<String>,
    valid: std::ops::RangeInclusive<i64>,
}

impl Certificate {
    pub(super) fn read(der: &[u8]) -> Option<Self> {
        let leaf = Leaf::from_der(der).ok()?;
        let leaf = leaf.tbs_certificate();
        let seconds = |time: x509_cert::time::Time| i64::try_from(time.to_unix_duration().as_secs()).ok();
        let validity = leaf.validity();
        Some(Self {
            key: leaf.subject_public_key_info().to_der().ok()?,
            names: names(leaf),
            valid: seconds(validity.not_before)?..=seconds(validity.not_after)?,
        })
    }

    /// Whether it is of this domain, or one below it, and valid at this time (Unix seconds).
    pub(super) fn check(&self, domains: &[&str], now: i64) -> Result<(), Reject> {
        let is_of = |domain: &&str| {
            self.names
                .iter()
                .any(|name| name.strip_suffix(*domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.')))
        };
        if !domains.is_empty() && !domains.iter().any(is_of) {
            return Err(Reject::KeyUnusable);
        }
        if self.valid.contains(&now) { Ok(()) } else { Err(Reject::KeyExpired) }
    }
}

/// The host names it is for; those of its subject only where it lists none, as browsers do.
fn names(leaf: &x509_cert::TbsCertificate) -> Vec<String> {
    let listed = leaf.get_extension::<SubjectAltName>().ok().flatten();
    let listed = listed.into_iter().flat_map(|(_, names)| names.0).filter_map(|name| match name {
        GeneralName::DnsName(name) => Some(name.as_str().to_ascii_lowercase()),
        _ => None,
    });
    let listed: Vec<String> = listed.collect();
    if !listed.is_empty() {
        return listed;
    }
    let subject = leaf.subject().common_name().ok().flatten();
    subject.map(|name| name.value().to_ascii_lowercase()).into_iter().collect()
}
