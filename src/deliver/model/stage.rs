//! What every history of one database stands on: its gateways, its connections, and the names of its rows.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use hookgate_providers::{Headers, Request, Secret, Unsigned, Verdict, find, sign, verify};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, Executor, PgConnection, PgPool};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::super::Wake;
use super::operation::Takers;
use super::process;
use super::reference::{Handler, JobId, Key, Violation};
use crate::clock::DatabaseClock;
use crate::receive::arrival::{Arrival, Known, Wire, lane};
use crate::receive::record::{NotDurable, Recorded, Recorder, Settings};
use crate::receive::write::Writer;
use crate::registry::{self, Plan};
use crate::store::registry::SourceRow;
use crate::store::{JobKey, partitions};

const SECRET: &str = "whsec_of_the_model";
pub(super) const KEYS: [&str; 3] = ["a", "b", "c"];

/// Histories need two days of one retention class. Every other partition is planned for, and locked, again and again.
const FEW_PARTITIONS: &str = "
    do $$
    declare part text;
    begin
        for part in
            select c.oid::regclass from pg_class c join pg_namespace n on n.oid = c.relnamespace
             where n.nspname = 'hookgate' and c.relispartition
               and (c.relname ~ '^(deliveries|copies|attempts)_(short|long)$'
                    or c.relkind = 'r' and c.relname ~ '^(deliveries|copies|attempts)_standard'
                       and right(c.relname, 8) not in (to_char(now(), 'YYYYMMDD'), to_char(now() + '1 day', 'YYYYMMDD')))
        loop
            execute 'drop table ' || part;
        end loop;
    end $$";

pub(super) struct Stage {
    options: PgConnectOptions,
    pub(super) pool: PgPool,
    pub(super) gateway: Recorder,
    /// A gateway whose database can't be written to.
    pub(super) read_only: Recorder,
    memory: Arc<Semaphore>,
    pub(super) clock: Arc<DatabaseClock>,
    pub(super) plan: Plan,
    pub(super) wakes: [Arc<Wake>; 2],
    /// Looks on.
    pub(super) observer: PgConnection,
    /// Holds locks.
    pub(super) holder: PgConnection,
    pub(super) names: Names,
    _writers: [JoinSet<()>; 2],
}

/// What rows are called in the reference.
#[derive(Debug, Default)]
pub(super) struct Names {
    subscriptions: HashMap<i32, Handler>,
    lanes: HashMap<String, Key>,
    pub(super) events: HashMap<Uuid, usize>,
}

impl Names {
    pub(super) fn job(&self, delivery: Uuid, subscription: i32, run: i32) -> Result<JobId, Violation> {
        let event = *self.events.get(&delivery).ok_or_else(|| format!("delivery {delivery} was never sent"))?;
        let handler = *self.subscriptions.get(&subscription).ok_or("a subscription that nobody made")?;
        Ok(JobId { event, handler, run })
    }

    pub(super) fn key(&self, lane: &str) -> Result<Key, Violation> {
        self.lanes.get(lane).copied().ok_or_else(|| format!("lane {lane} is nobody's"))
    }

    pub(super) fn subscription(&self, of: Handler) -> i32 {
        self.subscriptions.iter().find(|(_, handler)| **handler == of).map_or(0, |(id, _)| *id)
    }

    /// The reference's name of what the database calls so.
    pub(super) fn job_of(&self, key: JobKey) -> Result<JobId, Violation> {
        self.job(key.delivery, key.subscription, key.run)
    }
}

impl Stage {
    pub(super) async fn set(options: PgConnectOptions) -> sqlx::Result<Self> {
        let pool = |n, options: PgConnectOptions| {
            PgPoolOptions::new().max_connections(n).test_before_acquire(false).connect_lazy_with(options)
        };
        let (ingest, workers) = (pool(2, options.clone()), pool(24, options.clone()));
        let replica = pool(1, options.clone().options([("default_transaction_read_only", "on")]));
        let mut observer = options.connect().await?;
        // What an earlier stage left behind, if it fell.
        observer
            .execute(
                "select pg_terminate_backend(pid) from pg_stat_activity
                  where datname = current_database() and pid <> pg_backend_pid()",
            )
            .await?;
        observer
            .execute("create table if not exists model_effect (delivery uuid not null, handler text not null)")
            .await?;
        observer.execute(FEW_PARTITIONS).await?;
        let holder = options.connect().await?;
        let source = SourceRow {
            name: "s".to_owned(),
            provider: "stripe".to_owned(),
            tenant: None,
            retention: "standard".to_owned(),
            on_conflict: "park".to_owned(),
            weight: 1,
        };
        registry::declare(&workers, &[source], &process::rows(), 1).await?;
        let plan = registry::load(&workers).await?;
        let clock = Arc::new(DatabaseClock::new(partitions::now(&mut observer).await?));
        let wakes = [Arc::new(Wake::default()), Arc::new(Wake::default())];
        let settings = Settings {
            batch: 128,
            batch_bytes: 1 << 20,
            queue: 128,
            queue_bytes: 1 << 20,
            writers: 1,
            timeout: Duration::from_secs(60),
        };
        let recorder = |pool: &PgPool| {
            let horizon = Duration::from_secs(100 * 24 * 3600);
            let (clock, wake) = (Arc::clone(&clock), Arc::clone(&wakes[0]));
            let writer = Writer::new(pool.clone(), Uuid::new_v4(), clock, plan.clone(), horizon, wake);
            Recorder::start(&settings, Arc::new(writer))
        };
        let ((gateway, writer), (read_only, idle_writer)) = (recorder(&ingest), recorder(&replica));
        Ok(Self {
            names: names(&plan),
            options,
            pool: workers,
            gateway,
            read_only,
            memory: Arc::new(Semaphore::new(1 << 20)),
            clock,
            plan,
            wakes,
            observer,
            holder,
            _writers: [writer, idle_writer],
        })
    }

    pub(super) fn options(&self) -> PgConnectOptions {
        self.options.clone()
    }

    /// A signed and verified request.
    pub(super) fn arrival(&self, id: &str, key: Key, takers: Takers, body: usize) -> Result<Arrival, Violation> {
        let (stamp, now) = (self.clock.stamp(), chrono::Utc::now().timestamp());
        let (object, kind) = (KEYS[usize::from(key)], takers.event_type());
        let body = format!(r#"{{"id":"{id}","type":"{kind}","data":{{"object":{{"id":"{object}"}}}},"body":{body}}}"#);
        let stripe = find("stripe").ok_or("no such provider")?;
        let secret = Secret::new(SECRET).map_err(|error| format!("{error:?}"))?;
        let (headers, url) = (Headers::new(), "http://localhost/in/s");
        let unsigned = Unsigned { method: "POST", url, headers: &headers, body: body.as_bytes(), id, now };
        let headers = sign(stripe, &unsigned, &secret).map_err(|error| format!("{error:?}"))?;
        let request = Request { method: "POST", url, headers: &headers, body: body.as_bytes() };
        let Ok(Verdict::Delivery(verified)) = verify(stripe, &request, &[secret], now) else {
            return Err("what was signed does not verify".to_owned());
        };
        let wire = Wire {
            method: "POST".to_owned(),
            target: "/in/s".to_owned(),
            headers: Vec::new(),
            content_type: None,
            body: body.clone().into(),
        };
        Ok(Arrival::new(stamp, "s".into(), wire, Known { verified: &verified, provider: stripe, secret: 0 }))
    }

    /// Hands an arrival to a gateway's recorder.
    pub(super) fn send(
        &self,
        recorder: &Recorder,
        arrival: Arrival,
    ) -> impl Future<Output = Result<Recorded, NotDurable>> + use<> {
        let (recorder, memory) = (recorder.clone(), Arc::clone(&self.memory));
        async move {
            let memory = memory.acquire_owned().await.map_err(|_| NotDurable::Busy)?;
            recorder.record(arrival, memory).await
        }
    }

    /// How many sessions wait for a lock of another.
    pub(super) async fn waiting(&mut self) -> Result<i64, Violation> {
        sqlx::query_scalar(
            "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        )
        .fetch_one(&mut self.observer)
        .await
        .map_err(|error| error.to_string())
    }

    /// Lanes whose suspect waits half a second for another one. That is a wait like any other: it is over when the history
    /// says so.
    pub(super) async fn settle_half_seconds(&mut self) -> Result<Vec<Key>, Violation> {
        let lanes: Vec<String> = sqlx::query_scalar(
            "update hookgate.lanes l set due = due + interval '1 hour'
               from (select lane from hookgate.lanes
                      where state = 'ready'
                        and due between touched_at + interval '499 milliseconds' and touched_at + interval '501 milliseconds'
                        for no key update skip locked) w
              where l.lane = w.lane
             returning encode(l.lane, 'hex')",
        )
        .fetch_all(&mut self.observer)
        .await
        .map_err(|error| error.to_string())?;
        lanes.iter().map(|lane| self.names.key(lane)).collect()
    }

    pub(super) async fn run(&mut self, sql: &str) -> Result<(), Violation> {
        self.observer.execute(AssertSqlSafe(sql.to_owned())).await.map_err(|error| format!("{sql}: {error}"))?;
        Ok(())
    }

    pub(super) async fn hold(&mut self, sql: &'static str) -> Result<(), Violation> {
        self.holder.execute(sql).await.map_err(|error| format!("{sql}: {error}"))?;
        Ok(())
    }

    /// Leaves nothing of a history.
    pub(super) async fn clear(&mut self) -> Result<(), Violation> {
        self.names.events.clear();
        self.run(
            "with a as (delete from hookgate.jobs), b as (delete from hookgate.lanes), c as (delete from hookgate.dead),
                  d as (delete from hookgate.attempts_standard), e as (delete from hookgate.deliveries_standard),
                  f as (delete from hookgate.receipts), g as (delete from hookgate.conflicts),
                  h as (delete from hookgate.copies_standard), i as (delete from hookgate.replays),
                  j as (delete from hookgate.audit), k as (delete from hookgate.workers),
                  l as (delete from model_effect)
             select",
        )
        .await
    }

    /// Dead rows of histories past would make the next ones slow.
    pub(super) async fn vacuum(&mut self) -> Result<(), Violation> {
        self.run(
            "vacuum hookgate.jobs, hookgate.lanes, hookgate.dead, hookgate.attempts_standard,
                    hookgate.deliveries_standard, hookgate.receipts, hookgate.conflicts, hookgate.copies_standard,
                    hookgate.replays, hookgate.audit, hookgate.workers, model_effect",
        )
        .await
    }

    pub(super) async fn another_connection(&self) -> Result<PgConnection, Violation> {
        PgConnection::connect_with(&self.options()).await.map_err(|error| error.to_string())
    }
}

fn names(plan: &Plan) -> Names {
    let subscription = |name: &str| plan.of_handler(name).next().map_or(0, |subscription| subscription.id);
    let (ordered, free) = (subscription("ordered"), subscription("free"));
    let lanes = KEYS.iter().zip(0..).map(|(key, n)| (hex::encode(lane(ordered, Some(key)).0), n));
    Names {
        subscriptions: HashMap::from([(ordered, Handler::Ordered), (free, Handler::Free)]),
        lanes: lanes.collect(),
        events: HashMap::new(),
    }
}
