//! What the sender of a recorded delivery is told.

use super::call::{Call, source};
use crate::support::gateway::start_receiving;
use crate::support::postgres::database;

async fn answers(reply: &str) -> (u16, Option<String>, String) {
    let database = database().await;
    let gateway = start_receiving(&database, &source("own", "github", reply)).await;
    let call = Call::post("/in/own", "{}").with("x-github-event", "push").signed("github", "http://gate.test");
    let answer = call.send(gateway.ingest_addr().unwrap()).await;
    assert!(answer.header("hookgate-delivery-id").is_some(), "whatever else is said");
    let forged = call.with("x-hub-signature-256", "sha256=00");
    assert_eq!(
        forged.send(gateway.ingest_addr().unwrap()).await.status,
        401,
        "only what is recorded is acknowledged so"
    );
    gateway.shutdown().await;
    (answer.status, answer.header("content-type").map(str::to_owned), answer.body.clone())
}

#[tokio::test]
async fn a_source_may_have_its_own_words() {
    let own = answers("reply = { status = 200, body = \"<ok/>\", content_type = \"text/xml\" }").await;
    assert_eq!(own, (200, Some("text/xml".to_owned()), "<ok/>".to_owned()));
    let text = answers("reply = { body = \"ok\" }").await;
    assert_eq!(text, (200, Some("text/plain; charset=utf-8".to_owned()), "ok".to_owned()));
    assert_eq!(answers("reply = { status = 204, body = \"\" }").await, (204, None, String::new()));
    let (status, content_type, body) = answers("reply = { status = 200 }").await;
    assert_eq!((status, content_type.as_deref()), (200, Some("application/json")));
    assert!(body.contains("\"status\":\"unhandled\""), "without a body it is still hookgate's: {body}");
}

#[tokio::test]
async fn its_own_words_replace_the_providers() {
    let database = database().await;
    let url = "public_url = \"https://hooks.test\"\n";
    let sources =
        source("theirs", "twilio", url) + &source("own", "twilio", &format!("{url}reply = {{ body = \"\" }}"));
    let gateway = start_receiving(&database, &sources).await;
    let to = gateway.ingest_addr().unwrap();
    let sms = |target| {
        Call::post(target, "MessageSid=1&MessageStatus=sent")
            .with("content-type", "application/x-www-form-urlencoded")
            .signed("twilio", "https://hooks.test")
    };
    let theirs = sms("/in/theirs").send(to).await;
    assert_eq!((theirs.header("content-type"), theirs.body.as_str()), (Some("text/xml"), "<Response/>"));
    let own = sms("/in/own").send(to).await;
    assert_eq!((own.status, own.header("content-type"), own.body.as_str()), (200, None, ""));
    gateway.shutdown().await;
}

/// Fitbit takes only 404 for "your code is wrong", and Xero no answer with a body:
/// <https://dev.fitbit.com/build/reference/web-api/developer-guide/using-subscriptions/>,
/// <https://developer.xero.com/documentation/guides/webhooks/configuring-your-server/>.
#[tokio::test]
async fn a_refusal_is_one_to_its_provider() {
    let database = database().await;
    let sources = source("steps", "fitbit", "") + &source("books", "xero", "") + &source("code", "github", "");
    let gateway = start_receiving(&database, &sources).await;
    let to = gateway.ingest_addr().unwrap();
    let told = async |call: Call| {
        let answer = call.send(to).await;
        (answer.status, answer.header("content-type").map(str::to_owned), answer.body)
    };
    let text = Some("text/plain; charset=utf-8".to_owned());
    let wrong_code = Call::new("GET", "/in/steps?verify=wrong");
    assert_eq!(told(wrong_code).await, (404, text.clone(), "not found".to_owned()));
    let forged = Call::post("/in/books", "{}").with("x-xero-signature", "AAAA");
    assert_eq!(told(forged).await, (401, None, String::new()));
    let forged = Call::post("/in/code", "{}").with("x-hub-signature-256", "sha256=00");
    assert_eq!(told(forged).await, (401, text, "unauthorized".to_owned()));
    gateway.shutdown().await;
}
