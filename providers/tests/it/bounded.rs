//! Hostile input costs memory in proportion to its size, and no more: counted, not timed.

use allocation_counter::measure;
use hookgate_providers::{ALL, Events, Headers, Keys, Refused, Request, Secret, Unsigned, explain, sign, verify};

use crate::signed::{NOW, Signed};

/// How large the bodies are. Large enough for anything quadratic to stand out.
const SIZE: usize = 8 << 10;
/// Bytes that may be allocated, in sum, for each byte of the request.
const FACTOR: u64 = 40;

/// Bytes that may be allocated, in sum, for each event of a batch: no element is smaller than two bytes.
const EVENT: u64 = 2_048;

fn bodies() -> Vec<(&'static str, String)> {
    let filled = |piece: &str| piece.repeat(SIZE / piece.len());
    vec![
        ("brackets", filled("[")),
        ("closed brackets", format!("{}{}", "[".repeat(SIZE / 2), "]".repeat(SIZE / 2))),
        ("objects in objects", format!("{}1{}", "{\"a\":".repeat(SIZE / 6), "}".repeat(SIZE / 6))),
        ("arrays of objects in arrays", format!("{}1{}", "[{\"events\":".repeat(SIZE / 13), "}]".repeat(SIZE / 13))),
        ("one key again and again", format!("{{{}\"id\":1}}", filled("\"id\":1,"))),
        (
            "many keys",
            format!("{{{}\"id\":1}}", (0..SIZE / 12).map(|key| format!("\"{key:07}\":1,")).collect::<String>()),
        ),
        ("many elements", format!("[{}1]", filled("1,"))),
        ("many events", format!("{{\"events\":[{}{{}}]}}", filled("{},"))),
        ("a long number", filled("9")),
        ("a long string", format!("\"{}\"", filled("\\u0041"))),
        ("form pairs", filled("a=b&")),
        ("nothing but ampersands", filled("&")),
        ("percent signs", filled("%41")),
        ("dots", filled(".")),
    ]
}

#[test]
fn no_body_costs_more_memory_than_a_multiple_of_its_size() {
    for (what, body) in bodies() {
        for content_type in ["application/json", "application/x-www-form-urlencoded"] {
            for provider in ALL {
                let secret = Secret::new("name:whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz").unwrap();
                let url = "https://example.com/in/x?token=name%3Awhsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz";
                let mut headers: Headers = [("content-type", content_type)].into_iter().collect();
                let unsigned =
                    Unsigned { method: "POST", url, headers: &headers, body: body.as_bytes(), id: "id", now: NOW };
                let added = sign(provider, &unsigned, &secret).unwrap_or_default();
                headers.extend(added.iter());
                let request = Request { method: "POST", url, headers: &headers, body: body.as_bytes() };
                let secrets = std::slice::from_ref(&secret);
                let cost = measure(|| drop(verify(provider, &request, secrets, NOW)));
                let events = if matches!(provider.events, Events::Each(_)) { body.len() as u64 / 2 } else { 1 };
                let bound = FACTOR * (body.len() as u64) + EVENT * events + 32_768;
                assert!(cost.bytes_total <= bound, "{} on {what}: {} of {bound}", provider.name, cost.bytes_total);
            }
        }
    }
}

#[test]
fn many_headers_and_long_ones_cost_no_more_than_their_size() {
    for signed in Signed::every() {
        for (name, value) in signed.authenticating() {
            for piece in [&b" "[..], b",", b"a=b,", b"v1,AAAA ", b"=", b"\xff"] {
                let long = [value, &piece.repeat(8_192 / piece.len())].concat();
                let mut headers = signed.with(name, Some(&long));
                (0..500).for_each(|index| headers.push(&format!("x-{index}"), "1"));
                let cost = measure(|| drop(signed.judge_headers(&headers)));
                let bound = FACTOR * (signed.body.len() as u64 + 20_000);
                assert!(cost.bytes_total <= bound, "{} {name}: {} of {bound}", signed.name(), cost.bytes_total);
            }
        }
    }
}

#[test]
fn sixteen_secrets_and_twenty_signatures_do_not_multiply_what_is_kept() {
    let one = Signed::every().iter().find(|signed| signed.provider.name == "stripe").unwrap();
    let listed = format!("t={NOW}{}", format!(",v1={}", "0".repeat(64)).repeat(20));
    let headers = one.with("stripe-signature", Some(listed.as_bytes()));
    let body = vec![b'x'; SIZE];
    let secrets: Vec<_> = (0..16).map(|index| Secret::new(format!("s{index}")).unwrap()).collect();
    let cost = measure(|| drop(one.judge(&headers, &body, &secrets, NOW)));
    assert!(cost.bytes_total < 96 << 10, "{}", cost.bytes_total);
}

#[test]
fn an_explanation_keeps_no_more_than_a_few_bodies_at_a_time() {
    let secrets = [Secret::new("s3cret").unwrap()];
    let headers: Headers = [("x-hub-signature-256", "sha256=00")].into_iter().collect();
    for (what, body) in bodies() {
        let provider = hookgate_providers::find("github").unwrap();
        let request = Request { method: "POST", url: "https://example.com", headers: &headers, body: body.as_bytes() };
        let refused =
            Refused { provider, request, secrets: &secrets, retired: &[], keys: &Keys::new(), others: &[], now: NOW };
        let cost = measure(|| drop(explain(&refused)));
        assert!(cost.bytes_max <= FACTOR * (body.len() as u64) + (1 << 20), "{what}: {}", cost.bytes_max);
    }
}
