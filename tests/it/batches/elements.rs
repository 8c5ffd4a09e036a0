//! What a function gets of a batch, provider by provider.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hookgate::{Context, HandlerError, on};
use hookgate_providers::{Headers, Secret, Unsigned, find, sign};

use crate::support::batch::{Batching, Seen, observer};
use crate::support::eventually::eventually;
use crate::support::gateway::start;
use crate::support::postgres::database;
use crate::support::rows::count;
use crate::support::work::{attempts, database_with_effects, deaths, number, unfinished};

/// What no parser that makes numbers and maps of it gives back: digits, a repeated key, spaces.
const EXACT: &str = r#""big":123456789012345678901234567890 , "price": 0.10,"twice":1,"twice":{"a" : [ ]}"#;

/// Private, as tests sign with it; made for the tests of the providers' crate.
const P256: &str = include_str!("../../../providers/tests/keys/p256_1.pem");
const ADYEN_KEY: &str = "44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056";

/// A provider, how it writes its `n`th event, and what is known about it.
struct Case {
    batching: Batching,
    element: fn(u32) -> String,
    /// Id, type and ordering key of the first event.
    first: (&'static str, &'static str, &'static str),
    version: i64,
}

fn adyen(n: u32) -> String {
    let message = format!("psp{n}:orig7:Demo:order-7:1999:EUR:CAPTURE:true");
    let secret = Secret::new(ADYEN_KEY).unwrap();
    let headers = Headers::new();
    let unsigned = Unsigned { method: "POST", url: "", headers: &headers, body: message.as_bytes(), id: "", now: 0 };
    // Its platform webhooks carry the same MAC, of a body, in a header.
    let signed = sign(find("adyen").unwrap(), &unsigned, &secret).unwrap();
    let mac = String::from_utf8(signed.single("hmacsignature").unwrap().unwrap().to_vec()).unwrap();
    assert_eq!(BASE64_STANDARD.decode(&mac).unwrap().len(), 32);
    format!(
        r#"{{"NotificationRequestItem":{{"pspReference":"psp{n}","originalReference":"orig7","merchantAccountCode":"Demo","merchantReference":"order-7","amount":{{"currency":"EUR","value":1999}},"eventCode":"CAPTURE","eventDate":"2025-11-30T10:00:00+00:00","success":"true","additionalData":{{"hmacSignature":"{mac}"}},{EXACT}}}}}"#
    )
}

/// Those whose events have ids. A second batch may then hold events of the first.
fn with_ids() -> Vec<Case> {
    let case = |provider, secret, around, query, element, first, version| Case {
        batching: Batching { provider, secret, around, query },
        element,
        first,
        version,
    };
    vec![
        case(
            "sendgrid",
            P256.trim_ascii_end(),
            ("[", "]\r\n"),
            "",
            |n| {
                format!(r#"{{"sg_event_id":"sg{n}","event":"delivered","sg_message_id":"m7","timestamp":170,{EXACT}}}"#)
            },
            ("sg1", "delivered", "m7"),
            170,
        ),
        case(
            "hubspot",
            "app-secret",
            ("[", "]"),
            "",
            |n| {
                format!(
                    r#"{{"subscriptionId":7,"eventId":{n},"objectId":9,"portalId":4,"occurredAt":1764500000123,"subscriptionType":"contact.creation","attemptNumber":0,{EXACT}}}"#
                )
            },
            ("7/1/9/1764500000123", "contact.creation", "4/9"),
            1_764_500_000_123,
        ),
        case(
            "line",
            "channel-secret",
            (r#"{"destination":"U1","events":["#, "]}"),
            "",
            |n| {
                format!(
                    r#"{{"webhookEventId":"W{n}","type":"message","source":{{"type":"user","userId":"U7"}},"timestamp":170,"deliveryContext":{{"isRedelivery":false}},{EXACT}}}"#
                )
            },
            ("W1", "message", "U7"),
            170,
        ),
        case(
            "meta",
            "app-secret",
            (r#"{"object":"page","entry":["#, "]}"),
            "",
            |n| format!(r#"{{"id":"page7","time":170,"messaging":[{{"message":{{"mid":"mid{n}"}}}}],{EXACT}}}"#),
            ("mid1", "messaging", "page7"),
            170,
        ),
        case(
            "adyen",
            ADYEN_KEY,
            (r#"{"live":"false","notificationItems":["#, "]}"),
            "",
            adyen,
            ("psp1/CAPTURE/true", "CAPTURE", "orig7"),
            1_764_496_800_000_000,
        ),
        case(
            "gocardless",
            "endpoint-secret",
            (r#"{ "events" : ["#, "] }"),
            "",
            |n| {
                format!(
                    r#"{{"id":"EV{n}","resource_type":"payments","action":"confirmed","links":{{"payment":"PM7"}},"created_at":"2025-11-30T10:00:00Z",{EXACT}}}"#
                )
            },
            ("EV1", "payments.confirmed", "PM7"),
            1_764_496_800_000_000,
        ),
        case(
            "azure-event-grid",
            "url-token",
            ("[", "]"),
            "?code=url-token",
            |n| {
                format!(
                    r#"{{"id":"eg{n}","topic":"t","subject":"s","eventType":"Microsoft.Storage.BlobCreated","eventTime":"2025-11-30T10:00:00Z",{EXACT}}}"#
                )
            },
            ("eg1", "Microsoft.Storage.BlobCreated", "t/s"),
            1_764_496_800_000_000,
        ),
        case(
            "okta",
            "Basic-like value of the whole header",
            (r#"{"eventType":"com.okta.event_hook","data":{"events":["#, "]}}"),
            "",
            |n| {
                format!(
                    r#"{{"uuid":"u{n}","eventType":"user.session.start","published":"2025-11-30T10:00:00Z","actor":{{"id":"a"}},"target":[{{"id":"00u7"}}],{EXACT}}}"#
                )
            },
            ("u1", "user.session.start", "00u7"),
            1_764_496_800_000_000,
        ),
    ]
}

#[tokio::test]
async fn each_element_runs_once_with_its_own_bytes_and_facts_and_an_overlapping_batch_adds_only_what_is_new() {
    for Case { batching, element, first, version } in with_ids() {
        let provider = batching.provider;
        let database = database().await;
        let pool = database.pool().await;
        let (handler, mut observed) = observer(on("batch", &["*"]).name("observe"));
        let gateway = start(&database, &batching.source(""), vec![handler]).await;

        let (one, two, three) = (element(1), element(2), element(3));
        let answer = batching.send(&gateway, &[one.clone(), two.clone()]).await;
        assert!((200..300).contains(&answer.status), "{provider}: {} {}", answer.status, answer.text);
        let seen = observed.next(2).await;
        let expected = Seen {
            event: 0,
            id: Some(first.0.to_owned()),
            event_type: Some(first.1.to_owned()),
            key: Some(first.2.to_owned()),
            version: Some(version),
            element: one.clone(),
        };
        assert_eq!(seen[0], expected, "{provider}");
        assert_eq!((seen[1].event, &seen[1].element), (1, &two), "{provider}");
        assert_ne!(seen[0].id, seen[1].id, "{provider}");

        let answer = batching.send(&gateway, &[two.clone(), three.clone()]).await;
        assert!((200..300).contains(&answer.status), "{provider}: {} {}", answer.status, answer.text);
        let seen = observed.next(1).await;
        assert_eq!((seen[0].event, &seen[0].element), (1, &three), "{provider}");
        eventually("all is done", 0, async || unfinished(&pool).await).await;
        assert!(!observed.has_more(), "{provider}: the element of the first batch ran again");
        assert_eq!((attempts(&pool).await.len(), count(&pool, "copies").await), (3, 1), "{provider}");
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn a_batch_of_one_gives_its_element_too() {
    for Case { batching, element, .. } in with_ids() {
        let database = database().await;
        let (handler, mut observed) = observer(on("batch", &["*"]).name("observe"));
        let gateway = start(&database, &batching.source(""), vec![handler]).await;
        batching.send(&gateway, &[element(1)]).await;
        assert_eq!(observed.next(1).await[0].element, element(1), "{}", batching.provider);
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn an_empty_one_is_acknowledged_and_stored_whoever_sends_it() {
    // Adyen signs items and nothing else, so without one there is no proof; a Microsoft validation has one.
    for Case { batching, .. } in with_ids().into_iter().filter(|case| case.batching.provider != "adyen") {
        let database = database().await;
        let pool = database.pool().await;
        let (handler, observed) = observer(on("batch", &["*"]).name("observe"));
        let gateway = start(&database, &batching.source(""), vec![handler]).await;
        let answer = batching.send(&gateway, &[]).await;
        assert!((200..300).contains(&answer.status), "{}: {}", batching.provider, answer.text);
        assert_eq!((count(&pool, "deliveries").await, count(&pool, "jobs").await), (1, 0), "{}", batching.provider);
        assert!(!observed.has_more());
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn an_honest_retry_that_differs_in_a_counter_is_a_duplicate() {
    let counters = [
        ("hubspot", r#""attemptNumber":0"#, r#""attemptNumber":1"#),
        ("line", r#""isRedelivery":false"#, r#""isRedelivery":true"#),
    ];
    for (provider, before, after) in counters {
        let Case { batching, element, .. } =
            with_ids().into_iter().find(|case| case.batching.provider == provider).unwrap();
        let database = database().await;
        let pool = database.pool().await;
        let (handler, mut observed) = observer(on("batch", &["*"]).name("observe"));
        let gateway = start(&database, &batching.source(""), vec![handler]).await;
        let first = batching.send(&gateway, &[element(1), element(2)]).await;
        observed.next(2).await;
        let retry = [element(1).replace(before, after), element(2).replace(before, after)];
        assert_ne!(retry[0], element(1));
        let again = batching.send(&gateway, &retry).await;
        assert_eq!((again.outcome(), again.id()), ("duplicate", first.id()), "{provider}");
        assert_eq!((count(&pool, "copies").await, count(&pool, "conflicts").await), (2, 0), "{provider}");
        assert!(!observed.has_more());
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn events_without_an_id_are_all_new_and_each_still_runs_once() {
    let asana = Batching { provider: "asana", secret: "hook-secret", around: (r#"{"events":["#, "]}"), query: "" };
    let element = |n: u32| {
        format!(
            r#"{{"resource":{{"gid":"12{n}","resource_type":"task"}},"action":"changed","created_at":"2025-11-30T10:00:00Z",{EXACT}}}"#
        )
    };
    let database = database().await;
    let pool = database.pool().await;
    let (handler, mut observed) = observer(on("batch", &["task.*"]).name("observe"));
    let gateway = start(&database, &asana.source(""), vec![handler]).await;
    assert_eq!(asana.send(&gateway, &[element(1), element(2)]).await.status, 200);
    let seen = observed.next(2).await;
    assert_eq!((seen[0].event_type.as_deref(), seen[0].key.as_deref()), (Some("task.changed"), Some("121")));
    assert_eq!((&seen[0].element, &seen[1].element), (&element(1), &element(2)));
    assert_eq!(asana.send(&gateway, &[]).await.status, 200, "the heartbeat");
    assert_eq!(count(&pool, "deliveries").await, 2);
    gateway.shutdown().await;
}

#[derive(serde::Deserialize)]
struct Payment {
    links: Links,
}

#[derive(serde::Deserialize)]
struct Links {
    payment: String,
}

async fn book(payment: Payment, cx: &mut Context) -> Result<(), HandlerError> {
    sqlx::query("insert into effect values ($1, 1)").bind(payment.links.payment).execute(cx.tx().await?).await?;
    Ok(())
}

#[tokio::test]
async fn one_bad_element_spoils_only_its_own_job() {
    let (database, pool) = database_with_effects().await;
    let batching = with_ids().into_iter().find(|case| case.batching.provider == "gocardless").unwrap().batching;
    let gateway = start(&database, &batching.source(""), vec![on("batch", &["*"]).name("book").run(book)]).await;
    let payment = |id: &str, links: &str| {
        format!(r#"{{"id":"{id}","resource_type":"payments","action":"confirmed","links":{links}}}"#)
    };
    let elements =
        [payment("EV1", r#"{"payment":"PM1"}"#), payment("EV2", r#""none""#), payment("EV3", r#"{"payment":"PM3"}"#)];
    assert_eq!(batching.send(&gateway, &elements).await.outcome(), "accepted");
    eventually("all ended", 0, async || unfinished(&pool).await).await;
    assert_eq!(deaths(&pool).await, ["undecodable"]);
    assert_eq!(number(&pool, "select count(*) from effect where object in ('PM1', 'PM3')").await, 2);
    let (event, error): (i32, String) =
        sqlx::query_as("select event, error from hookgate.dead").fetch_one(&pool).await.unwrap();
    assert_eq!(event, 1);
    assert!(error.contains("/events/1/links"), "the place in the request is named: {error}");
    gateway.shutdown().await;
}
