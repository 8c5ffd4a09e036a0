//! The provider: sends events at a steady rate over both gateways, tries again whatever was not acknowledged, and sends
//! some twice. The events of one key go one after another, each when the one before was acknowledged: that is the order
//! they must be processed in.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::Profile;
use crate::events::{Event, Kind};
use crate::fleet::Fleet;
use crate::ledger::Ledger;

const KEYS: usize = 48;
/// How long a provider waits for an answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// No outage here is as long.
const GIVES_UP: Duration = Duration::from_secs(300);
/// Of all events, those that are sent again although they were acknowledged.
const TWICE: f64 = 0.05;

/// A running provider.
#[derive(Debug)]
pub(crate) struct Sender {
    stop: CancellationToken,
    drawing: JoinHandle<()>,
    keys: JoinSet<Vec<Event>>,
}

impl Sender {
    pub(crate) fn start(profile: Profile, fleet: Arc<Fleet>, ledger: Arc<Ledger>) -> Self {
        let stop = CancellationToken::new();
        let mut keys = JoinSet::new();
        let mut queues = Vec::new();
        for key in 0..KEYS {
            let (queue, events) = unbounded_channel();
            queues.push(queue);
            let dice = StdRng::seed_from_u64(profile.seed.wrapping_add(key as u64));
            keys.spawn(send_all(Line { fleet: Arc::clone(&fleet), ledger: Arc::clone(&ledger), dice }, events));
        }
        let drawing = tokio::spawn(draw(profile, queues, stop.clone()));
        Self { stop, drawing, keys }
    }

    /// Draws no more events, waits until all are acknowledged, and returns them.
    pub(crate) async fn finish(self) -> Vec<Event> {
        self.stop.cancel();
        self.drawing.await.expect("no panic");
        self.keys.join_all().await.into_iter().flatten().collect()
    }
}

/// At an even pace, whatever becomes of them: a provider does not slow down because its receiver does.
async fn draw(profile: Profile, queues: Vec<UnboundedSender<Event>>, stop: CancellationToken) {
    let mut dice = StdRng::seed_from_u64(profile.seed ^ 0xe7e275);
    let mut counts = [0; KEYS];
    let mut pace = tokio::time::interval(Duration::from_secs_f64(1.0 / profile.events_a_second));
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = pace.tick() => {}
        }
        let kind = match dice.random_range(0..10) {
            0..5 => Kind::Ordered,
            5..8 => Kind::Loose,
            _ => Kind::Forwarded,
        };
        // A few keys get most of it.
        let at = dice.random_range(0..KEYS).min(dice.random_range(0..KEYS));
        counts[at] += 1;
        let _ = queues[at].send(Event { kind, key: format!("k{at}"), n: counts[at] });
    }
}

struct Line {
    fleet: Arc<Fleet>,
    ledger: Arc<Ledger>,
    dice: StdRng,
}

async fn send_all(mut line: Line, mut events: UnboundedReceiver<Event>) -> Vec<Event> {
    let mut sent = Vec::new();
    let mut again = JoinSet::new();
    while let Some(event) = events.recv().await {
        line.ledger.count("sent", "events");
        line.ledger.count("sent", format!("events, {}", event.kind.name()));
        if line.dice.random_bool(TWICE) {
            line.ledger.count("sent", "events sent twice");
            // Half of the copies race with the first try, the others come later.
            let after = if line.dice.random_bool(0.5) { 0 } else { line.dice.random_range(0..10_000) };
            again.spawn(send_again(line.copy(), event.clone(), Duration::from_millis(after)));
        }
        line.deliver(&event).await;
        sent.push(event);
    }
    again.join_all().await;
    sent
}

async fn send_again(mut line: Line, event: Event, after: Duration) {
    tokio::time::sleep(after).await;
    line.deliver(&event).await;
}

impl Line {
    fn copy(&mut self) -> Self {
        let dice = StdRng::seed_from_u64(self.dice.random());
        Self { fleet: Arc::clone(&self.fleet), ledger: Arc::clone(&self.ledger), dice }
    }

    /// Tries until somebody acknowledges it.
    async fn deliver(&mut self, event: &Event) {
        let began = Instant::now();
        for attempt in 0.. {
            if self.once(event, attempt).await {
                return;
            }
            let most = Duration::from_millis(100 << attempt.min(5));
            tokio::time::sleep(most.mul_f64(self.dice.random_range(0.5..1.0))).await;
            if began.elapsed() > GIVES_UP {
                return self.ledger.complain(format!("{} was not taken for {} s", event.id(), GIVES_UP.as_secs()));
            }
        }
    }

    async fn once(&mut self, event: &Event, attempt: usize) -> bool {
        let gateway = self.dice.random_range(0..2) + attempt;
        let Some(to) = self.fleet.ingest(gateway) else {
            return false;
        };
        self.ledger.count("sent", "requests");
        let answer = match tokio::time::timeout(PATIENCE, event.signed().try_send(to)).await {
            Err(_) => {
                self.ledger.count("answered", "not in time");
                return false;
            }
            Ok(None) => {
                self.ledger.count("answered", "connection refused or lost");
                return false;
            }
            Ok(Some(answer)) => answer,
        };
        self.ledger.count("answered", format!("{} {}", answer.status, answer.outcome()));
        match answer.status {
            202 => {
                self.ledger.acknowledged();
                true
            }
            503 => false,
            other => {
                self.ledger.complain(format!("{} was answered {other}: {}", event.id(), answer.text));
                true
            }
        }
    }
}
