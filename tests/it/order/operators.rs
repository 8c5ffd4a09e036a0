//! What an operator does to a lane, through the API and the command line.

use std::process::Command;
use std::time::Duration;

use hookgate::{HandlerError, OnFailure, Order};
use serde_json::{Value, json};

use super::{Scene, outcomes};
use crate::support::eventually::eventually;
use crate::support::gateway::client;
use crate::support::work::{attempts, deaths, execute, jobs, number, unfinished};

const FIVE_MINUTES: Duration = Duration::from_secs(300);

async fn lanes_scene() -> Scene {
    Scene::new(|handler| handler.order(Order::Lane)).await
}

#[tokio::test]
async fn a_paused_lane_finishes_what_runs_takes_what_comes_and_starts_nothing_until_resumed() {
    let mut scene = lanes_scene().await;
    scene.send("evt_1", "hot", 1).await;
    let running = scene.calls.next().await;
    let second = scene.send("evt_2", "hot", 2).await;
    let paused = scene.act("pause").await;
    assert_eq!(
        (paused["lane"]["state"].as_str(), &paused["lane"]["pausing"]),
        (Some("claimed"), &json!(true)),
        "{paused}"
    );
    running.succeed();
    scene.lane_is("paused", 1).await;
    assert_eq!(
        attempts(&scene.pool).await,
        crate::support::work::tried(&["ok"]),
        "the running one ended as it would have"
    );
    let third = scene.send("evt_3", "hot", 3).await;
    scene.lane_is("paused", 2).await;
    assert!(!scene.calls.has_more());
    assert_eq!(scene.read("lanes?state=paused").await["items"][0]["pending"], 2);

    // Both are claimed at once. Paused again, the second of them does not follow the first.
    scene.act("resume").await;
    let call = scene.calls.next().await;
    assert_eq!(call.delivery, second);
    scene.act("pause").await;
    call.succeed();
    scene.lane_is("paused", 1).await;
    assert!(!scene.calls.has_more());
    scene.act("resume").await;
    let call = scene.calls.next().await;
    assert_eq!(call.delivery, third);
    call.succeed();
    scene.all_done().await;
}

#[tokio::test]
async fn a_pause_outlives_a_rescue_a_redelivery_and_a_recount() {
    let mut scene = lanes_scene().await;
    let first = scene.send("evt_1", "hot", 1).await;
    scene.calls.next().await.end(HandlerError::because("hopeless").permanent());
    eventually("it is dead", 1, async || deaths(&scene.pool).await.len()).await;
    scene.send("evt_2", "hot", 2).await;
    let _lost = scene.calls.next().await;
    scene.act("pause").await;
    // Its worker falls silent: one that never was.
    execute(&scene.pool, "update hookgate.lanes set worker = '00000000-0000-4000-8000-000000000001'").await;
    scene.lane_is("paused", 1).await;
    scene.send("evt_1", "hot", 1).await;
    scene.lane_is("paused", 2).await;
    scene.post(&format!("deliveries/{first}/replay"), json!({})).await;
    scene.lane_is("paused", 2).await;
    assert!(!scene.calls.has_more());
    scene.act("resume").await;
    let next = scene.calls.next().await;
    assert_eq!(next.delivery, first, "at its place");
    // Resumed before what runs has ended: as if it had never been asked for.
    scene.act("pause").await;
    let resumed = scene.act("resume").await;
    assert_eq!(resumed["lane"]["pausing"], false, "{resumed}");
    next.succeed();
    scene.calls.next().await.succeed();
    scene.all_done().await;
}

#[tokio::test]
async fn an_idle_lane_can_be_paused_before_anything_comes() {
    let mut scene = lanes_scene().await;
    scene.send("evt_1", "hot", 1).await;
    scene.calls.next().await.succeed();
    scene.lane_is("idle", 0).await;
    assert_eq!(scene.act("pause").await["lane"]["state"], "paused");
    assert_eq!(scene.act("pause").await["lane"]["state"], "paused", "asked for twice");
    scene.send("evt_2", "hot", 2).await;
    scene.lane_is("paused", 1).await;
    assert!(!scene.calls.has_more());
    scene.act("resume").await;
    scene.calls.next().await.succeed();
    scene.all_done().await;
}

#[tokio::test]
async fn a_skipped_head_is_among_the_dead_and_its_lane_goes_on_without_it() {
    for on_failure in [OnFailure::Block, OnFailure::Halt] {
        let mut scene = Scene::new(|handler| handler.order(Order::Lane).on_failure(on_failure)).await;
        let first = scene.send("evt_1", "hot", 1).await;
        let head = scene.calls.next().await;
        let (status, refused) = scene.post(&format!("lanes/{}/skip", scene.lane().await), json!({})).await;
        assert_eq!((status, refused["type"].as_str()), (409, Some("urn:hookgate:problem:conflict")), "{refused}");
        let second = scene.send("evt_2", "hot", 2).await;
        head.end(HandlerError::because("later").retry_after(FIVE_MINUTES));
        let state = if on_failure == OnFailure::Halt { "halted" } else { "ready" };
        scene.lane_is(state, 2).await;
        let shown = if on_failure == OnFailure::Halt { "halted" } else { "blocked" };
        let listed = scene.read(&format!("lanes?state={shown}")).await;
        assert_eq!(listed["items"][0]["head"]["delivery"], first.to_string(), "{listed}");

        assert_eq!(scene.act("skip").await["left"], 1);
        let next = scene.calls.next().await;
        assert_eq!(next.delivery, second, "{on_failure:?}");
        next.succeed();
        scene.lane_is("idle", 0).await;
        assert_eq!(deaths(&scene.pool).await, ["cancelled"]);
        assert_eq!(scene.read("lanes").await["items"][0]["gaps"], 1, "the gap is in sight though the lane is idle");
        // Redriven, it runs next, and says that others are done.
        scene.post(&format!("deliveries/{first}/replay"), json!({})).await;
        scene.calls.next().await.succeed();
        eventually("it is told", vec!["failed".to_owned(), "ok!".to_owned()], async || {
            outcomes(&scene.pool, first).await
        })
        .await;
        let audited = number(&scene.pool, "select count(*) from hookgate.audit where action = 'lane.skip'").await;
        assert_eq!(audited, 1, "what was refused is no line");
        scene.all_done().await;
    }
}

#[tokio::test]
async fn cancelling_a_lane_puts_what_is_queued_among_the_dead_and_leaves_what_runs() {
    let mut scene = lanes_scene().await;
    let running_one = scene.send("evt_0", "hot", 0).await;
    let running = scene.calls.next().await;
    let mut queued = Vec::new();
    for n in 1..=3 {
        queued.push(scene.send(&format!("evt_{n}"), "hot", n).await);
    }
    scene.send("evt_other", "other", 1).await;
    let other = scene.calls.next().await;
    let listed = scene.read("lanes?key=hot").await;
    let id = listed["items"][0]["id"].as_str().unwrap().to_owned();
    let (status, done) = scene.post(&format!("lanes/{id}/cancel"), json!({})).await;
    assert_eq!((status, &done["left"], &done["lane"]["pending"]), (200, &json!(3), &json!(1)), "{done}");
    assert_eq!(deaths(&scene.pool).await, ["cancelled", "cancelled", "cancelled"]);
    running.succeed();
    other.succeed();
    eventually("no unfinished job", 0, async || unfinished(&scene.pool).await).await;
    assert_eq!(outcomes(&scene.pool, running_one).await, ["ok"]);
    assert!(!scene.calls.has_more());
    for delivery in &queued {
        scene.post(&format!("deliveries/{delivery}/replay"), json!({})).await;
        let call = scene.calls.next().await;
        assert_eq!(call.delivery, *delivery);
        call.succeed();
    }
    scene.all_done().await;
}

#[tokio::test]
async fn an_unknown_lane_state_or_act_is_told_apart_and_readers_may_not_act() {
    let (handler, calls) =
        crate::support::puppet::puppet(hookgate::on("stripe", &["*"]).name("ordered").order(Order::Lane));
    let token = "[[operator.token]]\nname = \"eye\"\nrole = \"read\"\nsecret = { literal = \"only-looks-at-all-of-it\" }\n\
                 [[operator.token]]\nname = \"hand\"\nrole = \"operate\"\nsecret = { literal = \"and-touches-it-as-well\" }\n";
    let scene = Scene::with(handler, calls, token).await;
    let base = format!("http://{}/api/v1/lanes", scene.gateway.operator_addr().unwrap());
    let unknown = "0".repeat(32);
    let get = async |path: &str| {
        let answer = client().get(format!("{base}{path}")).bearer_auth("only-looks-at-all-of-it").send().await.unwrap();
        answer.status().as_u16()
    };
    let post = async |path: &str, secret: &str, body: Value| {
        let answer = client().post(format!("{base}{path}")).bearer_auth(secret).json(&body).send().await.unwrap();
        answer.status().as_u16()
    };
    assert_eq!((get("").await, get("?state=stuck").await, get("?colour=red").await), (200, 400, 400));
    assert_eq!((get(&format!("/{unknown}")).await, get("/xyz").await), (404, 400));
    let pause = format!("/{unknown}/pause");
    assert_eq!(post(&pause, "only-looks-at-all-of-it", json!({})).await, 403);
    assert_eq!(post(&pause, "and-touches-it-as-well", json!({})).await, 404);
    assert_eq!(post(&pause, "and-touches-it-as-well", json!({"for": "1h"})).await, 400);
    assert_eq!(post(&format!("/{unknown}/explode"), "and-touches-it-as-well", json!({})).await, 404);
    scene.gateway.shutdown().await;
}

#[tokio::test]
async fn a_search_examines_so_many_lanes_a_page_and_goes_on_from_there() {
    let mut scene = lanes_scene().await;
    scene.send("evt_1", "hot", 1).await;
    scene.calls.next().await.succeed();
    scene.lane_is("idle", 0).await;
    // Twelve thousand idle ones, and one at the end of the keys that is paused.
    execute(
        &scene.pool,
        "insert into hookgate.lanes (lane, subscription, label, state, class, pending, next_seq, due)
         select decode(lpad(to_hex(n), 32, '0'), 'hex'), u.id, n::text, case n when 12000 then 'paused' else 'idle' end,
                0, 0, 1, now()
           from generate_series(1, 12000) n cross join (select id from hookgate.subscriptions limit 1) u",
    )
    .await;
    let (mut pages, mut found, mut cursor) = (0, Vec::new(), String::new());
    loop {
        let page = scene.read(&format!("lanes?key=12000&cursor={cursor}")).await;
        pages += 1;
        found.extend(page["items"].as_array().unwrap().clone());
        match page["next"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!((pages, found.len()), (3, 1));
    assert_eq!(scene.read("lanes?state=paused").await["items"].as_array().unwrap().len(), 1, "found without a walk");
    let (mut idle, mut cursor) = (0, String::new());
    loop {
        let page = scene.read(&format!("lanes?state=idle&limit=200&cursor={cursor}")).await;
        idle += page["items"].as_array().unwrap().len();
        match page["next"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(idle, 12_000, "every one once");
    scene.gateway.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_line_lists_shows_and_moves_a_lane() {
    let mut scene = Scene::new(|handler| handler.order(Order::Lane).on_failure(OnFailure::Halt)).await;
    let first = scene.send("evt_1", "hot", 1).await;
    let head = scene.calls.next().await;
    scene.send("evt_2", "hot", 2).await;
    head.fail();
    scene.lane_is("halted", 2).await;
    let api = format!("http://{}", scene.gateway.operator_addr().unwrap());
    let run = |line: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hookgate"));
        command.env_remove("HOOKGATE_CONFIG").env_remove("HOOKGATE_TOKEN").args(line.split_whitespace());
        let output = command.args(["--api", &api]).output().expect("the binary runs");
        (output.status.code().unwrap(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let (code, listed) = run("lanes list --state halted --json");
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!((code, &listed["items"][0]["key"]), (0, &json!("hot")), "{listed}");
    let id = listed["items"][0]["id"].as_str().unwrap();
    let (code, shown) = run(&format!("lanes show {id}"));
    assert!(code == 0 && shown.contains(&first.to_string()) && shown.contains("halted"), "{shown}");
    let (code, skipped) = run(&format!("lanes skip {id}"));
    assert!(code == 0 && skipped.contains("among the dead"), "{skipped}");
    let running = scene.calls.next().await;
    let (code, paused) = run(&format!("lanes pause {id}"));
    assert!(code == 0 && paused.contains("paused when what runs ends"), "{paused}");
    running.succeed();
    scene.lane_is("paused", 0).await;
    let (code, resumed) = run(&format!("lanes resume {id}"));
    assert!(code == 0 && resumed.contains("is idle"), "{resumed}");
    let (code, cancelled) = run(&format!("lanes cancel {id}"));
    assert!(code == 0 && cancelled.contains("0 jobs"), "{cancelled}");
    assert_ne!(run("lanes show 00000000000000000000000000000000").0, 0);
    assert!(jobs(&scene.pool).await.is_empty());
    scene.all_done().await;
}
