//! What to do about a provider whose requests only it can make.

use hookgate_providers::scheme::jwt::JwtAlgorithm;
use hookgate_providers::scheme::{Algorithm, PublicKey, Scheme};
use hookgate_providers::{Provider, SignError};

use crate::cli::exit::Failure;

/// A failure that says how to test without signing.
pub(in crate::cli) fn failure(provider: &Provider, error: SignError) -> Failure {
    let failure = Failure::no(format!("a request of {} cannot be signed: {error}", provider.title));
    match error {
        SignError::Secret(_) | SignError::PublicKey | SignError::UnusableId | SignError::SignedHeaderMissing => failure,
        _ => failure.advise(advice(provider)),
    }
}

/// How to test a source of this provider.
pub(in crate::cli) fn advice(provider: &Provider) -> String {
    match private_key(&provider.scheme) {
        Some(command) => format!(
            "to try the source here, add a key of your own to its secrets until you are done: `{command} > own.pem`, and \
             {{ file = \"own.pem\" }}; a private key verifies what it signs"
        ),
        None => {
            "let the provider send a test event (docs: `hookgate providers show`), or judge a captured request with \
                 `hookgate explain`"
                .to_owned()
        }
    }
}

/// The command that makes a private key of the kind this scheme verifies with, if it verifies with public ones.
pub(in crate::cli) fn private_key(scheme: &Scheme) -> Option<&'static str> {
    const P256: &str = "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256";
    const RSA: &str = "openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048";
    match scheme {
        Scheme::Signed(signed) => match signed.algorithm {
            Algorithm::PublicKey(PublicKey::Ed25519) => Some("openssl genpkey -algorithm ed25519"),
            Algorithm::PublicKey(PublicKey::EcdsaP256 | PublicKey::EcdsaP256Jose) => Some(P256),
            Algorithm::PublicKey(_) => Some(RSA),
            _ => None,
        },
        Scheme::Jwt(jwt) => match jwt.algorithms.first() {
            Some(JwtAlgorithm::Rs256) => Some(RSA),
            Some(JwtAlgorithm::Es256) => Some(P256),
            _ => None,
        },
        Scheme::FirstCarried(schemes) | Scheme::OnlyCarried(schemes) => schemes.first().and_then(private_key),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use hookgate_providers::find;

    use super::*;

    #[test]
    fn who_signs_with_a_private_key_is_tried_with_one_of_ones_own() {
        let advised = |name: &str| advice(find(name).expect("built in"));
        assert!(advised("discord").contains("ed25519"));
        assert!(advised("sendgrid").contains("P-256"));
        assert!(advised("travis-ci").contains("RSA"));
        assert!(advised("mailgun").contains("test event"));
    }
}
