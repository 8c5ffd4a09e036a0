//! Waiting for what must come: a condition looked at again and again, until a deadline that is only met by failure.

use std::fmt::Debug;
use std::time::Duration;

/// Far beyond what anything in a test takes.
const PATIENCE: Duration = Duration::from_secs(20);
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Looks until it sees `expected`; fails with what it saw last.
pub(crate) async fn eventually<T: PartialEq + Debug>(what: &str, expected: T, look: impl AsyncFn() -> T) {
    let mut seen = look().await;
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while seen != expected {
        assert!(tokio::time::Instant::now() < deadline, "{what}: expected {expected:?}, saw {seen:?}");
        tokio::time::sleep(BETWEEN_LOOKS).await;
        seen = look().await;
    }
}
