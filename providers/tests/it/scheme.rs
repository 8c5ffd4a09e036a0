//! What the tests have to know of a provider's scheme.

use hookgate_providers::scheme::{Algorithm, Encoding, Jwt, Listing, Scheme, jwt::Signer, jwt::TokenPlace};

use crate::signed::Signed;

impl Signed {
    fn first_scheme(&self) -> Scheme {
        match self.provider.scheme {
            Scheme::FirstCarried(schemes) | Scheme::OnlyCarried(schemes) => schemes[0],
            scheme => scheme,
        }
    }

    /// Seconds a request may be old, and ahead.
    pub(crate) fn tolerance(&self) -> Option<(i64, i64)> {
        match self.first_scheme() {
            Scheme::Signed(signed) => {
                let timestamp = signed.timestamp?;
                Some((timestamp.tolerance_s.into(), timestamp.tolerance_s.max(timestamp.ahead_s).into()))
            }
            Scheme::PayPal => Some((3 * 86_400, 3 * 86_400)),
            Scheme::StandardWebhooks(scheme) => Some((scheme.tolerance_s.into(), scheme.tolerance_s.into())),
            _ => None,
        }
    }

    /// Whether letters in another case mean the same: hex in some providers, the names of HTTP's schemes.
    pub(crate) fn takes_any_case(&self) -> bool {
        match self.first_scheme() {
            Scheme::Signed(signed) => signed.encoding == Encoding::HexAnyCase,
            Scheme::Jwt(Jwt { at: TokenPlace::Header(_, prefix) | TokenPlace::HeaderOptional(_, prefix), .. }) => {
                !prefix.is_empty()
            }
            scheme => matches!(scheme, Scheme::Basic),
        }
    }

    /// Whether the sender writes several lines, or numbered ones.
    pub(crate) fn is_one_of_many_lines(&self) -> bool {
        matches!(self.first_scheme(), Scheme::Signed(signed) if matches!(signed.listing, Listing::Repeated | Listing::Numbered))
    }

    /// Every byte of a provider's first sample is tried, some of the others: they are signed the same way. Public-key
    /// signatures take a while without optimisation.
    pub(crate) fn stride(&self) -> usize {
        let is_first = self.provider.samples.first().is_some_and(|first| first.event == self.sample.event);
        match self.first_scheme() {
            Scheme::Signed(signed) if matches!(signed.algorithm, Algorithm::PublicKey(_)) => 97,
            Scheme::PayPal | Scheme::Ebay => 97,
            Scheme::Jwt(jwt) if jwt.signer != Signer::Secrets => 97,
            Scheme::Jwt(_) => 7,
            _ if !is_first => 11,
            _ => 1,
        }
    }
}
