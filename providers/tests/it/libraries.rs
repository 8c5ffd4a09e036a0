//! What the official libraries of providers insist on, or allow. `tests/interop` runs the libraries themselves.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hookgate_providers::{Headers, Reject, Request, Secret, verify};

use crate::request::{NOW, event, judge, provider, signed, value};

/// WorkOS' Python library splits at the comma and the space, its Node library at the comma.
#[test]
fn workos_pairs_are_written_with_a_space_and_read_without_one_too() {
    let (workos, secret, body) = (provider("workos"), Secret::new("w").unwrap(), b"{\"id\":\"event_1\"}");
    let written = value(&signed(workos, &secret, &[], body), "workos-signature");
    assert!(written.starts_with(&format!("t={NOW}000, v1=")), "{written}");
    for header in [written.clone(), written.replace(", ", ",")] {
        let headers: Headers = [("workos-signature", header)].into_iter().collect();
        event(judge(workos, std::slice::from_ref(&secret), &headers, body));
    }
}

#[test]
fn a_token_that_is_signed_for_a_request_carries_its_id_which_messagebird_s_own_library_demands() {
    let (messagebird, secret) = (provider("messagebird"), Secret::new("m").unwrap());
    let token = value(&signed(messagebird, &secret, &[], b"{}"), "messagebird-signature-jwt");
    let claims = BASE64_URL_SAFE_NO_PAD.decode(token.split('.').nth(1).unwrap()).unwrap();
    let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
    assert!(claims["jti"].as_str().is_some_and(|id| !id.is_empty()), "{claims}");
}

#[test]
fn a_livekit_token_from_a_clock_ten_seconds_ahead_is_accepted_and_from_one_further_ahead_is_not() {
    let (livekit, secret) = (provider("livekit"), Secret::new("API1:s").unwrap());
    let body = b"{\"event\":\"room_started\"}";
    let headers = signed(livekit, &secret, &[], body);
    let request = Request { method: "POST", url: "https://example.com/", headers: &headers, body };
    let at = |now| verify(livekit, &request, std::slice::from_ref(&secret), now).map(|_| ());
    assert_eq!(at(NOW - 10), Ok(()));
    assert_eq!(at(NOW - 11), Err(Reject::TimestampInFuture));
}
