//! One webhook all the way.

use std::sync::{Arc, Mutex};

use hookgate::{Context, HandlerError, Raw, on};
use tokio::sync::mpsc;

use crate::support::gateway::{Signed, start};
use crate::support::postgres::database;

#[tokio::test]
async fn a_signed_webhook_is_stored_acknowledged_and_handled() {
    let database = database().await;
    let (done, mut handled) = mpsc::unbounded_channel();
    let done = Arc::new(Mutex::new(done));
    let handler = on("stripe", &["invoice.*"]).name("credit").run(move |_: Raw, cx: &mut Context| {
        let _ = done.lock().unwrap().send(cx.delivery().id());
        async { Ok::<_, HandlerError>(()) }
    });
    let gateway = start(&database, "", vec![handler]).await;
    let answer = Signed::stripe_event("evt_1", "invoice.paid", "in_1").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!((answer.status, answer.outcome()), (202, "accepted"), "{}", answer.text);
    let delivery = handled.recv().await.unwrap();
    assert_eq!(delivery.to_string(), answer.id());
    gateway.shutdown().await;
}
