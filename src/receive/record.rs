//! Records verified requests durably: **T1**, many at a time.
//!
//! Promise: an answer other than `NotDurable` is given only after the delivery, its receipts and its jobs are committed
//! in one transaction. The recorder owns a request once it is handed over.
//!
//! Group commit: a writer takes whatever queued up while the previous commit was in flight, so an idle gateway adds no
//! delay and a busy one shares its commits.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, mpsc, oneshot};
use uuid::Uuid;

use super::arrival::Arrival;
use super::reply::Status;
use super::write::Writer;
use crate::telemetry;

/// What recording did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Recorded {
    /// The delivery that now stands for the event: the new one, or the one it duplicates.
    pub(crate) delivery: Uuid,
    /// Which event of it.
    pub(crate) event: i32,
    pub(crate) status: Status,
    /// The subscription that answers the request.
    pub(crate) responder: Option<i32>,
}

/// Nothing may be acknowledged. What was being written may still commit; a redelivery then finds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotDurable {
    /// The queue is full.
    Busy,
    /// The database did not answer in time.
    TooSlow,
    /// The database refused.
    Failed,
}

/// An arrival and who waits for it.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) arrival: Arrival,
    answer: oneshot::Sender<Result<Recorded, NotDurable>>,
    // Given back when the arrival is dropped.
    _bytes: OwnedSemaphorePermit,
    _memory: OwnedSemaphorePermit,
}

impl Pending {
    /// Whether the sender heard that it was not recorded in time, or hung up: it will send again.
    pub(crate) fn is_given_up(&self) -> bool {
        self.answer.is_closed()
    }

    pub(crate) fn answer(self, outcome: Result<Recorded, NotDurable>) {
        // The sender may have hung up. What was recorded stays recorded.
        let _ = self.answer.send(outcome);
    }
}

/// The recorder's limits.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) batch: usize,
    pub(crate) batch_bytes: usize,
    pub(crate) queue: usize,
    pub(crate) queue_bytes: usize,
    pub(crate) writers: usize,
    pub(crate) timeout: Duration,
}

/// The way into T1.
#[derive(Debug, Clone)]
pub(crate) struct Recorder {
    queue: mpsc::Sender<Pending>,
    bytes: Arc<Semaphore>,
    timeout: Duration,
    writer: Arc<Writer>,
}

const PAGE: usize = 1024;

impl Recorder {
    /// Starts the writers. They end when every handle of the recorder is gone and the queue is written.
    pub(crate) fn start(settings: &Settings, writer: Arc<Writer>) -> (Self, tokio::task::JoinSet<()>) {
        let (queue, receiver) = mpsc::channel(settings.queue);
        let receiver = Arc::new(Mutex::new(receiver));
        let mut writers = tokio::task::JoinSet::new();
        for _ in 0..settings.writers {
            writers.spawn(run(Arc::clone(&receiver), Arc::clone(&writer), settings.batch, settings.batch_bytes));
        }
        let bytes = Arc::new(Semaphore::new(settings.queue_bytes.div_ceil(PAGE)));
        (Self { queue, bytes, timeout: settings.timeout, writer }, writers)
    }

    /// Hands an arrival over and waits until it is durable, or it is plain that it can't be in time.
    pub(crate) async fn record(
        &self,
        mut arrival: Arrival,
        memory: OwnedSemaphorePermit,
    ) -> Result<Recorded, NotDurable> {
        // Here and not in the writers, who would keep everybody waiting for it.
        let plan = self.writer.plan();
        arrival.place(&plan);
        arrival.route(&plan);
        let pages = u32::try_from(arrival.size().div_ceil(PAGE)).map_err(|_| NotDurable::Busy)?;
        let bytes = Arc::clone(&self.bytes).try_acquire_many_owned(pages).map_err(|_| NotDurable::Busy)?;
        let (answer, answered) = oneshot::channel();
        self.queue
            .try_send(Pending { arrival, answer, _bytes: bytes, _memory: memory })
            .map_err(|_| NotDurable::Busy)?;
        match tokio::time::timeout(self.timeout, answered).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(_)) => Err(NotDurable::Failed),
            Err(_) => Err(NotDurable::TooSlow),
        }
    }
}

async fn run(queue: Arc<Mutex<mpsc::Receiver<Pending>>>, writer: Arc<Writer>, batch: usize, batch_bytes: usize) {
    let mut taken = Vec::with_capacity(batch);
    loop {
        // One writer waits for work; the other writes, or waits for its turn to wait.
        let (received, waiting) = {
            let mut queue = queue.lock().await;
            (queue.recv_many(&mut taken, batch).await, queue.len())
        };
        metrics::gauge!(telemetry::RECORDER_QUEUE).set(waiting as f64);
        if received == 0 {
            return;
        }
        metrics::histogram!(telemetry::RECORD_BATCH_SIZE).record(received as f64);
        while !taken.is_empty() {
            let rest = taken.split_off(fitting(&taken, batch_bytes));
            writer.write(std::mem::replace(&mut taken, rest)).await;
        }
    }
}

/// How many from the front fit a batch. At least one: a large body goes alone.
fn fitting(pending: &[Pending], limit: usize) -> usize {
    let mut bytes = 0;
    let fitting = pending.iter().take_while(|pending| {
        bytes += pending.arrival.size();
        bytes <= limit
    });
    fitting.count().max(1)
}
