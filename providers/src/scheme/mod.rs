//! How requests are authenticated: the security-relevant code, in one place.
//!
//! Where official libraries are lenient in different ways, every scheme here takes the strict side, once for all:
//! - hex has one case and base64 is canonical and padded, unless the provider's own library takes more; a signature is
//!   compared in constant time after decoding;
//! - a timestamp is plain decimal digits, signed as written, and may be neither older nor newer than the tolerance
//!   (inclusive), though some libraries accept any future one;
//! - a header, a key in one, a form field or a query parameter that the sender writes once is refused when repeated;
//! - any listed signature may match under any live secret; the number of both is bounded;
//! - freshness is judged after the signature, so "too old" is only ever said of an authentic request; where the key
//!   would have to be fetched for that, it is refused as not judged, and nothing is fetched for a replay.

mod adyen;
mod algorithm;
mod carried;
mod certificate;
mod compare;
mod describe;
mod dropbox_sign;
mod ebay;
mod encoding;
mod hash;
pub mod jwt;
mod key;
mod key_set;
mod listing;
mod message;
mod multipart;
mod paypal;
mod pem;
mod plivo;
mod provider_key;
mod public_key;
mod signed;
mod signs_url;
mod sns;
pub mod standard_webhooks;
pub mod timestamp;
mod token;
mod twilio;
mod vonage_sms;

pub use algorithm::Algorithm;
pub use encoding::Encoding;
pub use hash::Hash;
pub use jwt::{Jwt, JwtAlgorithm};
pub(crate) use key::Key;
pub use key::KeyForm;
pub use listing::Listing;
pub use message::Part;
pub(crate) use provider_key::Stop;
pub use public_key::PublicKey;
pub use signed::{EmptyBody, Signed};
pub use standard_webhooks::StandardWebhooks;
pub use timestamp::{Timestamp, Unit};
pub use token::Token;

use std::borrow::Cow;

use crate::view::family_header;
use crate::{Headers, Keys, Locate, Reject, Request, Secret, SecretError, SignError, Unsigned};

/// The most signatures one request may list; rotation needs two or three.
pub const MAX_SIGNATURES: usize = 20;

/// How a provider's requests are authenticated.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Scheme {
    /// None declared: refuses everything. The start of [`crate::Provider::DEFAULT`].
    Undeclared,
    /// A signature over parts of the request.
    Signed(Signed),
    /// The Standard Webhooks specification and Svix, from which it grew.
    StandardWebhooks(StandardWebhooks),
    /// A JSON Web Token.
    Jwt(Jwt),
    /// A shared token, which protects nothing else of the request.
    Token(Token),
    /// HTTP Basic with `user:password` as the secret, which protects nothing else of the request.
    Basic,
    /// Twilio's, over the URL in any of the spellings it uses.
    Twilio,
    /// Adyen's, inside each item of the body.
    AdyenItems,
    /// Amazon SNS's, inside the message. A secret is the ARN of a topic; the key is fetched.
    Sns,
    /// PayPal's, which covers of the body a checksum only. A secret is the id of a webhook; the key is fetched.
    PayPal,
    /// eBay's. A secret is `CLIENT_ID:SECRET`, with which the key is fetched.
    Ebay,
    /// Dropbox Sign's, inside a field of a form, over time and type of the event.
    DropboxSign,
    /// Vonage's for SMS, over the parameters.
    VonageSms,
    /// The first of these whose signature the request carries; the others do not count then.
    FirstCarried(&'static [Scheme]),
    /// The one of these that the request carries; refused when it carries several.
    OnlyCarried(&'static [Scheme]),
}

/// The time, and how far a source lets others be from it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    /// Unix seconds.
    pub(crate) now: i64,
    /// Instead of the scheme's own tolerance.
    pub(crate) tolerance_s: Option<u32>,
}

impl Clock {
    pub(crate) fn at(now: i64) -> Self {
        Self { now, tolerance_s: None }
    }
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
            Self::Signed(Signed { signature: Locate::Family(name), .. }) => Some(name),
            Self::StandardWebhooks(_) => Some("signature"),
            Self::FirstCarried(schemes) | Self::OnlyCarried(schemes) => schemes.iter().find_map(Self::family_signature),
            _ => None,
        }
    }

    /// Whether the request has something where this scheme's signature is, right or wrong.
    fn is_carried(&self, request: &Request<'_>, family: &str) -> bool {
        let has = |name: &str| request.headers.iter().any(|(header, _)| header == name);
        match self {
            Self::Undeclared => false,
            Self::StandardWebhooks(_) => !matches!(family_header(request.headers, family, "signature"), Ok(None)),
            Self::Signed(signed) => {
                let time = match signed.timestamp.map(|timestamp| timestamp.at) {
                    Some(Locate::Header(name)) => has(name),
                    _ => true,
                };
                let is = |(name, value): &(&str, &str)| {
                    request.headers.iter().any(|header| header == (*name, value.as_bytes()))
                };
                time && signed.only_with.iter().all(is)
                    && match (signed.signature, signed.listing) {
                        (Locate::Header(name) | Locate::Pair(name, _), Listing::AlsoIn(other)) => {
                            has(name) || has(other)
                        }
                        (Locate::Pair(..), Listing::Plain) => {
                            !matches!(message::at(&signed.signature, request), Ok(None))
                        }
                        (Locate::Header(name) | Locate::Pair(name, _), _) => has(name),
                        (Locate::Family(name), _) => !matches!(family_header(request.headers, family, name), Ok(None)),
                        (elsewhere, _) => !matches!(message::at(&elsewhere, request), Ok(None)),
                    }
            }
            Self::Jwt(Jwt {
                at: jwt::TokenPlace::Header(name, _) | jwt::TokenPlace::HeaderOptional(name, _), ..
            }) => has(name),
            Self::Jwt(_) => true,
            Self::Token(token) => !matches!(message::at(&token.at, request), Ok(None)),
            Self::Basic => token::carries_basic(request.headers),
            Self::Twilio => has("x-twilio-signature"),
            Self::AdyenItems | Self::Sns | Self::DropboxSign | Self::VonageSms => true,
            Self::PayPal => has("paypal-transmission-sig"),
            Self::Ebay => has("x-ebay-signature"),
            Self::FirstCarried(schemes) | Self::OnlyCarried(schemes) => {
                schemes.iter().any(|scheme| scheme.is_carried(request, family))
            }
        }
    }

    /// The index of the secret under which the request is authentic and fresh.
    pub(crate) fn check(
        &self,
        request: &Request<'_>,
        family: &str,
        secrets: &[Secret],
        clock: Clock,
        keys: &Keys,
    ) -> Result<usize, Stop> {
        Ok(match self {
            Self::Undeclared => Err(Reject::SecretUnusable),
            Self::Signed(signed) => signed.check(request, family, secrets, clock),
            Self::StandardWebhooks(scheme) => scheme.check(request, family, secrets, clock),
            Self::Jwt(jwt) => return jwt.check_signer(request, secrets, clock, keys),
            Self::Token(token) => token.check(request, secrets),
            Self::Basic => token::check_basic(request, secrets),
            Self::Twilio => twilio::check(request, secrets),
            Self::AdyenItems => adyen::check(request, secrets),
            Self::Sns => return sns::check(request, secrets, clock, keys),
            Self::PayPal => return paypal::check(request, secrets, clock, keys),
            Self::Ebay => return ebay::check(request, secrets, clock, keys),
            Self::DropboxSign => dropbox_sign::check(request, secrets),
            Self::VonageSms => vonage_sms::check(request, secrets, clock),
            Self::FirstCarried(schemes) | Self::OnlyCarried(schemes) => {
                let mut carried = schemes.iter().filter(|scheme| scheme.is_carried(request, family));
                let first = carried.next().ok_or(Reject::SignatureMissing)?;
                if matches!(self, Self::OnlyCarried(_)) && carried.next().is_some() {
                    return Err(Reject::SignatureMalformed.into());
                }
                return first.check(request, family, secrets, clock, keys);
            }
        }?)
    }

    /// The headers that make the request authentic.
    pub(crate) fn sign(&self, unsigned: &Unsigned<'_>, family: &str, secret: &Secret) -> Result<Headers, SignError> {
        match self {
            Self::Undeclared | Self::AdyenItems | Self::Sns | Self::DropboxSign | Self::VonageSms => {
                Err(SignError::NotSignable)
            }
            Self::PayPal => paypal::sign(unsigned, secret),
            Self::Ebay => ebay::sign(unsigned, secret),
            Self::Twilio => twilio::sign(unsigned, secret),
            Self::Signed(signed) => signed.sign(unsigned, family, secret),
            Self::StandardWebhooks(scheme) => scheme.sign(unsigned, family, secret),
            Self::Jwt(jwt) => jwt.sign(unsigned, secret),
            Self::Token(token) => token.sign(unsigned, secret),
            Self::Basic => token::sign_basic(secret),
            // The first for which this secret is one: a source of the other kind has another kind of secret.
            Self::FirstCarried(schemes) | Self::OnlyCarried(schemes) => {
                let mut signed = schemes.iter().map(|scheme| scheme.sign(unsigned, family, secret));
                let first = signed.next().unwrap_or(Err(SignError::NotSignable));
                first.or_else(|refused| signed.find(Result::is_ok).unwrap_or(Err(refused)))
            }
        }
    }

    pub(crate) fn check_secret(&self, secret: &Secret) -> Result<(), SecretError> {
        match self {
            Self::Undeclared | Self::Token(_) | Self::Twilio | Self::DropboxSign | Self::VonageSms => Ok(()),
            Self::Sns => sns::check_secret(secret),
            Self::PayPal => paypal::check_secret(secret),
            Self::Ebay => ebay::check_secret(secret),
            Self::AdyenItems => KeyForm::Hex.of(secret).map(|_| ()),
            Self::Signed(signed) => signed.check_secret(secret),
            Self::StandardWebhooks(scheme) => scheme.check_secret(secret),
            Self::Jwt(jwt) => jwt.check_secret(secret),
            Self::Basic => KeyForm::Named.of(secret).map(|_| ()),
            Self::FirstCarried(schemes) | Self::OnlyCarried(schemes) => {
                let mut checked = schemes.iter().map(|scheme| scheme.check_secret(secret));
                let first = checked.next().unwrap_or(Ok(()));
                if first.is_ok() || checked.any(|other| other.is_ok()) { Ok(()) } else { first }
            }
        }
    }

    /// The JSON document that is not the whole body: the claims of a token, or a field of a multipart form.
    pub(crate) fn document<'r>(&self, request: &Request<'r>) -> Option<Cow<'r, [u8]>> {
        match self {
            Self::Jwt(jwt) => jwt.document(request.body).map(Cow::Owned),
            Self::DropboxSign => dropbox_sign::document(request).ok().flatten().map(Cow::Borrowed),
            _ => None,
        }
    }
}
