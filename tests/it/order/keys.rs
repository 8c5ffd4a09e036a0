//! A handler's own ordering key and version, evaluated by whoever records.

use hookgate::{Order, on};
use serde_json::json;

use crate::support::batch::{Batching, observer};
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start, start_receiving};
use crate::support::postgres::database;
use crate::support::work::{lanes, number, unfinished};

fn event(id: &str, object: &str, more: serde_json::Value) -> Signed {
    let mut body = json!({"id": id, "type": "a.b", "created": 7, "data": {"object": {"id": object}}});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    Signed::stripe(body.to_string())
}

async fn labels(pool: &sqlx::PgPool) -> Vec<String> {
    lanes(pool).await.into_iter().map(|(label, _, _)| label).collect()
}

#[tokio::test]
async fn a_handler_orders_by_its_own_key_and_version_and_falls_back_to_its_sources() {
    let database = database().await;
    let pool = database.pool().await;
    let own = on("stripe", &["*"]).name("own").order(Order::Lane);
    let own = own.ordering_key(&["json:/nowhere", "json:/customer + json:/region"]).version(&["json:/rev"]);
    let (own, mut seen) = observer(own);
    let (plain, mut plainly) = observer(on("stripe", &["*"]).name("plain").order(Order::Lane));
    let gateway = start(&database, "", vec![own, plain]).await;
    let to = gateway.ingest_addr().unwrap();
    let placed = json!({"customer": "cus_9", "region": "eu", "rev": 41});
    for (id, object) in [("evt_1", "in_1"), ("evt_2", "in_2")] {
        assert_eq!(event(id, object, placed.clone()).send(to).await.status, 202);
    }
    for run in seen.next(2).await {
        assert_eq!((run.key.as_deref(), run.version), (Some("cus_9|eu"), Some(41)));
    }
    let keys: Vec<_> = plainly.next(2).await.into_iter().map(|run| (run.key, run.version)).collect();
    assert!(
        keys.contains(&(Some("in_1".into()), Some(7))) && keys.contains(&(Some("in_2".into()), Some(7))),
        "{keys:?}"
    );
    assert_eq!(labels(&pool).await, ["cus_9|eu", "in_1", "in_2"], "one lane for both of its customer");

    assert_eq!(event("evt_3", "in_3", json!({"customer": "cus_9"})).send(to).await.status, 202);
    let lacking = seen.next(1).await.remove(0);
    assert_eq!((lacking.key.as_deref(), lacking.version), (Some("in_3"), Some(7)), "half a key is none");
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_gateway_that_only_receives_orders_by_the_key_of_a_handler_it_does_not_contain() {
    let database = database().await;
    let pool = database.pool().await;
    let named = || on("stripe", &["*"]).name("own").order(Order::Lane).ordering_key(&["json:/customer"]);
    start(&database, "", vec![observer(named()).0]).await.shutdown().await;

    let receiving = start_receiving(&database, "").await;
    let answer = event("evt_1", "in_1", json!({"customer": "cus_9"})).send(receiving.ingest_addr().unwrap()).await;
    assert_eq!(answer.status, 202, "{}", answer.text);
    assert_eq!(labels(&pool).await, ["cus_9"]);
    receiving.shutdown().await;

    let (handler, mut seen) = observer(named());
    let gateway = start(&database, "", vec![handler]).await;
    assert_eq!(seen.next(1).await[0].key.as_deref(), Some("cus_9"));
    eventually("no unfinished job", 0, async || unfinished(&pool).await).await;
    // A replay has only what is stored, and finds the same lane.
    let url = format!("http://{}/api/v1/deliveries/{}/replay", gateway.operator_addr().unwrap(), answer.id());
    let asked = crate::support::gateway::client().post(url).json(&json!({"force": true})).send().await.unwrap();
    assert_eq!(asked.status().as_u16(), 202);
    assert_eq!(seen.next(1).await[0].key.as_deref(), Some("cus_9"));
    assert_eq!(labels(&pool).await, ["cus_9"]);
    gateway.shutdown().await;
}

#[tokio::test]
async fn in_a_batch_each_element_has_its_own_place_by_the_handlers_key() {
    let hubspot = Batching { provider: "hubspot", secret: "app-secret", around: ("[", "]"), query: "" };
    let database = database().await;
    let pool = database.pool().await;
    let own = on("batch", &["*"]).name("own").order(Order::Latest);
    let (handler, mut seen) = observer(own.ordering_key(&["json:/portalId"]).version(&["json:/rev"]));
    let gateway = start(&database, &hubspot.source(""), vec![handler]).await;
    let element = |n: u32, portal: u32, rev: u32| {
        format!(
            r#"{{"subscriptionId":7,"eventId":{n},"objectId":{n},"portalId":{portal},"rev":{rev},"occurredAt":1764500000123,"subscriptionType":"contact.creation","attemptNumber":0}}"#
        )
    };
    // Of each portal one is newest, whatever the order in the array.
    let elements = [element(1, 4, 20), element(2, 5, 1), element(3, 4, 10)];
    let answer = hubspot.send(&gateway, &elements).await;
    assert!((200..300).contains(&answer.status), "{}", answer.text);
    let runs = seen.next(2).await;
    let placed: Vec<_> = runs.iter().map(|run| (run.event, run.key.as_deref(), run.version)).collect();
    assert_eq!(placed, [(0, Some("4"), Some(20)), (1, Some("5"), Some(1))]);
    eventually("the older of the first portal was passed over", 1, async || {
        number(&pool, "select count(*) from hookgate.attempts where outcome = 'superseded' and event = 2").await
    })
    .await;
    assert_eq!(labels(&pool).await, ["4", "5"]);
    assert!(!seen.has_more());
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_forward_says_the_key_it_is_ordered_by() {
    let database = database().await;
    let mut destination = crate::support::destination::Destination::answering(&[200]).await;
    let forward = format!(
        "[[forward]]\nname = \"own\"\nfrom = \"stripe\"\nsign = \"none\"\nto = \"{}\"\norder = \"lane\"\n\
         ordering_key = \"json:/customer\"\nversion = [\"json:/rev\"]\nreorder_window = \"0s\"\non_failure = \"skip\"\n",
        destination.url()
    );
    let gateway = start(&database, &forward, Vec::new()).await;
    event("evt_1", "in_1", json!({"customer": "cus_9"})).send(gateway.ingest_addr().unwrap()).await;
    let request = destination.next().await;
    assert_eq!(request.header("hookgate-lane").as_deref(), Some("cus_9"));
    gateway.shutdown().await;
}
