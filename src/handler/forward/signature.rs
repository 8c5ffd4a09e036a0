//! Standard Webhooks signatures, symmetric: <https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md>.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use secrecy::{ExposeSecret, SecretSlice, SecretString};
use sha2::Sha256;

/// The specification asks for 24 to 64 bytes.
const SHORTEST: usize = 24;

/// A signing key; overwritten when dropped, never printed.
pub(super) struct Key(SecretSlice<u8>);

/// Why a secret can't sign.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum KeyError {
    #[error("the forward's secret is not `whsec_` and base64")]
    NotBase64,
    #[error("the forward's secret is too short: use `whsec_` and the base64 of at least 24 random bytes")]
    Short,
}

impl Key {
    /// From `whsec_` and base64; the prefix may be missing, as in the reference libraries.
    pub(super) fn parse(secret: &SecretString) -> Result<Self, KeyError> {
        let text = secret.expose_secret().trim();
        let bytes = STANDARD.decode(text.strip_prefix("whsec_").unwrap_or(text)).map_err(|_| KeyError::NotBase64)?;
        if bytes.len() < SHORTEST {
            return Err(KeyError::Short);
        }
        Ok(Self(bytes.into()))
    }

    /// The value of `webhook-signature`. `id` must not contain a full stop.
    pub(super) fn sign(&self, id: &str, timestamp: i64, body: &[u8]) -> String {
        // HMAC takes a key of any length: the error can't happen, and an empty signature would only be refused.
        let Ok(mac) = Hmac::<Sha256>::new_from_slice(self.0.expose_secret()) else {
            return String::new();
        };
        let digest = mac
            .chain_update(id)
            .chain_update(b".")
            .chain_update(timestamp.to_string())
            .chain_update(b".")
            .chain_update(body)
            .finalize();
        format!("v1,{}", STANDARD.encode(digest.into_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(secret: &str) -> Result<Key, KeyError> {
        Key::parse(&SecretString::from(secret))
    }

    /// From the test suites of the reference libraries.
    #[test]
    fn the_published_vectors_come_out() {
        let vectors = [
            (
                "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
                "msg_p5jXN8AQM9LWM0D4loKWxJek",
                1_614_265_330,
                r#"{"test": 2432232314}"#,
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
            ),
            (
                "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
                "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk",
                1_649_367_553,
                r#"{"email":"test@example.com","username":"test_user"}"#,
                "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
            ),
        ];
        for (secret, id, timestamp, body, expected) in vectors {
            let signed = |secret| key(secret).map(|key| key.sign(id, timestamp, body.as_bytes()));
            assert_eq!(signed(secret).as_deref(), Ok(expected));
            assert_eq!(signed(secret.trim_start_matches("whsec_")).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn a_secret_that_protects_nothing_is_refused() {
        assert_eq!(key("").err(), Some(KeyError::Short));
        assert_eq!(key("whsec_").err(), Some(KeyError::Short));
        assert_eq!(key("whsec_c2hvcnQ=").err(), Some(KeyError::Short));
        assert_eq!(key("whsec_not base64").err(), Some(KeyError::NotBase64));
    }
}
