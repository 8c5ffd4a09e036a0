//! The pools, and the schema's version.
//!
//! Ingest has connections of its own, so that neither workers nor dashboard queries can starve an acknowledgement.

mod session;

use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{ConnectOptions, Connection};

use crate::maintenance::partitions;
use crate::store::schema;
use crate::{Error, config};

pub(crate) use session::{begin, begin_on, begin_snapshot, single, single_on};

/// Forward only; docs say what each locks and whether the previous release may still run.
static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

/// A connection unused for longer is asked whether it lives before it is used.
const RESTED: Duration = Duration::from_secs(1);
/// A connection that is asked and says nothing for this long is closed. One whose query was dropped first finishes it.
const SILENT: Duration = Duration::from_secs(5);
/// One that rested has nothing to finish.
const SILENT_AT_REST: Duration = Duration::from_secs(1);

/// One pool a purpose.
#[derive(Debug, Clone)]
pub(crate) struct Pools {
    pub(crate) ingest: PgPool,
    pub(crate) worker: PgPool,
    pub(crate) operator: PgPool,
}

impl Pools {
    /// Makes the pools; connects when first used.
    pub(crate) fn new(options: &PgConnectOptions, settings: &config::Database) -> Self {
        let pool = |limits: &session::Limits, connections, patience| {
            pool(limits.of_sessions(options, settings.pooler), connections, Duration::from_secs(patience))
        };
        Self {
            ingest: pool(&session::INGEST, settings.ingest_connections, 2),
            worker: pool(&session::WORKER, settings.worker_connections, 30),
            operator: pool(&session::OPERATOR, settings.operator_connections, 3),
        }
    }

    /// Waits for every connection to come back, at most this long, and closes them. One that never does belongs to a
    /// database that fell silent, or to a handler that blocks its thread: it goes with the process.
    pub(crate) async fn close(&self, within: Duration) {
        let closed = async { tokio::join!(self.ingest.close(), self.worker.close(), self.operator.close()) };
        if tokio::time::timeout(within, closed).await.is_err() {
            tracing::warn!("database.grace_over: some connections did not come back");
        }
    }
}

fn pool(options: PgConnectOptions, connections: u32, patience: Duration) -> PgPool {
    PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(patience)
        // A busy connection needs no ping, which would cost a round trip on every use; one that rested may have died
        // meanwhile. Where even that must not fail a request, the stage tries again.
        .test_before_acquire(false)
        .before_acquire(|connection, resting| {
            Box::pin(async move {
                if resting.idle_for > RESTED {
                    answers(connection, SILENT_AT_REST).await?;
                }
                Ok(true)
            })
        })
        // The pool itself asks a connection that comes back, and waits for ever: a database whose host is gone without a
        // word would so keep every one that was in use, and the pool would have none left.
        .after_release(|connection, _| Box::pin(async move { answers(connection, SILENT).await.map(|()| true) }))
        .connect_lazy_with(options)
}

async fn answers(connection: &mut PgConnection, within: Duration) -> sqlx::Result<()> {
    let silent = |_| sqlx::Error::Io(std::io::ErrorKind::TimedOut.into());
    tokio::time::timeout(within, connection.ping()).await.map_err(silent)?
}

/// Connects once. A pool would try again until it runs out of patience, and then no longer know why.
pub(crate) async fn reach(options: &PgConnectOptions, settings: &config::Database) -> Result<(), Error> {
    const TEXT: &str = "the database can't be reached: check database.url, and that the server runs";
    let options = session::OPERATOR.of_sessions(options, settings.pooler);
    let connection = tokio::time::timeout(Duration::from_secs(5), options.connect())
        .await
        .map_err(Error::database(TEXT))?
        .map_err(Error::database(TEXT))?;
    // What it was for is done.
    let _ = connection.close().await;
    Ok(())
}

/// Brings the schema up to date, and makes the partitions around now.
pub(crate) async fn migrate(pool: &PgPool) -> Result<(), Error> {
    let mut conn = pool.acquire().await.map_err(Error::database("the database can't be reached"))?;
    // The migrations table lives in our own schema, so that it meets nobody else's.
    let there =
        schema::exists(&mut conn).await.map_err(Error::database("the database can't be asked for its schemas"))?;
    if !there {
        schema::create(&mut conn)
            .await
            .map_err(Error::database("the schema `hookgate` can't be made: grant CREATE on the database"))?;
    }
    drop(conn);
    migrator().run(pool).await.map_err(Error::migration)?;
    partitions::ensure(pool).await.map_err(Error::database("the day partitions can't be made"))
}

/// Whether the schema is the one this program was built with; if not, says what to do.
pub(crate) async fn refuse_other_schema(pool: &PgPool) -> Result<(), Error> {
    match pending(pool).await.map_err(Error::database("the database can't be reached"))? {
        0 => Ok(()),
        missing => Err(Error::schema(format!(
            "the database lacks {missing} of this release's migrations: run `hookgate migrate` first"
        ))),
    }
}

/// How many migrations the database lacks.
pub(crate) async fn pending(pool: &PgPool) -> sqlx::Result<usize> {
    let mut conn = single(pool).await?;
    let applied = schema::applied(&mut conn).await?;
    Ok(MIGRATIONS.iter().filter(|migration| !applied.contains(&migration.version)).count())
}

fn migrator() -> Migrator {
    let mut migrator = Migrator::with_migrations(MIGRATIONS.iter().cloned().collect());
    migrator.dangerous_set_table_name("hookgate.migrations");
    migrator
}
