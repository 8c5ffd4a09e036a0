//! Anything at all may arrive.

use hookgate_providers::{ALL, Events, Headers, Reject, Request, Secret, Unsigned, Verdict, sign, verify};
use proptest::prelude::*;

const SECRET: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
const URL: &str = "https://example.com/in/x";

/// Header names that some provider reads, among others.
fn name() -> impl Strategy<Value = String> {
    let known = [
        "x-hub-signature-256",
        "x-github-event",
        "x-github-delivery",
        "content-type",
        "stripe-signature",
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
        "x-shopify-hmac-sha256",
        "shopify-hmac-sha256",
        "x-shopify-topic",
        "x-slack-signature",
        "x-slack-request-timestamp",
    ];
    prop_oneof![proptest::sample::select(known.to_vec()).prop_map(str::to_owned), "[a-z-]{0,12}"]
}

/// Values that look like what is expected, and those that do not.
fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..80),
        "(sha256=|v0=|t=[0-9]{0,20},v1=|v1,|v1a,)?[0-9a-f]{0,70}( v1,[A-Za-z0-9+/=]{0,50}){0,3}"
            .prop_map(String::into_bytes),
        Just(b"application/x-www-form-urlencoded".to_vec()),
        Just(b"1764500000".to_vec()),
    ]
}

/// Bodies that get past the first character of a parser.
fn body() -> impl Strategy<Value = Vec<u8>> {
    let json = r#"[\[\]{}:,"\\u0-9a-f eE.+-]{0,200}"#;
    let keys = r#"(\{"(id|type|data|object|challenge|issue|event)":){0,9}("url_verification"|1e9999|\[\]|"\\ud83d"|null|"")?\}{0,9}"#;
    let form = "(payload|ssl_check|trigger_id|command)=[%0-9A-F{}\"a-z]{0,60}(&[a-z%=&]{0,20})?";
    prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..300),
        json.prop_map(String::into_bytes),
        keys.prop_map(String::into_bytes),
        form.prop_map(String::into_bytes)
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(7), ..ProptestConfig::default() })]

    #[test]
    fn no_request_makes_verify_panic_and_none_is_authentic(
        lines in proptest::collection::vec((name(), value()), 0..8), body in body(), method in "[A-Z]{0,7}", url in any::<String>(), now in any::<i64>(),
    ) {
        let headers: Headers = lines.into_iter().collect();
        let secrets = [Secret::new(SECRET).unwrap()];
        for provider in ALL {
            let verdict = verify(provider, &Request { method: &method, url: &url, headers: &headers, body: &body }, &secrets, now);
            prop_assert!(!matches!(verdict, Ok(Verdict::Delivery(_))), "{} accepted what nobody signed", provider.name);
        }
    }

    #[test]
    fn whatever_the_body_is_a_right_signature_makes_it_a_delivery_or_a_handshake(
        lines in proptest::collection::vec((name(), value()), 0..4), body in body(), now in 0..4_000_000_000_i64,
    ) {
        let secrets = [Secret::new(SECRET).unwrap()];
        for provider in ALL.iter().filter(|_| !body.is_empty()) {
            let free: Headers = lines.iter().map(|(name, value)| (format!("x-other-{name}"), value.clone())).collect();
            let mut headers = free.clone();
            let unsigned = Unsigned { method: "POST", url: URL, headers: &free, body: &body, id: "id-1", now };
            // Other kinds of secrets, and what has to be in the body or in headers first, are not this test's matter.
            let Ok(added) = sign(provider, &unsigned, &secrets[0]) else { continue };
            headers.extend(added.iter());
            let verdict = verify(provider, &Request { method: "POST", url: URL, headers: &headers, body: &body }, &secrets, now);
            match verdict {
                Ok(Verdict::Delivery(verified)) => prop_assert!(verified.events().len() == 1 || provider.events != Events::Whole),
                Ok(Verdict::Handshake(_) | Verdict::NeedKey(_)) => {}
                Err(Reject::HandshakeIncomplete | Reject::TimestampMissing | Reject::TimestampMalformed) => {}
                Err(reject) => prop_assert!(false, "{}: {reject}", provider.name),
            }
        }
    }
}
