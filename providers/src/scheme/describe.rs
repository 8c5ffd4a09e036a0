//! Schemes in words, for lists people read.

use std::fmt;

use super::{Algorithm, Hash, Jwt, PublicKey, Scheme, Token, jwt::TokenPlace};

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undeclared => f.write_str("none"),
            Self::Signed(signed) => write!(f, "{} in {}", signed.algorithm, signed.signature),
            Self::StandardWebhooks(_) => f.write_str("Standard Webhooks"),
            Self::Jwt(Jwt { at: TokenPlace::Header(name, _) | TokenPlace::HeaderOptional(name, _), .. }) => {
                write!(f, "JSON Web Token in header:{name}")
            }
            Self::Jwt(_) => f.write_str("JSON Web Token as the body"),
            Self::Token(Token { at, .. }) => write!(f, "shared token in {at}"),
            Self::Basic => f.write_str("HTTP Basic"),
            Self::Twilio => f.write_str("HMAC-SHA1 in header:x-twilio-signature"),
            Self::AdyenItems => f.write_str("HMAC-SHA256 in each item"),
            Self::Sns => f.write_str("RSA in json:/Signature"),
            Self::PayPal => f.write_str("RSA-SHA256 in header:paypal-transmission-sig"),
            Self::Ebay => f.write_str("ECDSA P-256 in header:x-ebay-signature"),
            Self::DropboxSign => f.write_str("HMAC-SHA256 in json:/event/event_hash"),
            Self::VonageSms => f.write_str("HMAC in form:sig"),
            Self::FirstCarried(schemes) | Self::OnlyCarried(schemes) => {
                for (index, scheme) in schemes.iter().enumerate() {
                    write!(f, "{}{scheme}", if index == 0 { "" } else { ", or " })?;
                }
                Ok(())
            }
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hmac(hash) => write!(f, "HMAC-{hash}"),
            Self::HmacOf(_) | Self::HmacLabelled(_) | Self::HmacNamedIn(..) => f.write_str("HMAC"),
            Self::Plain(_) | Self::PlainKeccak256 => f.write_str("hash with the secret"),
            Self::PublicKey(PublicKey::Ed25519) => f.write_str("Ed25519"),
            Self::PublicKey(PublicKey::EcdsaP256 | PublicKey::EcdsaP256Jose | PublicKey::EcdsaP256Sha1) => {
                f.write_str("ECDSA P-256")
            }
            Self::PublicKey(PublicKey::Rsa(hash)) => write!(f, "RSA-{hash}"),
            Self::PublicKey(PublicKey::RsaPss(hash)) => write!(f, "RSA-PSS-{hash}"),
        }
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Md5 => "MD5",
            Self::Sha1 => "SHA1",
            Self::Sha256 => "SHA256",
            Self::Sha384 => "SHA384",
            Self::Sha512 => "SHA512",
        })
    }
}
