//! What a handler answers its request's sender with, and who waits for it.
//!
//! Promise: an answer is relayed only after it was recorded together with its job's end. A worker of this process tells of
//! it after that commit; those of other processes are found by whoever looks into the table.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use tokio::sync::{Notify, Semaphore, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// The largest body of an answer, in bytes.
pub(crate) const LARGEST: usize = 256 * 1024;

/// A recorded job's answer.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// Those about the body, such as its type.
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Neither header nor body: they are what a payload is.
impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (status, bytes) = (self.status.as_u16(), self.body.len());
        f.debug_struct("Answer").field("status", &status).field("bytes", &bytes).finish_non_exhaustive()
    }
}

/// Whose answer: one subscription's on one event, whatever run of its job gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct AnswerKey {
    pub(crate) delivery: Uuid,
    pub(crate) event: i32,
    pub(crate) subscription: i32,
}

/// What came of waiting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Waited {
    Answered(Arc<Answer>),
    /// The job ended without an answer, or will not run before the deadline.
    Nothing,
    /// Not before the deadline.
    Late,
    /// As many wait as may.
    Full,
    /// This process stops.
    Stopping,
}

impl Waited {
    /// The word for metrics.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::Answered(_) => "answered",
            Self::Nothing => "nothing",
            Self::Late => "late",
            Self::Full => "full",
            Self::Stopping => "stopping",
        }
    }
}

/// Who waits in this process, and for what. An answer, or `None`: there will be none.
type Told = Option<Arc<Answer>>;

struct Waiting {
    until: Instant,
    told: oneshot::Sender<Told>,
}

/// The requests of this process that wait for their handler.
pub(crate) struct Answers {
    waiting: Mutex<HashMap<AnswerKey, Vec<Waiting>>>,
    one_more: Notify,
    places: Semaphore,
    stop: CancellationToken,
}

impl std::fmt::Debug for Answers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answers").field("keys", &self.lock().len()).finish_non_exhaustive()
    }
}

impl Answers {
    /// At most `places` requests wait at once, and none once `stop` is cancelled.
    pub(crate) fn new(places: usize, stop: CancellationToken) -> Self {
        let places = Semaphore::new(places.min(Semaphore::MAX_PERMITS));
        Self { waiting: Mutex::default(), one_more: Notify::new(), places, stop }
    }

    /// Waits for the answer until then.
    pub(crate) async fn wait(&self, key: AnswerKey, until: Instant) -> Waited {
        let Ok(_place) = self.places.try_acquire() else {
            return Waited::Full;
        };
        let (told, hears) = oneshot::channel();
        self.lock().entry(key).or_default().push(Waiting { until, told });
        // Also when the sender hangs up and this is dropped.
        let _leaves = Leaves { answers: self, key };
        self.one_more.notify_one();
        let hears = async move { hears.await.ok().flatten() };
        tokio::select! {
            biased;
            heard = hears => heard.map_or(Waited::Nothing, Waited::Answered),
            () = self.stop.cancelled() => Waited::Stopping,
            () = tokio::time::sleep_until(until) => Waited::Late,
        }
    }

    /// Tells whoever waits for it. Only of what is committed.
    pub(crate) fn tell(&self, key: AnswerKey, told: Told) {
        for waiting in self.lock().remove(&key).into_iter().flatten() {
            let _ = waiting.told.send(told.clone());
        }
    }

    /// Returns when one more began to wait since this was last asked.
    pub(crate) async fn one_more(&self) {
        self.one_more.notified().await;
    }

    /// What is waited for, and until when at the longest.
    pub(crate) fn wanted(&self) -> Vec<(AnswerKey, Instant)> {
        let waiting = self.lock();
        waiting.iter().filter_map(|(key, all)| Some((*key, all.iter().map(|one| one.until).max()?))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AnswerKey, Vec<Waiting>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a wait in every way that it can end.
struct Leaves<'a> {
    answers: &'a Answers,
    key: AnswerKey,
}

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        let mut waiting = self.answers.lock();
        if let Some(all) = waiting.get_mut(&self.key) {
            // Ours hears nothing any more, or was told; the receiver is gone before this is dropped.
            all.retain(|one| !one.told.is_closed());
            if all.is_empty() {
                waiting.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn key(event: i32) -> AnswerKey {
        AnswerKey { delivery: Uuid::nil(), event, subscription: 1 }
    }

    fn answer() -> Told {
        Some(Arc::new(Answer { status: StatusCode::OK, headers: HeaderMap::new(), body: Bytes::from_static(b"hi") }))
    }

    #[tokio::test(start_paused = true)]
    async fn a_wait_ends_by_the_answer_the_deadline_the_stop_or_for_want_of_a_place_and_leaves_nothing_behind() {
        let stop = CancellationToken::new();
        let answers = Arc::new(Answers::new(2, stop.clone()));
        let until = Instant::now() + Duration::from_secs(3);
        let wait = |event| {
            let answers = Arc::clone(&answers);
            tokio::spawn(async move { answers.wait(key(event), until).await })
        };
        let (first, second) = (wait(1), wait(1));
        while answers.wanted().is_empty() || answers.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(answers.wait(key(2), until).await, Waited::Full);
        answers.tell(key(1), answer());
        for heard in [first, second] {
            assert_eq!(heard.await.expect("no panic"), Waited::Answered(answer().expect("one")));
        }
        let nothing = wait(3);
        while answers.wanted().is_empty() {
            tokio::task::yield_now().await;
        }
        answers.tell(key(3), None);
        assert_eq!(nothing.await.expect("no panic"), Waited::Nothing);
        assert_eq!(answers.wait(key(4), until).await, Waited::Late);
        stop.cancel();
        assert_eq!(answers.wait(key(5), until + Duration::from_secs(60)).await, Waited::Stopping);
        assert!(answers.wanted().is_empty() && answers.places.available_permits() == 2);
    }
}
