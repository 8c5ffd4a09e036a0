//! An explanation gives nothing away and takes no more than its share, whatever it is given.

use std::fmt::Write;

use hookgate_providers::{ALL, Finding, Headers, Keys, Provider, Refused, Request, Secret, Unsigned, explain, sign};
use proptest::prelude::*;

use crate::explain::URL;
use crate::signed::NOW;

/// Everything that is printed of an explanation.
fn printed(refused: &Refused<'_>, findings: &[Finding]) -> String {
    let mut text = format!("{refused:?}");
    findings.iter().for_each(|finding| write!(text, "{finding}\n{finding:?}\n").unwrap());
    text.to_lowercase()
}

fn holds_a_piece(printed: &str, of: &[u8]) -> bool {
    let of = of.to_ascii_lowercase();
    // Times are numbers, and ours may be printed.
    let mut pieces = of.windows(8).filter(|piece| !piece.iter().all(u8::is_ascii_digit));
    pieces.any(|piece| printed.as_bytes().windows(8).any(|window| window == piece))
}

fn provider() -> impl Strategy<Value = &'static Provider> {
    let cheap: Vec<_> =
        ALL.iter().copied().filter(|provider| !format!("{:?}", provider.scheme).contains("PublicKey")).collect();
    proptest::sample::select(cheap)
}

/// No word of ours in it.
fn gibberish(length: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    proptest::collection::vec(proptest::sample::select(b"qzxjkvwQZXJKVW0123456789".to_vec()), length)
        .prop_map(|bytes| String::from_utf8(bytes).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, rng_seed: proptest::test_runner::RngSeed::Fixed(3), ..ProptestConfig::default() })]

    #[test]
    fn nothing_printed_holds_a_piece_of_a_secret_a_signature_or_the_body(
        provider in provider(), secret in gibberish(16..40), configured in gibberish(16..40), text in gibberish(16..60),
        spoil in 0..6_u8, age in -100_000..100_000_i64,
    ) {
        let body = format!("{{\"zz\":\"{text}\"}}");
        let right = [format!("whsec_{}", hex::encode(&secret)), format!("{secret}:{secret}"), secret.clone()];
        let signed = right.iter().find_map(|text| {
            let secret = Secret::new(text.as_str()).unwrap();
            let unsigned = Unsigned { method: "POST", url: URL, headers: &Headers::new(), body: body.as_bytes(), id: "qz", now: NOW };
            Some((sign(provider, &unsigned, &secret).ok()?, secret))
        });
        let Some((mut headers, right)) = signed else { return Ok(()) };
        let arrived = match spoil {
            0 => format!("{body}\n"),
            1 => body.replace(':', ": "),
            _ => body.clone(),
        };
        let live = if spoil < 4 { right.clone() } else { Secret::new(configured.as_str()).unwrap() };
        if spoil == 3 {
            headers = headers.iter().map(|(name, value)| (name, &value[..value.len() / 2])).collect();
        }
        let request = Request { method: "POST", url: URL, headers: &headers, body: arrived.as_bytes() };
        let refused = Refused {
            provider, request, secrets: std::slice::from_ref(&live), retired: std::slice::from_ref(&right), keys: &Keys::new(), others: ALL, now: NOW + age,
        };
        let findings = explain(&refused);
        prop_assert!(!findings.is_empty());
        let printed = printed(&refused, &findings);
        for hidden in [secret.as_bytes(), configured.as_bytes(), text.as_bytes()] {
            prop_assert!(!holds_a_piece(&printed, hidden), "{printed}");
        }
        for (_, value) in headers.iter() {
            // What is long is a signature, not the name of one.
            let runs = value.split(|byte| !byte.is_ascii_alphanumeric() && !b"+/-_".contains(byte));
            for signature in runs.filter(|run| run.len() >= 20) {
                prop_assert!(!holds_a_piece(&printed, signature), "{printed}");
            }
        }
    }

    #[test]
    fn whatever_is_given_an_explanation_comes_back(
        provider in provider(), lines in proptest::collection::vec(("[a-z_-]{0,20}", proptest::collection::vec(any::<u8>(), 0..60)), 0..6),
        body in proptest::collection::vec(any::<u8>(), 0..200), url in any::<String>(), method in "[A-Z]{0,7}", now in any::<i64>(),
    ) {
        let headers: Headers = lines.into_iter().collect();
        let secrets = [Secret::new("whsec_YWJjZGVm").unwrap(), Secret::new("a:b").unwrap()];
        let request = Request { method: &method, url: &url, headers: &headers, body: &body };
        let refused = Refused { provider, request, secrets: &secrets, retired: &secrets, keys: &Keys::new(), others: ALL, now };
        prop_assert!(!explain(&refused).is_empty());
    }
}
