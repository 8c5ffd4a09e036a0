//! Any request, to any provider: nothing panics, and nobody's signature is right.
#![no_main]

#[path = "input.rs"]
mod input;

use hookgate_providers::{Reject, Secret, Unsigned, Verdict, sign, verify};
use input::Input;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let (provider, signs, headers, url) = (input.provider(), input.byte() % 2 == 0, input.headers(), input.text());
    let secrets = ["whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=", "name:whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"];
    let secrets = secrets.map(|secret| Secret::new(secret).expect("not blank"));
    let mut headers = headers;
    let body = input.0;
    let now = 1_764_500_000;
    let mut signed = false;
    if signs {
        let unsigned = Unsigned { method: "POST", url: &url, headers: &headers, body, id: "id", now };
        if let Ok(added) = sign(provider, &unsigned, &secrets[0]) {
            headers.extend(added.iter());
            signed = true;
        }
    }
    match verify(provider, &input.request(&url, &headers), &secrets, now) {
        Ok(Verdict::Delivery(verified)) => {
            assert!(signed || !provider.covers.body, "{} accepted what nobody signed", provider.name);
            assert!(verified.secret_index() < 2);
        }
        Ok(_) => {}
        Err(reject) => assert_ne!(reject, Reject::NoSecret),
    }
});
