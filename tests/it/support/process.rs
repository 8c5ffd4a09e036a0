//! A gateway in a process of its own, to be killed and stopped: `examples/ledger.rs`.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use rustix::process::{Pid, Signal, kill_process};
use sqlx::PgPool;

use super::eventually::eventually;
use super::gateway::{SHORT_LEASE, toml};
use super::postgres::{TestDatabase, database, fresh_folder};
use super::work::{execute, number};

/// A database with the ledger's tables.
pub(crate) async fn database_with_ledger() -> (TestDatabase, PgPool) {
    let database = database().await;
    let pool = database.pool().await;
    execute(
        &pool,
        "create table ledger (payment text not null, amount bigint not null, attempt int not null);
         create table drill_reached (payment text not null, step text not null, attempt int not null);
         create table drill_gate (payment text not null, step text not null);",
    )
    .await;
    (database, pool)
}

/// A running ledger. Killed when dropped.
#[derive(Debug)]
pub(crate) struct Ledger {
    child: Child,
    folder: PathBuf,
    ingest: Option<SocketAddr>,
}

impl Ledger {
    /// Starts one and waits until it receives.
    pub(crate) fn start(database: &TestDatabase) -> Self {
        Self::start_with(database, r#"["ingest", "worker", "operator"]"#, &[])
    }

    /// One that only runs handlers.
    pub(crate) fn start_worker(database: &TestDatabase) -> Self {
        Self::start_with(database, r#"["worker"]"#, &[])
    }

    /// One with these roles and settings, as `HOOKGATE__SECTION__KEY`.
    pub(crate) fn start_with(database: &TestDatabase, roles: &str, settings: &[(&str, &str)]) -> Self {
        let folder = fresh_folder();
        let file = folder.join("hookgate.toml");
        std::fs::write(&file, toml(database, "")).expect("write the configuration");
        let mut child = Command::new(program())
            .arg(&file)
            .env("HOOKGATE__SERVER__ROLES", roles)
            .env("HOOKGATE__WORKER__LEASE", hookgate::config::show_duration(SHORT_LEASE))
            .envs(settings.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(folder.join("log")).expect("make the log"))
            .spawn()
            .expect("start the ledger");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("read its output");
        let ledger = Self { child, ingest: line.trim().strip_prefix("ready: ").and_then(|at| at.parse().ok()), folder };
        assert!(line.starts_with("ready"), "the ledger did not start: {}", ledger.log());
        ledger
    }

    /// What it logged so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).expect("read the log")
    }

    pub(crate) fn ingest(&self) -> SocketAddr {
        self.ingest.expect("this ledger receives")
    }

    /// SIGKILL, as the out-of-memory killer sends it.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
        self.child.wait().expect("its end");
    }

    /// SIGTERM, and waits for its end.
    pub(crate) fn terminate(&mut self) {
        self.signal(Signal::TERM);
        self.child.wait().expect("its end");
    }

    /// Waits until it died by itself.
    pub(crate) fn wait(&mut self) {
        self.child.wait().expect("its end");
    }

    /// Whether it died by itself.
    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().expect("its state").is_some()
    }

    /// SIGSTOP: it lives, and does nothing.
    pub(crate) fn stop(&self) {
        self.signal(Signal::STOP);
    }

    /// SIGCONT.
    pub(crate) fn go_on(&self) {
        self.signal(Signal::CONT);
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal).expect("signal the ledger");
    }
}

impl Drop for Ledger {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn program() -> &'static PathBuf {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| example("ledger"))
}

/// An example's program, built here, so that `cargo test --test it` never runs a stale one.
pub(crate) fn example(name: &str) -> PathBuf {
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--quiet", "--example", name, "--manifest-path"]);
    build.arg(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"));
    let built = build.output().expect("run cargo");
    assert!(built.status.success(), "the example does not build: {}", String::from_utf8_lossy(&built.stderr));
    let this = std::env::current_exe().expect("this program");
    // target/debug/deps/it-… → target/debug/examples/…
    this.parent().and_then(|deps| deps.parent()).expect("a target folder").join("examples").join(name)
}

/// Waits until the ledger reached a step of a payment, so many times.
pub(crate) async fn reached(pool: &PgPool, payment: &str, step: &str, times: i64) {
    let sql = format!("select count(*) from drill_reached where payment = '{payment}' and step = '{step}'");
    eventually(&format!("{payment} {step}"), times, async || number(pool, &sql).await).await;
}

/// Lets every run of a payment go on from a step.
pub(crate) async fn open_gate(pool: &PgPool, payment: &str, step: &str) {
    execute(pool, &format!("insert into drill_gate values ('{payment}', '{step}')")).await;
}

/// How often a payment was booked.
pub(crate) async fn booked(pool: &PgPool, payment: &str) -> i64 {
    number(pool, &format!("select count(*) from ledger where payment = '{payment}'")).await
}
