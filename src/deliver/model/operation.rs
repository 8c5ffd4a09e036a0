//! What can happen, and random histories of it.
//!
//! Every choice is a number that is taken modulo what there is to choose from, so a history stays one when operations
//! are taken out of it: that is how a failing one is made small.

/// One step of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operation {
    /// Requests reach the gateway together, and share a T1.
    Receive(Vec<Sending>),
    /// A request reaches a gateway whose database can't be written to: it must not be acknowledged.
    ReceiveReadOnly(Sending),
    /// A worker looks for work and starts it.
    Look(usize),
    /// A worker claims work whose payload it can't read, and gives it back: at once, or for later.
    LookInVain { process: usize, later: bool },
    /// A running handler writes in the transaction it is lent.
    Write(usize),
    /// A running handler ends, and its worker settles, whether the claim still stands or not.
    Settle(usize, End),
    /// A worker does not speak for a lease. It may go on all the same.
    Silence(usize),
    /// Maintenance looks for silent workers.
    Rescue,
    /// A worker says that it lives, and gives back what no task of it knows of.
    Beat(usize),
    /// A worker's process is gone, with all it ran. A new one takes its place.
    Crash(usize),
    /// One task of a worker is gone, and the worker lives on.
    LoseTask(usize),
    /// A worker is told to stop, and what runs is cut off. A new one takes its place.
    Stop(usize),
    /// An operator replays a delivery.
    Replay { event: usize, force: bool },
    /// Every wait is over.
    PassTime,
    /// Maintenance removes lanes that are idle.
    Purge,
    /// A T1 that is not committed yet, and something beside it.
    BesideT1 { held: Vec<Sending>, beside: Box<Operation> },
    /// A settle that is not committed yet, and something beside it.
    BesideSettle { slot: usize, end: End, beside: Box<Operation> },
    /// A rescue that is not committed yet, and beside it a settle of the worker that is being rescued.
    BesideRescue { slot: usize, end: End },
    /// Two T1s that name their lanes in opposite order, behind a third that holds the lane they share.
    Cross([u8; 3]),
    /// The same event again, twice at the same moment.
    TwoCopies(usize),
    /// The same event again, and its replay, at the same moment.
    CopyAndReplay(usize),
    /// Two workers look at the same moment.
    TwoLooks,
}

/// A request on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sending {
    /// One that was never sent before.
    New { key: u8, takers: Takers },
    /// One that was: acknowledged before, or not.
    Again(usize),
    /// One whose id came before, with another body.
    Other(usize),
}

/// Which handlers take an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takers {
    Both,
    Ordered,
    Free,
    Nobody,
}

impl Takers {
    /// The event type that means this.
    pub(super) fn event_type(self) -> &'static str {
        match self {
            Self::Both => "both",
            Self::Ordered => "ordered",
            Self::Free => "free",
            Self::Nobody => "nobody",
        }
    }
}

/// How a handler ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Ok,
    /// Fails and asks for a wait that its lane can bear.
    Short,
    /// Fails and asks for one that its lane can't.
    Long,
    /// Fails and asks for none.
    Panic,
    Permanent,
    Undecodable,
    /// Ends the transaction that was lent to it.
    Escape,
    Snooze,
}

/// Numbers from a seed (splitmix64: <https://prng.di.unimi.it/splitmix64.c>), the same on every machine.
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: u64,
    /// Some histories are about failing again and again: few keys, and few handlers that end well.
    failing: bool,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed, failing: seed.is_multiple_of(4) }
    }

    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// The next step of a history.
    pub(super) fn operation(&mut self) -> Operation {
        if self.failing && self.one_in(2) {
            return match self.below(4) {
                0 => Operation::PassTime,
                1 => Operation::Look(self.below(2)),
                _ => Operation::Settle(self.below(64), self.end()),
            };
        }
        match self.below(100) {
            0..13 => Operation::Receive(self.sendings()),
            13..14 => Operation::ReceiveReadOnly(self.sending()),
            14..32 => Operation::Look(self.below(2)),
            32..34 => Operation::LookInVain { process: self.below(2), later: self.one_in(2) },
            34..38 => Operation::Write(self.below(64)),
            38..57 => Operation::Settle(self.below(64), self.end()),
            57..60 => Operation::Silence(self.below(2)),
            60..63 => Operation::Rescue,
            63..66 => Operation::Beat(self.below(2)),
            66..68 => Operation::Crash(self.below(2)),
            68..70 => Operation::LoseTask(self.below(64)),
            70..71 => Operation::Stop(self.below(2)),
            71..76 => Operation::Replay { event: self.below(64), force: self.one_in(3) },
            76..80 => Operation::PassTime,
            80..81 => Operation::Purge,
            81..87 => Operation::BesideT1 { held: self.new_ones(), beside: Box::new(self.beside()) },
            87..92 => {
                Operation::BesideSettle { slot: self.below(64), end: self.end(), beside: Box::new(self.beside()) }
            }
            92..94 => Operation::BesideRescue { slot: self.below(64), end: self.end() },
            94..95 => Operation::Cross(self.keys()),
            95..97 => Operation::TwoCopies(self.below(64)),
            97..98 => Operation::CopyAndReplay(self.below(64)),
            _ => Operation::TwoLooks,
        }
    }

    /// What may happen beside something that holds locks.
    fn beside(&mut self) -> Operation {
        match self.below(10) {
            0..3 => Operation::Receive(self.sendings()),
            3..5 => Operation::Look(self.below(2)),
            5..7 => Operation::Settle(self.below(64), self.end()),
            7..8 => Operation::Rescue,
            8..9 => Operation::Receive(vec![Sending::Again(self.below(64))]),
            _ => Operation::Replay { event: self.below(64), force: self.one_in(3) },
        }
    }

    /// One to three, at most one of them not new: what is not new is looked up in no particular order.
    fn sendings(&mut self) -> Vec<Sending> {
        let mut sendings = self.new_ones();
        if self.one_in(2) {
            let last = sendings.len() - 1;
            sendings[last] = self.sending();
        }
        sendings
    }

    fn new_ones(&mut self) -> Vec<Sending> {
        let n = 1 + self.below(3);
        (0..n).map(|_| self.new_one()).collect()
    }

    fn sending(&mut self) -> Sending {
        match self.below(8) {
            0..4 => Sending::Again(self.below(64)),
            4 => Sending::Other(self.below(64)),
            _ => self.new_one(),
        }
    }

    fn new_one(&mut self) -> Sending {
        let takers = match self.below(12) {
            0..4 => Takers::Both,
            4..10 => Takers::Ordered,
            10 => Takers::Free,
            _ => Takers::Nobody,
        };
        let keys = if self.failing { 2 } else { 3 };
        Sending::New { key: self.below(keys) as u8, takers }
    }

    fn end(&mut self) -> End {
        if self.failing && !self.one_in(4) {
            return [End::Panic, End::Panic, End::Short, End::Snooze][self.below(4)];
        }
        match self.below(20) {
            0..8 => End::Ok,
            8..10 => End::Short,
            10..12 => End::Long,
            12..14 => End::Panic,
            14..16 => End::Permanent,
            16 => End::Undecodable,
            17 => End::Escape,
            _ => End::Snooze,
        }
    }

    fn keys(&mut self) -> [u8; 3] {
        let mut keys = [0, 1, 2];
        keys.swap(0, self.below(3));
        keys.swap(1, 1 + self.below(2));
        keys
    }
}
