//! How work gets a session: its own, or behind a pooler one for a transaction at a time.
//!
//! A direct session brings its limits along from its start and keeps its prepared statements. A pooler in transaction
//! mode gives every transaction whatever session is free, so nothing may outlive it: the limits are set for the
//! transaction, and what anybody prepared there before is forgotten first, because sqlx numbers its statements from 1 in
//! every client. All of that goes out with BEGIN, as one message.
//!
//! sqlx prepares and executes in two messages. Outside a transaction the pooler may give each of them another session, so
//! a statement alone gets a transaction too: [`single`].

use std::ops::{Deref, DerefMut};

use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool};
use sqlx::{AssertSqlSafe, Connection, Postgres, Transaction};

/// What bounds the sessions of a pool.
#[derive(Debug)]
pub(super) struct Limits {
    /// Begins the sessions' application name.
    name: &'static str,
    settings: &'static [(&'static str, &'static str)],
}

pub(super) const INGEST: Limits = Limits {
    name: "hookgate ingest",
    settings: &[("lock_timeout", "1s"), ("statement_timeout", "2s"), ("idle_in_transaction_session_timeout", "2s")],
};

/// Whoever is stopped between two statements of a transaction keeps its row locks, and every ingest and rescue of those
/// lanes waits. A handler's own transaction sets a longer limit for itself.
pub(super) const WORKER: Limits =
    Limits { name: "hookgate worker", settings: &[("idle_in_transaction_session_timeout", "5s")] };

pub(super) const OPERATOR: Limits = Limits {
    name: "hookgate operator",
    settings: &[("lock_timeout", "2s"), ("statement_timeout", "5s"), ("idle_in_transaction_session_timeout", "5s")],
};

/// Ends the application name of sessions that a pooler lends. The pool carries no other mark that reaches whoever uses it.
const POOLED: &str = ", pooled";

impl Limits {
    /// Options whose sessions are bounded by this.
    pub(super) fn of_sessions(&self, options: &PgConnectOptions, pooler: bool) -> PgConnectOptions {
        let options = options.clone();
        if !pooler {
            return options.application_name(self.name).options(self.settings.iter().copied());
        }
        options
            .application_name(&format!("{}{POOLED}", self.name))
            // A statement prepared in one session is not there in the next.
            .statement_cache_capacity(0)
            // A start parameter that poolers refuse; since Postgres 12 it changes nothing.
            .extra_float_digits(None)
    }

    /// Those of a pool whose sessions a pooler lends; `None`: its sessions are its own.
    fn of_lent(pool: &PgPool) -> Option<&'static Self> {
        let options = pool.connect_options();
        let name = options.get_application_name()?.strip_suffix(POOLED)?;
        [&INGEST, &WORKER, &OPERATOR].into_iter().find(|limits| limits.name == name)
    }

    fn begin(&self, begin: &str) -> String {
        let set = self.settings.iter().map(|(name, value)| format!("; set local {name} = '{value}'"));
        format!("{begin}{}; deallocate all", set.collect::<String>())
    }
}

/// Begins a transaction.
pub(crate) async fn begin(pool: &PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    let pool = pool.clone();
    let begun = async move {
        match Limits::of_lent(&pool) {
            Some(limits) => pool.begin_with(AssertSqlSafe(limits.begin("begin"))).await,
            None => pool.begin().await,
        }
    };
    to_its_end(begun).await
}

/// A BEGIN that is given up half way reaches the server all the same, and sqlx does not know of it: the connection would
/// go back to its pool with a transaction open, and whoever gets it next would write into that and never commit. So it
/// goes on beside whoever gave it up, and is then rolled back like any transaction that is dropped.
async fn to_its_end(
    begun: impl Future<Output = sqlx::Result<Transaction<'static, Postgres>>> + Send + 'static,
) -> sqlx::Result<Transaction<'static, Postgres>> {
    tokio::spawn(begun).await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
}

/// Begins a transaction that only reads, and all of one moment.
pub(crate) async fn begin_snapshot(pool: &PgPool) -> sqlx::Result<Transaction<'static, Postgres>> {
    const SNAPSHOT: &str = "begin isolation level repeatable read read only";
    let pool = pool.clone();
    let begun = async move {
        match Limits::of_lent(&pool) {
            Some(limits) => pool.begin_with(AssertSqlSafe(limits.begin(SNAPSHOT))).await,
            None => pool.begin_with(SNAPSHOT).await,
        }
    };
    to_its_end(begun).await
}

/// Begins a transaction on a connection of this pool. Whoever gives this up half way closes the connection: see
/// [`to_its_end`].
pub(crate) async fn begin_on<'c>(pool: &PgPool, conn: &'c mut PgConnection) -> sqlx::Result<Transaction<'c, Postgres>> {
    match Limits::of_lent(pool) {
        Some(limits) => conn.begin_with(AssertSqlSafe(limits.begin("begin"))).await,
        None => conn.begin().await,
    }
}

/// A session for statements that each stand alone: one that writes is not carried out before [`Single::done`].
pub(crate) async fn single(pool: &PgPool) -> sqlx::Result<Single<'static>> {
    match Limits::of_lent(pool) {
        Some(_) => begin(pool).await.map(Single::Within),
        None => pool.acquire().await.map(Single::Own),
    }
}

/// The same on a connection of this pool.
pub(crate) async fn single_on<'c>(pool: &PgPool, conn: &'c mut PgConnection) -> sqlx::Result<Single<'c>> {
    match Limits::of_lent(pool) {
        Some(_) => begin_on(pool, conn).await.map(Single::Within),
        None => Ok(Single::Lent(conn)),
    }
}

/// A session for statements that each stand alone.
#[derive(Debug)]
pub(crate) enum Single<'c> {
    Own(PoolConnection<Postgres>),
    Lent(&'c mut PgConnection),
    /// Behind a pooler.
    Within(Transaction<'c, Postgres>),
}

impl Single<'_> {
    /// Makes durable what was written. Reads need not.
    pub(crate) async fn done(self) -> sqlx::Result<()> {
        match self {
            Self::Own(_) | Self::Lent(_) => Ok(()),
            Self::Within(transaction) => transaction.commit().await,
        }
    }
}

impl Deref for Single<'_> {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        match self {
            Self::Own(conn) => conn,
            Self::Lent(conn) => conn,
            Self::Within(transaction) => transaction,
        }
    }
}

impl DerefMut for Single<'_> {
    fn deref_mut(&mut self) -> &mut PgConnection {
        match self {
            Self::Own(conn) => conn,
            Self::Lent(conn) => conn,
            Self::Within(transaction) => transaction,
        }
    }
}

#[cfg(test)]
mod tests {
    use sqlx::postgres::PgPoolOptions;

    use super::*;

    #[tokio::test]
    async fn only_sessions_that_are_lent_get_their_limits_with_every_transaction() {
        let of = |limits: &Limits, pooler| {
            let options = limits.of_sessions(&PgConnectOptions::new_without_pgpass(), pooler);
            (options.get_options().map(str::to_owned), PgPoolOptions::new().connect_lazy_with(options))
        };
        let (options, direct) = of(&INGEST, false);
        assert!(options.unwrap().contains("lock_timeout=1s"));
        assert!(Limits::of_lent(&direct).is_none());
        let (options, lent) = of(&INGEST, true);
        assert_eq!(options, None, "a pooler refuses them");
        assert_eq!(
            Limits::of_lent(&lent).unwrap().begin("begin"),
            "begin; set local lock_timeout = '1s'; set local statement_timeout = '2s'; \
             set local idle_in_transaction_session_timeout = '2s'; deallocate all"
        );
    }
}
