//! Providers that put many events in one request: each is told by itself, a repeated one is a copy, and so is an honest
//! retry in another batch.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use hookgate_providers::{Event, Events, Headers, Provider, Request, Unsigned, Verdict, find, sign, verify};
use sha2::Sha256;

use crate::signed::{NOW, secret};

struct Batch {
    provider: &'static str,
    /// What stands around the elements.
    around: (&'static str, &'static str),
    /// Two elements.
    one: &'static str,
    other: &'static str,
    /// The first, sent again by an honest sender.
    again: &'static str,
    /// Id, type, key and version of the first.
    says: (Option<&'static str>, &'static str, &'static str, i64),
}

const BATCHES: [Batch; 9] = [
    Batch {
        provider: "sendgrid",
        around: ("[", "]\r\n"),
        one: r#"{"sg_event_id":"e1","event":"delivered","sg_message_id":"m1","timestamp":1764499999}"#,
        other: r#"{"sg_event_id":"e2","event":"open","sg_message_id":"m1","timestamp":1764500000}"#,
        again: r#"{"sg_event_id":"e1","event":"delivered","sg_message_id":"m1","timestamp":1764499999}"#,
        says: (Some("e1"), "delivered", "m1", 1_764_499_999),
    },
    Batch {
        provider: "hubspot",
        around: ("[", "]"),
        one: r#"{"subscriptionId":7,"eventId":1,"portalId":44,"objectId":9,"occurredAt":1764500000123,"subscriptionType":"contact.creation","attemptNumber":0}"#,
        other: r#"{"subscriptionId":7,"eventId":2,"portalId":44,"objectId":9,"occurredAt":1764500000124,"subscriptionType":"contact.deletion","attemptNumber":0}"#,
        again: r#"{"subscriptionId":7,"eventId":1,"portalId":44,"objectId":9,"occurredAt":1764500000123,"subscriptionType":"contact.creation","attemptNumber":3}"#,
        says: (Some("7/1/9/1764500000123"), "contact.creation", "44/9", 1_764_500_000_123),
    },
    Batch {
        provider: "line",
        around: (r#"{"destination":"U1","events":["#, "]}"),
        one: r#"{"type":"message","webhookEventId":"w1","deliveryContext":{"isRedelivery":false},"timestamp":1764500000001,"source":{"type":"group","groupId":"G1","userId":"U2"}}"#,
        other: r#"{"type":"follow","webhookEventId":"w2","deliveryContext":{"isRedelivery":false},"timestamp":1764500000002,"source":{"type":"user","userId":"U2"}}"#,
        again: r#"{"type":"message","webhookEventId":"w1","deliveryContext":{"isRedelivery":true},"timestamp":1764500000001,"source":{"type":"group","groupId":"G1","userId":"U2"}}"#,
        says: (Some("w1"), "message", "G1", 1_764_500_000_001),
    },
    Batch {
        provider: "meta",
        around: (r#"{"object":"whatsapp_business_account","entry":["#, "]}"),
        one: r#"{"id":"1","time":1764499999,"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"p1"},"messages":[{"id":"wamid.1"}]}}]}"#,
        other: r#"{"id":"1","time":1764500000,"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"p1"},"statuses":[{"id":"wamid.1","status":"read"}]}}]}"#,
        again: r#"{"id":"1","time":1764499999,"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"p1"},"messages":[{"id":"wamid.1"}]}}]}"#,
        says: (Some("wamid.1"), "messages", "p1", 1_764_499_999),
    },
    Batch {
        provider: "adyen",
        around: (r#"{"live":"false","notificationItems":["#, "]}"),
        one: r#"{"NotificationRequestItem":{"pspReference":"P1","merchantAccountCode":"M","merchantReference":"r","amount":{"value":5,"currency":"EUR"},"eventCode":"AUTHORISATION","eventDate":"2025-11-30T10:53:20+00:00","success":"true","additionalData":{"hmacSignature":"HMAC"}}}"#,
        other: r#"{"NotificationRequestItem":{"pspReference":"P2","originalReference":"P1","merchantAccountCode":"M","merchantReference":"r","amount":{"value":5,"currency":"EUR"},"eventCode":"CAPTURE","eventDate":"2025-11-30T10:53:21+00:00","success":"true","additionalData":{"hmacSignature":"HMAC"}}}"#,
        again: r#"{"NotificationRequestItem":{"pspReference":"P1","merchantAccountCode":"M","merchantReference":"r","amount":{"value":5,"currency":"EUR"},"eventCode":"AUTHORISATION","eventDate":"2025-11-30T10:53:20+00:00","success":"true","additionalData":{"retry":"2","hmacSignature":"HMAC"}}}"#,
        says: (Some("P1/AUTHORISATION/true"), "AUTHORISATION", "P1", 1_764_500_000_000_000),
    },
    Batch {
        provider: "gocardless",
        around: (r#"{"events":["#, r#"],"meta":{"webhook_id":"WB1"}}"#),
        one: r#"{"id":"EV1","created_at":"2025-11-30T10:53:20.000Z","resource_type":"payments","action":"confirmed","links":{"payment":"PM1"}}"#,
        other: r#"{"id":"EV2","created_at":"2025-11-30T10:53:21.000Z","resource_type":"mandates","action":"created","links":{"mandate":"MD1"}}"#,
        again: r#"{"id":"EV1","created_at":"2025-11-30T10:53:20.000Z","resource_type":"payments","action":"confirmed","links":{"payment":"PM1"}}"#,
        says: (Some("EV1"), "payments.confirmed", "PM1", 1_764_500_000_000_000),
    },
    Batch {
        provider: "azure-event-grid",
        around: ("[", "]"),
        one: r#"{"id":"g1","eventType":"Microsoft.Storage.BlobCreated","topic":"t","subject":"s","eventTime":"2025-11-30T10:53:20Z","data":{}}"#,
        other: r#"{"id":"g2","eventType":"Microsoft.Storage.BlobDeleted","topic":"t","subject":"s","eventTime":"2025-11-30T10:53:21Z","data":{}}"#,
        again: r#"{"id":"g1","eventType":"Microsoft.Storage.BlobCreated","topic":"t","subject":"s","eventTime":"2025-11-30T10:53:20Z","data":{}}"#,
        says: (Some("g1"), "Microsoft.Storage.BlobCreated", "t/s", 1_764_500_000_000_000),
    },
    Batch {
        provider: "okta",
        around: (r#"{"eventId":"x","data":{"events":["#, "]}}"),
        one: r#"{"uuid":"u1","eventType":"user.session.start","published":"2025-11-30T10:53:20Z","target":[{"id":"o1"}]}"#,
        other: r#"{"uuid":"u2","eventType":"user.session.end","published":"2025-11-30T10:53:21Z","target":[{"id":"o1"}]}"#,
        again: r#"{"uuid":"u1","eventType":"user.session.start","published":"2025-11-30T10:53:20Z","target":[{"id":"o1"}]}"#,
        says: (Some("u1"), "user.session.start", "o1", 1_764_500_000_000_000),
    },
    Batch {
        provider: "asana",
        around: (r#"{"events":["#, "]}"),
        one: r#"{"action":"changed","created_at":"2025-11-30T10:53:20.000Z","resource":{"gid":"77","resource_type":"task"}}"#,
        other: r#"{"action":"added","created_at":"2025-11-30T10:53:20.000Z","resource":{"gid":"78","resource_type":"task"}}"#,
        again: r#"{"action":"changed","created_at":"2025-11-30T10:53:20.000Z","resource":{"gid":"77","resource_type":"task"}}"#,
        says: (None, "task.changed", "77", 1_764_500_000_000_000),
    },
];

impl Batch {
    fn provider(&self) -> &'static Provider {
        find(self.provider).unwrap()
    }

    fn send(&self, elements: &[&str]) -> Vec<Event> {
        let provider = self.provider();
        let secret = secret(provider, "right");
        let text = crate::secrets::secret_for(provider, "right").unwrap();
        let signed = |element: &&str| element.replace("HMAC", &item_hmac(element, &text));
        let body = [self.around.0, &elements.iter().map(signed).collect::<Vec<_>>().join(","), self.around.1].concat();
        let query: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        let url = format!("https://example.com/in/x?code={query}");
        let mut headers: Headers = [("content-type", "application/json")].into_iter().collect();
        if self.provider != "adyen" {
            let unsigned =
                Unsigned { method: "POST", url: &url, headers: &headers, body: body.as_bytes(), id: "", now: NOW };
            let added = sign(provider, &unsigned, &secret).unwrap();
            headers.extend(added.iter());
        }
        let request = Request { method: "POST", url: &url, headers: &headers, body: body.as_bytes() };
        match verify(provider, &request, &[secret], NOW) {
            Ok(Verdict::Delivery(verified)) => verified.into_events(),
            other => panic!("{}: {other:?}", self.provider),
        }
    }
}

/// Adyen's HMAC over eight fields of an item; nothing for others.
fn item_hmac(element: &str, secret: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(element).unwrap();
    let item = &value["NotificationRequestItem"];
    let field = |pointer: &str| match item.pointer(pointer) {
        Some(serde_json::Value::String(text)) => text.clone(),
        Some(number) => number.to_string(),
        None => String::new(),
    };
    let fields = [
        "/pspReference",
        "/originalReference",
        "/merchantAccountCode",
        "/merchantReference",
        "/amount/value",
        "/amount/currency",
        "/eventCode",
        "/success",
    ];
    let key = hex::decode(secret).unwrap_or_default();
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
    mac.update(fields.map(field).join(":").as_bytes());
    BASE64_STANDARD.encode(mac.finalize().into_bytes())
}

#[test]
fn each_element_has_its_own_id_type_key_version_fingerprint_and_place() {
    for batch in BATCHES {
        let events = batch.send(&[batch.one, batch.other]);
        let [one, other] = &events[..] else { panic!("{}: {events:?}", batch.provider) };
        let (id, event_type, key, version) = batch.says;
        let found = (one.delivery_id.as_deref(), one.event_type.as_deref(), one.ordering_key.as_deref(), one.version);
        assert_eq!(found, (id, Some(event_type), Some(key), Some(version)), "{}", batch.provider);
        let Events::Each(array) = batch.provider().events else { panic!("{} sends no batches", batch.provider) };
        let places = events.iter().map(|event| event.pointer.clone());
        assert!(places.eq([Some(format!("{array}/0")), Some(format!("{array}/1"))]), "{}", batch.provider);
        assert!(one.dedup_key != other.dedup_key || id.is_none(), "{}", batch.provider);
        assert_ne!(one.fingerprint, other.fingerprint, "{}", batch.provider);
        assert_eq!((one.index, other.index), (0, 1));
    }
}

#[test]
fn an_element_repeated_in_a_batch_is_a_copy() {
    for batch in BATCHES {
        let events = batch.send(&[batch.one, batch.other, batch.one]);
        assert_eq!(
            (&events[0].dedup_key, events[0].fingerprint),
            (&events[2].dedup_key, events[2].fingerprint),
            "{}",
            batch.provider
        );
    }
}

#[test]
fn an_honest_retry_in_another_batch_is_a_copy_and_a_changed_element_is_not() {
    for batch in BATCHES {
        let first = &batch.send(&[batch.other, batch.one])[1];
        let retry = &batch.send(&[batch.again])[0];
        assert_eq!((&first.dedup_key, first.fingerprint), (&retry.dedup_key, retry.fingerprint), "{}", batch.provider);
        let differs = batch.one != batch.again;
        assert_eq!(differs, !batch.provider().volatile.is_empty(), "{} is tried with its counter", batch.provider);
        let changed = batch.one.replacen('{', "{\"added\":1,", 1);
        assert_ne!(batch.send(&[&changed])[0].fingerprint, first.fingerprint, "{}", batch.provider);
    }
}

#[test]
fn an_empty_batch_has_no_events_and_one_element_is_a_batch_too() {
    for batch in BATCHES.iter().filter(|batch| batch.provider != "adyen") {
        assert_eq!(batch.send(&[]).len(), 0, "{}", batch.provider);
        assert!(batch.send(&[batch.one])[0].pointer.is_some(), "{}", batch.provider);
    }
}
