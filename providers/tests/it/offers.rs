//! What a handshake carries beside its answer: a secret, a URL to visit, a grant.

use hookgate_providers::{Headers, Reject, Reply, Request, Secret, Verdict, verify};

use crate::request::{NOW, judge, provider};

fn reply(verdict: Result<Verdict, Reject>) -> Reply {
    match verdict {
        Ok(Verdict::Handshake(reply)) => reply,
        other => panic!("not a handshake: {other:?}"),
    }
}

#[test]
fn a_secret_that_is_offered_is_handed_over_and_echoed_where_the_provider_wants_it() {
    let headers: Headers = [("x-hook-secret", "b537207f20cbfa02")].into_iter().collect();
    let asana = reply(judge(provider("asana"), &[], &headers, b"{}"));
    assert_eq!(asana.offers, Some(Secret::new("b537207f20cbfa02").unwrap()));
    assert_eq!(asana.headers, [("x-hook-secret", "b537207f20cbfa02".to_owned())]);
    let body = br#"{"verification_token":"secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl"}"#;
    let notion = reply(judge(provider("notion"), &[], &Headers::new(), body));
    assert_eq!(notion.offers, Some(Secret::new("secret_tMrlL1qK5vuQAh1b6cZGhFChZTSYJlce98V0pYn7yBl").unwrap()));
    assert!(notion.status == 200 && notion.body.is_empty());
    assert!(!format!("{asana:?}{notion:?}").contains("secret_tMrl"));
}

#[test]
fn what_no_provider_would_choose_is_not_taken_for_a_secret() {
    for secret in [" ", "verify:token", "two words", &"x".repeat(513)] {
        let body = format!(r#"{{"verification_token":"{secret}"}}"#);
        let verdict = judge(provider("notion"), &[], &Headers::new(), body.as_bytes());
        assert!(verdict.is_err(), "{secret:?}: {verdict:?}");
    }
}

#[test]
fn an_event_that_names_a_token_offers_nothing() {
    let body = br#"{"id":"1","type":"page.created","verification_token":"secret_x"}"#;
    assert_eq!(judge(provider("notion"), &[], &Headers::new(), body), Err(Reject::NoSecret));
}

#[test]
fn an_origin_is_granted_if_it_is_one_of_the_sources_and_told_the_rate_it_may_have() {
    let cloudevents = provider("cloudevents");
    let ask = |secrets: &[&str], headers: &[(&str, &str)]| {
        let secrets: Vec<Secret> = secrets.iter().map(|secret| Secret::new(*secret).unwrap()).collect();
        let headers: Headers = headers.iter().copied().collect();
        verify(
            cloudevents,
            &Request { method: "OPTIONS", url: "https://example.com/in/x", headers: &headers, body: b"" },
            &secrets,
            NOW,
        )
    };
    let origin = ("webhook-request-origin", "emitter.example.com");
    let granted = |verdict| {
        let reply = reply(verdict);
        let header = |name| reply.headers.iter().find(|(header, _)| *header == name).map(|(_, value)| value.clone());
        (header("webhook-allowed-origin"), header("webhook-allowed-rate"))
    };
    let name = Some("emitter.example.com".to_owned());
    assert_eq!(granted(ask(&["verify:emitter.example.com"], &[origin])), (name.clone(), None));
    assert_eq!(
        granted(ask(&["token", "verify:emitter.example.com 100"], &[origin, ("webhook-request-rate", "120")])),
        (name.clone(), Some("100".into()))
    );
    assert_eq!(granted(ask(&["verify:*"], &[origin, ("webhook-request-rate", "120")])), (name, Some("*".into())));
    assert_eq!(ask(&["verify:other.example.com"], &[origin]), Err(Reject::HandshakeRefused));
    assert_eq!(ask(&["token"], &[origin]), Err(Reject::HandshakeRefused));
    assert_eq!(ask(&[], &[origin]), Err(Reject::HandshakeRefused));
    let twice = [origin, ("webhook-request-origin", "evil.example")];
    assert_eq!(ask(&["verify:*"], &twice), Err(Reject::HeaderRepeated));
}

#[test]
fn the_token_in_two_places_is_refused() {
    let cloudevents = provider("cloudevents");
    let secrets = [Secret::new("t0ken").unwrap()];
    let ask = |url, headers: &[(&str, &str)]| {
        let headers: Headers = headers.iter().copied().collect();
        verify(cloudevents, &Request { method: "POST", url, headers: &headers, body: b"{}" }, &secrets, NOW)
    };
    let bearer = ("authorization", "Bearer t0ken");
    assert!(ask("https://example.com/in/x", &[bearer]).is_ok());
    assert!(ask("https://example.com/in/x?access_token=t0ken", &[]).is_ok());
    let both = ask("https://example.com/in/x?access_token=t0ken", &[bearer]);
    assert_eq!(both, Err(Reject::SignatureMalformed));
}

#[test]
fn ebays_challenge_is_hashed_with_the_token_and_never_without_one() {
    let ebay = provider("ebay");
    let ask = |secrets: &[Secret], code: &str| {
        let url = format!("https://example.com/in/x?challenge_code={code}");
        verify(ebay, &Request { method: "GET", url: &url, headers: &Headers::new(), body: b"" }, secrets, NOW)
    };
    let secrets = [Secret::new("client:secret").unwrap(), Secret::new("verify:0123456789").unwrap()];
    let answer: serde_json::Value = serde_json::from_slice(&reply(ask(&secrets, "abc")).body).unwrap();
    use sha2::Digest;
    let expected = hex::encode(sha2::Sha256::digest("abc0123456789https://example.com/in/x"));
    assert_eq!(answer["challengeResponse"], expected);
    assert_eq!(ask(&secrets[..1], "abc"), Err(Reject::NoSecret));
    assert_eq!(ask(&secrets, &"x".repeat(129)), Err(Reject::HandshakeRefused));
}
