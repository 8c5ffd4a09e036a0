//! The server's settings, written anew at every start.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::EmbeddedError;
use super::account::{Account, run};
use super::find::Binaries;
use super::folder::Folder;
use super::socket;

/// Read by `postgresql.conf`. `ALTER SYSTEM` comes after it, so an operator has the last word.
pub(super) const FILE: &str = "hookgate.conf";

const FIXED: &str = "\
# Written by hookgate at every start; changes here are lost. Use ALTER SYSTEM.
listen_addresses = ''
max_connections = 200
checkpoint_timeout = 15min
max_wal_size = 4GB
# Rows and parameters of a failed statement may be payload: keep them out of the log.
log_error_verbosity = terse
log_min_error_statement = panic
";

/// Settings worth having where this build of Postgres knows them, best first.
const WHERE_BUILT: &[(&str, &[&str])] = &[("wal_compression", &["lz4", "on"]), ("default_toast_compression", &["lz4"])];

/// Writes the settings file of a cluster that is not running.
pub(super) async fn write(
    durable: bool,
    folder: &Folder,
    socket_folder: &Path,
    binaries: &Binaries,
    account: Account,
) -> Result<(), EmbeddedError> {
    let mut text = FIXED.to_owned();
    text += &format!("unix_socket_directories = {}\n", quoted(socket_folder));
    text += &format!("unix_socket_permissions = 0700\nport = {}\n", socket::PORT);
    for (name, values) in WHERE_BUILT {
        for value in *values {
            if accepts(&folder.cluster(), binaries, account, &format!("{name}={value}")).await {
                text += &format!("{name} = {value}\n");
                break;
            }
        }
    }
    let switch = if durable { "on" } else { "off" };
    text += &format!("fsync = {switch}\nfull_page_writes = {switch}\nsynchronous_commit = on\n");
    replace(&folder.cluster().join(FILE), &text, account)
}

/// The server itself is asked: `pg_config --configure` is often not installed.
async fn accepts(cluster: &Path, binaries: &Binaries, account: Account, setting: &str) -> bool {
    let mut command = account.command(&binaries.program("postgres"));
    command.arg("-D").arg(cluster).args(["-C", "max_connections", "-c", setting]);
    run(command).await.is_ok()
}

/// In the list of socket folders a comma separates and a double quote groups; in the file a single
/// quote ends the value.
fn quoted(path: &Path) -> String {
    let listed = path.to_string_lossy().replace('"', "\"\"");
    format!("'\"{}\"'", listed.replace('\\', "\\\\").replace('\'', "''"))
}

/// Whole or not at all, so that a crash never leaves half a settings file.
fn replace(path: &Path, text: &str, account: Account) -> Result<(), EmbeddedError> {
    let fresh: PathBuf = path.with_extension("new");
    let write = || {
        let mut file = File::create(&fresh)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    write().map_err(EmbeddedError::io("write", &fresh))?;
    account.own(&fresh, 0o600)?;
    std::fs::rename(&fresh, path).map_err(EmbeddedError::io("replace", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_folder_with_quotes_and_commas_stays_one_folder() {
        assert_eq!(quoted(Path::new("/a b,c/it's")), r#"'"/a b,c/it''s"'"#);
    }
}
