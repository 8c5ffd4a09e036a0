//! Which schemes need to know the URL as the sender called it, and so whoever verifies behind a proxy.

use super::jwt::Signer;
use super::{Part, Scheme};

impl Scheme {
    /// Whether the signature covers the public URL or a part of it: what a proxy could change on the way.
    pub fn signs_url(&self) -> bool {
        match self {
            Self::Signed(signed) => signed.signs.iter().any(Part::is_of_the_url),
            // Google's tokens are for an audience, which is the URL unless the secret names another.
            Self::Jwt(jwt) => jwt.url.is_some() || jwt.signer == Signer::Google,
            Self::Twilio => true,
            Self::FirstCarried(schemes) | Self::OnlyCarried(schemes) => schemes.iter().any(Self::signs_url),
            Self::Undeclared | Self::StandardWebhooks(_) | Self::Token(_) | Self::Basic | Self::AdyenItems => false,
            Self::Sns | Self::PayPal | Self::Ebay | Self::DropboxSign | Self::VonageSms => false,
        }
    }
}

impl Part {
    fn is_of_the_url(&self) -> bool {
        matches!(
            self,
            Self::Url
                | Self::UrlUnescaped(_)
                | Self::TargetEscapedTwice
                | Self::UrlWithoutQuery
                | Self::UrlAndFormSorted
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::find;

    #[test]
    fn schemes_over_the_url_say_so_and_others_do_not() {
        for name in
            ["twilio", "square", "trello", "hubspot", "mandrill", "plivo-v2", "plivo-v3", "contentful", "google-pubsub"]
        {
            assert!(find(name).is_some_and(|provider| provider.scheme.signs_url()), "{name}");
        }
        for name in ["github", "stripe", "standard-webhooks", "strava", "adyen", "okta"] {
            assert!(find(name).is_some_and(|provider| !provider.scheme.signs_url()), "{name}");
        }
    }
}
