//! Any form: fields, signed pairs, what PHP makes of them.
#![no_main]

use hookgate_providers::{Headers, Request, Secret, Unsigned, find, sign, verify};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    let url = "https://example.com/in/x";
    let secrets = [Secret::new("token").expect("not blank")];
    for name in ["github", "slack", "twilio", "mandrill", "mailgun", "paddle-classic", "pandadoc", "braintree", "quickbooks"] {
        let Some(provider) = find(name) else { continue };
        let mut headers: Headers = [("content-type", "application/x-www-form-urlencoded")].into_iter().collect();
        let unsigned = Unsigned { method: "POST", url, headers: &headers, body, id: "id", now: 1_764_500_000 };
        let added = sign(provider, &unsigned, &secrets[0]).unwrap_or_default();
        headers.extend(added.iter());
        let request = Request { method: "POST", url, headers: &headers, body };
        let _ = verify(provider, &request, &secrets, 1_764_500_000);
    }
});
