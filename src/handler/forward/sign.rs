//! How what a forward sends is signed: by us, or as the provider would sign it for this destination.

use hookgate_providers::{Headers, Provider, Secret, SignError, Unsigned, resign};
use http::header::{HeaderMap, HeaderName, HeaderValue};

use super::signature::Key;

/// What a destination can verify.
pub(super) enum Sign {
    /// Standard Webhooks, with this key.
    StandardWebhooks(Key),
    /// The provider's own signature, made anew: the destination keeps the code it has for that provider.
    AsProvider(Box<AsProvider>),
    /// Nothing of ours.
    Not,
}

/// A provider to sign as, with the destination's own secret.
pub(super) struct AsProvider {
    pub(super) provider: Provider,
    pub(super) secret: Secret,
}

impl Sign {
    /// Whether a received header that hookgate else keeps for itself is the provider's: its id, which stays.
    pub(super) fn is_of_provider(&self, name: &HeaderName) -> bool {
        const RESERVED: &str = "webhook-";
        match self {
            Self::AsProvider(signer) => {
                name.as_str().starts_with(RESERVED) && signer.provider.families.contains(&RESERVED)
            }
            Self::StandardWebhooks(_) | Self::Not => false,
        }
    }
}

impl AsProvider {
    /// The headers as the provider would send them at `now` (Unix seconds) to this URL.
    pub(super) fn resign(&self, headers: &HeaderMap, to: &str, body: &[u8], now: i64) -> Result<HeaderMap, SignError> {
        let headers: Headers = headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        let unsigned = Unsigned { method: "POST", url: to, headers: &headers, body, id: "", now };
        let mut signed = HeaderMap::new();
        for (name, value) in resign(&self.provider, &unsigned, &self.secret)?.iter() {
            // Received ones came in as headers, and what signing adds is a token: neither can be anything else.
            if let (Ok(name), Ok(value)) = (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_bytes(value)) {
                signed.append(name, value);
            }
        }
        Ok(signed)
    }
}
