//! The configurable provider `hmac`, and sources that locate ids themselves.

use hookgate_providers::{
    CustomHmac, Headers, OneOrMore, Overrides, Provider, Reject, Request, Secret, Unsigned, Verdict, Verified, custom,
    find, sign, verify,
};
use serde_json::{Value, json};

const NOW: i64 = 1_764_500_000;

fn described(description: Value) -> Result<Provider, String> {
    let description: CustomHmac = serde_json::from_value(description).map_err(|error| error.to_string())?;
    custom(&description).map_err(|error| error.to_string())
}

fn round_trip(provider: &Provider, headers: &[(&str, &str)], body: &[u8]) -> Result<(Headers, Verified), Reject> {
    let secret = Secret::new("made-up").unwrap();
    let url = "https://example.com/in/x?kind=order.made&seq=7";
    let mut headers: Headers = headers.iter().copied().collect();
    let added =
        sign(provider, &Unsigned { method: "POST", url, headers: &headers, body, id: "d-1", now: NOW }, &secret)
            .unwrap();
    headers.extend(added.iter());
    match verify(provider, &Request { method: "POST", url, headers: &headers, body }, &[secret], NOW)? {
        Verdict::Delivery(verified) => Ok((headers, verified)),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_shortest_description_is_a_header_name() {
    let provider = described(json!({"header": "X-Signature"})).unwrap();
    let (headers, verified) = round_trip(&provider, &[], b"body").unwrap();
    assert_eq!(headers.single("x-signature").unwrap().map(<[u8]>::len), Some(64));
    assert_eq!(verified.events()[0].dedup_key, None);
}

#[test]
fn every_algorithm_and_encoding_signs_what_it_verifies() {
    for algorithm in ["sha1", "sha256", "sha384", "sha512"] {
        for encoding in ["hex", "base64", "base64url"] {
            let description =
                json!({"header": "x-sig", "algorithm": algorithm, "encoding": encoding, "prefix": "mac "});
            assert!(round_trip(&described(description).unwrap(), &[], b"\x00\xff").is_ok(), "{algorithm} {encoding}");
        }
    }
}

#[test]
fn times_ids_and_headers_can_be_signed_and_ids_are_found_where_they_are_said_to_be() {
    let provider = described(json!({
        "header": "x-sig", "pair": "v1",
        "signs": ["id", ".", "timestamp", "literal:|v1|", "header:x-kind", "method", "url", "body"],
        "timestamp": "pair:t", "timestamp_unit": "milliseconds", "tolerance_seconds": 60,
        "delivery_id": "header:X-Delivery", "event_type": ["json:/none", "query:kind"],
        "ordering_key": "json:/account + json:/order/id", "version": "query:seq",
    }))
    .unwrap();
    let (_, verified) = round_trip(&provider, &[("x-kind", "k")], br#"{"account":"a","order":{"id":9}}"#).unwrap();
    let event = &verified.events()[0];
    assert_eq!(event.delivery_id.as_deref(), Some("d-1"));
    assert_eq!(event.event_type.as_deref(), Some("order.made"));
    assert_eq!(event.ordering_key.as_deref(), Some("a|9"));
    assert_eq!(event.version, Some(7));
    assert!(provider.covers.id && provider.covers.time);
}

#[test]
fn nonsense_is_refused_with_a_sentence_that_names_the_setting() {
    let refused = |description: Value, says: &str| {
        let error = described(description.clone()).err().unwrap_or_else(|| panic!("{description} was taken"));
        assert!(error.contains(says), "{description}: {error}");
    };
    refused(json!({}), "header");
    refused(json!({"header": "x-sig", "algorithim": "sha1"}), "algorithim");
    refused(json!({"header": "x-sig", "algorithm": "md5"}), "md5");
    refused(json!({"header": "x sig"}), "`header`");
    refused(json!({"header": "x-sig", "signs": ["timestamp"], "timestamp": "header:t"}), "body");
    refused(json!({"header": "x-sig", "signs": []}), "body");
    refused(json!({"header": "x-sig", "signs": ["tiemstamp", "body"]}), "literal:tiemstamp");
    refused(json!({"header": "x-sig", "signs": ["timestamp", ".", "body"]}), "`timestamp`");
    refused(json!({"header": "x-sig", "timestamp": "header:t"}), "fresh time");
    refused(json!({"header": "x-sig", "signs": ["timestamp", "body"], "timestamp": "t"}), "pair:KEY");
    refused(json!({"header": "x-sig", "signs": ["timestamp", "body"], "timestamp": "pair:t"}), "`pair`");
    refused(
        json!({"header": "x-sig", "signs": ["timestamp", "body"], "timestamp": "header:t", "tolerance_seconds": 0}),
        "between 1 and 86400",
    );
    refused(json!({"header": "x-sig", "signs": ["id", "body"], "delivery_id": "json:/id"}), "header:NAME");
    refused(json!({"header": "x-sig", "delivery_id": "x-id"}), "header:NAME");
    refused(json!({"header": "x-sig", "delivery_id": []}), "empty list");
    for id in
        ["header:X-Request-Id", "header:traceparent", "header:x-foo-retry-num", "json:/created_at", "header:cf-ray"]
    {
        refused(json!({"header": "x-sig", "delivery_id": id}), "`delivery_id`");
    }
}

#[test]
fn a_source_may_say_where_ids_are_but_not_use_what_changes_on_every_attempt() {
    let one = |text: &str| Some(OneOrMore::One(text.into()));
    let stripe = find("stripe").unwrap();
    let overridden =
        stripe.with(&Overrides { delivery_id: one("json:/data/object/id"), ..Overrides::default() }).unwrap();
    let (_, verified) =
        round_trip(&overridden, &[], br#"{"id":"evt_1","type":"t","data":{"object":{"id":"in_1"}}}"#).unwrap();
    let event = &verified.events()[0];
    assert_eq!((event.delivery_id.as_deref(), event.event_type.as_deref()), (Some("in_1"), Some("t")));
    let error =
        stripe.with(&Overrides { delivery_id: one("header:x-request-id"), ..Overrides::default() }).unwrap_err();
    assert!(error.to_string().contains("header:x-request-id"), "{error}");
}

#[test]
fn the_same_description_read_again_takes_no_more_memory() {
    let description = json!({"header": "x-sig", "delivery_id": "json:/id", "signs": ["literal:a", "body"]});
    let (one, other) = (described(description.clone()).unwrap(), described(description).unwrap());
    assert!(std::ptr::eq(one.delivery_id, other.delivery_id));
}
