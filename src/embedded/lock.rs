//! The two lock files. See the module's head for what each means.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;
use std::time::Duration;

use super::EmbeddedError;

const RETRY: Duration = Duration::from_millis(50);

/// Waits until nobody else holds the lock in any way.
pub(super) async fn exclusive(path: &Path) -> Result<File, EmbeddedError> {
    acquire(path, File::try_lock).await
}

/// Waits until nobody else holds the lock exclusively.
pub(super) async fn shared(path: &Path) -> Result<File, EmbeddedError> {
    acquire(path, File::try_lock_shared).await
}

/// Whether nobody else holds the shared lock that `held` holds. Gives our share up.
pub(super) fn is_last(held: &File) -> bool {
    held.unlock().is_ok() && held.try_lock().is_ok()
}

/// Polls: a blocking lock would pin a thread that cannot be cancelled when the start is given up.
async fn acquire(path: &Path, take: fn(&File) -> Result<(), TryLockError>) -> Result<File, EmbeddedError> {
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .open(path)
        .map_err(EmbeddedError::io("open the lock file", path))?;
    loop {
        match take(&file) {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(RETRY).await,
            Err(TryLockError::Error(error)) => return Err(EmbeddedError::io("lock", path)(error)),
        }
    }
}
