//! Starting, attaching to, recovering and stopping the server process.
//!
//! `pg_ctl` starts it, which puts it into a session of its own: neither the terminal's ctrl-C nor
//! the gateway's death reaches it.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::process::{Pid, test_kill_process};
use sqlx::{Connection, PgConnection};

use super::account::{Account, run};
use super::find::Binaries;
use super::folder::Folder;
use super::{EmbeddedError, connect_options, settings, socket};

/// Crash recovery replays up to `max_wal_size` of WAL, which takes minutes on slow disks.
const START_LIMIT: Duration = Duration::from_secs(600);
/// A checkpoint of everything dirty may come first.
const STOP_LIMIT: Duration = Duration::from_secs(300);
/// How long a running server may refuse us before we say so.
const ANSWER_LIMIT: Duration = Duration::from_secs(60);
/// How long one attempt to connect may take.
const KNOCK_LIMIT: Duration = Duration::from_secs(5);
/// SQLSTATE of a server that starts, recovers or shuts down.
const CANNOT_CONNECT_NOW: &str = "57P03";
/// Backends of a killed server notice its death at their next wait and hold its memory until then.
const LEFTOVER_LIMIT: Duration = Duration::from_secs(15);
const RETRY: Duration = Duration::from_millis(100);
/// The log is append-only while the server runs; at a start it is set aside when larger.
const LOG_BYTES: u64 = 16 * 1024 * 1024;

/// A server process, as its `postmaster.pid` tells it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Running {
    pid: i32,
    pub(super) port: u16,
    pub(super) socket: PathBuf,
}

/// Returns when the server accepts connections; the flag says that it was already running.
/// The caller holds the starting lock.
pub(super) async fn start_or_attach(
    durable: bool,
    folder: &Folder,
    binaries: &Binaries,
    account: Account,
) -> Result<(Running, bool), EmbeddedError> {
    let cluster = folder.cluster();
    account.must_own(&cluster)?;
    let mut started = false;
    let mut refused_since = None;
    loop {
        let Some(running) = postmaster(&cluster) else {
            started = start(durable, folder, binaries, account).await?;
            continue;
        };
        let refusal = match knock(&running).await {
            Ok(()) => return Ok((running, !started)),
            Err(refusal) => refusal,
        };
        // It may be on its way out: then its pid goes, and the next round starts it.
        let limit = if refusal.recovering { START_LIMIT } else { ANSWER_LIMIT };
        if refused_since.get_or_insert_with(Instant::now).elapsed() > limit {
            return Err(EmbeddedError::NotAnswering { pid: running.pid, folder: cluster, reason: refusal.reason });
        }
        tokio::time::sleep(RETRY).await;
    }
}

struct Refusal {
    reason: String,
    /// It answers, but replays WAL first.
    recovering: bool,
}

/// A stopped process accepts connections and never answers, hence the limit.
async fn knock(running: &Running) -> Result<(), Refusal> {
    let knocking = async {
        let mut connection = PgConnection::connect_with(&connect_options(&running.socket, running.port)).await?;
        connection.ping().await?;
        connection.close().await
    };
    match tokio::time::timeout(KNOCK_LIMIT, knocking).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            let code = error.as_database_error().and_then(|refused| refused.code());
            Err(Refusal { recovering: code.as_deref() == Some(CANNOT_CONNECT_NOW), reason: error.to_string() })
        }
        Err(_) => Err(Refusal { reason: "it is silent".to_owned(), recovering: false }),
    }
}

/// Says whether it was we who started it.
async fn start(durable: bool, folder: &Folder, binaries: &Binaries, account: Account) -> Result<bool, EmbeddedError> {
    let socket = socket::prepare(folder, account)?;
    settings::write(durable, folder, &socket, binaries, account).await?;
    remove_misleading_pid(&folder.cluster())?;
    prepare_log(&folder.log(), account)?;

    let since = Instant::now();
    loop {
        let logged = fs::metadata(folder.log()).map(|log| log.len()).unwrap_or(0);
        let mut pg_ctl = pg_ctl(folder, binaries, account, START_LIMIT);
        pg_ctl.arg("-l").arg(folder.log()).arg("start");
        let Err(failure) = run(pg_ctl).await else {
            return Ok(true);
        };
        // The pid file was half written when we looked: a killed gateway's server was just starting.
        if postmaster(&folder.cluster()).is_some() {
            return Ok(false);
        }
        let said = log_since(&folder.log(), logged);
        if !held_by_leftovers(&said) || since.elapsed() > LEFTOVER_LIMIT {
            let output = if said.is_empty() { failure.to_string() } else { said };
            return Err(EmbeddedError::Program { program: format!("starting Postgres {}", binaries.major()), output });
        }
        tokio::time::sleep(RETRY).await;
    }
}

/// Ends the server unless it is gone already.
pub(super) async fn stop(folder: &Folder, binaries: &Binaries, account: Account) -> Result<(), EmbeddedError> {
    if postmaster(&folder.cluster()).is_none() {
        return Ok(());
    }
    let mut pg_ctl = pg_ctl(folder, binaries, account, STOP_LIMIT);
    pg_ctl.args(["-m", "fast", "stop"]);
    run(pg_ctl).await.map(drop)
}

fn pg_ctl(folder: &Folder, binaries: &Binaries, account: Account, limit: Duration) -> tokio::process::Command {
    let mut command = account.command(&binaries.program("pg_ctl"));
    command.arg("-D").arg(folder.cluster()).args(["-w", "-s", "-t", &limit.as_secs().to_string()]);
    command
}

/// The live server of a cluster. A pid file whose process is gone, a zombie or another program
/// (pids start over with the container) is no server.
fn postmaster(cluster: &Path) -> Option<Running> {
    let running = parse(&fs::read_to_string(pid_file(cluster)).ok()?)?;
    is_postgres(running.pid).then_some(running)
}

fn pid_file(cluster: &Path) -> PathBuf {
    cluster.join("postmaster.pid")
}

/// Lines: pid, data folder, start time, port, socket folder, …
fn parse(pid_file: &str) -> Option<Running> {
    let lines: Vec<_> = pid_file.lines().collect();
    Some(Running {
        pid: lines.first()?.trim().parse().ok()?,
        port: lines.get(3)?.trim().parse().ok()?,
        socket: PathBuf::from(lines.get(4)?),
    })
}

fn is_postgres(pid: i32) -> bool {
    if !exists(pid) {
        return false;
    }
    match fs::read(format!("/proc/{pid}/cmdline")) {
        Ok(words) => words.split(|byte| *byte == 0).next().is_some_and(is_server_program),
        // No /proc, or one that hides other users' processes: the pid is all there is.
        Err(_) => true,
    }
}

/// The program's path, or the title `postgres: …` of a server process. A zombie has neither.
fn is_server_program(word: &[u8]) -> bool {
    let name = word.rsplit(|byte| *byte == b'/').next().unwrap_or(word);
    name.starts_with(b"postgres") || name == b"postmaster"
}

/// A process we may not signal exists too.
fn exists(pid: i32) -> bool {
    match Pid::from_raw(pid) {
        Some(pid) => !matches!(test_kill_process(pid), Err(rustix::io::Errno::SRCH)),
        None => false,
    }
}

/// Postgres clears the pid file of a dead server itself, but refuses to start while *any* process
/// has that pid, a zombie or a stranger included. Its shared memory still guards against a
/// second server.
fn remove_misleading_pid(cluster: &Path) -> Result<(), EmbeddedError> {
    let path = pid_file(cluster);
    let Some(stale) = fs::read_to_string(&path).ok().and_then(|text| text.lines().next()?.trim().parse().ok()) else {
        return Ok(());
    };
    if exists(stale) && !is_postgres(stale) {
        fs::remove_file(&path).map_err(EmbeddedError::io("remove the stale", &path))?;
    }
    Ok(())
}

/// Of the cluster's lock or of the socket's: a killed server keeps both for as long as nobody waited for its process.
fn held_by_leftovers(log: &str) -> bool {
    let is_locked = |line: &str| line.contains("lock file \"") && line.contains("\" already exists");
    log.contains("pre-existing shared memory block") || log.lines().any(is_locked)
}

fn prepare_log(log: &Path, account: Account) -> Result<(), EmbeddedError> {
    if fs::metadata(log).is_ok_and(|found| found.len() > LOG_BYTES) {
        let _ = fs::rename(log, log.with_extension("log.old"));
    }
    OpenOptions::new().create(true).append(true).open(log).map_err(EmbeddedError::io("open", log))?;
    account.own(log, 0o600)
}

fn log_since(log: &Path, offset: u64) -> String {
    let bytes = fs::read(log).unwrap_or_default();
    let fresh = bytes.get(usize::try_from(offset).unwrap_or(usize::MAX)..).unwrap_or_default();
    String::from_utf8_lossy(fresh).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pid_file_tells_where_to_connect_and_a_half_written_one_nothing() {
        let whole = "12\n/d/postgres\n1700000000\n5432\n/d/socket\n\n 1 2\nready   \n";
        assert_eq!(parse(whole), Some(Running { pid: 12, port: 5432, socket: "/d/socket".into() }));
        assert_eq!(parse("12\n/d/postgres\n"), None);
        assert_eq!(parse(""), None);
    }

    #[test]
    fn a_lock_of_a_server_that_was_just_killed_is_waited_for() {
        assert!(held_by_leftovers("FATAL:  lock file \"postmaster.pid\" already exists\n"));
        assert!(held_by_leftovers(
            "LOG:  starting\nFATAL:  lock file \"/d/socket/.s.PGSQL.5432.lock\" already exists\n"
        ));
        assert!(!held_by_leftovers("FATAL:  could not create lock file \"postmaster.pid\": Permission denied\n"));
    }

    #[test]
    fn a_zombie_or_another_program_is_no_server() {
        assert!(is_server_program(b"/usr/lib/postgresql/15/bin/postgres"));
        assert!(is_server_program(b"postgres: checkpointer "));
        assert!(!is_server_program(b""));
        assert!(!is_server_program(b"/usr/bin/sh"));
    }
}
