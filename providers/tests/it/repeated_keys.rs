//! One rule for JSON keys that are repeated: the last occurrence counts, as it does for `JSON.parse`. Where a value
//! authenticates the request, a repeated key is refused, since parsers disagree.

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use hookgate_providers::scheme::jwt::TokenPlace;
use hookgate_providers::scheme::{Jwt, Scheme, Token};
use hookgate_providers::{Events, Headers, Locate, Provider, Reject, Request, Secret, Verdict, Verified, find, verify};
use sha2::Sha256;

use crate::request::{event, judge, provider, signed};
use crate::signed::NOW;

const TOKEN: Provider = Provider {
    scheme: Scheme::Token(Token::at(Locate::Header("authorization"))),
    delivery_id: &[Locate::Json("/id")],
    event_type: &[Locate::Json("/data/type")],
    ordering_key: &[Locate::Root("/account")],
    version: &[Locate::Json("/version")],
    ..Provider::DEFAULT
};

fn taken(provider: &Provider, body: &str) -> Result<Verified, Reject> {
    let headers: Headers = [("authorization", "token")].into_iter().collect();
    let request = Request { method: "POST", url: "https://example.com", headers: &headers, body: body.as_bytes() };
    match verify(provider, &request, &[Secret::new("token").unwrap()], NOW)? {
        Verdict::Delivery(verified) => Ok(verified),
        other => panic!("{other:?}"),
    }
}

fn mac(key: &[u8], message: &str) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).unwrap();
    mac.update(message.as_bytes());
    mac.finalize().into_bytes().to_vec()
}

#[test]
fn located_values_are_the_last() {
    let body = r#"{"id":"1","version":1,"data":{"type":"a","type":"b"},"account":"x","data":{"type":"c"},"id":"2","account":"y","version":2}"#;
    let verified = taken(&TOKEN, body).unwrap();
    let event = &verified.events()[0];
    let found = [&event.delivery_id, &event.event_type, &event.ordering_key].map(|text| text.as_deref().unwrap());
    assert_eq!((found, event.version), (["2", "c", "y"], Some(2)));
    let shadowed = taken(&TOKEN, r#"{"data":{"type":"a"},"data":null}"#).unwrap();
    assert_eq!(shadowed.events()[0].event_type, None, "nothing is taken from an object that does not count");
}

#[test]
fn a_batch_is_the_last_array_and_its_elements_follow_the_rule_too() {
    let provider = Provider { events: Events::Each("/events"), ..TOKEN };
    let verified = taken(&provider, r#"{"events":[{"id":1},{"id":2}],"events":[{"id":3,"id":4}]}"#).unwrap();
    let ids: Vec<_> = verified.events().iter().map(|event| event.delivery_id.as_deref()).collect();
    assert_eq!(ids, [Some("4")]);
    let whole = taken(&provider, r#"{"events":[{"id":1}],"events":7,"id":5}"#).unwrap();
    assert_eq!((whole.events().len(), whole.events()[0].delivery_id.as_deref()), (1, Some("5")));
}

#[test]
fn a_fingerprint_without_what_is_volatile_is_of_the_last() {
    let provider = Provider { volatile: &["/attempt"], ..TOKEN };
    let print = |body: &str| taken(&provider, body).unwrap().events()[0].fingerprint;
    assert_eq!(print(r#"{"attempt":1,"a":1,"attempt":2,"a":2}"#), print(r#"{"a":2}"#));
    assert_ne!(print(r#"{"a":1,"a":2}"#), print(r#"{"a":1}"#));
}

#[test]
fn a_handshake_is_recognised_by_the_last_and_answered_with_the_last() {
    let slack = provider("slack");
    let secret = Secret::new("s3cret").unwrap();
    let body = br#"{"type":"event_callback","challenge":"one","type":"url_verification","challenge":"two"}"#;
    match judge(slack, std::slice::from_ref(&secret), &signed(slack, &secret, &[], body), body) {
        Ok(Verdict::Handshake(reply)) => {
            let text = String::from_utf8(reply.body).unwrap();
            assert!(text.contains("two") && !text.contains("one"), "{text}");
        }
        other => panic!("{other:?}"),
    }
    let body = br#"{"type":"url_verification","challenge":"one","type":"event_callback"}"#;
    event(judge(slack, std::slice::from_ref(&secret), &signed(slack, &secret, &[], body), body));
}

#[test]
fn a_token_in_the_body_must_not_be_repeated() {
    let provider = Provider { scheme: Scheme::Token(Token::at(Locate::Json("/a/token"))), ..TOKEN };
    assert!(taken(&provider, r#"{"a":{"token":"token"},"b":1,"b":2}"#).is_ok());
    for body in [
        r#"{"a":{"token":"x","token":"token"}}"#,
        r#"{"a":{"token":"token","token":"token"}}"#,
        r#"{"a":{},"a":{"token":"token"}}"#,
        r#"{"a":{"token":"x","\u0074oken":"token"}}"#,
    ] {
        assert_eq!(taken(&provider, body).unwrap_err(), Reject::SignatureMalformed, "{body}");
    }
}

#[test]
fn what_is_signed_in_the_body_must_not_be_repeated() {
    let mailgun = find("mailgun").unwrap();
    let secret = Secret::new("s3cret").unwrap();
    let signature = hex::encode(mac(b"s3cret", &format!("{NOW}tok")));
    let judge = |inner: &str| {
        let body = format!("{{\"signature\":{{{inner}}},\"event-data\":{{\"id\":\"1\"}}}}");
        let headers: Headers = [("content-type", "application/json")].into_iter().collect();
        let request = Request { method: "POST", url: "", headers: &headers, body: body.as_bytes() };
        verify(mailgun, &request, std::slice::from_ref(&secret), NOW)
    };
    let right = format!(r#""token":"tok","timestamp":"{NOW}","signature":"{signature}""#);
    assert!(judge(&right).is_ok());
    for repeated in [r#""token":"x","#, r#""timestamp":"1","#, r#""signature":"00","#] {
        assert!(judge(&format!("{repeated}{right}")).is_err(), "{repeated}");
    }
}

#[test]
fn adyens_signed_fields_must_not_be_repeated() {
    let adyen = find("adyen").unwrap();
    let signature = BASE64_STANDARD.encode(mac(&[0xab; 32], "P1::M:r:5:EUR:AUTHORISATION:true"));
    let judge = |more: &str| {
        let item = format!(
            r#"{{{more}"pspReference":"P1","merchantAccountCode":"M","merchantReference":"r","amount":{{"value":5,"currency":"EUR"}},"eventCode":"AUTHORISATION","success":"true","additionalData":{{"hmacSignature":"{signature}"}}}}"#
        );
        let body = format!(r#"{{"notificationItems":[{{"NotificationRequestItem":{item}}}]}}"#);
        let request = Request { method: "POST", url: "", headers: &Headers::new(), body: body.as_bytes() };
        verify(adyen, &request, &[Secret::new("ab".repeat(32)).unwrap()], NOW)
    };
    assert!(judge("").is_ok());
    for repeated in [r#""pspReference":"P2","#, r#""success":"false","#, r#""amount":{"value":1,"currency":"EUR"},"#] {
        assert!(judge(repeated).is_err(), "{repeated}");
    }
}

#[test]
fn of_a_tokens_claims_the_last_counts_and_its_header_names_one_algorithm() {
    let provider = Provider { scheme: Scheme::Jwt(Jwt::hs256(TokenPlace::Body)), ..TOKEN };
    let judge = |header: &str, claims: &str| {
        let encode = |text: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(text);
        let signed = format!("{}.{}", encode(header.as_bytes()), encode(claims.as_bytes()));
        taken(&provider, &format!("{signed}.{}", encode(&mac(b"token", &signed))))
    };
    let verified = judge(r#"{"alg":"HS256"}"#, r#"{"id":"1","exp":1,"exp":9999999999,"id":"2"}"#).unwrap();
    assert_eq!(verified.events()[0].delivery_id.as_deref(), Some("2"));
    let late = judge(r#"{"alg":"HS256"}"#, r#"{"exp":9999999999,"exp":1}"#);
    assert_eq!(late.unwrap_err(), Reject::TimestampTooOld);
    assert!(judge(r#"{"alg":"HS256","alg":"none"}"#, "{}").is_err());
}
