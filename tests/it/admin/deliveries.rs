//! Finding deliveries and looking into them.

use std::collections::HashSet;

use chrono::{TimeDelta, Utc};
use http::StatusCode;
use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::rows::{self, Delivery};
use super::{Api, ids};

#[tokio::test]
async fn each_filter_keeps_what_it_names() {
    let api = Api::open().await;
    let pool = &api.pool;
    let (stripe, github) = (rows::source(pool, "stripe").await, rows::source(pool, "github").await);
    let billing = rows::handler(pool, "billing", stripe).await;

    let unhandled = rows::delivery(pool, github).await;
    let done = Delivery { event_type: "invoice.voided", retention: "long", ..Delivery::default() };
    let done = done.insert(pool, stripe).await;
    rows::attempt(pool, done, billing, 1, "ok").await;
    let pending = Delivery { event_type: "customer_x", retention: "short", ..Delivery::default() };
    let pending = pending.insert(pool, stripe).await;
    rows::job(pool, pending, billing, 0, "waiting").await;
    rows::attempt(pool, pending, billing, 1, "failed").await;
    let dead = rows::delivery(pool, stripe).await;
    rows::dead(pool, dead, billing).await;
    let conflict = Delivery { conflict_with: Some(done), ..Delivery::default() }.insert(pool, stripe).await;
    let released = Delivery { conflict_with: Some(done), ..Delivery::default() }.insert(pool, stripe).await;
    rows::job(pool, released, billing, 0, "ready").await;

    let expect = async |query: &str, wanted: &[Uuid]| {
        let wanted: Vec<String> = wanted.iter().map(Uuid::to_string).collect();
        assert_eq!(api.ids(&format!("/api/v1/deliveries?{query}")).await, wanted, "{query}");
    };
    expect("", &[released, conflict, dead, pending, done, unhandled]).await;
    expect("state=unhandled", &[unhandled]).await;
    expect("state=done", &[done]).await;
    expect("state=pending", &[released, pending]).await;
    expect("state=dead", &[dead]).await;
    expect("state=conflict", &[conflict]).await;
    expect("source=github", &[unhandled]).await;
    expect("source=nowhere", &[]).await;
    expect("event=invoice.voided", &[done]).await;
    expect("event=invoice.*&source=stripe", &[released, conflict, dead, done]).await;
    expect("event=customer_*", &[pending]).await;
    expect("event=custome__x", &[]).await;
    expect("event=invoice", &[]).await;
    expect("event=invoice.*&state=done", &[done]).await;
    let both = [released, conflict].map(|id| id.to_string());
    assert_eq!(api.ids("/api/v1/conflicts").await, both);
    assert_eq!(api.read("/api/v1/dead").await["items"][0]["delivery"], dead.to_string());
}

#[tokio::test]
async fn a_delivery_is_found_by_our_id_and_by_the_providers() {
    let api = Api::open().await;
    let source = rows::source(&api.pool, "stripe").await;
    let first = Delivery { provider_id: Some("evt_1"), ..Delivery::default() }.insert(&api.pool, source).await;
    let other = Delivery { provider_id: Some("evt_1"), conflict_with: Some(first), ..Delivery::default() };
    let other = other.insert(&api.pool, source).await;
    rows::receipt(&api.pool, source, "evt_1", first).await;
    rows::conflict(&api.pool, source, "evt_1", other).await;
    let no_receipt = Delivery { provider_id: Some("evt_2"), ..Delivery::default() }.insert(&api.pool, source).await;

    let find = async |id: &str| api.ids(&format!("/api/v1/deliveries?id={id}")).await;
    assert_eq!(find(&first.to_string()).await, [first.to_string()]);
    assert_eq!(find("evt_1").await, [other.to_string(), first.to_string()]);
    assert_eq!(find("evt_2").await, [no_receipt.to_string()]);
    assert!(find("evt_3").await.is_empty());
    assert!(find(&Uuid::now_v7().to_string()).await.is_empty());
    let shown = api.read(&format!("/api/v1/deliveries/{first}")).await;
    assert_eq!(shown["conflicts"], json!([other.to_string()]));
}

#[tokio::test]
async fn times_and_ids_bound_a_search() {
    let api = Api::open().await;
    let source = rows::source(&api.pool, "stripe").await;
    let at = |minutes| Utc::now() - TimeDelta::minutes(minutes);
    let mut made = Vec::new();
    for minutes in [30, 20, 10] {
        let id = Uuid::from_u128(rows::first_id(at(minutes)).as_u128() | 7);
        made.push(Delivery { id, ..Delivery::default() }.insert(&api.pool, source).await.to_string());
    }
    let time = |minutes| at(minutes).to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
    let search = async |query: String| api.ids(&format!("/api/v1/deliveries?{query}")).await;
    assert_eq!(search(format!("after={}", time(15))).await, [made[2].clone()]);
    assert_eq!(search(format!("before={}", time(25))).await, [made[0].clone()]);
    assert_eq!(search(format!("after={}&before={}", time(25), time(15))).await, [made[1].clone()]);
    assert_eq!(search(format!("after={}&before={}", made[1], made[2])).await, [made[1].clone()]);
}

#[tokio::test]
async fn pages_show_every_delivery_once_while_new_ones_arrive() {
    let api = Api::open().await;
    let source = rows::source(&api.pool, "stripe").await;
    let mut old = HashSet::new();
    for n in 0..23 {
        let retention = ["short", "standard", "long"][n % 3];
        let id = Delivery { retention, ..Delivery::default() }.insert(&api.pool, source).await;
        old.insert(id.to_string());
    }
    for query in ["limit=5", "limit=5&source=stripe", "limit=5&state=unhandled"] {
        let mut seen = Vec::new();
        let mut next = String::new();
        loop {
            let page = api.read(&format!("/api/v1/deliveries?{query}&cursor={next}")).await;
            seen.extend(ids(&page));
            rows::delivery(&api.pool, source).await;
            match page["next"].as_str() {
                Some(cursor) => next = cursor.to_owned(),
                None => break,
            }
        }
        let once: HashSet<String> = seen.iter().cloned().collect();
        assert_eq!(once.len(), seen.len(), "{query}: none twice");
        assert!(old.is_subset(&once), "{query}: none missing");
        assert!(seen.is_sorted_by(|a, b| a > b), "{query}: newest first");
    }
}

#[tokio::test]
async fn a_rare_state_is_found_over_short_pages_that_each_examine_a_bounded_number() {
    let api = Api::open().await;
    let source = rows::source(&api.pool, "stripe").await;
    let billing = rows::handler(&api.pool, "billing", source).await;
    let first = rows::first_id(Utc::now() - TimeDelta::minutes(1));
    let oldest = Delivery { id: first, ..Delivery::default() }.insert(&api.pool, source).await;
    rows::dead(&api.pool, oldest, billing).await;
    sqlx::query(
        "insert into hookgate.deliveries
                (retention, id, source, received_at, method, target, headers, body, secret)
         select (array['short', 'standard', 'long'])[1 + n % 3],
                (left($1::text, 24) || lpad(to_hex(n), 12, '0'))::uuid, $2, now(), 'POST', '/', '', '', 0
           from generate_series(1, 12000) n",
    )
    .bind(first)
    .bind(source)
    .execute(&api.pool)
    .await
    .unwrap();

    let mut found = Vec::new();
    let mut pages = 0;
    let mut next = String::new();
    loop {
        let page = api.read(&format!("/api/v1/deliveries?state=dead&cursor={next}")).await;
        found.extend(ids(&page));
        pages += 1;
        match page["next"].as_str() {
            Some(cursor) => next = cursor.to_owned(),
            None => break,
        }
    }
    assert_eq!(found, [oldest.to_string()]);
    assert_eq!(pages, 3, "5,000 deliveries a page");
}

#[tokio::test]
async fn a_delivery_shows_its_work_and_hides_what_is_secret() {
    let api = Api::open().await;
    let pool = &api.pool;
    let source = rows::source(pool, "stripe").await;
    let [billing, mail, crm] = [
        rows::handler(pool, "billing", source).await,
        rows::handler(pool, "mail", source).await,
        rows::handler(pool, "crm", source).await,
    ];
    let lines = [
        ("stripe-signature", "t=1,v1=cafe"),
        ("authorization", "Basic Zm9v"),
        ("x-gitlab-token", "hunter2"),
        ("user-agent", "Stripe/1.0"),
        ("user-agent", "again"),
    ];
    let body = "{\"name\":\"Jürgen\"}";
    let id = Delivery {
        headers: rows::headers(&lines),
        target: "/in/stripe?token=hunter2&x=1",
        body: body.into(),
        ..Delivery::default()
    };
    let id = id.insert(pool, source).await;
    rows::attempt(pool, id, billing, 1, "failed").await;
    rows::attempt(pool, id, billing, 2, "ok").await;
    rows::job(pool, id, billing, 3, "running").await;
    rows::job(pool, id, mail, 0, "waiting").await;
    rows::dead(pool, id, crm).await;
    rows::copy(pool, id).await;
    rows::copy(pool, id).await;

    let answer = api.get(&format!("/api/v1/deliveries/{id}")).await;
    for secret in ["cafe", "Zm9v", "hunter2"] {
        assert!(!answer.text().contains(secret), "{secret}");
    }
    let shown = answer.json();
    assert_eq!(shown["target"], "/in/stripe?token=***&x=1");
    assert_eq!(shown["headers"][0], json!({ "name": "stripe-signature", "value": "***" }));
    assert_eq!(shown["headers"][4], json!({ "name": "user-agent", "value": "again" }));
    assert_eq!(shown["body"]["preview"], body);
    assert_eq!(shown["body"]["encoding"], "utf-8");
    assert_eq!(shown["body"]["sha256"], hex::encode(Sha256::digest(body)));
    assert_eq!((&shown["copies"], &shown["state"]), (&json!(2), &json!("dead")));
    assert_eq!(shown["received_again"].as_array().unwrap().len(), 2);
    assert!(shown["received_at"].as_str().unwrap().ends_with('Z'));

    let jobs: Vec<_> = shown["jobs"].as_array().unwrap().iter().collect();
    let brief: Vec<_> = jobs.iter().map(|j| (&j["handler"], &j["run"], &j["state"], &j["failures"])).collect();
    assert_eq!(
        brief,
        [
            (&json!("billing"), &json!(0), &json!("done"), &json!(1)),
            (&json!("billing"), &json!(3), &json!("running"), &json!(0)),
            (&json!("crm"), &json!(0), &json!("dead"), &json!(0)),
            (&json!("mail"), &json!(0), &json!("waiting"), &json!(0)),
        ]
    );
    assert_eq!((&jobs[2]["reason"], &jobs[2]["error"]), (&json!("exhausted"), &json!("connection refused")));
    let outcomes: Vec<_> = shown["attempts"].as_array().unwrap().iter().map(|a| &a["outcome"]).collect();
    assert_eq!(outcomes, ["ok", "failed"], "newest first");
    assert_eq!(api.read(&format!("/api/v1/deliveries/{id}/jobs")).await["items"], shown["jobs"]);
    assert_eq!(api.read(&format!("/api/v1/deliveries/{id}/attempts")).await["items"], shown["attempts"]);
}

#[tokio::test]
async fn a_body_comes_back_byte_for_byte_as_a_download() {
    let api = Api::open().await;
    let source = rows::source(&api.pool, "stripe").await;
    let bytes: Vec<u8> = (0..200_000u32).map(|n| (n * 7 + n / 256) as u8).collect();
    let id = Delivery { body: bytes.clone(), ..Delivery::default() }.insert(&api.pool, source).await;

    let answer = api.get(&format!("/api/v1/deliveries/{id}/body")).await;
    assert_eq!(answer.body, bytes);
    assert_eq!(answer.header("content-type"), "application/octet-stream");
    assert_eq!(answer.header("hookgate-content-type"), "application/json");
    assert_eq!(answer.header("x-content-type-options"), "nosniff");
    assert_eq!(answer.header("content-disposition"), format!("attachment; filename=\"{id}.bin\""));

    let shown = api.read(&format!("/api/v1/deliveries/{id}")).await["body"].clone();
    assert_eq!((&shown["size"], &shown["encoding"]), (&json!(200_000), &json!("base64")));
    assert_eq!(shown["truncated"], true);
}

#[tokio::test]
async fn a_preview_is_not_cut_inside_a_character() {
    let api = Api::open().await;
    let source = rows::source(&api.pool, "stripe").await;
    let text = format!("x{}", "é".repeat(40_000));
    let id = Delivery { body: text.clone().into(), ..Delivery::default() }.insert(&api.pool, source).await;
    let shown = api.read(&format!("/api/v1/deliveries/{id}")).await["body"].clone();
    let preview = shown["preview"].as_str().unwrap();
    assert_eq!(shown["encoding"], "utf-8");
    assert!(text.starts_with(preview) && preview.len() == 65_535, "{}", preview.len());
}

#[tokio::test]
async fn dead_jobs_are_paged_and_narrowed_to_a_handler() {
    let api = Api::open().await;
    let source = rows::source(&api.pool, "stripe").await;
    let billing = rows::handler(&api.pool, "billing", source).await;
    let mail = rows::handler(&api.pool, "mail", source).await;
    for _ in 0..5 {
        let id = rows::delivery(&api.pool, source).await;
        rows::dead(&api.pool, id, billing).await;
        rows::dead(&api.pool, id, mail).await;
    }
    let mut seen = HashSet::new();
    let mut next = String::new();
    loop {
        let page = api.read(&format!("/api/v1/dead?limit=3&cursor={next}")).await;
        for item in page["items"].as_array().unwrap() {
            assert!(seen.insert((item["delivery"].to_string(), item["handler"].to_string())), "none twice");
        }
        match page["next"].as_str() {
            Some(cursor) => next = cursor.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen.len(), 10);
    let mine = api.read("/api/v1/dead?handler=mail").await;
    assert_eq!(mine["items"].as_array().unwrap().len(), 5);
}

#[tokio::test]
async fn a_request_that_can_t_be_understood_is_told_what_to_change() {
    let api = Api::open().await;
    for (target, part) in [
        ("/api/v1/deliveries?sate=dead", "'sate'"),
        ("/api/v1/deliveries?state=sad", "unhandled, filtered, conflict, pending, dead, done"),
        ("/api/v1/deliveries?limit=1000", "200"),
        ("/api/v1/deliveries?after=yesterday", "RFC 3339"),
        ("/api/v1/deliveries?cursor=abc", "next"),
        ("/api/v1/deliveries/evt_1", "id="),
        ("/api/v1/workers?limit=3", "'limit'"),
    ] {
        let answer = api.get(target).await;
        assert_eq!((answer.status, answer.problem().as_str()), (StatusCode::BAD_REQUEST, "invalid-request"));
        assert!(answer.json()["detail"].as_str().unwrap().contains(part), "{target}: {}", answer.text());
    }
    let unknown = Uuid::now_v7();
    for part in ["", "/body", "/jobs", "/attempts"] {
        let answer = api.get(&format!("/api/v1/deliveries/{unknown}{part}")).await;
        assert_eq!((answer.status, answer.problem().as_str()), (StatusCode::NOT_FOUND, "not-found"));
    }
    let answer = api.get(&format!("/api/v1/deliveries/{unknown}/replay")).await;
    assert_eq!((answer.status, answer.problem().as_str()), (StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed"));
    assert_eq!(answer.header("allow"), "POST");
}
