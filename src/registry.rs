//! Sources, handlers and subscriptions as data, and the generation that dates them.
//!
//! T1 fans out from the subscriptions of one generation and writes only if the registry is still there. So a gateway
//! that does not contain a handler (ingest-only, or the old one of a rolling deploy) makes jobs for it all the same,
//! and a handler misses no event recorded after its declaration committed.

mod routing;

use std::collections::HashMap;
use std::sync::Arc;

use sqlx::PgPool;

use crate::condition::Filter;
use crate::config::Pattern;
use crate::database::{begin, single};
use crate::store::pauses;
use crate::store::registry::{self as store, HandlerRow, SourceRow};
pub(crate) use routing::{Placement, Received, Routing};

/// The registry at one generation, as T1 plans with it.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) generation: i64,
    sources: HashMap<String, PlannedSource>,
    subscriptions: HashMap<i32, Vec<Arc<Subscription>>>,
}

/// A source's row.
#[derive(Debug, Clone)]
pub(crate) struct PlannedSource {
    pub(crate) id: i32,
    pub(crate) retention: String,
    pub(crate) parks_conflicts: bool,
}

/// One handler on one source.
#[derive(Debug, Clone)]
pub(crate) struct Subscription {
    pub(crate) id: i32,
    pub(crate) handler: String,
    pub(crate) ordered: bool,
    /// Its source's part of the handler's places.
    pub(crate) weight: u16,
    /// Takes a request whole, however many events are in it.
    pub(crate) whole: bool,
    /// Only the newest version of an ordering key counts.
    pub(crate) latest: bool,
    /// Where its ordering key and version are, if not where the source says.
    pub(crate) placement: Option<Placement>,
    pub(crate) routing: Routing,
    /// What `routing.when` means; `None`: it gets every event that it wants.
    pub(crate) filter: Option<Filter>,
    active: bool,
    patterns: Vec<Pattern>,
}

impl Subscription {
    /// Whether the handler wants new events of this type. One without a type meets only `*`.
    pub(crate) fn wants(&self, event_type: Option<&str>) -> bool {
        self.active && self.patterns.iter().any(|pattern| pattern.matches(event_type.unwrap_or_default()))
    }
}

impl Plan {
    fn from_snapshot(snapshot: store::Snapshot) -> Self {
        let mut subscriptions: HashMap<i32, Vec<Arc<Subscription>>> = HashMap::new();
        for row in snapshot.subscriptions {
            subscriptions.entry(row.source).or_default().push(Arc::new(Subscription {
                id: row.id,
                handler: row.handler,
                ordered: row.ordering != "none",
                latest: row.ordering == "latest",
                placement: row.routing.0.placement(),
                whole: row.whole,
                weight: row.weight.unsigned_abs(),
                filter: row.routing.0.when.as_ref().map(Filter::stored),
                routing: row.routing.0,
                active: row.active,
                // A pattern that a newer release understands and this one doesn't matches nothing here.
                patterns: row.patterns.iter().filter_map(|p| p.parse().ok()).collect(),
            }));
        }
        let sources = snapshot.sources.into_iter().map(|(name, id, retention, on_conflict)| {
            (name, PlannedSource { id, retention, parks_conflicts: on_conflict == "park" })
        });
        Self { generation: snapshot.generation, sources: sources.collect(), subscriptions }
    }

    pub(crate) fn source(&self, name: &str) -> Option<&PlannedSource> {
        self.sources.get(name)
    }

    /// Where handlers on a source look for an event's place in order, each once.
    pub(crate) fn placements(&self, source: i32) -> Vec<&Placement> {
        let mut distinct: Vec<&Placement> = Vec::new();
        for placement in self.on(source).iter().filter_map(|subscription| subscription.placement.as_ref()) {
            if !distinct.contains(&placement) {
                distinct.push(placement);
            }
        }
        distinct
    }

    /// Every handler on a source.
    pub(crate) fn on(&self, source: i32) -> &[Arc<Subscription>] {
        self.subscriptions.get(&source).map_or(&[], Vec::as_slice)
    }

    /// Every subscription of a handler, on whatever source, also those that were switched off: their jobs still wait.
    pub(crate) fn of_handler<'a>(&'a self, handler: &'a str) -> impl Iterator<Item = &'a Arc<Subscription>> {
        self.subscriptions.values().flatten().filter(move |s| s.handler == handler)
    }
}

/// Reads the registry.
pub(crate) async fn load(pool: &PgPool) -> sqlx::Result<Plan> {
    let mut conn = single(pool).await?;
    store::snapshot(&mut conn).await.map(Plan::from_snapshot)
}

/// Declares this process's sources and handlers, where its `release` is at least the stored one. Removes none.
/// Transaction: the declaration and the generation it raises commit together.
pub(crate) async fn declare(
    pool: &PgPool,
    sources: &[SourceRow],
    handlers: &[HandlerRow],
    release: i64,
) -> sqlx::Result<()> {
    let mut tx = begin(pool).await?;
    store::lock(&mut tx).await?;
    let mut changed = false;
    for source in sources {
        changed |= store::upsert_source(&mut tx, source, release).await?;
    }
    for handler in handlers {
        changed |= store::upsert_handler(&mut tx, handler, release).await?;
    }
    let (matched_sources, matched_handlers): (Vec<i32>, Vec<i32>) = store::pairs(&mut tx)
        .await?
        .into_iter()
        .filter(|pair| pair.sources.parse::<Pattern>().is_ok_and(|glob| glob.matches(&pair.source_name)))
        .map(|pair| (pair.source, pair.handler))
        .unzip();
    changed |= store::subscribe(&mut tx, &matched_sources, &matched_handlers).await?;
    // A subscription that was just made is paused where its source, its handler or everything is.
    pauses::resolve(&mut tx).await?;
    if changed {
        store::raise(&mut tx).await?;
    }
    tx.commit().await
}
