//! What goes wrong, drawn from a seed: a gateway is killed, stopped or told to end; the database restarts, crashes, ends
//! sessions, runs out of connections, or refuses writes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rand::RngExt;
use rand::rngs::StdRng;
use rustix::process::Signal;

use crate::Profile;
use crate::database::{Database, Stop};
use crate::fleet::{Fleet, GATEWAYS};
use crate::ledger::Ledger;

#[derive(Debug)]
pub(crate) struct Faults {
    dice: StdRng,
    fleet: Arc<Fleet>,
    database: Arc<Database>,
    /// How often each kind was drawn in this round.
    drawn: Vec<u32>,
}

impl Faults {
    pub(crate) fn new(dice: StdRng, fleet: Arc<Fleet>, database: Arc<Database>) -> Self {
        Self { dice, fleet, database, drawn: Vec::new() }
    }

    /// One fault after another, until the profile's time is over.
    pub(crate) async fn rain(&mut self, profile: Profile, ledger: &Ledger) {
        let until = Instant::now() + profile.lasts;
        while Instant::now() < until {
            let pause = profile.between_faults.mul_f64(self.dice.random_range(0.2..1.8));
            tokio::time::sleep(pause).await;
            let what = self.strike().await;
            ledger.count("faults", what);
        }
    }

    /// Every kind once in each round, in an order of its own, so that a short run sees each of them.
    fn draw(&mut self) -> u32 {
        if self.drawn.is_empty() {
            self.drawn = (0..10).collect();
        }
        let at = self.dice.random_range(0..self.drawn.len());
        self.drawn.swap_remove(at)
    }

    fn milliseconds(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(self.dice.random_range(from..to))
    }

    async fn strike(&mut self) -> &'static str {
        let gateway = self.dice.random_range(0..GATEWAYS);
        match self.draw() {
            0 | 1 => {
                self.fleet.signal(gateway, Signal::KILL);
                "SIGKILL to a gateway"
            }
            2 => {
                for n in 0..GATEWAYS {
                    self.fleet.signal(n, Signal::KILL);
                }
                "SIGKILL to both gateways at once"
            }
            // Beyond a lease of four seconds, and within it.
            3 => self.pause(gateway, 4_500, 8_000, "SIGSTOP of a gateway beyond its lease").await,
            4 => self.pause(gateway, 200, 3_500, "SIGSTOP of a gateway within its lease").await,
            5 => {
                self.fleet.signal(gateway, Signal::TERM);
                "SIGTERM to a gateway"
            }
            6 => {
                self.database.terminate_backends().await;
                "sessions terminated"
            }
            7 => {
                let away = self.milliseconds(0, 2_000);
                let how = [Stop::Fast, Stop::Immediate, Stop::Kill][self.dice.random_range(0..3)];
                self.database.restart(how, away).await;
                match how {
                    Stop::Fast => "database restarted",
                    Stop::Immediate => "database restarted without a checkpoint",
                    Stop::Kill => "SIGKILL to the database",
                }
            }
            8 => {
                let held = self.milliseconds(1_000, 4_000);
                self.database.fill_slots(held).await;
                "connection slots full"
            }
            _ => {
                let held = self.milliseconds(1_000, 4_000);
                self.database.read_only(held).await;
                "database read-only"
            }
        }
    }

    async fn pause(&mut self, gateway: usize, from: u64, to: u64, what: &'static str) -> &'static str {
        self.fleet.signal(gateway, Signal::STOP);
        tokio::time::sleep(self.milliseconds(from, to)).await;
        self.fleet.signal(gateway, Signal::CONT);
        what
    }
}
