//! What is particular to one provider's signatures.

use hookgate_providers::scheme::MAX_SIGNATURES;
use hookgate_providers::{Headers, Reject, Request, Secret, SecretError, SignError, Unsigned, Verdict, sign, verify};

use crate::request::{NOW, event, judge, provider, signed, value};

#[test]
fn a_stripe_time_written_twice_is_refused_in_either_order() {
    let (stripe, secret) = (provider("stripe"), Secret::new("whsec_a").unwrap());
    let signature = value(&signed(stripe, &secret, &[], b"{}"), "stripe-signature");
    for header in [format!("t=1,{signature}"), format!("{signature},t=1")] {
        let headers: Headers = [("stripe-signature", header)].into_iter().collect();
        let verdict = judge(stripe, std::slice::from_ref(&secret), &headers, b"{}");
        assert_eq!(verdict, Err(Reject::HeaderRepeated));
    }
}

#[test]
fn a_stripe_signature_of_a_rolled_secret_counts_wherever_it_stands_in_the_list() {
    let (stripe, old, new, body) = (
        provider("stripe"),
        Secret::new("whsec_old").unwrap(),
        Secret::new("whsec_new").unwrap(),
        b"{\"id\":\"evt_1\"}",
    );
    let of =
        |secret| value(&signed(stripe, secret, &[], body), "stripe-signature").split_once(",v1=").unwrap().1.to_owned();
    for list in [[of(&old), of(&new)], [of(&new), of(&old)]] {
        let headers: Headers =
            [("stripe-signature", format!("t={NOW},v1={},v1={}", list[0], list[1]))].into_iter().collect();
        for secret in [&old, &new] {
            assert_eq!(
                event(judge(stripe, std::slice::from_ref(secret), &headers, body)).delivery_id.as_deref(),
                Some("evt_1")
            );
        }
    }
}

#[test]
fn more_signatures_than_any_sender_makes_are_refused_unread() {
    let (stripe, secret, body) = (provider("stripe"), Secret::new("whsec_a").unwrap(), b"{}");
    let right = value(&signed(stripe, &secret, &[], body), "stripe-signature");
    let with = |extra| {
        let headers: Headers =
            [("stripe-signature", format!("{right}{}", format!(",v1={}", "0".repeat(64)).repeat(extra)))]
                .into_iter()
                .collect();
        judge(stripe, std::slice::from_ref(&secret), &headers, body)
    };
    assert!(with(MAX_SIGNATURES - 1).is_ok());
    assert_eq!(with(MAX_SIGNATURES), Err(Reject::TooManySignatures));
}

#[test]
fn a_standard_webhooks_list_may_mix_versions_and_one_match_is_enough() {
    let (standard, secret) =
        (provider("standard-webhooks"), Secret::new("whsec_bWFkZS11cC1mb3ItdGhpcy10ZXN0LTAxMjM0NTY=").unwrap());
    let headers = signed(standard, &secret, &[], b"{}");
    let signature = value(&headers, "webhook-signature");
    let with = |list: String| {
        let lines = headers
            .iter()
            .map(|(name, value)| (name, if name == "webhook-signature" { list.as_bytes() } else { value }));
        judge(standard, std::slice::from_ref(&secret), &lines.collect(), b"{}")
    };
    assert!(with(format!("v9,abc {signature}")).is_ok());
    assert!(with(format!("{signature} v1,AAAA")).is_ok());
    assert_eq!(with(format!("{}{signature}", "v1,AAAA ".repeat(MAX_SIGNATURES))), Err(Reject::TooManySignatures));
}

#[test]
fn an_ed25519_key_signs_what_its_public_key_verifies_and_kinds_are_never_mixed() {
    let standard = provider("standard-webhooks");
    // RFC 8032, section 7.1, test 1.
    let signing =
        Secret::new("whsk_nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2DXWpgBgrEKt9VL/tPJZAc6DuFy89qmIyWvAhpo9wdRGg==")
            .unwrap();
    let public = Secret::new("whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=").unwrap();
    let shared = Secret::new("whsec_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=").unwrap();
    let headers = signed(standard, &signing, &[], b"{}");
    assert!(value(&headers, "webhook-signature").starts_with("v1a,"));
    assert!(judge(standard, std::slice::from_ref(&public), &headers, b"{}").is_ok());
    assert_eq!(judge(standard, std::slice::from_ref(&public), &headers, b"{ }"), Err(Reject::SignatureMismatch));
    let with_public_bytes = signed(standard, &shared, &[], b"{}");
    assert_eq!(
        judge(standard, std::slice::from_ref(&public), &with_public_bytes, b"{}"),
        Err(Reject::SignatureMismatch)
    );
    let unsigned = Unsigned { method: "POST", url: "", headers: &Headers::new(), body: b"", id: "m", now: NOW };
    assert_eq!(sign(standard, &unsigned, &public).err(), Some(SignError::PublicKey));
}

#[test]
fn shopify_reads_only_the_header_family_that_is_signed() {
    let (shopify, secret, body) = (provider("shopify"), Secret::new("shpss_x").unwrap(), br#"{"id":1}"#);
    let classic = [
        ("x-shopify-topic", "orders/create"),
        ("x-shopify-event-id", "E"),
        ("x-shopify-shop-domain", "a.example"),
        ("shopify-topic", "forged"),
    ];
    let headers = signed(shopify, &secret, &classic[..3], body);
    let with_other_family: Headers = headers.iter().chain([("shopify-topic", &b"forged"[..])]).collect();
    assert_eq!(
        event(judge(shopify, std::slice::from_ref(&secret), &with_other_family, body)).event_type.as_deref(),
        Some("orders/create")
    );
    let events = [("shopify-topic", "orders/update"), ("shopify-event-id", "E2")];
    let headers = signed(shopify, &secret, &events, body);
    assert!(headers.single("shopify-hmac-sha256").unwrap().is_some());
    let found = event(judge(shopify, std::slice::from_ref(&secret), &headers, body));
    assert_eq!((found.delivery_id.as_deref(), found.event_type.as_deref()), (Some("E2"), Some("orders/update")));
}

#[test]
fn one_shopify_event_id_under_two_topics_is_two_events() {
    let (shopify, secret, body) = (provider("shopify"), Secret::new("shpss_x").unwrap(), br#"{"id":1}"#);
    let key = |topic| {
        event(judge(
            shopify,
            std::slice::from_ref(&secret),
            &signed(shopify, &secret, &[("x-shopify-topic", topic), ("x-shopify-event-id", "E")], body),
            body,
        ))
        .dedup_key
    };
    assert_eq!(key("orders/create"), key("orders/create"));
    assert_ne!(key("orders/create"), key("orders/paid"));
}

#[test]
fn a_github_form_is_signed_as_a_form_and_read_as_json() {
    let (github, secret) = (provider("github"), Secret::new("s").unwrap());
    let body = b"payload=%7B%22action%22%3A%22opened%22%2C%22issue%22%3A%7B%22id%22%3A1%7D%2C%22repository%22%3A%7B%22id%22%3A2%7D%7D";
    let form = [("x-github-event", "issues"), ("content-type", "application/x-www-form-urlencoded")];
    let found = event(judge(github, std::slice::from_ref(&secret), &signed(github, &secret, &form, body), body));
    assert_eq!(
        (found.event_type.as_deref(), found.ordering_key.as_deref()),
        (Some("issues.opened"), Some("2/issue/1"))
    );
    let found = event(judge(github, std::slice::from_ref(&secret), &signed(github, &secret, &form[..1], body), body));
    assert_eq!((found.event_type.as_deref(), found.ordering_key), (Some("issues"), None));
}

#[test]
fn a_retried_slack_event_has_the_id_of_the_first() {
    let (slack, secret, body) = (
        provider("slack"),
        Secret::new("s").unwrap(),
        br#"{"type":"event_callback","event_id":"Ev1","event":{"type":"message"}}"#,
    );
    let id = |headers: &[(&str, &str)]| {
        event(judge(slack, std::slice::from_ref(&secret), &signed(slack, &secret, headers, body), body)).dedup_key
    };
    assert_eq!(id(&[]), id(&[("x-slack-retry-num", "1"), ("x-slack-retry-reason", "http_timeout")]));
}

#[test]
fn a_blank_id_is_no_id() {
    let (stripe, secret) = (provider("stripe"), Secret::new("s").unwrap());
    for body in [&br#"{"id":""}"#[..], br#"{"id":" \t"}"#, br#"{"id":null}"#, br#"{"id":{}}"#, b"not json", b"\xff\xfe"]
    {
        let found = event(judge(stripe, std::slice::from_ref(&secret), &signed(stripe, &secret, &[], body), body));
        assert_eq!((found.delivery_id, found.dedup_key), (None, None));
    }
}

#[test]
fn secrets_that_cannot_work_are_refused_with_what_to_change() {
    assert_eq!(Secret::new("").err(), Some(SecretError::Empty));
    assert_eq!(Secret::new(" \n\t").err(), Some(SecretError::Blank));
    let check = |name: &str, secret: &str| provider(name).check_secret(&Secret::new(secret).unwrap()).err();
    assert_eq!(check("stripe", "whsec_x\n"), Some(SecretError::TrailingNewline));
    assert_eq!(check("github", " s"), Some(SecretError::SurroundingWhitespace));
    assert_eq!(check("standard-webhooks", "whsec_not base64!"), Some(SecretError::NotBase64));
    assert_eq!(check("standard-webhooks", "whsec_"), Some(SecretError::NoKey));
    assert_eq!(check("standard-webhooks", "whpk_AAAA"), Some(SecretError::NotEd25519));
    assert_eq!(check("standard-webhooks", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), None);
    assert_eq!(check("stripe", "whsec_anything at all"), None);
}

#[test]
fn nothing_that_is_printed_holds_a_secret_a_body_or_a_header_value() {
    let secret = Secret::new("hush-hush").unwrap();
    let headers: Headers = [("authorization", "hush-hush")].into_iter().collect();
    let request =
        Request { method: "POST", url: "https://example.com/?token=hush-hush", headers: &headers, body: b"hush-hush" };
    for printed in [format!("{secret:?}"), format!("{headers:?}"), format!("{request:?}")] {
        assert!(!printed.contains("hush"), "{printed}");
    }
}

#[test]
fn messagebirds_older_signature_and_birds_new_one_are_told_by_what_they_cover() {
    use base64::Engine;
    use sha2::Digest;
    let bird = provider("messagebird");
    let secret = Secret::new("signing-key").unwrap();
    let (url, body) = ("https://example.com/in/x?b=2&a=1&c", br#"{"id":"1"}"#);
    let mac = |lines: &[&[u8]]| {
        use hmac::{KeyInit, Mac};
        let mut mac = <hmac::Hmac<sha2::Sha256> as KeyInit>::new_from_slice(b"signing-key").unwrap();
        mac.update(&lines.join(&b'\n'));
        base64::prelude::BASE64_STANDARD.encode(mac.finalize().into_bytes())
    };
    let judge = |signature: &str, now: i64| {
        let headers: Headers = [("messagebird-signature", signature), ("messagebird-request-timestamp", "1764500000")]
            .into_iter()
            .collect();
        verify(bird, &Request { method: "POST", url, headers: &headers, body }, std::slice::from_ref(&secret), now)
    };
    let hash = sha2::Sha256::digest(body);
    let older = mac(&[b"1764500000", b"a=1&b=2&c", &hash]);
    let new = mac(&[b"1764500000", url.as_bytes(), &hash]);
    for signature in [&older, &new] {
        assert!(judge(signature, NOW + 100).is_ok());
        assert_eq!(judge(signature, NOW + 101), Err(Reject::TimestampTooOld));
    }
    assert_eq!(judge(&mac(&[b"1764500000", b"b=2&a=1&c", &hash]), NOW), Err(Reject::SignatureMismatch));
    assert_eq!(judge(&mac(&[b"1764500000", b"a=1&b=2&c", body]), NOW), Err(Reject::SignatureMismatch));
}

#[test]
fn a_batch_of_cloud_events_is_told_by_its_content_type_and_a_list_that_is_one_events_data_is_not_one() {
    let cloudevents = provider("cloudevents");
    let secret = Secret::new("token").unwrap();
    let body = br#"[{"id":"1","source":"/a","type":"x"},{"id":"2","source":"/a","type":"y"}]"#;
    let ids = |headers: &[(&str, &str)]| {
        let headers = signed(cloudevents, &secret, headers, body);
        match judge(cloudevents, std::slice::from_ref(&secret), &headers, body) {
            Ok(Verdict::Delivery(verified)) => {
                verified.into_events().into_iter().filter_map(|event| event.delivery_id).collect::<Vec<_>>()
            }
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(ids(&[("content-type", "application/cloudevents-batch+json; charset=utf-8")]), ["/a|1", "/a|2"]);
    let binary = [("content-type", "application/json"), ("ce-id", "9"), ("ce-source", "/b"), ("ce-type", "z")];
    assert_eq!(ids(&binary), ["/b|9"]);
}

#[test]
fn a_dropbox_sign_event_sent_again_between_other_boundaries_is_the_same() {
    let dropbox = provider("dropbox-sign");
    let secret = Secret::new("api-key").unwrap();
    let hash = {
        use hmac::{KeyInit, Mac};
        let mut mac = <hmac::Hmac<sha2::Sha256> as KeyInit>::new_from_slice(b"api-key").unwrap();
        mac.update(b"1764500000signature_request_signed");
        hex::encode(mac.finalize().into_bytes())
    };
    let json = format!(
        r#"{{"event":{{"event_time":"1764500000","event_type":"signature_request_signed","event_hash":"{hash}"}},"signature_request":{{"signature_request_id":"r"}}}}"#
    );
    let sent = |boundary: &str| {
        let headers: Headers =
            [("content-type", format!("multipart/form-data; boundary={boundary}"))].into_iter().collect();
        let body = format!(
            "--{boundary}\r\ncontent-disposition: form-data; name=\"json\"\r\n\r\n{json}\r\n--{boundary}--\r\n"
        );
        event(judge(dropbox, std::slice::from_ref(&secret), &headers, body.as_bytes()))
    };
    let (one, again) = (sent("a"), sent("b"));
    assert_eq!(one.event_type.as_deref(), Some("signature_request_signed"));
    assert!(one.dedup_key.is_some() && one.dedup_key == again.dedup_key);
    assert_eq!(one.fingerprint, again.fingerprint);
}
