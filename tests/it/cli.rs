//! The command line as a person and a script use it: the real binary, its output, its exit codes.

mod explain;

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output};

use hookgate::{Context, HandlerError, Raw, Running, on};
use serde_json::Value;
use tempfile::TempDir;

use super::support::gateway::{self, GITHUB_SECRET};
use super::support::postgres::{TestDatabase, Watchdog, database, fresh_folder};

/// The binary in a folder of its own, with nothing of the developer's environment that could change its answer.
fn hookgate(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookgate"));
    command.current_dir(folder).env_remove("HOOKGATE_CONFIG").env_remove("HOOKGATE_TOKEN");
    command
}

fn run(folder: &Path, line: &str) -> Output {
    hookgate(folder).args(line.split_whitespace()).output().expect("the binary runs")
}

fn code(output: &Output) -> i32 {
    output.status.code().expect("ended by itself")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What `--json` promises: standard output is one JSON value.
fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", out(output), err(output)))
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

#[test]
fn a_source_made_by_init_passes_check_with_the_secret_init_wrote() {
    let folder = folder();
    for provider in ["github", "standard-webhooks", "hmac"] {
        let made = run(folder.path(), &format!("init {provider} --json"));
        assert_eq!(code(&made), 0, "{}", err(&made));
        assert_eq!(json(&made)["url"], format!("http://127.0.0.1:8080/in/{provider}"));
    }
    let env = std::fs::read_to_string(folder.path().join(".env")).expect(".env");
    let variables = env.lines().filter_map(|line| line.split_once('='));
    let checked = hookgate(folder.path()).args(["check", "--json"]).envs(variables).output().expect("runs");
    assert_eq!(code(&checked), 0, "{}", out(&checked));
    assert_eq!(json(&checked)["config"]["source"]["github"]["provider"], "github");
    for (_, secret) in env.lines().filter_map(|line| line.split_once('=')) {
        assert!(!out(&checked).contains(secret), "check shows a secret");
    }
}

#[test]
fn what_only_the_provider_knows_is_left_blank_and_refused_until_it_is_filled_in() {
    let folder = folder();
    assert_eq!(code(&run(folder.path(), "init stripe")), 0);
    let checked = hookgate(folder.path()).arg("check").env("STRIPE_SECRET", "").output().expect("runs");
    assert_eq!(code(&checked), 1);
    assert!(err(&checked).contains("STRIPE_SECRET"), "{}", err(&checked));
}

#[test]
fn init_refuses_to_touch_a_source_that_is_there() {
    let folder = folder();
    assert_eq!(code(&run(folder.path(), "init github")), 0);
    let read = || ["hookgate.toml", ".env"].map(|file| std::fs::read(folder.path().join(file)).expect("there"));
    let before = read();
    let again = run(folder.path(), "init github");
    assert_eq!(code(&again), 1);
    assert!(err(&again).contains("[source.github]") && err(&again).contains("--name"), "{}", err(&again));
    assert_eq!(read(), before, "nothing was written");
    assert_eq!(code(&run(folder.path(), "init github --name github-two")), 0);
}

#[test]
fn check_refuses_a_contradiction_and_names_both_settings() {
    let folder = folder();
    std::fs::write(folder.path().join("x.toml"), "[worker]\nheartbeat = \"30s\"\nlease = \"20s\"\n").expect("written");
    let checked = run(folder.path(), "check --config x.toml --json");
    assert_eq!(code(&checked), 1, "{}", out(&checked));
    let problems = json(&checked)["problems"].to_string();
    assert!(problems.contains("worker.heartbeat") && problems.contains("worker.lease"), "{problems}");
}

#[test]
fn a_wrong_command_line_ends_with_2_and_nobody_at_home_with_3() {
    let folder = folder();
    assert_eq!(code(&run(folder.path(), "check --sternly")), 2);
    assert_eq!(code(&run(folder.path(), "--help")), 0);
    let closed = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr()).expect("a port");
    let nobody = run(folder.path(), &format!("deliveries list --api http://{closed}"));
    assert_eq!(code(&nobody), 3);
    assert!(err(&nobody).contains("hookgate dev") && nobody.stdout.is_empty(), "{}", err(&nobody));
}

async fn archive(_: Raw, _: &mut Context) -> Result<(), HandlerError> {
    Ok(())
}

async fn refuse(_: Raw, _: &mut Context) -> Result<(), HandlerError> {
    Err(HandlerError::because("always").permanent())
}

/// A gateway in this process, and a folder whose configuration leads the binary to it.
struct Served {
    folder: TempDir,
    running: Running,
}

impl Served {
    async fn start(database: &TestDatabase, more: &str) -> Self {
        let handlers = vec![
            on("github", &["push"]).name("archive").run(archive),
            on("github", &["issues.*"]).name("refuse").run(refuse),
        ];
        let running = gateway::start(database, more, handlers).await;
        let address = |address: Option<SocketAddr>| address.expect("listens");
        let toml = format!(
            "[server]\ningest = \"{}\"\noperator = \"{}\"\n[source.github]\nprovider = \"github\"\nsecrets = [{GITHUB_SECRET:?}]\n",
            address(running.ingest_addr()),
            address(running.operator_addr()),
        );
        let folder = folder();
        std::fs::write(folder.path().join("hookgate.toml"), toml).expect("written");
        Self { folder, running }
    }

    async fn run(&self, line: &str) -> Output {
        self.run_with(line, &[]).await
    }

    /// Off the runtime's threads: the gateway must go on while the binary waits for it.
    async fn run_with(&self, line: &str, env: &[(&'static str, &'static str)]) -> Output {
        let mut command = hookgate(self.folder.path());
        command.args(line.split_whitespace()).envs(env.iter().copied());
        tokio::task::spawn_blocking(move || command.output()).await.expect("joined").expect("the binary runs")
    }

    /// Asks until the delivery is in this state.
    async fn until(&self, id: &str, state: &str) -> Value {
        let deadline = tokio::time::Instant::now() + std::time::Duration::from_secs(20);
        loop {
            let shown = json(&self.run(&format!("deliveries show {id} --json")).await);
            if shown["state"] == state {
                return shown;
            }
            assert!(tokio::time::Instant::now() < deadline, "{id} is {} and not {state}", shown["state"]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_send_sends_is_listed_shown_and_its_body_comes_back_byte_for_byte() {
    let database = database().await;
    let served = Served::start(&database, "").await;
    let data = served.folder.path().join("data.json");
    std::fs::write(&data, b"{\"ref\": \"refs/heads/main\",\r\n \"n\": 1e2}").expect("written");

    let sent = served.run("send github push --data data.json --json").await;
    assert_eq!(code(&sent), 0, "{}{}", out(&sent), err(&sent));
    let id = json(&sent)["sent"][0]["delivery"].as_str().expect("an id").to_owned();
    let shown = served.until(&id, "done").await;
    assert_eq!((&shown["jobs"][0]["handler"], &shown["attempts"][0]["outcome"]), (&"archive".into(), &"ok".into()));

    let listed = json(&served.run("deliveries list --source github --state done --json").await);
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed["items"][0]["id"], id);
    let body = served.run(&format!("deliveries body {id}")).await;
    assert_eq!(body.stdout, std::fs::read(&data).expect("readable"));
    served.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn copies_are_told_from_deliveries_and_forgeries_are_refused() {
    let database = database().await;
    let served = Served::start(&database, "").await;

    let copies = served.run("send github push --times 3 --same-id --json").await;
    assert_eq!(code(&copies), 0, "{}{}", out(&copies), err(&copies));
    let words: Vec<String> = json(&copies)["sent"]
        .as_array()
        .expect("three")
        .iter()
        .map(|one| {
            serde_json::from_str::<Value>(one["body"].as_str().expect("a body")).expect("JSON")["status"].to_string()
        })
        .collect();
    assert_eq!(words, ["\"accepted\"", "\"duplicate\"", "\"duplicate\""]);

    let forged = served.run("send github push --tamper --times 2 --json").await;
    assert_eq!(code(&forged), 0, "all refused is what was asked for: {}", out(&forged));
    assert!(json(&forged)["sent"].as_array().expect("two").iter().all(|one| one["status"] == 401));
    let listed = json(&served.run("deliveries list --all --json").await);
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1), "copies and forgeries are no deliveries");
    served.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replay_redrives_what_is_dead_and_leaves_alone_what_is_done() {
    let database = database().await;
    let served = Served::start(&database, "").await;
    let sent = |output: &Output| json(output)["sent"][0]["delivery"].as_str().expect("an id").to_owned();
    let dead = sent(&served.run("send github issues.opened --json").await);
    let done = sent(&served.run("send github push --json").await);
    served.until(&dead, "dead").await;
    served.until(&done, "done").await;

    assert_eq!(json(&served.run(&format!("replay {dead} --json")).await)["redriven"], serde_json::json!(["refuse"]));
    let left = json(&served.run(&format!("replay {done} --handler archive --json")).await);
    assert_eq!(left["skipped"][0]["handler"], "archive");
    let forced = json(&served.run(&format!("replay {done} --handler archive --force --json")).await);
    assert_eq!(forced["queued"], serde_json::json!(["archive"]));

    let unknown = served.run("replay 01998f6e-7a11-7c3e-9d0b-2f4c1a7be502").await;
    assert_eq!(code(&unknown), 5, "{}", err(&unknown));
    served.running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_token_that_may_do_it_the_exit_code_is_4() {
    let database = database().await;
    let tokens =
        "[[operator.token]]\nname = \"eyes\"\nrole = \"read\"\nsecret = { literal = \"only-looking-around\" }\n";
    let served = Served::start(&database, tokens).await;
    let anonymous = served.run("deliveries list").await;
    assert_eq!(code(&anonymous), 4);
    assert!(err(&anonymous).contains("HOOKGATE_TOKEN"), "{}", err(&anonymous));

    let token = [("HOOKGATE_TOKEN", "only-looking-around")];
    assert_eq!(code(&served.run_with("deliveries list", &token).await), 0);
    let replay = served.run_with("replay 01998f6e-7a11-7c3e-9d0b-2f4c1a7be502", &token).await;
    assert_eq!(code(&replay), 4, "a reader may not replay: {}", err(&replay));
    served.running.shutdown().await;
}

#[test]
fn the_demo_happens_as_told_twice_on_the_same_data() {
    let folder = fresh_folder();
    let _watchdog = Watchdog::over(&folder);
    for time in ["first", "second"] {
        let demo = run(&folder, "dev --demo --exit --json");
        assert_eq!(code(&demo), 0, "{time}: {}{}", out(&demo), err(&demo));
        let told = json(&demo);
        assert_eq!(told["differences"], serde_json::json!([]), "{time}");
        let senders = ["github", "partner", "shopify", "slack", "standard-webhooks", "stripe"];
        let sent = told["sent"].as_array().map(Vec::len);
        assert_eq!(sent, Some(senders.len() + 2), "{time}: one each, and a copy and a forgery besides");
    }
}
