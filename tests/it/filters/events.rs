//! Which events a handler gets, from the request's bytes to its run.

use hookgate::{Condition, Running, on};

use crate::support::batch::{Batching, observer};
use crate::support::destination::Destination;
use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start, start_receiving};
use crate::support::postgres::database;
use crate::support::rows::count;
use crate::support::witness::witness;
use crate::support::work::unfinished;

/// An event that every condition below is asked of.
fn paid() -> Signed {
    Signed::stripe(
        r#"{"id":"evt_1","type":"invoice.paid","created":1700000000,"test":null,
            "data":{"object":{"id":"in_1","amount":1500.0,"currency":"eur","lines":[{"sku":"A-1"}]}}}"#,
    )
    .with("x-shop", "berlin-3")
    .with("x-shop", "paris-1")
}

#[tokio::test]
async fn a_forward_gets_what_its_conditions_say_and_nothing_else() {
    let table = [
        (r#"{ json = "/data/object/amount", equals = 1500 }"#, true),
        (r#"{ json = "/data/object/amount", in = [1, 2] }"#, false),
        (r#"{ json = "/data/object/currency", in = ["usd", "eur"] }"#, true),
        (r#"{ json = "/data/object/lines/0/sku", prefix = "A-" }"#, true),
        (r#"{ json = "/data/object/lines/1/sku", exists = true }"#, false),
        (r#"{ json = "/test", exists = true }"#, true),
        (r#"{ json = "/test", null = false }"#, false),
        (r#"{ not = { json = "/test", equals = true } }"#, true),
        (r#"{ header = "X-Shop", equals = "paris-1" }"#, true),
        (r#"{ header = "x-shop", prefix = "rome" }"#, false),
        (r#"{ event = "invoice.paid" }"#, true),
        (r#"{ event = ["charge.*", "invoice.voided"] }"#, false),
        (r#"[{ event = "invoice.*" }, { json = "/data/object/id", equals = "in_2" }]"#, false),
        (r#"{ any = [{ json = "/data/object/id", equals = "in_2" }, { header = "x-shop", exists = true }] }"#, true),
    ];
    let database = database().await;
    let pool = database.pool().await;
    let mut to = Destination::answering(&[]).await;
    let forwards: Vec<String> = (table.iter().enumerate())
        .map(|(n, (when, _))| {
            let when = if when.starts_with('[') { (*when).to_owned() } else { format!("[{when}]") };
            let to = to.url();
            format!("[[forward]]\nname = 'f{n}'\nfrom = 'stripe'\nto = '{to}'\nsign = 'none'\nheaders = {{ x-name = 'f{n}' }}\nwhen = {when}\n")
        })
        .collect();
    let gateway = start(&database, &forwards.concat(), vec![]).await;
    assert_eq!(paid().send(gateway.ingest_addr().unwrap()).await.outcome(), "accepted");
    eventually("all ran", 0, async || unfinished(&pool).await).await;
    let mut got = Vec::new();
    while to.has_more() {
        got.push(to.next().await.header("x-name").unwrap());
    }
    got.sort_by_key(|name| name[1..].parse::<usize>().unwrap());
    let wanted: Vec<String> =
        table.iter().enumerate().filter(|(_, (_, wanted))| *wanted).map(|(n, _)| format!("f{n}")).collect();
    assert_eq!(got, wanted);
    gateway.shutdown().await;
}

/// A gateway that contains no handler knows their conditions from the database.
#[tokio::test]
async fn a_gateway_that_only_receives_filters_too() {
    let database = database().await;
    let pool = database.pool().await;
    let euros = || {
        let condition = Condition::json("/data/object/currency").equals("eur");
        witness(on("stripe", &["*"]).name("euros").when(condition))
    };
    start(&database, "", vec![euros().0]).await.shutdown().await;
    let receiving = start_receiving(&database, "").await;
    assert_eq!(paid().send(receiving.ingest_addr().unwrap()).await.outcome(), "accepted");
    let dollars = Signed::stripe(r#"{"id":"evt_2","type":"invoice.paid","data":{"object":{"currency":"usd"}}}"#);
    assert_eq!(dollars.send(receiving.ingest_addr().unwrap()).await.outcome(), "filtered");
    assert_eq!(count(&pool, "jobs").await, 1);
    receiving.shutdown().await;
    let (handler, mut runs) = euros();
    let working = start(&database, "", vec![handler]).await;
    runs.next().await;
    eventually("all ran", 0, async || unfinished(&pool).await).await;
    assert_eq!(runs.another(), None);
    working.shutdown().await;
}

#[tokio::test]
async fn a_condition_changed_later_is_about_what_comes_later() {
    let database = database().await;
    let pool = database.pool().await;
    let wanting = |currency: &'static str| {
        let condition = Condition::json("/data/object/currency").equals(currency);
        witness(on("stripe", &["*"]).name("one").when(condition))
    };
    let before = start(&database, "", vec![wanting("usd").0]).await;
    assert_eq!(paid().send(before.ingest_addr().unwrap()).await.outcome(), "filtered");
    before.shutdown().await;
    let (handler, mut runs) = wanting("eur");
    let after = start(&database, "", vec![handler]).await;
    assert_eq!(paid().send(after.ingest_addr().unwrap()).await.outcome(), "duplicate");
    let next = Signed::stripe(r#"{"id":"evt_2","type":"invoice.paid","data":{"object":{"currency":"eur"}}}"#);
    let answer = next.send(after.ingest_addr().unwrap()).await;
    assert_eq!(answer.outcome(), "accepted");
    assert_eq!(runs.next().await, answer.id());
    eventually("all ran", 0, async || unfinished(&pool).await).await;
    assert_eq!(runs.another(), None);
    after.shutdown().await;
}

/// A form's field is the JSON where its provider sends it so; another form has none.
#[tokio::test]
async fn the_json_of_a_form_is_where_its_provider_puts_it() {
    let database = database().await;
    let pool = database.pool().await;
    let opened = Condition::json("/action").equals("opened");
    let (handler, mut runs) = witness(on("github", &["*"]).name("opened").when(opened));
    let gateway = start(&database, "", vec![handler]).await;
    let form = |id: &str, body: &str| {
        let mut signed = Signed::github(id, "issues", body);
        signed.headers = signed.headers.iter().filter(|(name, _)| *name != "content-type").collect();
        signed.headers.push("content-type", "application/x-www-form-urlencoded");
        signed
    };
    let to = gateway.ingest_addr().unwrap();
    let wanted = form("1", "payload=%7B%22action%22%3A%22opened%22%7D").send(to).await;
    let closed = form("2", "payload=%7B%22action%22%3A%22closed%22%7D").send(to).await;
    let plain = form("3", "action=opened").send(to).await;
    assert_eq!((wanted.outcome(), closed.outcome(), plain.outcome()), ("accepted", "filtered", "filtered"));
    assert_eq!(runs.next().await, wanted.id());
    eventually("all ran", 0, async || unfinished(&pool).await).await;
    assert_eq!(runs.another(), None);
    gateway.shutdown().await;
}

const GOCARDLESS: Batching =
    Batching { provider: "gocardless", secret: "endpoint-secret", around: (r#"{"events":["#, "]}"), query: "" };

fn payment(n: u32, currency: &str) -> String {
    format!(
        r#"{{"id":"EV{n}","resource_type":"payments","action":"confirmed","links":{{"payment":"PM{n}"}},"currency":"{currency}"}}"#
    )
}

/// Pointers are into the element, and each element is filtered by itself.
#[tokio::test]
async fn of_a_batch_a_handler_gets_the_events_that_fulfil_its_conditions() {
    let database = database().await;
    let pool = database.pool().await;
    let euros = Condition::json("/currency").equals("eur");
    let (handler, mut seen) = observer(on("batch", &["*"]).name("function").when(euros));
    let mut to = Destination::answering(&[]).await;
    let forward = format!(
        "[[forward]]\nname = 'app'\nfrom = 'batch'\nto = {:?}\nsign = 'none'\nwhen = {{ json = '/currency', equals = 'eur' }}\n",
        to.url()
    );
    let gateway: Running = start(&database, &GOCARDLESS.source(&forward), vec![handler]).await;
    let elements = [payment(0, "eur"), payment(1, "usd"), payment(2, "eur")];
    assert_eq!(GOCARDLESS.send(&gateway, &elements).await.outcome(), "accepted");
    let ran: Vec<u32> = seen.next(2).await.iter().map(|seen| seen.event).collect();
    assert_eq!(ran, [0, 2]);
    assert_eq!(to.next().await.header("hookgate-event-indexes").as_deref(), Some("0,2"));
    assert_eq!(GOCARDLESS.send(&gateway, &[payment(3, "usd")]).await.outcome(), "filtered");
    eventually("all ran", 0, async || unfinished(&pool).await).await;
    assert!(!seen.has_more() && !to.has_more());
    gateway.shutdown().await;
}

/// Whether a condition holds decides who runs, and nothing about what is a copy.
#[tokio::test]
async fn filters_never_decide_what_is_a_duplicate() {
    let database = database().await;
    let pool = database.pool().await;
    let never = Condition::header("x-never").exists();
    let (handler, mut runs) = witness(on("stripe", &["*"]).name("never").when(never));
    let gateway = start(&database, "", vec![handler]).await;
    let to = gateway.ingest_addr().unwrap();
    let first = paid().send(to).await;
    assert_eq!((first.status, first.outcome()), (202, "filtered"));
    for _ in 0..2 {
        // With the header that would let it pass: it is a copy all the same, and adds nothing.
        let again = paid().with("x-never", "1").send(to).await;
        assert_eq!((again.outcome(), again.id()), ("duplicate", first.id()));
    }
    let other_body = Signed::stripe(r#"{"id":"evt_1","type":"invoice.paid"}"#).send(to).await;
    assert_eq!(other_body.outcome(), "conflict");
    assert_eq!((count(&pool, "receipts").await, count(&pool, "jobs").await), (1, 0));
    assert_eq!(runs.another(), None);
    gateway.shutdown().await;
}
