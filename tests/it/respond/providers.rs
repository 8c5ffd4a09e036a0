//! Providers that want their answer from the application: Twilio's TwiML, Discord's interactions.

use hookgate::{Context, HandlerError, Raw, on};
use hookgate_providers::{Headers, Secret, Unsigned, find, sign};

use crate::support::gateway::{client, start};
use crate::support::postgres::database;

/// Posts what the provider would have signed now; status, content type and body of the answer.
async fn post(
    gateway: &hookgate::Running,
    provider: &str,
    secret: &str,
    kind: &str,
    body: &str,
) -> (u16, String, String) {
    // The gateway of a test is configured with port 0, and that is the URL it verifies with.
    let url = format!("http://127.0.0.1:0/in/{provider}");
    let mut headers = Headers::new();
    headers.push("content-type", kind);
    let now = chrono::Utc::now().timestamp();
    let unsigned = Unsigned { method: "POST", url: &url, headers: &headers, body: body.as_bytes(), id: "", now };
    let signed = sign(find(provider).unwrap(), &unsigned, &Secret::new(secret).unwrap()).expect("sign");
    let url = format!("http://{}/in/{provider}", gateway.ingest_addr().unwrap());
    let mut request = client().post(url).header("content-type", kind).body(body.to_owned());
    for (name, value) in signed.iter() {
        request = request.header(name, value);
    }
    let response = request.send().await.expect("an answer");
    let text = |name| response.headers().get(name).map_or("", |value: &http::HeaderValue| value.to_str().unwrap());
    let (status, kind) = (response.status().as_u16(), text("content-type").to_owned());
    (status, kind, response.text().await.unwrap())
}

fn source(provider: &str, secret: &str) -> String {
    format!("[source.{provider}]\nprovider = {provider:?}\nsecrets = [{{ literal = {secret:?} }}]\n")
}

async fn twiml(Raw(form): Raw, cx: &mut Context) -> Result<(), HandlerError> {
    let asks = form.windows(9).any(|part| part == b"Body=STOP");
    let says = if asks { "Bye." } else { "Hello." };
    cx.respond(200, "text/xml", format!("<Response><Message>{says}</Message></Response>"))
}

#[tokio::test]
async fn a_message_to_twilio_is_answered_with_twiml() {
    const TOKEN: &str = "12345678901234567890123456789012";
    let database = database().await;
    let handler = on("twilio", &["*"]).name("sms").respond().run(twiml);
    let gateway = start(&database, &source("twilio", TOKEN), vec![handler]).await;
    let form = "MessageSid=SM1&SmsStatus=received&From=%2B15551234567&Body=STOP";
    let answer = post(&gateway, "twilio", TOKEN, "application/x-www-form-urlencoded", form).await;
    let expected = "<Response><Message>Bye.</Message></Response>".to_owned();
    assert_eq!(answer, (200, "text/xml".to_owned(), expected));
    gateway.shutdown().await;
}

async fn interaction(payload: serde_json::Value, cx: &mut Context) -> Result<(), HandlerError> {
    let name = payload["data"]["name"].as_str().unwrap_or_default();
    let body = serde_json::json!({"type": 4, "data": {"content": format!("/{name} it is")}});
    cx.respond(200, "application/json", body.to_string())
}

#[tokio::test]
async fn an_interaction_of_discord_is_answered_in_the_response() {
    // A private key (PKCS#8) signs in the place of the application's public one: all zero, and worth nothing.
    const KEY: &str = "MC4CAQAwBQYDK2VwBCIEIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
    let database = database().await;
    let handler = on("discord", &["2"]).name("commands").respond().run(interaction);
    let gateway = start(&database, &source("discord", KEY), vec![handler]).await;
    let body = r#"{"id":"846462639134605312","application_id":"1","type":2,"token":"t","guild_id":"2","channel_id":"3","data":{"id":"5","name":"deploy","type":1}}"#;
    let (status, kind, text) = post(&gateway, "discord", KEY, "application/json", body).await;
    assert_eq!((status, kind.as_str()), (200, "application/json"));
    let answer: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&answer["type"], &answer["data"]["content"]), (&4.into(), &"/deploy it is".into()));
    gateway.shutdown().await;
}
