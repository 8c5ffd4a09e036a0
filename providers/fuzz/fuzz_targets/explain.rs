//! Any refused request: something is said, and nothing that must not be.
#![no_main]

#[path = "input.rs"]
mod input;

use hookgate_providers::{Headers, Keys, Refused, Secret, Unsigned, explain, sign};
use input::Input;
use libfuzzer_sys::fuzz_target;

const SECRET: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let (provider, signs, other, url) = (input.provider(), input.byte(), input.piece(), input.text());
    let right = Secret::new(SECRET).expect("not blank");
    let mut headers: Headers = input.headers();
    let body = input.0;
    if signs % 2 == 0 {
        let unsigned = Unsigned { method: "POST", url: &url, headers: &headers, body, id: "id", now: 1_764_500_000 };
        let added = sign(provider, &unsigned, &right).unwrap_or_default();
        headers.extend(added.iter());
    }
    let shorter = &body[..body.len() - body.len().min(usize::from(signs / 64))];
    let request = Input(shorter).request(&url, &headers);
    let secrets: Vec<_> = [Secret::new(other), Ok(right.clone())].into_iter().flatten().collect();
    let refused =
        Refused { provider, request, secrets: &secrets[..1], retired: &secrets[1..], keys: &Keys::new(), others: &[], now: 1_764_500_000 };
    let findings = explain(&refused);
    assert!(!findings.is_empty());
    let said: String = findings.iter().map(|finding| format!("{finding} {finding:?}")).collect();
    assert!(!said.contains(&SECRET[6..14]));
});
