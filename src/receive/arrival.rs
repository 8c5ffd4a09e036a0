//! A verified request on its way into the database: what T1 will write for it.

use std::sync::Arc;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use hookgate_providers::{Event, Placed, Provider, Verified};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::matching::{self, Read};
use super::reply::Status;
use crate::registry::{Placement, Plan, PlannedSource, Received, Subscription};
use crate::store::record::{Batch, NewDelivery, NewJob, NewReceipt};
use crate::store::{LaneKey, storable};

/// The longest readable copy of an id, type or key, in bytes. The exact ones are hashed.
const READABLE: usize = 512;

/// Verified, stamped, and owned: once the recorder has it, a sender that hangs up harms nothing.
#[derive(Debug)]
pub(crate) struct Arrival {
    pub(crate) id: Uuid,
    pub(crate) received_at: DateTime<Utc>,
    pub(crate) source: Arc<str>,
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<u8>,
    pub(crate) body: Bytes,
    secret: i16,
    content_type: Option<String>,
    events: Vec<ArrivedEvent>,
    batch: Option<serde_json::Value>,
    provider: Provider,
    /// What its events have where handlers look for their place in order.
    placed: Vec<(Placement, Vec<Placed>)>,
    /// The generation of the plan that `filtered` of the events was decided with.
    routed: Option<i64>,
}

/// One event, with storable copies of what its provider said.
#[derive(Debug)]
struct ArrivedEvent {
    key: [u8; 16],
    fingerprint: [u8; 16],
    index: i32,
    pointer: Option<String>,
    no_dedup: bool,
    version: Option<i64>,
    readable_id: Option<String>,
    readable_type: Option<String>,
    readable_key: Option<String>,
    /// Subscriptions that want it by its type and are kept from it by a condition.
    filtered: Vec<i32>,
}

/// What came over the wire.
#[derive(Debug)]
pub(crate) struct Wire {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<u8>,
    pub(crate) content_type: Option<String>,
    pub(crate) body: Bytes,
}

/// What is known about an authentic request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known<'v> {
    pub(crate) provider: &'v Provider,
    pub(crate) verified: &'v Verified,
    /// The secret that vouched for it: its place in the configuration, or its number from 100 where it was paired.
    pub(crate) secret: i16,
}

impl Arrival {
    /// Only what `verify` accepted can arrive: the proof is an argument.
    pub(crate) fn new(
        (id, received_at): (Uuid, DateTime<Utc>),
        source: Arc<str>,
        wire: Wire,
        Known { provider, verified, secret }: Known<'_>,
    ) -> Self {
        let events: Vec<_> = verified.events().iter().map(|event| ArrivedEvent::new(id, event)).collect();
        Self {
            id,
            received_at,
            source,
            method: wire.method,
            target: storable(&wire.target, 8192),
            headers: wire.headers,
            body: wire.body,
            secret,
            content_type: wire.content_type.map(|text| storable(&text, READABLE)),
            batch: describe(&events),
            events,
            provider: *provider,
            placed: Vec::new(),
            routed: None,
        }
    }

    /// Looks for its events' place in order wherever a handler on its source does; before it queues for the recorder, whose
    /// writers should not be kept by a large body.
    pub(crate) fn place(&mut self, plan: &Plan) {
        let Some(source) = plan.source(&self.source) else { return };
        let placements = plan.placements(source.id);
        let placed = self.placed_at(&placements);
        self.placed = placements.into_iter().cloned().zip(placed).collect();
    }

    fn placed_at(&self, placements: &[&Placement]) -> Vec<Vec<Placed>> {
        let pointers: Vec<_> = self.events.iter().map(|event| event.pointer.as_deref()).collect();
        let received = Received { target: &self.target, headers: &self.headers, body: &self.body };
        received.place(&self.provider, &pointers, placements)
    }

    /// The place of an event in the order of a subscription: where its handler looks, else where the source does.
    fn place_of(&self, n: usize, subscription: &Subscription) -> (Option<String>, Option<i64>) {
        let event = &self.events[n];
        let Some(placement) = &subscription.placement else {
            return (event.readable_key.clone(), event.version);
        };
        let known = self.placed.iter().find(|(known, _)| known == placement);
        let found = match known {
            Some((_, placed)) => placed[n].clone(),
            // Declared since it was received.
            None => self.placed_at(&[placement]).pop().map(|mut placed| placed.swap_remove(n)).unwrap_or_default(),
        };
        let key = found.ordering_key.map(|key| storable_key(&key));
        (key.or_else(|| event.readable_key.clone()), found.version.or(event.version))
    }

    /// Decides what the plan's conditions keep its events from; once a generation. A plan is asked for what it was routed
    /// with.
    pub(crate) fn route(&mut self, plan: &Plan) {
        if self.routed == Some(plan.generation) {
            return;
        }
        let Some(source) = plan.source(&self.source) else { return };
        self.routed = Some(plan.generation);
        let was_filtered = self.is_filtered();
        // Most sources have no condition, and pay for none.
        if !was_filtered && plan.on(source.id).iter().all(|subscription| subscription.filter.is_none()) {
            return;
        }
        let array = self.events.first().and_then(|event| event.pointer.as_deref()?.rsplit_once('/'));
        let read = Read {
            provider: &self.provider,
            headers: &self.headers,
            body: &self.body,
            array: array.map(|(array, _)| array),
        };
        let types: Vec<_> = self.events.iter().map(|event| event.readable_type.as_deref()).collect();
        let mut decided = matching::filtered(&read, &types, plan.on(source.id)).into_iter();
        for event in &mut self.events {
            event.filtered = decided.next().unwrap_or_default();
        }
        if was_filtered || self.is_filtered() {
            self.batch = describe(&self.events);
        }
    }

    fn is_filtered(&self) -> bool {
        self.events.iter().any(|event| !event.filtered.is_empty())
    }

    /// The subscriptions that conditions kept from it, those of each event apart, for the events that `is_meant` names.
    pub(crate) fn kept_from(&self, is_meant: impl Fn(i32) -> bool) -> impl Iterator<Item = i32> {
        self.events.iter().filter(move |event| is_meant(event.index)).flat_map(|event| event.filtered.iter().copied())
    }

    /// Rows and body, in bytes, about: what a batch is limited by.
    pub(crate) fn size(&self) -> usize {
        self.body.len() + self.headers.len() + 256
    }

    pub(crate) fn receipts(&self, source: &PlannedSource) -> impl Iterator<Item = NewReceipt> {
        let (id, source) = (self.id, source.id);
        self.events.iter().map(move |event| NewReceipt {
            source,
            key: event.key,
            delivery: id,
            event: event.index,
            fingerprint: event.fingerprint,
        })
    }

    pub(crate) fn row<'a>(&'a self, source: &'a PlannedSource) -> NewDelivery<'a> {
        let first = self.events.first();
        NewDelivery {
            retention: &source.retention,
            id: self.id,
            source: source.id,
            received_at: self.received_at,
            method: &self.method,
            target: &self.target,
            headers: &self.headers,
            body: &self.body,
            content_type: self.content_type.as_deref(),
            secret: self.secret,
            provider_id: first.and_then(|e| e.readable_id.as_deref()),
            event_type: first.and_then(|e| e.readable_type.as_deref()),
            ordering_key: first.and_then(|e| e.readable_key.as_deref()),
            version: first.and_then(|e| e.version),
            events: self.events.len() as i32,
            batch: self.batch.as_ref(),
            no_dedup: first.is_some_and(|e| e.no_dedup),
            filtered: self.is_filtered().then(|| {
                let mut kept: Vec<i32> = self.kept_from(|_| true).collect();
                kept.sort_unstable();
                kept.dedup();
                kept
            }),
        }
    }

    /// Adds everything T1 writes for this arrival if all of it is new.
    pub(crate) fn push_into<'a>(&'a self, batch: &mut Batch<'a>, source: &'a PlannedSource, plan: &Plan) {
        batch.push_delivery(self.row(source));
        for receipt in self.receipts(source) {
            batch.push_receipt(&receipt);
        }
        for job in self.jobs(source, plan) {
            batch.push_job(job);
        }
    }

    /// The jobs of this arrival, as the plan's subscriptions want them: one an event, which T1 merges where a batch is
    /// taken whole.
    pub(crate) fn jobs<'a>(&'a self, source: &'a PlannedSource, plan: &'a Plan) -> impl Iterator<Item = NewJob> + 'a {
        self.fan_out(source, plan).map(move |(n, subscription)| {
            let (index, (key, version)) = (self.events[n].index, self.place_of(n, subscription));
            NewJob {
                delivery: self.id,
                event: index,
                subscription: subscription.id,
                retention: source.retention.clone(),
                lane: subscription.ordered.then(|| lane(subscription.id, key.as_deref())),
                version,
                elements: (subscription.whole && self.events.len() > 1).then(|| vec![index]),
                wait_ms: subscription.routing.reorder_ms,
                eager: subscription.latest,
            }
        })
    }

    /// What is said of it when it is new: whether any handler takes any of its events, or would but for a condition.
    pub(crate) fn status(&self, source: &PlannedSource, plan: &Plan) -> Status {
        match self.fan_out(source, plan).next() {
            Some(_) => Status::Accepted,
            None if self.is_filtered() => Status::Filtered,
            None => Status::Unhandled,
        }
    }

    /// The subscription that answers the request: the first by its handler's name of those that do and get its event, so
    /// that every gateway takes the same. A request of several events has no one answer.
    pub(crate) fn responder(&self, source: &PlannedSource, plan: &Plan) -> Option<i32> {
        if self.events.len() != 1 {
            return None;
        }
        let responders = self.fan_out(source, plan).filter(|(_, subscription)| subscription.routing.respond);
        let first = responders.min_by(|(_, one), (_, other)| one.handler.cmp(&other.handler));
        first.map(|(_, subscription)| subscription.id)
    }

    /// Each event by its place among ours, with each subscription that takes it.
    fn fan_out<'a>(
        &'a self,
        source: &PlannedSource,
        plan: &'a Plan,
    ) -> impl Iterator<Item = (usize, &'a Arc<Subscription>)> {
        let subscriptions = plan.on(source.id);
        self.events.iter().enumerate().flat_map(move |(n, event)| {
            subscriptions
                .iter()
                .filter(|subscription| subscription.wants(event.readable_type.as_deref()))
                .filter(|subscription| !event.filtered.contains(&subscription.id))
                .map(move |subscription| (n, subscription))
        })
    }
}

impl ArrivedEvent {
    fn new(delivery: Uuid, event: &Event) -> Self {
        let readable = |text: &Option<String>| text.as_deref().map(|text| storable(text, READABLE));
        let index = i32::try_from(event.index).unwrap_or(i32::MAX);
        Self {
            // Without a provider id the receipt is keyed by ours: no copy can match it, but a second try of the same
            // T1 still finds its own first.
            key: match &event.dedup_key {
                Some(key) => receipt_key(key),
                None => short_hash(&[b"none", delivery.as_bytes(), &index.to_be_bytes()]),
            },
            fingerprint: first_16(&event.fingerprint),
            index,
            pointer: event.pointer.clone(),
            no_dedup: event.dedup_key.is_none(),
            version: event.version,
            readable_id: readable(&event.delivery_id),
            readable_type: readable(&event.event_type),
            readable_key: readable(&event.ordering_key),
            filtered: Vec::new(),
        }
    }

    fn describe(&self) -> serde_json::Value {
        let mut facts = serde_json::json!({
            "id": self.readable_id, "type": self.readable_type, "key": self.readable_key, "version": self.version,
            "pointer": self.pointer,
        });
        if !self.filtered.is_empty() {
            facts["filtered"] = self.filtered.clone().into();
        }
        facts
    }
}

/// What each event of a batch is; `None`: the request is one event. Also of one element: its handler gets the element, not
/// the array.
fn describe(events: &[ArrivedEvent]) -> Option<serde_json::Value> {
    let is_batch = events.iter().any(|event| event.pointer.is_some());
    is_batch.then(|| events.iter().map(ArrivedEvent::describe).collect())
}

/// A receipt's key: what a dedup key is found by.
pub(crate) fn receipt_key(dedup_key: &str) -> [u8; 16] {
    short_hash(&[b"id", dedup_key.as_bytes()])
}

/// The copy of an ordering key that a lane is found by.
pub(crate) fn storable_key(key: &str) -> String {
    storable(key, READABLE)
}

/// The lane of a subscription for an ordering key as stored, and its readable name. The stored copy is what a replay
/// has, and both must find the same lane; keys that differ only in what was cut share one, which costs no order.
///
/// Events without a key share one lane of their subscription: whoever asked for order gets it.
pub(crate) fn lane(subscription: i32, ordering_key: Option<&str>) -> (LaneKey, String) {
    let key = match ordering_key {
        Some(key) => short_hash(&[b"lane", &subscription.to_be_bytes(), key.as_bytes()]),
        None => short_hash(&[b"default lane", &subscription.to_be_bytes()]),
    };
    (key, storable(ordering_key.unwrap_or("(no key)"), READABLE))
}

/// The first 16 bytes of a SHA-256 over length-prefixed parts, so that no two lists of parts run together.
fn short_hash(parts: &[&[u8]]) -> [u8; 16] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    first_16(&hash.finalize().into())
}

fn first_16(hash: &[u8; 32]) -> [u8; 16] {
    let mut short = [0; 16];
    short.copy_from_slice(&hash[..16]);
    short
}
