//! Making the cluster, so that it is there whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use tokio::io::AsyncWriteExt;

use super::account::{Account, run};
use super::find::Binaries;
use super::folder::Folder;
use super::{EmbeddedError, NAME, settings};

const UNFINISHED: &str = "postgres.new-";

/// The major version that made the cluster; none when there is no cluster yet.
pub(super) fn major(folder: &Folder) -> Result<Option<u32>, EmbeddedError> {
    let cluster = folder.cluster();
    let not_a_cluster = || EmbeddedError::NotACluster { path: cluster.clone() };
    match fs::read_to_string(cluster.join("PG_VERSION")) {
        Ok(text) => text.trim().parse().map(Some).map_err(|_| not_a_cluster()),
        Err(_) if is_empty_or_missing(&cluster) => Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(not_a_cluster()),
        Err(error) => Err(EmbeddedError::io("read the version of", &cluster)(error)),
    }
}

fn is_empty_or_missing(path: &Path) -> bool {
    match fs::read_dir(path) {
        Ok(mut entries) => entries.next().is_none(),
        Err(error) => error.kind() == std::io::ErrorKind::NotFound,
    }
}

/// Runs initdb beside the final place and renames: a crash leaves an unfinished sibling that the
/// next start removes. The sibling's name is new each time, because an initdb that outlived its
/// killed gateway may still be writing to the old one.
pub(super) async fn create(folder: &Folder, binaries: &Binaries, account: Account) -> Result<(), EmbeddedError> {
    remove_unfinished(folder);
    let fresh = folder.path().join(format!("{UNFINISHED}{}", uuid::Uuid::now_v7().simple()));
    fs::create_dir(&fresh).map_err(EmbeddedError::io("make", &fresh))?;
    account.own(&fresh, 0o700)?;

    tracing::info!(folder = %folder.path().display(), postgres = binaries.major(), "making the embedded Postgres cluster");
    let mut initdb = account.command(&binaries.program("initdb"));
    initdb.arg("-D").arg(&fresh).args(["-U", NAME, "-E", "UTF8", "--locale=C"]);
    // The socket's folder is the lock; TCP is not listened on, and refused if an operator turns it on.
    initdb.args(["--auth-local=trust", "--auth-host=reject"]);
    run(initdb).await?;
    include_settings(&fresh.join("postgresql.conf"))?;
    create_database(&fresh, binaries, account).await?;

    let cluster = folder.cluster();
    fs::rename(&fresh, &cluster).map_err(EmbeddedError::io("move the new cluster to", &cluster))?;
    sync_folder(folder.path())
}

fn remove_unfinished(folder: &Folder) {
    for entry in fs::read_dir(folder.path()).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            // Its initdb may still be adding files; what is left then goes at the next first start.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn include_settings(conf: &Path) -> Result<(), EmbeddedError> {
    let append = || {
        let mut file = OpenOptions::new().append(true).open(conf)?;
        writeln!(file, "\ninclude_if_exists = '{}'", settings::FILE)?;
        file.sync_all()
    };
    append().map_err(EmbeddedError::io("write", conf))
}

/// In single-user mode, before the cluster is at its place: a cluster without its database never
/// exists. A line is a statement, and the first error ends it.
async fn create_database(cluster: &Path, binaries: &Binaries, account: Account) -> Result<(), EmbeddedError> {
    let program = binaries.program("postgres");
    let failed = |output: String| EmbeddedError::Program { program: program.display().to_string(), output };
    let mut command = account.command(&program);
    command.args(["--single", "-c", "exit_on_error=on", "-D"]).arg(cluster).arg("postgres");
    command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A server that ended already is told apart by its status, below.
        let _ = stdin.write_all(format!("create database {NAME}\n").as_bytes()).await;
    }
    let output = child.wait_with_output().await.map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

fn sync_folder(path: &Path) -> Result<(), EmbeddedError> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(EmbeddedError::io("sync", path))
}
