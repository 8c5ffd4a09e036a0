//! Claim, **T2**: ready lanes and ready jobs → the right to run them.

use std::collections::HashMap;

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::live::Number;
use crate::store::jobs::{self, Job, Rank};
use crate::store::lanes::{self, Advance, ClaimedLane, Mark, Release};
use crate::store::{Held, LaneKey, Token, claims, newest};

/// The right to run jobs of one lane in order, or one job outside any lane. Only [`claim`] makes one.
#[derive(Debug)]
pub(crate) struct Claim {
    held: Held,
    token: Token,
    /// Keeps the token's number live for as long as the claim is.
    _number: Number,
    subscription: i32,
    sequence: Sequence,
    /// Already started.
    first: Job,
    /// In order, not started.
    rest: Vec<Job>,
}

/// In which order the jobs of a lane run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sequence {
    /// As they were received.
    Received,
    /// As their provider's versions have it, where they came close together.
    Sorted,
    /// The newest, and no other.
    Newest,
}

impl Claim {
    fn alone(job: Job, token: Token, number: &Number) -> Self {
        let (held, subscription) = (Held::Job(job.key()), job.subscription);
        let (sequence, rest) = (Sequence::Received, Vec::new());
        Self { held, token, _number: number.clone(), subscription, sequence, first: job, rest }
    }

    pub(crate) fn held(&self) -> Held {
        self.held
    }

    pub(crate) fn token(&self) -> Token {
        self.token
    }

    pub(crate) fn subscription(&self) -> i32 {
        self.subscription
    }

    /// Whether only the newest of the lane counts.
    pub(crate) fn is_latest(&self) -> bool {
        self.sequence == Sequence::Newest
    }

    /// What the lane notes when this job was handled. A run by force is older than what was, and notes nothing new; any other
    /// must be newer, however that came about since it was claimed.
    pub(crate) fn mark(&self, job: &Job) -> Option<Mark> {
        let mark = |must_raise| Some(Mark { version: job.version, seq: job.seq?, must_raise });
        match self.sequence {
            Sequence::Received => None,
            // Without a version there is nothing to compare with the next one's.
            Sequence::Sorted => job.version.and_then(|_| mark(false)),
            Sequence::Newest => mark(job.run == 0),
        }
    }

    /// Takes the jobs out, in the order they run in.
    pub(crate) fn take_jobs(&mut self) -> (Job, std::vec::IntoIter<Job>) {
        (self.first.clone(), std::mem::take(&mut self.rest).into_iter())
    }
}

/// Claims up to `n` lanes or jobs of each wanted subscription, up to `lane_claim` jobs a lane, and starts the first of
/// each. Transaction: a claim and the start it makes durable commit together.
pub(crate) async fn claim(
    pool: &PgPool,
    wanted: &[(i32, i64)],
    worker: Uuid,
    number: &Number,
    lane_claim: i64,
) -> sqlx::Result<Vec<Claim>> {
    let token = Token { worker, n: number.get() };
    let mut tx = pool.begin().await?;
    claims::plan_by_index(&mut tx).await?;
    let (subscriptions, mut limits): (Vec<i32>, Vec<i64>) = wanted.iter().copied().unzip();
    let mut made: Vec<Claim> = Vec::new();
    let turn = turn(token.n);
    for kind in turn.kinds {
        let already = made.len();
        match kind {
            Kind::Lanes => {
                let claimed = lanes::claim(&mut tx, &subscriptions, &limits, &turn.classes, token).await?;
                start_lanes(&mut tx, claimed, token, number, lane_claim, &mut made).await?;
            }
            Kind::Alone => {
                let jobs = jobs::claim_unordered(&mut tx, &subscriptions, &limits, &turn.classes, token).await?;
                made.extend(jobs.into_iter().map(|job| Claim::alone(job, token, number)));
            }
        }
        for claim in &made[already..] {
            if let Some(at) = subscriptions.iter().position(|s| *s == claim.subscription) {
                limits[at] -= 1;
            }
        }
    }
    tx.commit().await?;
    Ok(made)
}

/// What a look takes first.
struct Turn {
    kinds: [Kind; 2],
    classes: [i16; 3],
}

/// Jobs in lanes, or outside any.
#[derive(Clone, Copy)]
enum Kind {
    Lanes,
    Alone,
}

/// Shares, not strict precedence: three looks of four begin with live work, the fourth with retries and replays, which a
/// steady stream would otherwise starve; lanes and single jobs take turns.
fn turn(n: i64) -> Turn {
    let classes = if n % 4 == 3 { [1, 2, 0] } else { [0, 1, 2] };
    let kinds = if n % 2 == 0 { [Kind::Lanes, Kind::Alone] } else { [Kind::Alone, Kind::Lanes] };
    Turn { kinds, classes }
}

async fn start_lanes(
    tx: &mut PgConnection,
    claimed: Vec<ClaimedLane>,
    token: Token,
    number: &Number,
    lane_claim: i64,
    made: &mut Vec<Claim>,
) -> sqlx::Result<()> {
    if claimed.is_empty() {
        return Ok(());
    }
    let keys = |of: &dyn Fn(&ClaimedLane) -> bool| -> Vec<LaneKey> {
        claimed.iter().filter(|lane| of(lane)).filter_map(|lane| key_of(&lane.lane)).collect()
    };
    let (latest, sorted) = (keys(&|lane| lane.latest), keys(&|lane| lane.sorted && !lane.latest));
    if !sorted.is_empty() {
        newest::sort(&mut *tx, &sorted).await?;
    }
    let mut heads: HashMap<Vec<u8>, Vec<Next>> = HashMap::new();
    if !latest.is_empty() {
        for found in newest::take(&mut *tx, &latest).await? {
            let (lane, rank) = (found.job.lane.clone(), Rank::Newest { ambiguous: found.is_tied });
            if let Some(lane) = lane {
                heads.entry(lane).or_default().push(Next { job: found.job, rank, due_in: Some(found.due_in) });
            }
        }
    }
    for job in jobs::heads(&mut *tx, &keys(&|lane| !lane.latest), lane_claim).await? {
        if let Some(lane) = job.lane.clone() {
            heads.entry(lane).or_default().push(Next { job, rank: Rank::First, due_in: None });
        }
    }
    for lane in claimed {
        let Some(key) = key_of(&lane.lane) else {
            continue;
        };
        let sequence = match (lane.latest, lane.sorted) {
            (true, _) => Sequence::Newest,
            (false, true) => Sequence::Sorted,
            (false, false) => Sequence::Received,
        };
        let heads = heads.remove(&lane.lane).unwrap_or_default();
        let due_in = heads.first().and_then(|next| next.due_in);
        let rank = heads.first().map_or(Rank::First, |next| next.rank);
        let mut runnable = runnable(heads.into_iter().map(|next| next.job).collect());
        let Some(mut first) = runnable.next() else {
            release_early(&mut *tx, &key, token, sequence, due_in).await?;
            continue;
        };
        let Some(started) = jobs::start(&mut *tx, first.key(), rank).await? else {
            // One before it came back at this very moment: the next look finds it.
            let release = Some(Release::Now);
            lanes::advance(&mut *tx, &key, token, Advance { release, ..Advance::default() }).await?;
            continue;
        };
        first.started(started);
        made.push(Claim {
            held: Held::Lane(key),
            token,
            _number: number.clone(),
            subscription: lane.subscription,
            sequence,
            first,
            rest: runnable.collect(),
        });
    }
    Ok(())
}

/// A job of a claimed lane that may be next.
struct Next {
    job: Job,
    rank: Rank,
    /// Of the newest, in how many seconds.
    due_in: Option<f64>,
}

/// The jobs that may run now, in order: up to the first that isn't due, since nothing may overtake it. After a rescue
/// only the head, so that if it takes its worker down again nobody else is blamed.
fn runnable(jobs: Vec<Job>) -> impl Iterator<Item = Job> {
    let rescued_head = jobs.first().is_some_and(|head| head.rescues > 0);
    let limit = if rescued_head { 1 } else { usize::MAX };
    jobs.into_iter().take_while(|job| job.is_due).take(limit)
}

/// Nothing in the lane may run yet: a redrive or a snooze made it look ready. Back at the time of the one that is next; at once
/// where none is left, so that the counter says whether one came meanwhile.
async fn release_early(
    tx: &mut PgConnection,
    key: &LaneKey,
    token: Token,
    sequence: Sequence,
    due_in: Option<f64>,
) -> sqlx::Result<()> {
    let wait = match sequence {
        Sequence::Newest => due_in,
        Sequence::Received | Sequence::Sorted => Some(jobs::earliest_due(&mut *tx, key).await?.unwrap_or(0.0)),
    };
    let wait = wait.map(|wait| std::time::Duration::from_secs_f64(wait.clamp(0.05, 3600.0)));
    let release = Some(wait.map_or(Release::Now, Release::After));
    lanes::advance(tx, key, token, Advance { release, ..Advance::default() }).await?;
    Ok(())
}

/// A lane's key is 16 bytes by the table's own check.
pub(crate) fn key_of(lane: &[u8]) -> Option<LaneKey> {
    lane.try_into().ok()
}
