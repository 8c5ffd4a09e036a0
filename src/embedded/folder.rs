//! Where the data really lives: the wanted folder, or the fallback when the server cannot reach it.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::account::Account;
use super::{EmbeddedError, Options};

/// A data folder that exists and that the server's user can enter.
#[derive(Debug, Clone)]
pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
    pub(super) fn cluster(&self) -> PathBuf {
        cluster_in(&self.0)
    }
    pub(super) fn log(&self) -> PathBuf {
        self.0.join("postgres.log")
    }
    /// Downloaded servers, one folder a version.
    pub(super) fn servers(&self) -> PathBuf {
        self.0.join("server")
    }
    pub(super) fn starting_lock(&self) -> PathBuf {
        self.0.join("starting.lock")
    }
    pub(super) fn gateways_lock(&self) -> PathBuf {
        self.0.join("gateways.lock")
    }
}

fn cluster_in(folder: &Path) -> PathBuf {
    folder.join("postgres")
}

/// Settles on a folder and a user, and makes the folder.
pub(super) async fn prepare(options: &Options) -> Result<(Folder, Account), EmbeddedError> {
    let wanted = resolve(&options.data)?;
    let fallback = resolve(&options.fallback)?.join(subfolder_for(&wanted));
    let account = Account::for_cluster(&cluster_in(&wanted)).await?;
    if !account.switch {
        make(&wanted, account)?;
        return Ok((Folder(wanted), account));
    }

    let closed = closed_ancestor(&wanted, account);
    // Data once put into the fallback stays in use after the closed folder was opened: a start must
    // never come up with an empty database because a permission changed.
    let moved_before = has_cluster(&fallback) && !has_cluster(&wanted);
    if closed.is_none() && !moved_before {
        make(&wanted, account)?;
        // A strict umask may have closed the parents just made.
        return match closed_ancestor(&wanted, account) {
            None => Ok((Folder(wanted), account)),
            Some(parent) => Err(EmbeddedError::Unreachable { folder: wanted, parent, uid: account.uid }),
        };
    }

    let account = Account::for_cluster(&cluster_in(&fallback)).await?;
    tracing::warn!(
        wanted = %wanted.display(),
        used = %fallback.display(),
        closed = %closed.as_deref().unwrap_or(Path::new("-")).display(),
        "the embedded Postgres keeps its data in another folder than asked for, \
         because its user cannot enter (or could not, when the data was made) the wanted one"
    );
    make(&fallback, account)?;
    match closed_ancestor(&fallback, account) {
        None => Ok((Folder(fallback), account)),
        Some(parent) => Err(EmbeddedError::Unreachable { folder: fallback, parent, uid: account.uid }),
    }
}

fn has_cluster(folder: &Path) -> bool {
    cluster_in(folder).join("PG_VERSION").exists()
}

/// An existing folder is left as it is (it may be a mount); a new one belongs to the server's user.
fn make(folder: &Path, account: Account) -> Result<(), EmbeddedError> {
    if folder.is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(EmbeddedError::io("make the data folder", folder))?;
    account.own(folder, 0o700)
}

/// Absolute, with links followed as far as the path exists, so that every parent checked is a real one.
fn resolve(path: &Path) -> Result<PathBuf, EmbeddedError> {
    let absolute = std::path::absolute(path).map_err(EmbeddedError::io("make sense of", path))?;
    let existing = absolute.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("/"));
    let real = existing.canonicalize().map_err(EmbeddedError::io("look at", existing))?;
    let rest = absolute.strip_prefix(existing).unwrap_or(Path::new(""));
    // Joining an empty rest would add a trailing slash.
    Ok(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
}

/// The topmost existing folder on the way that the user may not enter, the data folder included.
fn closed_ancestor(folder: &Path, account: Account) -> Option<PathBuf> {
    let mut way: Vec<_> = folder.ancestors().collect();
    way.reverse();
    way.into_iter()
        .find(|step| fs::metadata(step).is_ok_and(|found| !may_enter(&Bits::of(&found), account)))
        .map(Path::to_owned)
}

struct Bits {
    mode: u32,
    uid: u32,
    gid: u32,
}

impl Bits {
    fn of(found: &Metadata) -> Self {
        Self { mode: found.mode(), uid: found.uid(), gid: found.gid() }
    }
}

/// The kernel's rule: the first class that fits decides, even where a later one would allow more.
fn may_enter(bits: &Bits, account: Account) -> bool {
    let search = match () {
        () if bits.uid == account.uid => 0o100,
        () if bits.gid == account.gid => 0o010,
        () => 0o001,
    };
    bits.mode & search != 0
}

/// Readable, and different for two wanted folders of one name.
fn subfolder_for(wanted: &Path) -> String {
    let name = wanted.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    format!("{name}-{}", short_hash(wanted))
}

/// Eight hex digits that stand for a path.
pub(super) fn short_hash(path: &Path) -> String {
    hex::encode(&Sha256::digest(path.as_os_str().as_encoded_bytes())[..4])
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: Account = Account { uid: 101, gid: 104, switch: true };

    #[test]
    fn the_first_class_that_fits_decides() {
        let cases = [
            (0o700, 0, 0, false),
            (0o755, 0, 0, true),
            (0o711, 0, 0, true),
            (0o750, 0, 104, true),
            (0o701, 0, 104, false),
            (0o700, 101, 0, true),
            (0o077, 101, 0, false),
        ];
        for (mode, uid, gid, expected) in cases {
            assert_eq!(may_enter(&Bits { mode, uid, gid }, SERVER), expected, "{mode:o} {uid}:{gid}");
        }
    }

    #[test]
    fn two_wanted_folders_of_one_name_get_two_fallbacks() {
        let (one, two) = (subfolder_for(Path::new("/a/data")), subfolder_for(Path::new("/b/data")));
        assert!(one.starts_with("data-") && two.starts_with("data-"));
        assert_ne!(one, two);
    }
}
