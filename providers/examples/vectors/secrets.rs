//! Secrets of the form each provider's have, made up from a seed.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hookgate_providers::{Provider, Secret, Unsigned, sign};

/// Private keys made for tests and used nowhere else.
const KEYS: [(&str, &str); 4] = [
    (include_str!("../../tests/keys/p256_1.pem"), include_str!("../../tests/keys/rsa_1.pem")),
    (include_str!("../../tests/keys/p256_2.pem"), include_str!("../../tests/keys/rsa_2.pem")),
    (include_str!("../../tests/keys/p256_3.pem"), include_str!("../../tests/keys/rsa_3.pem")),
    (include_str!("../../tests/keys/p256_4.pem"), include_str!("../../tests/keys/rsa_4.pem")),
];
/// DER before the seed of an Ed25519 key.
const ED25519: &[u8] =
    &[0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// A secret with which this provider's first sample can be signed; the same for the same seed.
pub(crate) fn secret_for(provider: &Provider, seed: &str) -> Option<String> {
    let sample = provider.samples.first()?;
    let (headers, body) = sample.render("id", 1_764_500_000);
    let body = String::from_utf8_lossy(&body);
    texts(seed).into_iter().find(|text| {
        let Ok(secret) = Secret::new(text.as_str()) else { return false };
        let body = body.replace("{{secret}}", text);
        let query: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        let url = format!("https://example.com/in/x?token={query}&code={query}");
        let unsigned = Unsigned {
            method: "POST",
            url: &url,
            headers: &headers,
            body: body.as_bytes(),
            id: "id",
            now: 1_764_500_000,
        };
        provider.check_secret(&secret).is_ok() && sign(provider, &unsigned, &secret).is_ok()
    })
}

fn texts(seed: &str) -> Vec<String> {
    let padded: String = format!("{seed:_<30}");
    let base64 = BASE64_STANDARD.encode(&padded);
    let number = ["right", "other", "another"].iter().position(|known| *known == seed).unwrap_or(3);
    let ed25519 = BASE64_STANDARD.encode([ED25519, &padded.bytes().chain(*b"..").collect::<Vec<_>>()].concat());
    let (p256, rsa) = KEYS[number];
    vec![
        format!("whsec_{base64}"),
        format!("{seed}:whsec_{base64}"),
        hex::encode(&padded),
        base64,
        ed25519,
        // Whose requests are meant, with the key that would be fetched.
        format!("hookgate@demo.iam.gserviceaccount.com https://example.com/push\n{rsa}").trim().to_owned(),
        format!("4JH86294D6297924G\n{rsa}").trim().to_owned(),
        format!("hookgate\n{p256}").trim().to_owned(),
        p256.trim().to_owned(),
        rsa.trim().to_owned(),
    ]
}
