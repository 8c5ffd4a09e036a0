//! A running gateway, and how it ends: nothing acknowledged is lost, nothing unstarted is kept.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use super::Database;
use crate::database::single;
use crate::deliver::Worker;
use crate::store::workers;

/// A gateway whose roles are started. Dropping it stops everything at once, as a crash would: call
/// [`Running::shutdown`].
#[derive(Debug)]
pub struct Running {
    pub(super) ingest_addr: Option<SocketAddr>,
    pub(super) operator_addr: Option<SocketAddr>,
    pub(super) stop_ingest: CancellationToken,
    pub(super) stop_worker: CancellationToken,
    pub(super) stop_operator: CancellationToken,
    pub(super) ingest: Option<JoinHandle<()>>,
    pub(super) operator: Option<JoinHandle<()>>,
    worker: Option<(Arc<Worker>, JoinHandle<()>)>,
    background: JoinSet<()>,
    database: Database,
    grace: Duration,
}

impl Running {
    pub(super) fn new(database: Database, grace: Duration) -> Self {
        Self {
            ingest_addr: None,
            operator_addr: None,
            stop_ingest: CancellationToken::new(),
            stop_worker: CancellationToken::new(),
            stop_operator: CancellationToken::new(),
            ingest: None,
            operator: None,
            worker: None,
            background: JoinSet::new(),
            database,
            grace,
        }
    }

    pub(super) fn background(&mut self, task: impl Future<Output = ()> + Send + 'static) {
        self.background.spawn(task);
    }

    pub(super) fn work(&mut self, worker: Arc<Worker>, grace: Duration) {
        let running = tokio::spawn(Arc::clone(&worker).run(grace));
        self.worker = Some((worker, running));
    }

    /// Where webhooks are received, if this process receives. Tells the port where the configuration says 0.
    pub fn ingest_addr(&self) -> Option<SocketAddr> {
        self.ingest_addr
    }

    /// Where operators are answered, if this process does.
    pub fn operator_addr(&self) -> Option<SocketAddr> {
        self.operator_addr
    }

    /// How long [`Running::shutdown`] waits for each of its steps at most.
    pub fn grace(&self) -> Duration {
        self.grace
    }

    /// Ends in order: no new requests, those in flight answered and written; no new claims, what runs ends or is
    /// cut off and handed back, what hasn't started is handed back; then operators, connections, and our own Postgres.
    pub async fn shutdown(mut self) {
        self.stop_ingest.cancel();
        ended("ingest", self.ingest.take()).await;
        self.stop_worker.cancel();
        if let Some((worker, running)) = self.worker.take() {
            ended("worker", Some(running)).await;
            match tokio::time::timeout(self.grace, leave(&worker)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "worker.leave_failed: its row goes when its lease is over"),
                Err(_) => tracing::warn!("worker.leave_failed: no answer; its row goes when its lease is over"),
            }
        }
        self.stop_operator.cancel();
        ended("operator", self.operator.take()).await;
        self.background.shutdown().await;
        self.database.close(self.grace).await;
    }
}

async fn leave(worker: &Worker) -> sqlx::Result<()> {
    let mut conn = single(&worker.pool).await?;
    workers::leave(&mut conn, worker.id).await?;
    conn.done().await
}

async fn ended(role: &'static str, task: Option<JoinHandle<()>>) {
    if let Some(task) = task
        && let Err(error) = task.await
    {
        tracing::error!(%error, role, "role.crashed");
    }
}
