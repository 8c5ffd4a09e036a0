//! Kill -9 of the gateway and of Postgres.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use hookgate::embedded::{Embedded, Options};
use sqlx::{Executor, Row};

use super::{Place, connect, is_root, is_running, postmaster_pid, rows_kept, signal, write_a_row};

#[tokio::test]
async fn a_server_outlives_its_killed_gateway_and_is_reused_and_then_stopped() {
    let place = Place::new();
    let mut gateway = spawn_gateway(&place);
    let server = Embedded::start(&place.options()).await.expect("attach");
    assert!(server.attached());
    write_a_row(&server).await;
    let pid = postmaster_pid(&server);
    drop(server);

    // The whole process group, as the terminal's ctrl-C or a supervisor would.
    let group = i32::try_from(gateway.id()).expect("a pid");
    assert!(signal("-KILL", -group));
    gateway.wait().expect("the gateway's end");
    assert!(is_running(pid));

    let server = Embedded::start(&place.options()).await.expect("start again");
    assert!(server.attached());
    assert_eq!(postmaster_pid(&server), pid);
    assert_eq!(rows_kept(&server).await, 1);
    server.stop().await.expect("stop");
    assert!(!is_running(pid), "the killed gateway no longer counts");
}

const GATEWAY_FOLDER: &str = "HOOKGATE_TEST_GATEWAY_FOLDER";

/// This test binary again, as another process that starts the server and stays.
fn spawn_gateway(place: &Place) -> Child {
    let mut gateway = Command::new(std::env::current_exe().expect("this program"));
    gateway.args(["--exact", "embedded::crash::a_gateway_that_stays", "--ignored", "--nocapture"]);
    gateway.env(GATEWAY_FOLDER, place.options().data).process_group(0);
    gateway.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut gateway = gateway.spawn().expect("start the gateway");
    let output = BufReader::new(gateway.stdout.take().expect("its output"));
    let ready = output.lines().map_while(Result::ok).any(|line| line.ends_with("gateway is ready"));
    assert!(ready, "the gateway ended before it was ready");
    gateway
}

#[tokio::test]
#[ignore = "is the other process of a_server_outlives_its_killed_gateway"]
async fn a_gateway_that_stays() {
    let Some(folder) = std::env::var_os(GATEWAY_FOLDER) else {
        return;
    };
    let _server = Embedded::start(&Options::new(folder)).await.expect("start");
    println!("gateway is ready");
    // Until killed, or until the parent is gone.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

#[tokio::test]
async fn a_killed_postmaster_is_recovered_with_its_data_while_its_backends_still_live() {
    let place = Place::new();
    let server = Embedded::start(&place.options()).await.expect("start");
    write_a_row(&server).await;
    // A backend in the middle of a statement outlives its postmaster and keeps the shared memory.
    let mut busy = connect(&server).await;
    let work = tokio::spawn(async move { busy.execute("select count(*) from generate_series(1, 20000000)").await });
    wait_until_busy(&server).await;
    let pid = postmaster_pid(&server);
    assert!(signal("-KILL", pid));
    drop(server);

    let server = Embedded::start(&place.options()).await.expect("start again");
    assert!(!server.attached());
    assert_ne!(postmaster_pid(&server), pid);
    assert_eq!(rows_kept(&server).await, 1);
    let _ = work.await;
    server.stop().await.expect("stop");
}

#[tokio::test]
async fn a_pid_file_that_names_a_stranger_does_not_keep_the_server_from_starting() {
    let place = Place::new();
    let server = Embedded::start(&place.options()).await.expect("start");
    write_a_row(&server).await;
    let cluster = server.data_folder().join("postgres");
    let pid_file = fs::read_to_string(cluster.join("postmaster.pid")).expect("a pid file");
    server.stop().await.expect("stop");

    // Pids start over with a container: the file's pid is then any process of the same user, which
    // is the one case Postgres does not see through itself.
    let mut stranger = Command::new("cat");
    stranger.stdin(Stdio::piped());
    if is_root() {
        stranger.uid(fs::metadata(&cluster).expect("the cluster").uid());
    }
    let mut stranger = stranger.spawn().expect("start a stranger");
    let (_, rest) = pid_file.split_once('\n').expect("lines");
    fs::write(cluster.join("postmaster.pid"), format!("{}\n{rest}", stranger.id())).expect("write");
    let server = Embedded::start(&place.options()).await.expect("start again");
    assert_eq!(rows_kept(&server).await, 1);
    server.stop().await.expect("stop");
    stranger.kill().expect("end the stranger");
    stranger.wait().expect("its end");
}

#[tokio::test]
async fn an_initdb_cut_short_leaves_nothing_in_the_way() {
    let place = Place::new();
    let unfinished = place.folder.join("data/postgres.new-1");
    fs::create_dir_all(&unfinished).expect("make");
    fs::write(unfinished.join("PG_VERSION"), "15\n").expect("write");
    let server = Embedded::start(&place.options()).await.expect("start");
    assert!(!unfinished.exists());
    server.stop().await.expect("stop");
}

async fn wait_until_busy(server: &Embedded) {
    let mut connection = connect(server).await;
    let busy = "select count(*) from pg_stat_activity where state = 'active' and query like '%generate_series%' \
                and pid <> pg_backend_pid()";
    while connection.fetch_one(busy).await.expect("look").get::<i64, _>(0) == 0 {
        tokio::task::yield_now().await;
    }
}
