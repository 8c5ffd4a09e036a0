//! All SQL, one file a table or a statement that spans them.
//!
//! Functions take `&mut PgConnection`, never a pool; they never begin and never commit: stages own transactions.
//! Everything runs as unchecked `sqlx::query` (docs/DESIGN.md says why), so what no test reaches is not checked at all:
//! a new function comes with a test that runs it on Postgres.
//!
//! Lock order, everywhere: `dead` → `lanes` (sorted by key) → `jobs`. Receipts are sorted before they are inserted.

pub(crate) mod answers;
pub(crate) mod attempts;
pub(crate) mod breakers;
pub(crate) mod buckets;
pub(crate) mod cancel;
pub(crate) mod claims;
pub(crate) mod copies;
pub(crate) mod dead;
pub(crate) mod deliveries;
pub(crate) mod expired;
pub(crate) mod jobs;
pub(crate) mod lane_acts;
pub(crate) mod lanes;
pub(crate) mod newest;
pub(crate) mod pairing;
pub(crate) mod partitions;
pub(crate) mod pauses;
pub(crate) mod pick;
pub(crate) mod receipts;
pub(crate) mod record;
pub(crate) mod redrive;
pub(crate) mod registry;
pub(crate) mod replays;
pub(crate) mod schema;
pub(crate) mod search;
pub(crate) mod session;
pub(crate) mod unserved;
pub(crate) mod workers;

use uuid::Uuid;

/// The right to a lane or job: a worker process and a number that process never uses twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Token {
    pub(crate) worker: Uuid,
    pub(crate) n: i64,
}

/// Names one job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct JobKey {
    pub(crate) delivery: Uuid,
    pub(crate) event: i32,
    pub(crate) subscription: i32,
    pub(crate) run: i32,
}

/// The first 16 bytes of a SHA-256: names a lane.
pub(crate) type LaneKey = [u8; 16];

/// What a claim holds: the row whose token every end-of-attempt write must match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Held {
    /// A whole lane: its jobs run one after another.
    Lane(LaneKey),
    /// One job that stands in no lane.
    Job(JobKey),
}

/// Makes text storable in Postgres, which has no U+0000, and bounds it to `limit` bytes.
///
/// Only readable copies go through here: keys and fingerprints are hashes of the exact bytes.
pub(crate) fn storable(text: &str, limit: usize) -> String {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].replace('\0', "\u{2400}")
}

#[cfg(test)]
mod tests {
    use super::storable;

    #[test]
    fn text_is_cut_at_a_character_and_nul_becomes_visible() {
        assert_eq!(storable("a\0b", 10), "a\u{2400}b");
        assert_eq!(storable("aé", 2), "a");
        assert_eq!(storable("", 0), "");
    }
}
