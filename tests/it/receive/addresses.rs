//! Where a source is found: at its name, behind its key, with what follows.

use super::call::{Call, SECRET, source};
use crate::support::gateway::{config, start_receiving};
use crate::support::metric;
use crate::support::postgres::database;
use crate::support::rows::every_count;

const KEY: &str = "6f1c0a9e5d3b47c2";
const BODY: &str = r#"{"id":1}"#;

fn keyed(name: &str, more: &str) -> String {
    source(name, "github", &format!("url_key = {{ literal = {KEY:?} }}\n{more}"))
}

fn push(target: &str) -> Call {
    Call::post(target, BODY).with("x-github-event", "push").signed("github", "http://gate.test")
}

#[tokio::test]
async fn a_source_with_a_key_is_found_by_it_and_is_otherwise_unknown() {
    metric::counting();
    let database = database().await;
    let sources = keyed("hidden", "") + &source("off", "github", "enabled = false");
    let gateway = start_receiving(&database, &sources).await;
    let to = gateway.ingest_addr().unwrap();
    let unknown = push("/in/nobody").send(to).await;
    assert_eq!((unknown.status, unknown.body.as_str()), (404, "not found"));
    let before = every_count(&database.pool().await).await;
    let elsewhere = [
        "/in/hidden".to_owned(),
        "/in/hidden/".to_owned(),
        format!("/in/hidden?{KEY}"),
        format!("/in/hidden/{}", &KEY[1..]),
        format!("/in/hidden/{}", KEY.to_uppercase()),
        format!("/in/hidden/%36{}", &KEY[1..]),
        format!("/in/hidden//{KEY}"),
        format!("/in/hidden/./{KEY}"),
        format!("/in/hidden/{KEY}/"),
        format!("/in/hidden/{KEY}/more"),
        format!("/in/github/..%2fhidden/{KEY}"),
        format!("/in/%68idden/{KEY}"),
        "/in/off".to_owned(),
        format!("/in/off/{KEY}"),
    ];
    for target in elsewhere {
        assert_eq!(push(&target).send(to).await, unknown, "{target}");
        let get = Call::new("GET", &target).send(to).await;
        assert_eq!(get, unknown, "nor does another method tell: {target}");
    }
    assert_eq!(every_count(&database.pool().await).await, before);
    let refused =
        |reason: &str| metric::counter(&format!("hookgate_refusals_total{{source=\"hidden\",reason=\"{reason}\"}}"));
    assert_eq!((refused("wrong_url_key"), refused("unknown_path")), (16, 4), "the operator is told");
    assert_eq!(push(&format!("/in/hidden/{KEY}?a=b")).send(to).await.status, 202);
    gateway.shutdown().await;
}

#[tokio::test]
async fn a_key_is_kept_nowhere() {
    let database = database().await;
    let gateway = start_receiving(&database, &keyed("hidden", "subpaths = true")).await;
    let to = gateway.ingest_addr().unwrap();
    assert_eq!(push(&format!("/in/hidden/{KEY}/a%20b?c={{d}}")).send(to).await.status, 202);
    let pool = database.pool().await;
    let target: String = sqlx::query_scalar("select target from hookgate.deliveries").fetch_one(&pool).await.unwrap();
    assert_eq!(target, "/in/hidden/{url_key}/a%20b?c={d}");
    let found: i64 =
        sqlx::query_scalar("select count(*) from hookgate.deliveries d where d::text like '%' || $1 || '%'")
            .bind(KEY)
            .fetch_one(&pool)
            .await
            .unwrap();
    assert_eq!(found, 0);
    let config = config(&database, &keyed("hidden", ""));
    for shown in [config.to_toml(), config.to_json().to_string(), format!("{config:?}")] {
        assert!(!shown.contains(KEY), "{shown}");
    }
    assert_eq!(config.sources["hidden"].ingest_path(), format!("/in/hidden/{KEY}"));
    gateway.shutdown().await;
}

#[tokio::test]
async fn what_follows_is_the_sources_where_it_says_so_and_is_signed() {
    let database = database().await;
    let open = |name: &str, more: &str| {
        source(name, "square", &format!("subpaths = true\npublic_url = \"https://hooks.test\"\n{more}"))
    };
    let sources = open("open", "") + &open("both", &format!("url_key = {{ literal = {KEY:?} }}"));
    let gateway = start_receiving(&database, &sources).await;
    let to = gateway.ingest_addr().unwrap();
    let both = format!("/in/both/{KEY}/shop/7?x=%2F");
    for target in ["/in/open", "/in/open/shop/7?x=%2F", "/in/open/a%20b//c/", &both] {
        let signed = Call::post(target, BODY).signed("square", "https://hooks.test");
        assert_eq!(signed.send(to).await.status, 202, "{target}");
        let moved = Call { target: format!("{target}{}x", if target.contains('?') { "" } else { "?" }), ..signed };
        assert_eq!(moved.send(to).await.status, 401, "{target}: the rest is part of what is signed");
    }
    for target in
        ["/in/open/", "/in/open/..", "/in/open/../github", "/in/open/%2e%2e/x", "/in/open/a%2f..%2fb", "/in/open/..;/x"]
    {
        let answer = Call::post(target, BODY).signed("square", "https://hooks.test").send(to).await;
        assert_eq!((answer.status, answer.body.as_str()), (404, "not found"), "{target}");
    }
    let misplaced = format!("/in/both/shop/{KEY}");
    assert_eq!(Call::post(&misplaced, BODY).signed("square", "https://hooks.test").send(to).await.status, 404);
    assert_ne!(KEY, SECRET);
    gateway.shutdown().await;
}
