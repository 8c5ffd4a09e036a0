//! Requests that are answered and never stored.

use hookgate_providers::{Headers, Reject, Secret, Verdict};

use crate::request::{judge, provider, signed};

#[test]
fn a_signed_ping_or_challenge_is_answered_and_an_unsigned_one_is_not() {
    let secret = Secret::new("s").unwrap();
    let challenge = br#"{"type":"url_verification","challenge":"c\"1"}"#;
    let ping: &[_] = &[("x-github-event", "ping")];
    let handshakes = [("github", ping, &b"{}"[..], &b""[..]), ("slack", &[], challenge, br#"{"challenge":"c\"1"}"#)];
    for (name, headers, body, answer) in handshakes {
        let provider = provider(name);
        match judge(provider, std::slice::from_ref(&secret), &signed(provider, &secret, headers, body), body) {
            Ok(Verdict::Handshake(reply)) => {
                assert_eq!((reply.status, &reply.body[..]), (200, answer), "{name}")
            }
            other => panic!("{name}: {other:?}"),
        }
        let unsigned: Headers = headers.iter().copied().collect();
        assert_eq!(
            judge(provider, std::slice::from_ref(&secret), &unsigned, body),
            Err(Reject::SignatureMissing),
            "{name}"
        );
    }
    let slack = provider("slack");
    let empty = br#"{"type":"url_verification"}"#;
    assert_eq!(
        judge(slack, std::slice::from_ref(&secret), &signed(slack, &secret, &[], empty), empty),
        Err(Reject::HandshakeIncomplete)
    );
}

#[test]
fn an_unsigned_ssl_check_is_answered_with_nothing_and_carries_nothing() {
    let form: Headers = [("content-type", "application/x-www-form-urlencoded")].into_iter().collect();
    let body = b"ssl_check=1&payload=%7B%22type%22%3A%22block_actions%22%7D&token=x";
    match judge(provider("slack"), &[], &form, body) {
        Ok(Verdict::Handshake(reply)) => assert!(reply.status == 200 && reply.body.is_empty()),
        other => panic!("{other:?}"),
    }
    assert_eq!(judge(provider("slack"), &[], &Headers::new(), body), Err(Reject::NoSecret));
}
