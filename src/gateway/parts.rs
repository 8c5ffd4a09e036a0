//! Starts the roles of a gateway, in the order in which they need each other.

use std::collections::HashMap;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::operator::operator;
use super::running::Running;
use super::{Database, Listeners, with_worker_limits};
use crate::answers::Answers;
use crate::clock::{self, DatabaseClock};
use crate::config::{Config, OnConflict, ProcessRole};
use crate::deliver::{self, Wake, Worker};
use crate::handler::{Handler, State};
use crate::receive::body::Limits;
use crate::receive::keys::{KeyStore, Outbound, Seam};
use crate::receive::pairing::{self, Pairing};
use crate::receive::record::{Recorder, Settings};
use crate::receive::refusals::Refusals;
use crate::receive::respond;
use crate::receive::verify::Source;
use crate::receive::write::Writer;
use crate::receive::{self, Ingest};
use crate::store::registry::SourceRow;
use crate::{Error, admin, breaker, database, maintenance, registry, serve};

/// Starts everything the configuration's roles need.
pub(super) async fn start(
    config: Config,
    handlers: Vec<Handler>,
    state: Arc<State>,
    listeners: Listeners,
    database: Database,
    seam: Option<Seam>,
) -> Result<Running, Error> {
    let pools = database.pools.clone();
    if database.embedded.is_some() {
        database::migrate(&pools.operator).await?;
    } else {
        database::refuse_other_schema(&pools.operator).await?;
        maintenance::partitions::ensure(&pools.operator)
            .await
            .map_err(Error::database("the day partitions can't be made"))?;
    }
    let runs = |role| config.server.roles.contains(&role);
    declare(&config, &handlers, &pools.operator).await?;

    // Whoever makes jobs pokes; the worker of this process waits for it, and so do the other processes' through LISTEN.
    let wake = Arc::new(Wake::default());
    let refusals = Arc::new(Refusals::default());
    let mut running = Running::new(database, config.server.shutdown_grace);
    // No more wait for an answer than may wait for the recorder.
    let answers = Arc::new(Answers::new(config.recorder.queue, running.stop_ingest.clone()));
    if runs(ProcessRole::Ingest)
        && let Some(listener) = listeners.ingest
    {
        running.ingest_addr = listener.local_addr().ok();
        let (ingest, mut writers) = ingest(&config, &pools, (&wake, &answers), &refusals, seam).await?;
        running.background(respond::look_out(Arc::clone(&answers), pools.ingest.clone()));
        running.background(clock::keep(Arc::clone(&ingest.clock), pools.ingest.clone()));
        running.background(pairing::keep(Arc::clone(&ingest.pairing)));
        let stop = running.stop_ingest.clone();
        let (header_timeout, grace) = (config.server.header_timeout, config.server.shutdown_grace);
        running.ingest = Some(tokio::spawn(async move {
            serve::serve(listener, receive::router(ingest), header_timeout, grace, stop).await;
            // The router is gone and with it the recorder's last handle: what was taken is written, then the writers
            // end. A request that was cut off may still hold one.
            let written = async { while writers.join_next().await.is_some() {} };
            if tokio::time::timeout(grace, written).await.is_err() {
                tracing::warn!("recorder.grace_over");
            }
        }));
    }
    if runs(ProcessRole::Worker) {
        let worker = worker(&config, &pools, handlers, state, (&wake, &answers), running.stop_worker.clone());
        deliver::introduce(&worker, &pools.operator)
            .await
            .map_err(Error::database("the worker can't be registered"))?;
        running.background({
            let (worker, pool) = (Arc::clone(&worker), pools.operator.clone());
            async move { deliver::beat(&worker, &pool).await }
        });
        if config.database.listen {
            running.background(deliver::listen(pools.worker.clone(), Arc::clone(&wake)));
        }
        running.work(worker, config.server.shutdown_grace);
    }
    if config.database.listen {
        running.background(deliver::announce(pools.worker.clone(), Arc::clone(&wake)));
    }
    if runs(ProcessRole::Operator)
        && let Some(listener) = listeners.operator
    {
        running.operator_addr = listener.local_addr().ok();
        let operator = operator(&config, pools.operator.clone(), refusals, wake)?;
        running.background(admin::sample_forever(Arc::clone(&operator), running.stop_operator.clone()));
        let stop = running.stop_operator.clone();
        let (header_timeout, grace) = (config.server.header_timeout, config.server.shutdown_grace);
        running.operator = Some(tokio::spawn(async move {
            serve::serve(listener, admin::router(operator), header_timeout, grace, stop).await;
        }));
    }
    let keeping = maintenance::Settings {
        lease: config.worker.lease,
        rescues: config.worker.rescues,
        retention: config.retention.clone(),
    };
    running.background(maintenance::run(pools.operator.clone(), keeping));
    Ok(running)
}

/// Sources of whoever receives, handlers of whoever has their code.
async fn declare(config: &Config, handlers: &[Handler], pool: &sqlx::PgPool) -> Result<(), Error> {
    let runs = |role| config.server.roles.contains(&role);
    let sources = config.sources.values().map(|source| SourceRow {
        name: source.name.to_string(),
        provider: source.provider.name.to_owned(),
        tenant: source.tenant.as_ref().map(ToString::to_string),
        retention: source.retention.as_str().to_owned(),
        on_conflict: match source.on_conflict {
            OnConflict::Park => "park",
            OnConflict::Process => "process",
        }
        .to_owned(),
        weight: i16::try_from(source.weight).unwrap_or(i16::MAX),
    });
    let handlers = handlers.iter().map(Handler::row);
    let sources: Vec<_> = if runs(ProcessRole::Ingest) { sources.collect() } else { Vec::new() };
    let handlers: Vec<_> = if runs(ProcessRole::Worker) { handlers.collect() } else { Vec::new() };
    registry::declare(pool, &sources, &handlers, config.registry.release)
        .await
        .map_err(Error::database("sources and handlers can't be declared"))
}

async fn ingest(
    config: &Config,
    pools: &database::Pools,
    (wake, answers): (&Arc<Wake>, &Arc<Answers>),
    refusals: &Arc<Refusals>,
    seam: Option<Seam>,
) -> Result<(Arc<Ingest>, tokio::task::JoinSet<()>), Error> {
    let unreachable = || Error::database("the database can't be reached");
    let plan = registry::load(&pools.ingest).await.map_err(unreachable())?;
    let now = {
        let mut conn = database::single(&pools.ingest).await.map_err(unreachable())?;
        crate::store::partitions::now(&mut conn).await.map_err(unreachable())?
    };
    let clock = Arc::new(DatabaseClock::new(now));
    let writer = Writer::new(
        pools.ingest.clone(),
        Uuid::new_v4(),
        Arc::clone(&clock),
        plan,
        config.retention.receipts,
        Arc::clone(wake),
    );
    let settings = Settings {
        batch: config.recorder.batch,
        batch_bytes: config.recorder.batch_bytes,
        queue: config.recorder.queue,
        queue_bytes: config.recorder.queue_bytes,
        writers: config.recorder.writers,
        timeout: config.recorder.timeout,
    };
    let (recorder, writers) = Recorder::start(&settings, Arc::new(writer));
    let sources = config.sources.values().filter(|source| source.enabled);
    let sources: HashMap<_, _> =
        sources.map(|source| (source.name.to_string(), Source::new(source, &config.server))).collect();
    let offering = sources.iter().filter(|(_, source)| source.provider.offers_secrets());
    let offering = offering.map(|(name, source)| (name.clone(), Arc::clone(&source.secrets))).collect();
    let pairing = Arc::new(Pairing::new(pools.ingest.clone(), config.secrets.keys.clone(), offering));
    pairing.refresh().await.map_err(unreachable())?;
    let ingest = Ingest {
        sources,
        pairing,
        listens_at: format!("http://{}", config.server.ingest),
        trusted_proxies: config.server.trusted_proxies.clone(),
        limits: Limits::new(config.server.bytes_in_flight, config.server.body_timeout),
        clock,
        recorder,
        refusals: Arc::clone(refusals),
        answers: Arc::clone(answers),
        keys: KeyStore::new(Outbound::new(seam)),
    };
    Ok((Arc::new(ingest), writers))
}

fn worker(
    config: &Config,
    pools: &database::Pools,
    handlers: Vec<Handler>,
    state: Arc<State>,
    (wake, answers): (&Arc<Wake>, &Arc<Answers>),
    stop: CancellationToken,
) -> Arc<Worker> {
    let settings = deliver::Settings {
        poll: config.worker.poll,
        heartbeat: config.worker.heartbeat,
        lease: config.worker.lease,
        lane_claim: i64::from(config.worker.lane_claim),
        release: config.registry.release,
        config_hash: config.fingerprint(),
        shares: [config.worker.shares.live, config.worker.shares.retry, config.worker.shares.replay],
        breaker: breaker::Policy {
            failures: config.breaker.failures,
            within: config.breaker.within,
            open_for: config.breaker.open_for,
            longest: config.breaker.longest,
        },
    };
    let handlers = handlers.into_iter().map(|handler| with_worker_limits(handler, &config.worker)).collect();
    Arc::new(Worker::new(pools, settings, handlers, state, (Arc::clone(wake), Arc::clone(answers)), stop))
}
