//! T1's budget: what one delivery for one handler costs the database. Counted, so that an index or a row that somebody
//! adds on the way is noticed here and not in production.

use hookgate::{Order, on};
use sqlx::{AssertSqlSafe, PgPool};

use crate::support::eventually::eventually;
use crate::support::gateway::{Signed, start, start_receiving};
use crate::support::postgres::server_of_its_own;
use crate::support::witness::witness;

const TUPLES: i64 = 4;
const INDEX_ENTRIES: i64 = 6;
/// A trial had 2.3 kB; a whole page image a delivery, or a second copy of the body, is far beyond this.
const WAL_BYTES: i64 = 4096;

/// What was written to the tables of our schema and to the out-of-line parts of their rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Written {
    tuples: i64,
    index_entries: i64,
}

impl Written {
    async fn so_far(pool: &PgPool) -> Self {
        let tables: Vec<(String, i64, i64)> = sqlx::query_as(
            "select format('%I.%I', schemaname, relname), n_tup_ins + n_tup_upd, n_tup_upd - n_tup_hot_upd
               from pg_stat_all_tables
              where n_tup_ins + n_tup_upd > 0
                and relid in (select unnest(array[oid, reltoastrelid]) from pg_class
                               where relnamespace = 'hookgate'::regnamespace)",
        )
        .fetch_all(pool)
        .await
        .expect("read the statistics");
        let mut written = Self { tuples: 0, index_entries: 0 };
        for (table, tuples, moved) in tables {
            written.tuples += tuples;
            written.index_entries += index_entries(pool, &table, moved).await;
        }
        written
    }
}

/// The entries that all indexes of a table have got: one for each row that an index's predicate lets in, and one more
/// for each update that was not heap-only. Nothing is deleted here.
async fn index_entries(pool: &PgPool, table: &str, moved: i64) -> i64 {
    let predicates: Vec<Option<String>> =
        sqlx::query_scalar("select pg_get_expr(indpred, indrelid) from pg_index where indrelid = $1::regclass")
            .bind(table)
            .fetch_all(pool)
            .await
            .expect("list the indexes");
    let mut entries = moved * predicates.len() as i64;
    for predicate in predicates {
        let sql = format!("select count(*) from {table} where {}", predicate.as_deref().unwrap_or("true"));
        entries += sqlx::query_scalar::<_, i64>(AssertSqlSafe(sql)).fetch_one(pool).await.expect("count rows");
    }
    entries
}

async fn wal(pool: &PgPool) -> i64 {
    let sql = "select (pg_current_wal_insert_lsn() - '0/0')::bigint";
    sqlx::query_scalar(sql).fetch_one(pool).await.expect("read the WAL's position")
}

/// A session's statistics are complete once it is gone.
async fn sessions_ended(pool: &PgPool) {
    eventually("the gateway's sessions end", 0i64, async || {
        let sql = "select count(*) from pg_stat_activity where application_name like 'hookgate %'";
        sqlx::query_scalar(sql).fetch_one(pool).await.expect("read the sessions")
    })
    .await;
}

/// 2 kB of JSON about one of many invoices; it compresses two or three to one, as recorded ones do.
fn document(event: usize, invoice: usize) -> Signed {
    let mut seed = event as u64 + 1;
    let mut next = || {
        // A linear congruential generator: bodies must differ, and need no more.
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        seed >> 16
    };
    let lines: Vec<_> = (0..11)
        .map(|line| {
            serde_json::json!({
                "id": format!("il_{:012x}", next()), "object": "line_item", "amount": next() % 100_000,
                "currency": "eur", "description": format!("Seat {line}"), "price": format!("price_{:012x}", next()),
                "period": {"start": next() % 1_000_000, "end": next() % 1_000_000},
            })
        })
        .collect();
    let body = serde_json::json!({
        "id": format!("evt_{event}"), "object": "event", "type": "invoice.paid", "created": 1_700_000_000 + event,
        "data": {"object": {"id": format!("in_{invoice}"), "object": "invoice", "lines": lines}},
    });
    let body = body.to_string();
    assert!((1_900..2_300).contains(&body.len()), "{} bytes are no 2 kB", body.len());
    Signed::stripe(body)
}

/// What a delivery costs, sent one by one so that none shares a commit; `known` ones find their lanes there.
async fn cost(order: Order, known: bool) -> (Written, i64) {
    const SENT: usize = 50;
    let (server, watchdog, database) = server_of_its_own().await;
    let pool = database.pool().await;
    // The handler is declared and nobody runs it: only T1 writes.
    let (handler, _) = witness(on("stripe", &["*"]).name("bill").order(order));
    start(&database, "", vec![handler]).await.shutdown().await;
    let gateway = start_receiving(&database, "").await;
    for n in 0..SENT {
        let invoice = if known { n } else { SENT + n };
        document(n, invoice).send(gateway.ingest_addr().expect("an address")).await;
    }
    gateway.shutdown().await;
    sessions_ended(&pool).await;
    let before = Written::so_far(&pool).await;

    let gateway = start_receiving(&database, "").await;
    let wal_before = wal(&pool).await;
    for n in 0..SENT {
        let answer = document(SENT + n, n).send(gateway.ingest_addr().expect("an address")).await;
        assert_eq!(answer.outcome(), "accepted");
    }
    let wal_bytes = wal(&pool).await - wal_before;
    gateway.shutdown().await;
    sessions_ended(&pool).await;

    let after = Written::so_far(&pool).await;
    pool.close().await;
    server.stop().await.expect("stop Postgres");
    drop(watchdog);
    let each = |before: i64, after: i64| {
        assert_eq!((after - before) % SENT as i64, 0, "{before} … {after}: not each delivery costs the same");
        (after - before) / SENT as i64
    };
    let written = Written {
        tuples: each(before.tuples, after.tuples),
        index_entries: each(before.index_entries, after.index_entries),
    };
    (written, wal_bytes / SENT as i64)
}

#[tokio::test]
async fn one_delivery_for_one_handler_costs_at_most_four_tuples_and_six_index_entries() {
    let cases = [
        ("unordered", Order::None, false, Written { tuples: 3, index_entries: 4 }),
        ("ordered, a new lane", Order::Lane, false, Written { tuples: 4, index_entries: 6 }),
        // The lane's row is updated in place: its indexes are left alone.
        ("ordered, a known lane", Order::Lane, true, Written { tuples: 4, index_entries: 4 }),
    ];
    for (case, order, known, expected) in cases {
        let (written, wal_bytes) = cost(order, known).await;
        println!("{case}: {written:?}, {wal_bytes} bytes of WAL for 2 kB of JSON");
        assert!(expected.tuples <= TUPLES && expected.index_entries <= INDEX_ENTRIES);
        assert_eq!(written, expected, "{case}");
        assert!(wal_bytes < WAL_BYTES, "{case}: {wal_bytes} bytes of WAL");
    }
}
