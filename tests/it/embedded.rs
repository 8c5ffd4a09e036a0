//! The embedded Postgres, run for real, as whatever user runs the tests.

mod crash;

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use hookgate::embedded::{Embedded, EmbeddedError, Options};
use sqlx::{ConnectOptions, Connection, Executor, PgConnection, Row};

use crate::support::postgres::{Watchdog, database, fresh_folder};

/// A temporary folder; whatever server is left in it is ended with it.
struct Place {
    folder: PathBuf,
    _watchdog: Watchdog,
}

impl Place {
    fn new() -> Self {
        let folder = fresh_folder();
        let watchdog = Watchdog::over(&folder);
        Self { folder, _watchdog: watchdog }
    }

    /// Durable, as a gateway's: recovery is what is tested here.
    fn options(&self) -> Options {
        let mut options = Options::new(self.folder.join("data"));
        options.fetch = false;
        options.fallback = self.folder.join("fallback");
        options
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

fn postmaster_pid(server: &Embedded) -> i32 {
    let file = fs::read_to_string(server.data_folder().join("postgres/postmaster.pid")).expect("a pid file");
    file.lines().next().expect("a line").parse().expect("a pid")
}

async fn connect(server: &Embedded) -> PgConnection {
    server.connect_options().connect().await.expect("connect")
}

async fn setting(connection: &mut PgConnection, name: &'static str) -> String {
    let row = sqlx::query("select current_setting($1)").bind(name).fetch_one(connection).await.expect("a setting");
    row.get(0)
}

async fn write_a_row(server: &Embedded) {
    let mut connection = connect(server).await;
    connection.execute("create table kept (n int)").await.expect("create");
    connection.execute("insert into kept values (42)").await.expect("insert");
    connection.close().await.expect("close");
}

async fn rows_kept(server: &Embedded) -> i64 {
    let mut connection = connect(server).await;
    let row = connection.fetch_one("select count(*) from kept where n = 42").await.expect("count");
    row.get(0)
}

#[tokio::test]
async fn a_fresh_folder_becomes_a_durable_server_on_a_private_socket() {
    let place = Place::new();
    let server = Embedded::start(&place.options()).await.expect("start");
    let mut connection = connect(&server).await;

    for (name, expected) in [
        ("fsync", "on"),
        ("full_page_writes", "on"),
        ("synchronous_commit", "on"),
        ("listen_addresses", ""),
        ("max_connections", "200"),
        ("checkpoint_timeout", "15min"),
        ("max_wal_size", "4GB"),
        ("server_encoding", "UTF8"),
        ("lc_collate", "C"),
    ] {
        assert_eq!(setting(&mut connection, name).await, expected, "{name}");
    }
    assert_ne!(setting(&mut connection, "wal_compression").await, "off");
    let socket = server.connect_options().get_socket().expect("a socket").clone();
    assert_eq!(fs::metadata(socket).expect("the socket's folder").mode() & 0o777, 0o700);

    drop(connection);
    let pid = postmaster_pid(&server);
    server.stop().await.expect("stop");
    assert!(!is_running(pid), "stop ends the server");
}

#[tokio::test]
async fn two_gateways_starting_at_once_share_one_server_and_the_last_to_leave_stops_it() {
    let place = Place::new();
    let options = place.options();
    let (one, two) = tokio::join!(Embedded::start(&options), Embedded::start(&options));
    let (one, two) = (one.expect("start"), two.expect("start"));
    assert_ne!(one.attached(), two.attached(), "one starts it, the other attaches");
    assert_eq!(postmaster_pid(&one), postmaster_pid(&two));

    let pid = postmaster_pid(&one);
    one.stop().await.expect("stop");
    assert!(is_running(pid), "the other gateway still uses it");
    connect(&two).await.ping().await.expect("it answers");
    two.stop().await.expect("stop");
    assert!(!is_running(pid), "nobody uses it any more");
}

#[tokio::test]
async fn as_root_a_folder_the_server_cannot_reach_is_replaced_and_stays_replaced() {
    if !is_root() {
        return; // Only root runs the server as somebody else.
    }
    let place = Place::new();
    let closed = place.folder.join("closed");
    fs::create_dir(&closed).expect("make");
    fs::set_permissions(&closed, Permissions::from_mode(0o700)).expect("close");
    let mut options = place.options();
    options.data = closed.join("data");

    let server = Embedded::start(&options).await.expect("start");
    let used = server.data_folder().to_owned();
    assert!(used.starts_with(place.folder.join("fallback").canonicalize().expect("the fallback")));
    assert!(!options.data.exists(), "nothing is left in the closed folder");
    write_a_row(&server).await;
    server.stop().await.expect("stop");

    fs::set_permissions(&closed, Permissions::from_mode(0o755)).expect("open");
    let server = Embedded::start(&options).await.expect("start again");
    assert_eq!(server.data_folder(), used, "data does not vanish because a permission changed");
    assert_eq!(rows_kept(&server).await, 1);
    server.stop().await.expect("stop");
}

#[tokio::test]
async fn as_root_the_server_runs_as_the_owner_of_its_data() {
    if !is_root() {
        return;
    }
    let place = Place::new();
    let server = Embedded::start(&place.options()).await.expect("start");
    let owner = fs::metadata(server.data_folder().join("postgres")).expect("the cluster").uid();
    assert_ne!(owner, 0);
    let process = fs::metadata(format!("/proc/{}", postmaster_pid(&server)));
    if let Ok(process) = process {
        assert_eq!(process.uid(), owner);
    }
    server.stop().await.expect("stop");
}

#[tokio::test]
async fn a_folder_too_deep_for_a_socket_address_gets_a_short_one() {
    let place = Place::new();
    let mut options = place.options();
    options.data = place.folder.join("d".repeat(100));
    let server = Embedded::start(&options).await.expect("start");
    let socket = server.connect_options().get_socket().expect("a socket").clone();
    assert!(socket.starts_with("/tmp"), "{}", socket.display());
    assert_eq!(fs::metadata(&socket).expect("the socket's folder").mode() & 0o777, 0o700);
    connect(&server).await.ping().await.expect("it answers");
    server.stop().await.expect("stop");
    let _ = fs::remove_dir_all(&socket);
}

#[tokio::test]
async fn a_cluster_of_another_major_version_is_refused_by_its_number() {
    let place = Place::new();
    let cluster = place.folder.join("data/postgres");
    fs::create_dir_all(&cluster).expect("make");
    fs::write(cluster.join("PG_VERSION"), "11\n").expect("write");
    let error = Embedded::start(&place.options()).await.expect_err("no Postgres 11 here");
    assert!(matches!(error, EmbeddedError::WrongVersion { needs: 11, .. }), "{error}");
    assert!(error.to_string().contains("Install Postgres 11"), "{error}");
}

#[tokio::test]
async fn files_that_are_no_cluster_are_left_alone() {
    let place = Place::new();
    let cluster = place.folder.join("data/postgres");
    fs::create_dir_all(&cluster).expect("make");
    fs::write(cluster.join("letter.txt"), "dear").expect("write");
    let error = Embedded::start(&place.options()).await.expect_err("not a cluster");
    assert!(matches!(error, EmbeddedError::NotACluster { .. }), "{error}");
    assert!(cluster.join("letter.txt").exists());
}

#[tokio::test]
async fn without_a_server_one_error_names_every_way_out() {
    let place = Place::new();
    let mut options = place.options();
    options.pg_bin = Some(place.folder.clone());
    let error = Embedded::start(&options).await.expect_err("no server there");
    assert!(matches!(error, EmbeddedError::NoServer { .. }), "{error}");
    for way_out in ["apt-get install", "brew install", "HOOKGATE_PG_BIN", "database.url"] {
        assert!(error.to_string().contains(way_out), "{way_out} is missing: {error}");
    }
}

#[tokio::test]
async fn each_test_gets_a_database_of_its_own() {
    let (one, two) = tokio::join!(database(), database());
    assert_ne!(one.name(), two.name());
    let pool = one.pool().await;
    pool.execute("create table only_here ()").await.expect("create");
    let other = two.pool().await.fetch_one("select to_regclass('only_here') is null").await.expect("look");
    assert!(other.get::<bool, _>(0));

    let by_url = PgConnection::connect(&one.url()).await.expect("connect by URL");
    by_url.close().await.expect("close");
}

fn signal(which: &str, pid: i32) -> bool {
    Command::new("kill").args([which, "--", &pid.to_string()]).status().expect("kill").success()
}

/// A zombie that its parent has not reaped yet has ended too.
fn is_running(pid: i32) -> bool {
    let ended = fs::read(Path::new("/proc").join(pid.to_string()).join("cmdline")).is_ok_and(|words| words.is_empty());
    !ended && signal("-0", pid)
}
