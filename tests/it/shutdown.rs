//! The end of a gateway: what it could not finish is not lost.

use std::future::pending;
use std::sync::Mutex;
use std::time::Duration;

use hookgate::{Context, Gateway, Handler, HandlerError, Raw, on};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::support::gateway::{Signed, config, start, start_with};
use crate::support::postgres::database;

/// Tells that it runs, and then ends at once or never.
fn credit(told: UnboundedSender<u32>, ends: bool) -> Handler {
    on("stripe", &["invoice.*"]).name("credit").run(move |_: Raw, cx: &mut Context| {
        let _ = told.send(cx.attempt());
        async move { if ends { Ok::<_, HandlerError>(()) } else { pending().await } }
    })
}

#[tokio::test]
async fn a_job_that_outlives_the_grace_of_its_gateway_is_rescued_by_another() {
    let database = database().await;
    let (told, mut attempts) = unbounded_channel();
    let mut impatient = config(&database, "");
    impatient.server.shutdown_grace = Duration::from_millis(50);
    let first = start_with(impatient, vec![credit(told.clone(), false)]).await;
    let answer = Signed::stripe_event("evt_1", "invoice.paid", "in_1").send(first.ingest_addr().unwrap()).await;
    assert_eq!(answer.outcome(), "accepted");
    assert_eq!(attempts.recv().await, Some(1));
    first.shutdown().await;

    let second = start(&database, "", vec![credit(told, true)]).await;
    let again = tokio::time::timeout(Duration::from_secs(30), attempts.recv()).await;
    assert_eq!(again, Ok(Some(2)), "the job is stuck with a worker that is gone");
    second.shutdown().await;
}

/// Tells that it runs, and when it may end.
struct Block(UnboundedSender<()>, Mutex<std::sync::mpsc::Receiver<()>>);

/// Holds its transaction's connection, and is deaf to whatever the runtime wants.
async fn block(_: Raw, cx: &mut Context) -> Result<(), HandlerError> {
    cx.tx().await?;
    let Block(told, released) = cx.state::<Block>()?;
    let _ = told.send(());
    tokio::task::block_in_place(|| {
        let _ = released.lock().expect("not poisoned").recv();
    });
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_handler_that_blocks_its_thread_does_not_keep_its_gateway_from_ending() {
    let database = database().await;
    let (told, mut begun) = unbounded_channel();
    let (release, released) = std::sync::mpsc::channel();
    let mut impatient = config(&database, "");
    impatient.server.shutdown_grace = Duration::from_millis(50);
    let builder = Gateway::builder().config(impatient).state(Block(told, Mutex::new(released)));
    let blocking = on("stripe", &["invoice.*"]).name("credit").run(block);
    let gateway = builder.handler(blocking).start().await.expect("start the gateway");
    let answer = Signed::stripe_event("evt_1", "invoice.paid", "in_1").send(gateway.ingest_addr().unwrap()).await;
    assert_eq!(answer.outcome(), "accepted");
    assert_eq!(begun.recv().await, Some(()));
    let ended = tokio::time::timeout(Duration::from_secs(30), gateway.shutdown()).await;
    drop(release);
    assert_eq!(ended, Ok(()), "it waits for a handler that does not end");
}
