//! Postgres for the tests: one cluster a test process, one database a test.
//!
//! The cluster is the gateway's own embedded one, without fsync, in a temporary folder. A watchdog
//! shell ends it when this process is gone, however it went: the shell waits for the end of a pipe
//! whose other end only this process holds.

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use hookgate::Gateway;
use hookgate::config::{Config, Mode};
use hookgate::embedded::{Embedded, Options};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions, Executor, PgPool};

const TEMPLATE: &str = "hookgate_template";

/// A migrated database of its own for one test. It goes with the cluster.
#[derive(Debug, Clone)]
pub(crate) struct TestDatabase {
    name: String,
    options: PgConnectOptions,
}

impl TestDatabase {
    /// A database that was made elsewhere.
    #[allow(dead_code, reason = "the soak has a server of its own")]
    pub(crate) fn at(name: &str, options: PgConnectOptions) -> Self {
        Self { name: name.to_owned(), options }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn options(&self) -> PgConnectOptions {
        self.options.clone()
    }

    /// As a gateway's `database.url` wants it.
    pub(crate) fn url(&self) -> String {
        // The socket folder is a path: in the host part of a URL its slashes must be escaped.
        let socket = self.options.get_socket().expect("a Unix socket");
        let host = socket.to_string_lossy().replace('/', "%2F");
        let (user, port) = (self.options.get_username(), self.options.get_port());
        format!("postgres://{user}@{host}:{port}/{}?sslmode=disable", self.name)
    }

    /// The same database behind another socket folder.
    pub(crate) fn through(&self, socket: &Path) -> Self {
        Self { name: self.name.clone(), options: self.options.clone().socket(socket) }
    }

    /// A small pool bound to the calling test's runtime.
    pub(crate) async fn pool(&self) -> PgPool {
        let pool = PgPoolOptions::new().max_connections(8);
        pool.connect_with(self.options()).await.expect("connect to the test's database")
    }
}

/// Makes a database from the migrated template.
pub(crate) async fn database() -> TestDatabase {
    let cluster = cluster();
    let name = format!("test_{}", uuid::Uuid::now_v7().simple());
    execute(&cluster.options, &format!("create database {name} template {TEMPLATE}")).await;
    TestDatabase { options: cluster.options.clone().database(&name), name }
}

/// A server and a migrated database that no other test touches, for what is counted over the whole server.
pub(crate) async fn server_of_its_own() -> (Embedded, Watchdog, TestDatabase) {
    let folder = fresh_folder();
    let watchdog = Watchdog::over(&folder);
    let server = Embedded::start(&Options::new(&folder)).await.expect("start Postgres");
    let options = server.connect_options();
    migrate(&options).await;
    let name = options.get_database().expect("a database").to_owned();
    (server, watchdog, TestDatabase { options, name })
}

/// Gives the template its schema, as `hookgate migrate` would.
async fn migrate(options: &PgConnectOptions) {
    let name = options.get_database().expect("a database").to_owned();
    let template = TestDatabase { options: options.clone(), name };
    let toml = format!("[database]\nurl = {:?}\n", template.url());
    let config = Config::from_toml(&toml, &BTreeMap::new(), Mode::Dev).expect("a configuration");
    Gateway::builder().config(config).migrate().await.expect("migrate the template");
}

struct Cluster {
    options: PgConnectOptions,
    _server: Embedded,
    _watchdog: Watchdog,
}

/// Started on a thread and a runtime of its own: each test has its own runtime, and the first one's
/// must not take the cluster with it.
fn cluster() -> &'static Cluster {
    static CLUSTER: OnceLock<Cluster> = OnceLock::new();
    CLUSTER.get_or_init(|| std::thread::spawn(start).join().expect("start the test cluster"))
}

#[tokio::main(flavor = "current_thread")]
async fn start() -> Cluster {
    let folder = fresh_folder();
    let watchdog = Watchdog::over(&folder);
    let server = Embedded::start(&Options::new(&folder).without_durability()).await.expect("start Postgres");
    let options = server.connect_options();
    execute(&options, &format!("create database {TEMPLATE}")).await;
    migrate(&options.clone().database(TEMPLATE)).await;
    Cluster { options, _server: server, _watchdog: watchdog }
}

async fn execute(options: &PgConnectOptions, sql: &str) {
    let mut connection = options.connect().await.expect("connect to the test cluster");
    connection.execute(AssertSqlSafe(sql)).await.expect("run the statement");
}

/// A new folder that another user can enter, since as root the server runs as another.
pub(crate) fn fresh_folder() -> PathBuf {
    let folder = tempfile::Builder::new().prefix("hookgate-it-").tempdir().expect("a temporary folder").keep();
    std::fs::set_permissions(&folder, Permissions::from_mode(0o755)).expect("open the folder");
    folder
}

/// Ends the servers anywhere in a folder and removes the folder when dropped or when this process dies.
pub(crate) struct Watchdog(Child);

impl Watchdog {
    const SCRIPT: &str = r#"
        cat >/dev/null
        for file in $(find "$0" -name postmaster.pid); do
            kill -QUIT "$(head -n 1 "$file")" 2>/dev/null || continue
            tries=0
            while [ -e "$file" ] && [ $tries -lt 100 ]; do tries=$((tries + 1)); sleep 0.1; done
        done
        # An initdb that outlived us may still be adding files.
        tries=0
        until rm -rf "$0" || [ $tries -gt 50 ]; do tries=$((tries + 1)); sleep 0.1; done
    "#;

    /// Started before the server, so that no moment is unguarded; in its own process group, so that
    /// ctrl-C ends the tests and not it.
    pub(crate) fn over(folder: &Path) -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", Self::SCRIPT]).arg(folder).current_dir("/").process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Self(shell.spawn().expect("start the watchdog"))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}
