//! How a handler's free places are shared out: among its sources by weight, within a source among live work, retries and
//! replays by share, within those evenly between lanes and what stands in none. Pure.
//!
//! Stride scheduling: whoever is served moves on by one over its weight, and the one furthest behind is served next, so
//! over time each gets its part of what there is while it has work. What has none is not owed anything when it comes
//! back: it joins where the others are. Nobody knows beforehand who has work, so a claim asks for everything, in the
//! order in which it is due: what one leaves, the next one takes.

use std::collections::HashMap;

/// A place where claimable work waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Queue {
    pub(crate) subscription: i32,
    /// 0 live, 1 retry, 2 replay.
    pub(crate) class: i16,
    /// Lanes, or jobs that stand in none.
    pub(crate) in_lanes: bool,
}

/// What a claim asks of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Grab {
    pub(crate) queue: Queue,
    pub(crate) at_most: i64,
}

const CLASSES: usize = 3;
const KINDS: usize = 2;

/// One handler's queues, and how far each has been served.
#[derive(Debug)]
pub(super) struct Shares {
    classes: [f64; CLASSES],
    sources: HashMap<i32, Source>,
    now: f64,
}

#[derive(Debug, Clone, Copy, Default)]
struct Source {
    pass: f64,
    now: f64,
    classes: [Class; CLASSES],
}

#[derive(Debug, Clone, Copy, Default)]
struct Class {
    pass: f64,
    now: f64,
    kinds: [Leaf; KINDS],
}

#[derive(Debug, Clone, Copy, Default)]
struct Leaf {
    pass: f64,
    /// It had as much as it was asked for, so most likely it has more.
    is_busy: bool,
}

impl Class {
    fn is_busy(&self) -> bool {
        self.kinds.iter().any(|leaf| leaf.is_busy)
    }
}

impl Source {
    fn is_busy(&self) -> bool {
        self.classes.iter().any(Class::is_busy)
    }

    /// Where each class and kind stands in line here.
    fn line(&self) -> [(usize, usize); CLASSES * KINDS] {
        let mut line = std::array::from_fn(|at| (at / KINDS, at % KINDS));
        line.sort_by(|a, b| {
            let key = |(class, kind): (usize, usize)| {
                let of = &self.classes[class];
                let leaf = &of.kinds[kind];
                let outer = place(of.pass, of.is_busy(), self.now);
                (outer, class, place(leaf.pass, leaf.is_busy, of.now), kind)
            };
            let (a, b) = (key(*a), key(*b));
            compare(a.0, b.0).then(a.1.cmp(&b.1)).then(compare(a.2, b.2)).then(a.3.cmp(&b.3))
        });
        line
    }
}

/// Furthest behind first; of two who are as far, the one that had no work lately.
type Place = (f64, bool);

fn place(pass: f64, is_busy: bool, now: f64) -> Place {
    (if is_busy { pass } else { pass.max(now) }, is_busy)
}

fn compare(a: Place, b: Place) -> std::cmp::Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

impl Shares {
    /// By class: live, retry, replay. None of them zero.
    pub(super) fn new(classes: [u32; CLASSES]) -> Self {
        Self { classes: classes.map(f64::from), sources: HashMap::new(), now: 0.0 }
    }

    /// What to ask for when so many places are free, in this order. `sources`: subscriptions with their weights.
    pub(super) fn ask(&mut self, sources: &[(i32, u16)], places: usize) -> Vec<Grab> {
        let weights: HashMap<i32, f64> = sources.iter().map(|(id, weight)| (*id, f64::from(*weight))).collect();
        self.sources.retain(|id, _| weights.contains_key(id));
        for id in weights.keys() {
            self.sources.entry(*id).or_default();
        }
        let portions = self.portions(&weights, places);
        let total: f64 = weights.values().sum();
        let mut ids: Vec<i32> = weights.keys().copied().collect();
        ids.sort_by(|a, b| {
            let key = |id: &i32| place(self.sources[id].pass, self.sources[id].is_busy(), self.now);
            compare(key(a), key(b)).then(a.cmp(b))
        });
        let mut grabs = Vec::with_capacity(ids.len() * CLASSES * KINDS);
        for id in ids {
            let source = &self.sources[&id];
            let fair = (places as f64 * weights[&id] / total).ceil();
            for (class, kind) in source.line() {
                let fair = match (source.classes[class].kinds[kind].is_busy, source.is_busy()) {
                    (true, _) => portions.get(&(id, class, kind)).copied().unwrap_or_default(),
                    // It would have to share with the others of its source.
                    (false, true) => (fair * self.classes[class] / self.classes.iter().sum::<f64>()).ceil() as i64,
                    (false, false) => fair as i64,
                };
                let queue = Queue { subscription: id, class: class as i16, in_lanes: kind == 0 };
                grabs.push(Grab { queue, at_most: fair.max(1) });
            }
        }
        grabs
    }

    /// How the places fall to those that had work lately, one after another.
    fn portions(&self, weights: &HashMap<i32, f64>, places: usize) -> HashMap<(i32, usize, usize), i64> {
        let mut portions = HashMap::new();
        let busy = self.sources.iter().filter(|(_, source)| source.is_busy());
        let mut busy: Vec<(i32, Source)> = busy.map(|(id, source)| (*id, *source)).collect();
        busy.sort_by_key(|(id, _)| *id);
        for _ in 0..places {
            let Some((id, source)) = busy.iter_mut().min_by(|a, b| a.1.pass.total_cmp(&b.1.pass)) else { break };
            let next = source.line().into_iter().find(|(class, kind)| source.classes[*class].kinds[*kind].is_busy);
            let Some((class, kind)) = next else { break };
            *portions.entry((*id, class, kind)).or_default() += 1;
            source.pass += 1.0 / weights[id];
            source.classes[class].pass += 1.0 / self.classes[class];
            source.classes[class].kinds[kind].pass += 1.0;
        }
        portions
    }

    /// Notes what a claim got of each queue. `is_full`: it may have ended because all places were taken.
    pub(super) fn got(&mut self, sources: &[(i32, u16)], grabs: &[Grab], got: &[i64], is_full: bool) {
        let weights: HashMap<i32, f64> = sources.iter().map(|(id, weight)| (*id, f64::from(*weight))).collect();
        let last = got.iter().rposition(|got| *got > 0);
        for (at, (grab, got)) in grabs.iter().zip(got).enumerate() {
            let (id, class) = (grab.queue.subscription, grab.queue.class as usize);
            let (Some(source), Some(weight)) = (self.sources.get_mut(&id), weights.get(&id)) else { continue };
            if *got > 0 {
                let times = *got as f64;
                source.pass = place(source.pass, source.is_busy(), self.now).0 + times / weight;
                let of = &mut source.classes[class];
                of.pass = place(of.pass, of.is_busy(), source.now).0 + times / self.classes[class];
                let leaf = &mut of.kinds[usize::from(!grab.queue.in_lanes)];
                leaf.pass = place(leaf.pass, leaf.is_busy, of.now).0 + times;
            }
            let leaf = &mut source.classes[class].kinds[usize::from(!grab.queue.in_lanes)];
            if *got >= grab.at_most || (*got > 0 && is_full && last == Some(at)) {
                leaf.is_busy = true;
            } else if !is_full || last.is_some_and(|last| at < last) {
                leaf.is_busy = false;
            }
        }
        for source in self.sources.values_mut() {
            for class in &mut source.classes {
                class.now = reached(class.now, class.kinds.iter().map(|leaf| (leaf.pass, leaf.is_busy)));
            }
            source.now = reached(source.now, source.classes.iter().map(|class| (class.pass, class.is_busy())));
        }
        self.now = reached(self.now, self.sources.values().map(|source| (source.pass, source.is_busy())));
    }
}

/// Where whoever has had no work joins in: at the one furthest behind of those that have. Where nobody has any, nobody is
/// owed anything.
fn reached(before: f64, all: impl Iterator<Item = Place> + Clone) -> f64 {
    let behind = all.clone().filter(|(_, is_busy)| *is_busy).map(|(pass, _)| pass).min_by(f64::total_cmp);
    let now = behind.or_else(|| all.map(|(pass, _)| pass).max_by(f64::total_cmp));
    before.max(now.unwrap_or(before))
}

#[cfg(test)]
mod tests;
