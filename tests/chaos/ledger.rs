//! What was sent, answered, processed and broken: the numbers that have to balance.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::Profile;

/// Counts by name, in the order of the alphabet within a section; and the longest time without an acknowledgement.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    counts: Mutex<BTreeMap<(&'static str, String), u64>>,
    complaints: Mutex<Vec<String>>,
    outage: Mutex<Outage>,
    took: Mutex<Duration>,
}

#[derive(Debug, Default)]
struct Outage {
    acknowledged: Option<Instant>,
    longest: Duration,
}

impl Ledger {
    pub(crate) fn count(&self, section: &'static str, name: impl Into<String>) {
        self.add(section, name, 1);
    }

    pub(crate) fn add(&self, section: &'static str, name: impl Into<String>, n: u64) {
        *self.counts.lock().expect("no panic").entry((section, name.into())).or_default() += n;
    }

    /// What must not happen, happened.
    pub(crate) fn complain(&self, of: String) {
        self.complaints.lock().expect("no panic").push(of);
    }

    pub(crate) fn complaints(&self) -> Vec<String> {
        self.complaints.lock().expect("no panic").clone()
    }

    /// A 2xx came, while more were wanted.
    pub(crate) fn acknowledged(&self) {
        let mut outage = self.outage.lock().expect("no panic");
        let now = Instant::now();
        if let Some(before) = outage.acknowledged.replace(now) {
            outage.longest = outage.longest.max(now - before);
        }
    }

    pub(crate) fn took(&self, time: Duration) {
        *self.took.lock().expect("no panic") = time;
    }

    /// Counts what gateways say in their logs of what no row tells.
    pub(crate) fn read_logs(&self, logs: Vec<PathBuf>) {
        const TOLD: [(&str, &str); 8] = [
            ("attempt.fenced", "results of workers taken for dead, refused"),
            ("worker.rescued", "rescues"),
            ("claim.stray", "claims that nobody knew of, handed back"),
            ("settle.failed", "settles tried again"),
            ("claim.failed", "looks for work that failed"),
            ("record.failed", "batches not recorded"),
            ("worker.grace_over", "stops that had to cut handlers off"),
            ("panicked at", "panics"),
        ];
        for log in logs {
            let text = std::fs::read_to_string(log).unwrap_or_default();
            for (sign, meaning) in TOLD {
                self.add("gateways", meaning, text.matches(sign).count() as u64);
            }
        }
    }

    /// The whole ledger as lines of a Markdown table.
    pub(crate) fn render(&self, profile: Profile) -> String {
        let took = self.took.lock().expect("no panic").as_secs();
        let mut text = format!(
            "\n| | | |\n| --- | --- | ---: |\n| run | seed | {} |\n| run | seconds of faults | {} |\n| run | seconds until all was at rest | {took} |\n",
            profile.seed,
            profile.lasts.as_secs(),
        );
        for ((section, name), n) in self.counts.lock().expect("no panic").iter() {
            text += &format!("| {section} | {name} | {n} |\n");
        }
        let longest = self.outage.lock().expect("no panic").longest;
        text + &format!("| faults | longest time without an acknowledgement | {:.1} s |\n", longest.as_secs_f64())
    }
}
