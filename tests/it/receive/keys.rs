//! Keys that are fetched while a request waits: once, when all else is right, and with patience for their host.

use std::time::Duration;

use base64::Engine;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use hookgate::config::ProcessRole;
use hookgate::{Gateway, Running, testing};
use hookgate_providers::Headers;
use rcgen::{CertificateParams, KeyPair, PKCS_RSA_SHA256};
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::{Value, json};

use super::call::{Call, source_with};
use crate::support::gateway::config;
use crate::support::key_host::KeyHost;
use crate::support::metric;
use crate::support::postgres::{TestDatabase, database};
use crate::support::rows::{count, every_count};

const RSA: &str = include_str!("../../../providers/tests/keys/rsa_1.pem");
const P256: &str = include_str!("../../../providers/tests/keys/p256_1.pem");
const EMAIL: &str = "push@demo.iam.gserviceaccount.com";
const GOOGLE: &str = "/oauth2/v3/certs";
const BASE: &str = "https://hooks.test";

/// A gateway that only receives, and takes this server for every host.
async fn start(database: &TestDatabase, more: &str, host: &KeyHost) -> Running {
    let mut config = config(database, more);
    config.server.roles = [ProcessRole::Ingest].into();
    config.server.public_url = Some(BASE.to_owned());
    let builder = Gateway::builder().config(config);
    testing::with_key_hosts(builder, host.addr, &host.root_pem).start().await.expect("start the gateway")
}

fn google(name: &str) -> String {
    source_with(name, "google-pubsub", &format!("[{{ literal = {EMAIL:?} }}]"), "")
}

/// A message that Google pushes as this account, with a key named `hookgate`.
fn pushed(source: &str, id: u32, by: &str) -> Call {
    let body = json!({"message": {"data": "", "messageId": id.to_string(), "publishTime": "2026-01-01T00:00:00Z"}});
    Call::post(&format!("/in/{source}"), body.to_string()).signed_by("google-pubsub", &format!("{by}\n{RSA}"), BASE)
}

fn rsa() -> RsaKeyPair {
    let der: String = RSA.lines().filter(|line| !line.starts_with('-')).collect();
    RsaKeyPair::from_pkcs8(&BASE64_STANDARD.decode(der).unwrap()).unwrap()
}

/// Google's key set with our key under this name.
fn key_set(kid: &str) -> String {
    let key = PublicKeyComponents::<Vec<u8>>::from(rsa().public());
    let [n, e] = [key.n, key.e].map(|number| BASE64_URL_SAFE_NO_PAD.encode(number));
    json!({"keys": [{"kty": "RSA", "kid": kid, "alg": "RS256", "use": "sig", "n": n, "e": e}]}).to_string()
}

/// Lets time pass for whatever waits in this test's runtime; tokens are judged by the database's clock and stay fresh.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

#[tokio::test]
async fn a_key_is_fetched_once_for_all_who_wait_and_then_kept() {
    let (database, host) = (database().await, KeyHost::start().await);
    let gateway = start(&database, &google("g"), &host).await;
    let to = gateway.ingest_addr().unwrap();
    host.publish(GOOGLE, key_set("hookgate"));
    host.close();
    let calls = (0..8).map(|n| tokio::spawn(async move { pushed("g", n, EMAIL).send(to).await.status }));
    let calls: Vec<_> = calls.collect();
    host.until_asked(1).await;
    assert_eq!(count(&database.pool().await, "deliveries").await, 0);
    host.open();
    for call in calls {
        assert_eq!(call.await.unwrap(), 202);
    }
    assert_eq!(pushed("g", 9, EMAIL).send(to).await.status, 202);
    assert_eq!(host.asked(), [format!("GET www.googleapis.com {GOOGLE}")]);
    gateway.shutdown().await;
}

#[tokio::test]
async fn nothing_is_fetched_for_a_request_that_is_wrong_without_it() {
    let (database, host) = (database().await, KeyHost::start().await);
    let gateway = start(&database, &(google("g") + &sns_source()), &host).await;
    let to = gateway.ingest_addr().unwrap();
    host.publish(GOOGLE, key_set("hookgate"));
    let before = every_count(&database.pool().await).await;
    let honest = pushed("g", 1, EMAIL);
    let refused = [
        Call { headers: Headers::new(), ..honest.clone() },
        pushed("g", 1, "somebody@else.iam.gserviceaccount.com"),
        // The token's audience is another URL.
        Call { target: "/in/g?x".to_owned(), ..honest.clone() },
        Call { method: "GET", body: Vec::new(), ..honest.clone() },
        Call { headers: [("authorization", "Bearer a.b.c")].into_iter().collect(), ..honest },
        notification(&json!({"TopicArn": "arn:aws:sns:eu-central-1:123456789012:others"})),
        notification(
            &json!({"SigningCertURL": "https://sns.eu-central-1.amazonaws.com.evil.test/SimpleNotificationService-1.pem"}),
        ),
        notification(&json!({"SigningCertURL": "https://127.0.0.1/SimpleNotificationService-1.pem"})),
    ];
    for call in refused {
        let answer = call.send(to).await;
        assert!(matches!(answer.status, 401 | 405), "{} {}: {}", call.method, call.target, answer.status);
    }
    assert_eq!(host.asked(), Vec::<String>::new());
    assert_eq!(every_count(&database.pool().await).await, before);
    gateway.shutdown().await;
}

#[tokio::test]
async fn while_a_key_cannot_be_had_the_sender_is_told_to_come_again() {
    metric::counting();
    let (database, host) = (database().await, KeyHost::start().await);
    let gateway = start(&database, &google("later"), &host).await;
    let to = gateway.ingest_addr().unwrap();
    let before = every_count(&database.pool().await).await;
    let answers: [(u16, &[_], Vec<u8>); 4] = [
        (500, &[], vec![]),
        // Not followed, though the right key is there.
        (302, &[("location", "https://www.googleapis.com/moved")], vec![]),
        (404, &[], key_set("hookgate").into()),
        (200, &[], vec![b' '; 256 * 1024 + 1]),
    ];
    host.publish("/moved", key_set("hookgate"));
    for (n, (status, headers, body)) in answers.into_iter().enumerate() {
        host.answer(GOOGLE, status, headers, body);
        for _ in 0..3 {
            let answer = pushed("later", 1, EMAIL).send(to).await;
            assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")), "{status}");
        }
        assert_eq!(host.asked().len(), n + 1, "a failure stands for a while");
        pass(Duration::from_secs(11)).await;
    }
    assert_eq!(every_count(&database.pool().await).await, before);
    let noted = metric::counter("hookgate_refusals_total{source=\"later\",reason=\"key_unavailable\"}");
    assert_eq!(noted, 12);
    host.publish(GOOGLE, key_set("hookgate"));
    assert_eq!(pushed("later", 1, EMAIL).send(to).await.status, 202);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_host_that_fails_later_takes_ingestion_down_only_after_hours() {
    let (database, host) = (database().await, KeyHost::start().await);
    let gateway = start(&database, &google("g"), &host).await;
    let to = gateway.ingest_addr().unwrap();
    host.answer(GOOGLE, 200, &[("cache-control", "max-age=600")], key_set("hookgate"));
    assert_eq!(pushed("g", 1, EMAIL).send(to).await.status, 202);
    host.answer(GOOGLE, 503, &[], "");
    pass(Duration::from_secs(599)).await;
    assert_eq!(pushed("g", 2, EMAIL).send(to).await.status, 202);
    assert_eq!(host.asked().len(), 1, "still fresh");
    pass(Duration::from_secs(2)).await;
    assert_eq!(pushed("g", 3, EMAIL).send(to).await.status, 202);
    host.until_asked(2).await;
    pass(Duration::from_secs(5 * 3600)).await;
    assert_eq!(pushed("g", 4, EMAIL).send(to).await.status, 202, "what was fetched still serves");
    pass(Duration::from_secs(3600)).await;
    assert_eq!(pushed("g", 5, EMAIL).send(to).await.status, 503, "not for ever");
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_new_key_is_found_and_a_made_up_one_costs_a_fetch_a_minute_at_most() {
    let (database, host) = (database().await, KeyHost::start().await);
    let gateway = start(&database, &google("g"), &host).await;
    let to = gateway.ingest_addr().unwrap();
    host.publish(GOOGLE, key_set("older"));
    for n in 0..5 {
        assert_eq!(pushed("g", n, EMAIL).send(to).await.status, 401, "no such key");
    }
    assert_eq!(host.asked().len(), 1);
    host.publish(GOOGLE, key_set("hookgate"));
    assert_eq!(pushed("g", 6, EMAIL).send(to).await.status, 401, "the minute is not over");
    pass(Duration::from_secs(61)).await;
    assert_eq!(pushed("g", 7, EMAIL).send(to).await.status, 202);
    assert_eq!(host.asked().len(), 2);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_key_behind_a_token_takes_two_fetches_and_shows_no_credential() {
    let (database, host) = (database().await, KeyHost::start().await);
    let more = source_with("shop", "ebay", "[{ literal = \"client:very-secret\" }]", "");
    let gateway = start(&database, &more, &host).await;
    let to = gateway.ingest_addr().unwrap();
    let key = json!({"key": P256.replace('\n', ""), "algorithm": "ECDSA", "digest": "SHA1"});
    host.publish("/identity/v1/oauth2/token", json!({"access_token": "a-token", "expires_in": 7200}).to_string());
    host.publish("/commerce/notification/v1/public_key/kid-1", key.to_string());
    let event = |id: &str| {
        let body = json!({"metadata": {"topic": "t"}, "notification": {"notificationId": id}});
        Call::post("/in/shop", body.to_string()).signed_by("ebay", &format!("kid-1\n{P256}"), BASE)
    };
    for id in ["a", "b"] {
        let answer = event(id).send(to).await;
        assert_eq!((answer.status, answer.header("content-type")), (204, None), "{}", answer.body);
    }
    let asked = host.asked();
    assert_eq!(asked.len(), 2, "{asked:?}");
    assert!(asked[0].starts_with("POST api.ebay.com ") && asked[1].starts_with("GET api.ebay.com "), "{asked:?}");
    assert!(!asked.concat().contains("secret"), "{asked:?}");
    gateway.shutdown().await;
}

const TOPIC: &str = "arn:aws:sns:eu-central-1:123456789012:orders";
const CERTIFICATE: &str = "/SimpleNotificationService-1.pem";
const CONFIRM: &str = "/?Action=ConfirmSubscription&Token=t";

fn sns_source() -> String {
    source_with("topic", "aws-sns", &format!("[{{ literal = {TOPIC:?} }}]"), "")
}

fn certificate() -> String {
    let key = KeyPair::from_pem_and_sign_algo(RSA, &PKCS_RSA_SHA256).unwrap();
    CertificateParams::new(vec!["sns.amazonaws.com".to_owned()]).unwrap().self_signed(&key).unwrap().pem()
}

/// An SNS message with these fields instead of its own, and signed as they are.
fn notification(other: &Value) -> Call {
    let mut message = json!({
        "Type": "Notification", "MessageId": "m-1", "TopicArn": TOPIC, "Message": "hello",
        "Timestamp": "2026-01-01T00:00:00.000Z", "SignatureVersion": "2",
        "SigningCertURL": format!("https://sns.eu-central-1.amazonaws.com{CERTIFICATE}"),
    });
    let fields = message.as_object_mut().unwrap();
    fields.extend(other.as_object().unwrap().clone());
    let names = ["Message", "MessageId", "SubscribeURL", "Subject", "Timestamp", "Token", "TopicArn", "Type"];
    let signed: String =
        names.iter().filter_map(|name| Some(format!("{name}\n{}\n", fields.get(*name)?.as_str()?))).collect();
    let mut signature = vec![0; 256];
    rsa().sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature).unwrap();
    fields.insert("Signature".to_owned(), BASE64_STANDARD.encode(signature).into());
    Call::post("/in/topic", message.to_string()).with("content-type", "text/plain; charset=UTF-8")
}

fn confirmation() -> Call {
    notification(&json!({
        "Type": "SubscriptionConfirmation", "Token": "t",
        "SubscribeURL": format!("https://sns.eu-central-1.amazonaws.com{CONFIRM}"),
    }))
}

#[tokio::test]
async fn a_subscription_is_confirmed_by_a_visit_and_is_no_delivery() {
    let (database, host) = (database().await, KeyHost::start().await);
    let gateway = start(&database, &sns_source(), &host).await;
    let to = gateway.ingest_addr().unwrap();
    host.publish(CERTIFICATE, certificate());
    let visits = || host.asked().iter().filter(|asked| asked.ends_with(CONFIRM)).count();

    host.answer(CONFIRM, 500, &[], "");
    let answer = confirmation().send(to).await;
    assert_eq!((answer.status, answer.header("retry-after")), (503, Some("5")), "SNS sends it again");
    host.publish(CONFIRM, "<ConfirmSubscriptionResponse/>");
    let answer = confirmation().send(to).await;
    assert_eq!((answer.status, answer.header("content-type"), answer.body.as_str()), (200, None, ""));
    assert_eq!(visits(), 2);
    assert_eq!(count(&database.pool().await, "deliveries").await, 0);

    let forged = Call {
        body: String::from_utf8(confirmation().body).unwrap().replace("Token=t", "Token=u").into(),
        ..confirmation()
    };
    assert_eq!(forged.send(to).await.status, 401);
    let elsewhere = notification(&json!({
        "Type": "SubscriptionConfirmation", "Token": "t", "SubscribeURL": format!("https://evil.test{CONFIRM}"),
    }));
    assert_eq!(elsewhere.send(to).await.status, 401, "signed, and still not SNS's");
    assert_eq!(visits(), 2);

    assert_eq!(notification(&json!({})).send(to).await.status, 202);
    assert_eq!(count(&database.pool().await, "deliveries").await, 1);
    gateway.shutdown().await;
}
