//! Any token: header and claims of any bytes, signed right or not at all.
#![no_main]

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use hookgate_providers::scheme::Scheme;
use hookgate_providers::scheme::jwt::{Issuer, Jwt, TokenPlace, UrlClaim};
use hookgate_providers::scheme::Encoding;
use hookgate_providers::{Headers, Provider, Request, Secret, verify};
use libfuzzer_sys::fuzz_target;
use sha2::Sha256;

const IN_HEADER: Provider = Provider {
    scheme: Scheme::Jwt(Jwt {
        issuer: Issuer::Is("x"),
        body_hash: Some(("h", Encoding::Base64)),
        url: Some(("u", UrlClaim::WithoutQuery)),
        issued_within_s: Some(60),
        ..Jwt::hs256(TokenPlace::HeaderOptional("authorization", "Bearer "))
    }),
    ..Provider::DEFAULT
};
const BODY: Provider = Provider { scheme: Scheme::Jwt(Jwt::hs256(TokenPlace::Body)), ..Provider::DEFAULT };

fn judge(token: &[u8]) {
    let secrets = [Secret::new("token").expect("not blank")];
    let mut headers = Headers::new();
    headers.push("authorization", token);
    let url = "https://example.com/in/x";
    let _ = verify(&IN_HEADER, &Request { method: "POST", url, headers: &headers, body: b"" }, &secrets, 1_764_500_000);
    let _ = verify(&BODY, &Request { method: "POST", url, headers: &headers, body: token }, &secrets, 1_764_500_000);
}

fuzz_target!(|bytes: &[u8]| {
    judge(bytes);
    let (header, claims) = match bytes.iter().position(|byte| *byte == b'\n') {
        Some(index) => (&bytes[..index], &bytes[index + 1..]),
        None => (&br#"{"alg":"HS256"}"#[..], bytes),
    };
    let encode = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
    let signed = format!("{}.{}", encode(header), encode(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(b"token").expect("any length");
    mac.update(signed.as_bytes());
    judge(format!("{signed}.{}", encode(&mac.finalize().into_bytes())).as_bytes());
});
