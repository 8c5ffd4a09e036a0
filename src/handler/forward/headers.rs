//! Which headers a forward sends. Pure.

use std::fmt::Write;

use http::header::{self, HeaderMap, HeaderName, HeaderValue};

use hookgate_providers::SignError;

use super::indexes;
use super::sign::Sign;
use crate::handler::Delivery;

/// A longer value is left out: servers refuse whole requests over one huge header.
const LONGEST_VALUE: usize = 1024;

/// What the headers tell beside the delivery.
pub(super) struct Facts<'a> {
    /// The downstream key: names the work, so it is the message's id too.
    pub(super) id: &'a str,
    pub(super) attempt: u32,
    /// Unix seconds.
    pub(super) timestamp: i64,
    pub(super) sign: &'a Sign,
    /// Where the request goes.
    pub(super) to: &'a str,
    pub(super) configured: &'a HeaderMap,
}

/// The received end-to-end headers, then the configured ones, then ours; later ones replace earlier ones.
///
/// An error says what a request lacks that its provider always has; no later attempt can change it.
pub(super) fn outgoing(delivery: &Delivery, facts: Facts<'_>) -> Result<HeaderMap, SignError> {
    let mut out = end_to_end(&delivery.headers, |name| is_ours(name) && !facts.sign.is_of_provider(name));
    for name in facts.configured.keys() {
        out.remove(name);
        for value in facts.configured.get_all(name) {
            out.append(name, value.clone());
        }
    }
    if let Sign::AsProvider(signer) = facts.sign {
        out = signer.resign(&out, facts.to, &delivery.body, facts.timestamp)?;
    }
    let mut say = |name: &'static str, text: &str| {
        if let Some(value) = header_value(text) {
            out.insert(HeaderName::from_static(name), value);
        }
    };
    // A provider's own signature stands alone: two would say different things about who sent this.
    if !matches!(facts.sign, Sign::AsProvider(_)) {
        say("webhook-id", facts.id);
        say("webhook-timestamp", &facts.timestamp.to_string());
    }
    if let Sign::StandardWebhooks(key) = facts.sign {
        say("webhook-signature", &key.sign(facts.id, facts.timestamp, &delivery.body));
    }
    say("idempotency-key", facts.id);
    say("hookgate-source", &delivery.source);
    if let Some(event_type) = &delivery.event_type {
        say("hookgate-event", event_type);
    }
    if !delivery.indexes.is_empty() {
        say("hookgate-event-indexes", &indexes::ranges(&delivery.indexes));
    }
    let id = delivery.id.to_string();
    say("hookgate-delivery-id", &id);
    say("hookgate-operation-id", &id);
    say("hookgate-attempt", &facts.attempt.to_string());
    say("hookgate-replay", if delivery.replay { "true" } else { "false" });
    if let Some(sequence) = delivery.sequence {
        say("hookgate-sequence", &sequence.to_string());
        if let Some(key) = &delivery.ordering_key {
            say("hookgate-lane", key);
        }
    }
    // hyper says nothing of an empty body, and servers refuse a POST without a length: RFC 9110 section 8.6.
    if delivery.body.is_empty() {
        out.insert(header::CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
    out.entry(header::USER_AGENT).or_insert(HeaderValue::from_static(concat!("hookgate/", env!("CARGO_PKG_VERSION"))));
    Ok(out)
}

/// What the sender said to the destination, without what it said to us, to the next hop or about the bytes' framing.
fn end_to_end(received: &HeaderMap, is_ours: impl Fn(&HeaderName) -> bool) -> HeaderMap {
    let named_by_connection: Vec<String> = received
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    received
        .iter()
        .filter(|(name, _)| {
            !is_hop_by_hop(name)
                && !is_ours(name)
                && !is_about_us(name)
                && !named_by_connection.iter().any(|listed| listed == name.as_str())
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .fold(HeaderMap::new(), |mut kept, (name, value)| {
            kept.append(name, value);
            kept
        })
}

/// RFC 9110 section 7.6.1, and what each hop's HTTP implementation sets for itself.
pub(super) fn is_hop_by_hop(name: &HeaderName) -> bool {
    matches!(
        name.as_str(),
        "connection"
            | "keep-alive"
            | "proxy-connection"
            | "proxy-authenticate"
            | "proxy-authorization"
            | "te"
            | "trailer"
            | "transfer-encoding"
            | "upgrade"
            | "http2-settings"
            | "host"
            | "content-length"
            | "expect"
    )
}

/// Ours to say: a sender must not be able to speak for hookgate.
pub(super) fn is_ours(name: &HeaderName) -> bool {
    let name = name.as_str();
    name.starts_with("hookgate-")
        || matches!(name, "webhook-id" | "webhook-timestamp" | "webhook-signature" | "idempotency-key")
}

/// Answers come to us, so how they may be encoded is not the sender's to say; and it is we who call.
fn is_about_us(name: &HeaderName) -> bool {
    matches!(*name, header::ACCEPT_ENCODING | header::USER_AGENT)
}

/// Text from a payload as a header's value: everything but visible ASCII is percent-encoded, so no text can end the
/// header or begin another. `None` where the value would be too long.
fn header_value(text: &str) -> Option<HeaderValue> {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'%' => encoded.push_str("%25"),
            0x21..=0x7e => encoded.push(char::from(byte)),
            _ => write!(encoded, "%{byte:02X}").ok()?,
        }
    }
    if encoded.len() > LONGEST_VALUE { None } else { HeaderValue::from_str(&encoded).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handler::delivery::sample;
    use crate::handler::forward::signature::Key;
    use proptest::prelude::*;
    use secrecy::SecretString;

    fn outgoing_of(delivery: &Delivery) -> HeaderMap {
        let facts = Facts {
            id: "key-1",
            attempt: 3,
            timestamp: 1_700_000_000,
            sign: &Sign::Not,
            to: "http://127.0.0.1/",
            configured: &HeaderMap::new(),
        };
        outgoing(delivery, facts).expect("nothing to sign")
    }

    fn received(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
        headers.get(name).map(|value| value.to_str().expect("ASCII"))
    }

    #[test]
    fn end_to_end_headers_pass_unchanged_and_repeated_ones_stay_repeated() {
        let headers = received(&[
            ("content-type", "application/json; charset=utf-8"),
            ("content-encoding", "gzip"),
            ("stripe-signature", "t=1,v1=ab"),
            ("traceparent", "00-1-2-01"),
            ("x-twice", "a"),
            ("x-twice", "b"),
        ]);
        let out = outgoing_of(&Delivery { headers: headers.clone(), ..sample() });
        for name in headers.keys() {
            assert!(headers.get_all(name).iter().eq(out.get_all(name)), "{name}");
        }
    }

    #[test]
    fn hop_by_hop_framing_and_reserved_headers_do_not_pass() {
        let headers = received(&[
            ("connection", "close, X-Hop"),
            ("x-hop", "1"),
            ("keep-alive", "timeout=5"),
            ("transfer-encoding", "chunked"),
            ("content-length", "2"),
            ("te", "trailers"),
            ("trailer", "x"),
            ("upgrade", "h2c"),
            ("proxy-authorization", "Basic x"),
            ("expect", "100-continue"),
            ("host", "hooks.example.com"),
            ("accept-encoding", "gzip"),
            ("user-agent", "Sender/1"),
            ("webhook-id", "forged"),
            ("webhook-signature", "v1,forged"),
            ("idempotency-key", "forged"),
            ("hookgate-anything", "forged"),
            ("hookgate-replay", "forged"),
        ]);
        let out = outgoing_of(&Delivery { headers: headers.clone(), ..sample() });
        for (name, value) in &headers {
            assert!(!out.get_all(name).iter().any(|sent| sent == value), "{name} passed");
        }
        assert_eq!(text(&out, "user-agent"), Some(concat!("hookgate/", env!("CARGO_PKG_VERSION"))));
    }

    #[test]
    fn ours_tell_what_the_work_is() {
        let id = sample().id.to_string();
        let lane = Delivery { sequence: Some(41), replay: true, ..sample() };
        let out = outgoing_of(&lane);
        let expected = [
            ("webhook-id", "key-1"),
            ("webhook-timestamp", "1700000000"),
            ("idempotency-key", "key-1"),
            ("hookgate-source", "stripe"),
            ("hookgate-event", "invoice.paid"),
            ("hookgate-delivery-id", &id),
            ("hookgate-operation-id", &id),
            ("hookgate-attempt", "3"),
            ("hookgate-lane", "in_1"),
            ("hookgate-sequence", "41"),
            ("hookgate-replay", "true"),
        ];
        for (name, value) in expected {
            assert_eq!(text(&out, name), Some(value), "{name}");
        }
        assert_eq!(text(&out, "webhook-signature"), None, "no secret, no signature");
        assert_eq!(text(&outgoing_of(&sample()), "hookgate-lane"), None, "unordered jobs stand in no lane");
    }

    #[test]
    fn configured_headers_replace_received_ones_and_the_signature_covers_the_bytes() {
        let key = Key::parse(&SecretString::from("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")).expect("a good secret");
        let configured = received(&[("authorization", "Bearer ours")]);
        let delivery = Delivery {
            headers: received(&[("authorization", "Basic theirs")]),
            body: bytes::Bytes::from_static(br#"{"test": 2432232314}"#),
            ..sample()
        };
        let facts = Facts {
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
            attempt: 1,
            timestamp: 1_614_265_330,
            sign: &Sign::StandardWebhooks(key),
            to: "http://127.0.0.1/",
            configured: &configured,
        };
        let out = outgoing(&delivery, facts).expect("signed");
        assert_eq!(out.get_all("authorization").iter().count(), 1);
        assert_eq!(text(&out, "authorization"), Some("Bearer ours"));
        assert_eq!(text(&out, "webhook-signature"), Some("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
    }

    #[test]
    fn a_payload_cannot_inject_a_header() {
        let hostile = Delivery {
            event_type: Some("a\r\nx-admin: 1 é%".to_owned()),
            ordering_key: Some("k".repeat(2000)),
            sequence: Some(1),
            ..sample()
        };
        let out = outgoing_of(&hostile);
        assert_eq!(text(&out, "hookgate-event"), Some("a%0D%0Ax-admin:%201%20%C3%A9%25"));
        assert_eq!(text(&out, "hookgate-lane"), None, "too long to send");
        assert_eq!(text(&out, "x-admin"), None);
    }

    proptest! {
        #[test]
        fn every_short_text_becomes_a_value_of_visible_ascii(text in "\\PC{0,100}|[\\x00-\\x20]{0,50}") {
            let value = header_value(&text).expect("short enough");
            prop_assert!(value.as_bytes().iter().all(|byte| (0x21..=0x7e).contains(byte)));
        }
    }
}
