//! Which user the server runs as. Postgres refuses root, so root lends the server another user.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::path::Path;
use std::process::{Output, Stdio};

use tokio::process::Command;

use super::EmbeddedError;

/// Variables through which libpq and the server's programs would be led astray.
const STRAY: &[&str] =
    &["PGDATA", "PGHOST", "PGHOSTADDR", "PGPORT", "PGUSER", "PGDATABASE", "PGOPTIONS", "PGSERVICE", "PGCTLTIMEOUT"];

/// The user and group the server and its programs run as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Account {
    pub(super) uid: u32,
    pub(super) gid: u32,
    /// We are root and must become this user.
    pub(super) switch: bool,
}

impl Account {
    /// Ourselves; or, as root, the owner of the existing cluster, else `postgres`, else `nobody`.
    /// Named users only, since initdb fails for a uid without a passwd entry.
    pub(super) async fn for_cluster(cluster: &Path) -> Result<Self, EmbeddedError> {
        let uid = rustix::process::geteuid().as_raw();
        if uid != 0 {
            let gid = rustix::process::getegid().as_raw();
            return Ok(Self { uid, gid, switch: false });
        }
        if let Ok(found) = std::fs::metadata(cluster)
            && found.uid() != 0
        {
            return Ok(Self { uid: found.uid(), gid: found.gid(), switch: true });
        }
        for name in ["postgres", "nobody"] {
            if let (Some(uid), Some(gid)) = (id("-u", name).await, id("-g", name).await)
                && uid != 0
            {
                return Ok(Self { uid, gid, switch: true });
            }
        }
        Err(EmbeddedError::NoAccount)
    }

    /// A command that will run as this user, deaf to the terminal's ctrl-C.
    ///
    /// `uid` makes std drop root's supplementary groups as well. It runs in `/` because our own
    /// working folder may be closed to the user. `LC_ALL=C` because server messages are matched.
    pub(super) fn command(self, program: &Path) -> Command {
        let mut command = Command::new(program);
        for name in STRAY {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").current_dir("/").process_group(0);
        command.stdin(Stdio::null());
        if self.switch {
            command.gid(self.gid).uid(self.uid);
        }
        command
    }

    /// Gives a file or folder to this user, closed to everybody else.
    pub(super) fn own(self, path: &Path, mode: u32) -> Result<(), EmbeddedError> {
        std::fs::set_permissions(path, Permissions::from_mode(mode))
            .map_err(EmbeddedError::io("set the permissions of", path))?;
        if self.switch {
            chown(path, Some(self.uid), Some(self.gid)).map_err(EmbeddedError::io("change the owner of", path))?;
        }
        Ok(())
    }

    /// Refuses what belongs to somebody else: Postgres would, with less to go on.
    pub(super) fn must_own(self, path: &Path) -> Result<(), EmbeddedError> {
        let owner = std::fs::symlink_metadata(path).map_err(EmbeddedError::io("look at", path))?.uid();
        if owner == self.uid {
            return Ok(());
        }
        Err(EmbeddedError::ForeignOwner { path: path.to_owned(), owner, uid: self.uid })
    }
}

/// Runs a program to its end; not starting and ending badly are both errors that carry its words.
pub(super) async fn run(mut command: Command) -> Result<Output, EmbeddedError> {
    let program = command.as_std().get_program().to_string_lossy().into_owned();
    let output = match command.output().await {
        Ok(output) => output,
        Err(error) => {
            return Err(EmbeddedError::Program { program, output: error.to_string() });
        }
    };
    if output.status.success() {
        return Ok(output);
    }
    let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(EmbeddedError::Program { program, output: if said.is_empty() { output.status.to_string() } else { said } })
}

/// Asks `id`, not `/etc/passwd`, so that directory services and macOS are seen too.
async fn id(what: &str, user: &str) -> Option<u32> {
    let output = Command::new("id").args([what, user]).stderr(Stdio::null()).output().await.ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}
