//! What has to be known of a provider before its first request comes: from its facts, one sentence each.

use hookgate_providers::handshake::{Answer, Handshake, Proof};
use hookgate_providers::scheme::jwt::{JwtAlgorithm, Signer};
use hookgate_providers::scheme::standard_webhooks::SharedSecret;
use hookgate_providers::scheme::{Algorithm, Jwt, KeyForm, Scheme, Signed, StandardWebhooks};
use hookgate_providers::{Provider, Warning};

use crate::cli::sample::token_parameter;

/// The sentences, most urgent first; for the source's comment, and for whoever runs `init`.
pub(super) fn notes(provider: &Provider) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(form) = secret_form(&provider.scheme) {
        notes.push(format!("The secret is {form}."));
    }
    if let Some(name) = token_parameter(&provider.scheme) {
        notes.push(format!("Give the provider the URL with ?{name}= and the secret at its end, escaped."));
    }
    if provider.scheme.signs_url() {
        notes.push(
            "The signature covers the URL: set server.public_url to what the provider is given, letter for letter."
                .into(),
        );
    }
    let shakes = |is: fn(&Handshake) -> bool| provider.handshake.iter().any(is);
    if shakes(|handshake| matches!(handshake.proof, Proof::Offered(_))) {
        notes.push(
            "It offers its secret when you subscribe: open the window for it with `hookgate sources pair NAME` first."
                .into(),
        );
    }
    if shakes(|handshake| matches!(handshake.answer, Answer::Visit(..))) {
        notes.push("Subscribing is confirmed by a visit to a URL that it sends, which hookgate makes.".into());
    }
    if shakes(|handshake| matches!(handshake.answer, Answer::AllowOrigin)) {
        notes.push(
            "Who may send is a secret of its own: verify:ORIGIN, or verify:ORIGIN RATE in requests a minute.".into(),
        );
    }
    if fetches(&provider.scheme) {
        notes.push("Its key is fetched from its own hosts with https, so this machine must reach them.".into());
    }
    let has_token = |handshake: &Handshake| {
        matches!(handshake.proof, Proof::Token(_)) || matches!(handshake.answer, Answer::Hashed(..))
    };
    if shakes(has_token) {
        notes.push(
            "Its handshake carries a token that you choose: add it as one more secret, written verify:TOKEN.".into(),
        );
    }
    if let Some(worst) = provider.warnings().first().filter(|worst| **worst <= Warning::BodyNotSigned) {
        notes.push(format!("{}: {worst}", worst.as_str()));
    }
    notes
}

/// Whether hookgate fetches the key, unless it is given one.
fn fetches(scheme: &Scheme) -> bool {
    match scheme {
        Scheme::Sns | Scheme::PayPal | Scheme::Ebay => true,
        Scheme::Jwt(jwt) => jwt.signer != Signer::Secrets,
        Scheme::FirstCarried(schemes) | Scheme::OnlyCarried(schemes) => schemes.iter().any(fetches),
        _ => false,
    }
}

/// What a secret looks like, where it is more than a text to be copied.
fn secret_form(scheme: &Scheme) -> Option<&'static str> {
    match scheme {
        Scheme::Signed(Signed { algorithm: Algorithm::PublicKey(_), .. }) => Some(
            "the provider's public key, as PEM, base64 or hex; what has several lines goes into a file: { file = \"…\" }",
        ),
        Scheme::Signed(Signed { key, .. }) => key_form(*key),
        Scheme::Jwt(Jwt { signer: Signer::Google, .. }) => {
            Some("the pushing service account: EMAIL, or EMAIL AUDIENCE where that is not the URL")
        }
        Scheme::Jwt(Jwt { signer: Signer::Plaid, .. }) => Some("CLIENT_ID:SECRET, with which its keys are fetched"),
        Scheme::Jwt(jwt)
            if jwt
                .algorithms
                .iter()
                .all(|algorithm| matches!(algorithm, JwtAlgorithm::Rs256 | JwtAlgorithm::Es256)) =>
        {
            Some("the provider's public key; what has several lines goes into a file: { file = \"…\" }")
        }
        Scheme::Jwt(jwt) => key_form(jwt.key),
        Scheme::StandardWebhooks(StandardWebhooks { shared: SharedSecret::Text, .. }) => None,
        Scheme::StandardWebhooks(_) => Some("whsec_ and base64, as shown"),
        Scheme::Basic => Some("USER:PASSWORD, as given to the provider"),
        Scheme::AdyenItems => Some("hex"),
        Scheme::Sns => Some("the topic's ARN"),
        Scheme::PayPal => Some("the webhook's id, as the developer dashboard shows it"),
        Scheme::Ebay => Some("CLIENT_ID:SECRET, with which its key is fetched"),
        Scheme::FirstCarried(schemes) | Scheme::OnlyCarried(schemes) => schemes.first().and_then(secret_form),
        _ => None,
    }
}

fn key_form(form: KeyForm) -> Option<&'static str> {
    match form {
        KeyForm::Hex => Some("hex, as shown"),
        KeyForm::Base64 => Some("base64, as shown"),
        KeyForm::Named | KeyForm::Joined(_) | KeyForm::NamedSha1 => {
            Some("NAME:SECRET, with the name or id that the provider shows beside it")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use hookgate_providers::find;

    use super::*;

    fn noted(name: &str) -> String {
        notes(find(name).expect("built in")).join("\n")
    }

    #[test]
    fn what_is_peculiar_about_a_provider_is_said_and_nothing_about_a_plain_one() {
        assert_eq!(noted("github"), "");
        for (name, said) in [
            ("twilio", "public_url"),
            ("meta", "verify:TOKEN"),
            ("docker-hub", "?token="),
            ("discord", "public key"),
            ("pusher", "NAME:SECRET"),
            ("svix", "whsec_"),
            ("alertmanager", "USER:PASSWORD"),
            ("mailgun", "body_not_signed"),
            ("gitlab", "secret_in_request"),
            ("asana", "sources pair"),
            ("aws-sns", "the topic's ARN"),
            ("plaid", "its own hosts"),
        ] {
            assert!(noted(name).contains(said), "{name}: {}", noted(name));
        }
    }
}
