//! The private folder of the Unix socket: whoever can enter it is the superuser, so only the
//! server's user (and root) may.

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::EmbeddedError;
use super::account::Account;
use super::folder::{Folder, short_hash};

/// Part of the socket's name. Nothing listens on TCP, so it clashes with nobody.
pub(super) const PORT: u16 = 5432;

/// `sun_path` holds 108 bytes on Linux and 104 on macOS and the BSDs, the closing NUL included.
const PATH_MAX: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

/// Makes the folder, in the data folder or, where that path is too long, under `/tmp`.
pub(super) fn prepare(folder: &Folder, account: Account) -> Result<PathBuf, EmbeddedError> {
    let socket = place(folder.path());
    match DirBuilder::new().mode(0o700).create(&socket) {
        Ok(()) => account.own(&socket, 0o700)?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => take_over(&socket, account)?,
        Err(error) => return Err(EmbeddedError::io("make the socket folder", &socket)(error)),
    }
    Ok(socket)
}

/// `/tmp` and not the temporary folder of the environment: that one is itself long on macOS.
fn place(data: &Path) -> PathBuf {
    let inside = data.join("socket");
    let longest = inside.as_os_str().len() + format!("/.s.PGSQL.{PORT}").len();
    if longest <= PATH_MAX { inside } else { Path::new("/tmp").join(format!("hookgate-{}", short_hash(data))) }
}

/// In `/tmp` anybody may have made the folder before us: neither a link nor another's folder will do.
fn take_over(socket: &Path, account: Account) -> Result<(), EmbeddedError> {
    let found = fs::symlink_metadata(socket).map_err(EmbeddedError::io("look at", socket))?;
    if !found.is_dir() || found.mode() & 0o077 != 0 {
        return Err(EmbeddedError::NotPrivate { path: socket.to_owned() });
    }
    // We died between making it and giving it away.
    if account.switch && found.uid() == 0 {
        account.own(socket, 0o700)?;
    }
    account.must_own(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_no_socket_address_can_hold_moves_to_tmp() {
        let name = "/.s.PGSQL.5432".len() + "/socket".len();
        let fits = PathBuf::from(format!("/{}", "d".repeat(PATH_MAX - name - 1)));
        assert_eq!(place(&fits), fits.join("socket"));
        let long = PathBuf::from(format!("/{}", "d".repeat(PATH_MAX - name)));
        assert!(place(&long).starts_with("/tmp"));
    }
}
