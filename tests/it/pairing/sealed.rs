//! What the database holds of a secret, and what happens without the right key.

use sqlx::{AssertSqlSafe, PgPool};

use super::{KEY, OFFERED, OTHER_KEY, current, gateway, ingest, open, operate, pairable, see};
use crate::support::gateway::start;
use crate::support::postgres::database;
use crate::support::work::execute;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;

/// The tables of the schema in which a text stands anywhere, in clear, in hex or in base64.
async fn tables_with(pool: &PgPool, text: &str) -> Vec<String> {
    let tables: Vec<String> = sqlx::query_scalar(
        "select relname::text from pg_class where relnamespace = 'hookgate'::regnamespace and relkind = 'r'",
    )
    .fetch_all(pool)
    .await
    .expect("list the tables");
    let mut found = Vec::new();
    for table in tables {
        // A row as text shows a bytea in hex.
        let sql = format!(
            "select exists (select from hookgate.{table} t where strpos(t::text, $1) > 0 or strpos(t::text, $2) > 0
                                                              or strpos(t::text, $3) > 0)"
        );
        let there: bool = sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(text)
            .bind(hex::encode(text))
            .bind(BASE64_STANDARD.encode(text))
            .fetch_one(pool)
            .await
            .expect("search");
        if there {
            found.push(table);
        }
    }
    found
}

#[tokio::test]
async fn its_bytes_are_nowhere_in_the_database_and_in_no_answer() {
    for case in pairable() {
        let database = database().await;
        let pool = database.pool().await;
        let gateway = gateway(&database, case).await;
        open(&gateway).await;
        case.offer(ingest(&gateway), OFFERED).await;
        case.deliver(ingest(&gateway), OFFERED).await;
        case.offer(ingest(&gateway), "refused-in-the-same-window").await;
        assert_eq!(tables_with(&pool, OFFERED).await, [] as [&str; 0], "{case:?}");
        assert_eq!(tables_with(&pool, "refused-in-the-same-window").await, [] as [&str; 0], "{case:?}");
        for path in ["sources", "sources/paired", "refusals", "deliveries"] {
            assert!(!see(&gateway, path).await.to_string().contains(OFFERED), "{path}");
        }
        // The search finds what is there.
        execute(&pool, &format!("insert into hookgate.audit (actor, action, object) values ('', '', '{OFFERED}')"))
            .await;
        assert_eq!(tables_with(&pool, OFFERED).await, ["audit"]);
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn with_another_key_the_source_waits_and_says_so_and_the_old_key_opens_it_again() {
    let case = pairable()[0];
    let database = database().await;
    let paired = gateway(&database, case).await;
    open(&paired).await;
    case.offer(ingest(&paired), OFFERED).await;
    paired.shutdown().await;

    for keys in [current(OTHER_KEY), String::new()] {
        let wrong = start(&database, &case.source(&keys), vec![]).await;
        assert_eq!(case.deliver(ingest(&wrong), OFFERED).await.status, 401, "{keys}");
        let shown = see(&wrong, "sources/paired").await;
        assert_eq!(shown["secrets"][0]["sealed_with"], "unknown", "{shown}");
        wrong.shutdown().await;
    }
    let rolled = format!("{}\nsealing_key_old = [{{ literal = {KEY:?} }}]", current(OTHER_KEY));
    let rolled = start(&database, &case.source(&rolled), vec![]).await;
    assert_eq!(case.deliver(ingest(&rolled), OFFERED).await.status, 200);
    assert_eq!(see(&rolled, "sources/paired").await["secrets"][0]["sealed_with"], "old");
    open(&rolled).await;
    case.offer(ingest(&rolled), "sealed-with-the-new-key").await;
    let shown = see(&rolled, "sources/paired").await;
    assert_eq!(shown["secrets"][0]["sealed_with"], "current", "{shown}");
    rolled.shutdown().await;
}

#[tokio::test]
async fn a_row_that_was_altered_or_moved_to_another_number_does_not_open() {
    let case = pairable()[0];
    let database = database().await;
    let pool = database.pool().await;
    let paired = gateway(&database, case).await;
    open(&paired).await;
    case.offer(ingest(&paired), OFFERED).await;
    paired.shutdown().await;
    for spoil in ["number = 105", "number = 100, sealed = set_byte(sealed, 30, get_byte(sealed, 30) # 1)"] {
        execute(&pool, &format!("update hookgate.paired_secrets set {spoil}")).await;
        let gateway = gateway(&database, case).await;
        assert_eq!(case.deliver(ingest(&gateway), OFFERED).await.status, 401, "{spoil}");
        gateway.shutdown().await;
    }
}

#[tokio::test]
async fn without_a_key_nothing_is_paired_and_the_operator_is_told_how_to_make_one() {
    let case = pairable()[0];
    let database = database().await;
    let pool = database.pool().await;
    let keyless = start(&database, &case.source(""), vec![]).await;
    let (status, problem) = operate(&keyless, "sources/paired/pair", json!({})).await;
    assert_eq!(status, 400);
    assert!(problem["detail"].as_str().unwrap().contains("openssl rand -base64 32"), "{problem}");

    // Opened by a process that has a key: one that has none refuses what it could not keep.
    let keyed = gateway(&database, case).await;
    open(&keyed).await;
    assert_eq!(case.offer(ingest(&keyless), OFFERED).await.status, 401);
    assert_eq!(super::last_refusal(&keyless).await, "pairing_no_key");
    assert!(case.is_answered(&case.offer(ingest(&keyed), OFFERED).await, OFFERED), "the window was not used up");
    assert_eq!(crate::support::rows::count(&pool, "paired_secrets").await, 1);
    keyless.shutdown().await;
    keyed.shutdown().await;
}
