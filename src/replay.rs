//! Replay of one delivery: what is not done is queued again, what is done runs again only by force.
//!
//! Promise: a replay never doubles an effect unless told to. Unfinished and dead work is the same job queued again,
//! never a second one; a handler that never saw the event gets its first job; a finished one is left alone, or with
//! `force` gets a run of its own, recorded as a replay.

use std::collections::HashMap;

use serde::Serialize;
use serde_json::json;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use crate::config::Pattern;
use crate::database::begin;
use crate::receive::arrival::{lane, storable_key};
use crate::registry::Received;
use crate::store::dead::Asking;
use crate::store::deliveries::{self, Locked, Stored};
use crate::store::record::NewJob;
use crate::store::registry::{self, SubscriptionRow};
use crate::store::replays::{self, Standing};
use crate::store::{dead, jobs, lanes};
use crate::telemetry;

/// What an operator asks for.
#[derive(Debug, Clone, Default)]
pub(crate) struct Request {
    /// Only these handlers; `None`: every handler of the source that takes the event.
    pub(crate) handlers: Option<Vec<String>>,
    /// Run finished ones again.
    pub(crate) force: bool,
}

/// What was done, by handler.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Replayed {
    /// The number of the replay, where finished handlers run again.
    pub(crate) run: Option<i32>,
    /// First jobs, and runs by force.
    pub(crate) queued: Vec<String>,
    /// Dead jobs that are queued afresh.
    pub(crate) redriven: Vec<String>,
    /// Waiting jobs that are due now.
    pub(crate) hastened: Vec<String>,
    /// Left alone, and why.
    pub(crate) skipped: Vec<(String, &'static str)>,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplayError {
    #[error("there is no such delivery; its payload may be past its retention")]
    NotFound,
    #[error("no handler named {0:?} is subscribed to this delivery's source")]
    UnknownHandler(String),
    #[error("the database did not answer")]
    Database(#[from] sqlx::Error),
}

/// Why a replay of everything leaves out what a condition kept back: whoever mends a delivery did not ask for it.
const FILTERED: &str = "filtered: its condition did not hold; name the handler to run it all the same";

/// One handler's part on the delivery: on one event of it, or on those that it takes together.
struct Part<'a> {
    subscription: &'a SubscriptionRow,
    standing: Option<&'a Standing>,
    job: NewJob,
}

/// Replays a delivery. Transaction: jobs, the replay's record and the audit line commit together.
pub(crate) async fn one(
    pool: &PgPool,
    delivery: Uuid,
    request: &Request,
    actor: &str,
) -> Result<Replayed, ReplayError> {
    let mut tx = begin(pool).await?;
    // What is queued here for a handler is there when its retirement cancels what is queued.
    registry::hold(&mut tx).await?;
    // The lock makes two clicks at once one after the other: the second finds what the first queued.
    let locked = deliveries::lock(&mut tx, delivery).await?.ok_or(ReplayError::NotFound)?;
    let snapshot = registry::snapshot(&mut tx).await?;
    let on_source: Vec<_> = snapshot.subscriptions.iter().filter(|s| s.active && s.source == locked.source).collect();
    let chosen = choose(&on_source, request)?;
    let standings = replays::standings(&mut tx, delivery).await?;

    // What its handlers look for elsewhere is in the request alone.
    let looked_into = chosen.iter().any(|subscription| subscription.routing.placement().is_some());
    let stored = if looked_into { deliveries::load(&mut tx, delivery).await? } else { None };

    let mut done = Replayed::default();
    let parts = plan(delivery, &locked, stored.as_ref(), &chosen, &standings, request, &mut done);
    carry_out(&mut tx, delivery, parts, request, actor, &mut done).await?;
    let detail = json!({ "force": request.force, "result": &done });
    replays::audit(&mut tx, actor, "delivery.replay", &delivery.to_string(), &detail).await?;
    tx.commit().await?;
    for (how, handlers) in [("queued", &done.queued), ("redriven", &done.redriven), ("hastened", &done.hastened)] {
        metrics::counter!(telemetry::REPLAYED, "how" => how).increment(handlers.len() as u64);
    }
    Ok(done)
}

/// Every handler's part on every event that is this delivery's own. A handler that takes requests whole has one part for
/// all that its job stands for, and one for those that it never saw.
fn plan<'a>(
    delivery: Uuid,
    locked: &Locked,
    stored: Option<&Stored>,
    chosen: &[&'a SubscriptionRow],
    standings: &'a [Standing],
    request: &Request,
    done: &mut Replayed,
) -> Vec<Part<'a>> {
    let asks_for_filtered = request.force || request.handlers.is_some();
    let by_place: HashMap<_, _> = standings.iter().map(|s| ((s.event, s.subscription), s)).collect();
    let mut parts: Vec<Part<'a>> = Vec::new();
    for event in 0..locked.events {
        let is_own = locked.own.as_ref().is_none_or(|own| own.contains(&event));
        let (event_type, ordering_key, version) = facts(locked, event);
        for &subscription in chosen {
            if !is_own {
                done.skipped.push((subscription.handler.clone(), "this event came first in another delivery"));
                continue;
            }
            if !wants(subscription, event_type.as_deref()) {
                done.skipped.push((subscription.handler.clone(), "does not take this event type"));
                continue;
            }
            let standing = by_place.get(&(event, subscription.id)).copied();
            // Recorded so when it came: what its condition says now is about what comes now.
            if standing.is_none() && !asks_for_filtered && is_filtered(locked, event, subscription.id) {
                done.skipped.push((subscription.handler.clone(), FILTERED));
                continue;
            }
            let whole = subscription.whole && locked.events > 1;
            let named = standing.map(|standing| standing.job);
            let is_mine = |part: &&mut Part<'_>| {
                part.subscription.id == subscription.id && part.standing.map(|standing| standing.job) == named
            };
            if whole && let Some(part) = parts.iter_mut().find(is_mine) {
                part.job.elements.get_or_insert_default().push(event);
                continue;
            }
            let (key, version) = place(stored, locked, event, subscription, (ordering_key.as_deref(), version));
            parts.push(Part {
                subscription,
                standing,
                job: NewJob {
                    delivery,
                    event: named.unwrap_or(event),
                    subscription: subscription.id,
                    retention: locked.retention.clone(),
                    lane: (subscription.ordering != "none").then(|| lane(subscription.id, key.as_deref())),
                    version,
                    elements: whole.then(|| vec![event]),
                    wait_ms: 0,
                    eager: subscription.ordering == "latest",
                },
            });
        }
    }
    parts
}

fn choose<'a>(on_source: &[&'a SubscriptionRow], request: &Request) -> Result<Vec<&'a SubscriptionRow>, ReplayError> {
    let Some(names) = &request.handlers else {
        return Ok(on_source.to_vec());
    };
    names
        .iter()
        .map(|name| {
            let found = on_source.iter().find(|s| s.handler == *name);
            found.copied().ok_or_else(|| ReplayError::UnknownHandler(name.clone()))
        })
        .collect()
}

/// Type, ordering key and version of an event.
pub(crate) fn facts(locked: &Locked, event: i32) -> (Option<String>, Option<String>, Option<i64>) {
    let Some(element) = locked.batch.as_ref().and_then(|batch| batch.get(event as usize)) else {
        return (locked.event_type.clone(), locked.ordering_key.clone(), locked.version);
    };
    let text = |name: &str| element.get(name)?.as_str().map(str::to_owned);
    (text("type"), text("key"), element.get("version").and_then(serde_json::Value::as_i64))
}

/// An event's place in the order of a subscription: as whoever recorded it found it.
pub(crate) fn place(
    stored: Option<&Stored>,
    locked: &Locked,
    event: i32,
    subscription: &SubscriptionRow,
    (key, version): (Option<&str>, Option<i64>),
) -> (Option<String>, Option<i64>) {
    let placed = stored.zip(subscription.routing.placement()).map(|(stored, placement)| {
        let element = locked.batch.as_ref().and_then(|batch| batch.get(event as usize)?.get("pointer")?.as_str());
        let received = Received { target: &stored.target, headers: &stored.headers, body: &stored.body };
        received.place_one(&stored.provider, element, &placement)
    });
    let placed = placed.unwrap_or_default();
    let found = placed.ordering_key.map(|key| storable_key(&key));
    (found.or_else(|| key.map(str::to_owned)), placed.version.or(version))
}

/// Whether a condition kept the handler from the event when it came.
fn is_filtered(locked: &Locked, event: i32, subscription: i32) -> bool {
    let Some(kept_from) = &locked.filtered else { return false };
    match locked.batch.as_ref().and_then(|batch| batch.get(event as usize)) {
        None => kept_from.contains(&subscription),
        Some(element) => element["filtered"].as_array().into_iter().flatten().any(|id| *id == subscription),
    }
}

pub(crate) fn wants(subscription: &SubscriptionRow, event_type: Option<&str>) -> bool {
    subscription
        .patterns
        .iter()
        .filter_map(|pattern| pattern.parse::<Pattern>().ok())
        .any(|pattern| pattern.matches(event_type.unwrap_or_default()))
}

/// What a part's standing calls for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Act {
    Redrive,
    Hasten,
    /// It ended, and nobody forces it.
    Leave,
    /// It never ran: its first job, and a live one.
    Begin,
    /// It ended, and runs again as a replay, at its place in its lane.
    Repeat {
        seq: Option<i64>,
    },
}

impl Part<'_> {
    fn act(&self, force: bool) -> Act {
        let Some(standing) = self.standing else {
            return Act::Begin;
        };
        match standing.standing.as_str() {
            "dead" => Act::Redrive,
            "job" => Act::Hasten,
            _ if force => Act::Repeat { seq: standing.seq },
            _ => Act::Leave,
        }
    }
}

/// Every lane is locked before the first job is touched: whoever works on these lanes holds them while it wants a job.
async fn carry_out(
    tx: &mut PgConnection,
    delivery: Uuid,
    parts: Vec<Part<'_>>,
    request: &Request,
    actor: &str,
    done: &mut Replayed,
) -> sqlx::Result<()> {
    let parts: Vec<_> = parts.into_iter().map(|part| (part.act(request.force), part)).collect();
    let events: Vec<_> = parts.iter().map(|(_, part)| (delivery, part.job.event)).collect();
    let queued = parts.iter().filter(|(act, _)| matches!(act, Act::Begin | Act::Repeat { .. }));
    lanes::lock(&mut *tx, &events, &queued.map(|(_, part)| &part.job).collect::<Vec<_>>()).await?;

    let dead: Vec<_> =
        parts.iter().filter(|(act, _)| *act == Act::Redrive).map(|(_, part)| part.subscription).collect();
    if !dead.is_empty() {
        let subscriptions: Vec<i32> = dead.iter().map(|subscription| subscription.id).collect();
        dead::redrive(&mut *tx, delivery, None, Some(&subscriptions), Asking::Operator).await?;
        done.redriven.extend(dead.iter().map(|subscription| subscription.handler.clone()));
    }
    for (act, part) in parts {
        let handler = part.subscription.handler.clone();
        match act {
            Act::Redrive => {}
            Act::Leave => done.skipped.push((handler, "done")),
            Act::Hasten => {
                lanes::hasten(&mut *tx, delivery, part.job.event, Some(part.subscription.id)).await?;
                if jobs::hasten(&mut *tx, delivery, part.job.event, Some(part.subscription.id)).await? > 0 {
                    done.hastened.push(handler);
                } else {
                    done.skipped.push((handler, "queued already"));
                }
            }
            Act::Begin => {
                replays::queue(&mut *tx, &part.job, 0, None).await?;
                done.queued.push(handler);
            }
            Act::Repeat { seq } => {
                let run = number(&mut *tx, delivery, request, actor, done).await?;
                replays::queue(&mut *tx, &part.job, run, seq).await?;
                done.queued.push(handler);
            }
        }
    }
    Ok(())
}

/// The replay's number, drawn once.
async fn number(
    tx: &mut PgConnection,
    delivery: Uuid,
    request: &Request,
    actor: &str,
    done: &mut Replayed,
) -> sqlx::Result<i32> {
    if let Some(run) = done.run {
        return Ok(run);
    }
    let handlers = request.handlers.clone().unwrap_or_default();
    let run = replays::insert(tx, actor, delivery, &handlers, request.force).await?;
    done.run = Some(run);
    Ok(run)
}
