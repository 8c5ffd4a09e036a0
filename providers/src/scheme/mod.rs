//! How requests are authenticated: the security-relevant code, in one place.
//!
//! Where official libraries are lenient in different ways, every scheme here takes the strict side, once for all:
//! - hex is lower case, base64 canonical and padded; a signature is compared in constant time after decoding;
//! - a timestamp is plain decimal digits, signed as written, and may be neither older nor newer than the tolerance
//!   (inclusive), though some libraries accept any future one;
//! - a header, or a key in one, that the sender writes once is refused when repeated;
//! - any listed signature may match under any live secret; the number of both is bounded;
//! - freshness is judged after the signature, so "too old" is only ever said of an authentic request.

pub mod hmac;
pub mod standard_webhooks;
pub mod timestamp;

pub use hmac::{EmptyBody, Encoding, Hash, Hmac, Part};
pub use standard_webhooks::StandardWebhooks;
pub use timestamp::{Timestamp, Unit};

use crate::view::family_header;
use crate::{Headers, Locate, Reject, Request, Secret, SecretError, SignError, Unsigned};

/// The most signatures one request may list; rotation needs two or three.
pub const MAX_SIGNATURES: usize = 20;

/// How a provider's requests are authenticated.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Scheme {
    /// None declared: refuses everything. The start of [`crate::Provider::DEFAULT`].
    Undeclared,
    /// An HMAC over parts of the request.
    Hmac(Hmac),
    /// The Standard Webhooks specification and Svix, from which it grew.
    StandardWebhooks(StandardWebhooks),
}

impl Scheme {
    /// The header family this request is signed in.
    pub(crate) fn family(&self, families: &'static [&'static str], headers: &Headers) -> &'static str {
        let signed_in = |family: &&&str| match self.family_signature() {
            Some(name) => !matches!(family_header(headers, family, name), Ok(None)),
            None => false,
        };
        families.iter().find(signed_in).or(families.last()).copied().unwrap_or_default()
    }

    fn family_signature(&self) -> Option<&'static str> {
        match self {
            Self::Hmac(Hmac { signature: Locate::Family(name), .. }) => Some(name),
            Self::StandardWebhooks(_) => Some("signature"),
            _ => None,
        }
    }

    /// The index of the secret under which the request is authentic and fresh.
    pub(crate) fn check(
        &self,
        request: &Request<'_>,
        family: &str,
        secrets: &[Secret],
        now: i64,
    ) -> Result<usize, Reject> {
        match self {
            Self::Undeclared => Err(Reject::SecretUnusable),
            Self::Hmac(hmac) => hmac.check(request, family, secrets, now),
            Self::StandardWebhooks(scheme) => scheme.check(request, family, secrets, now),
        }
    }

    /// The headers that make the request authentic.
    pub(crate) fn sign(&self, unsigned: &Unsigned<'_>, family: &str, secret: &Secret) -> Result<Headers, SignError> {
        match self {
            Self::Undeclared => Err(SignError::NotSignable),
            Self::Hmac(hmac) => hmac.sign(unsigned, family, secret),
            Self::StandardWebhooks(scheme) => scheme.sign(unsigned, family, secret),
        }
    }

    pub(crate) fn check_secret(&self, secret: &Secret) -> Result<(), SecretError> {
        match self {
            Self::Undeclared | Self::Hmac(_) => Ok(()),
            Self::StandardWebhooks(_) => standard_webhooks::Key::of(secret).map(|_| ()),
        }
    }
}
