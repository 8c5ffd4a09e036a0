//! Claim, **T2**: ready lanes and ready jobs → the right to run them.

use std::collections::HashMap;

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

use super::live::Number;
use crate::database::begin;
use crate::store::jobs::{self, Job};
use crate::store::lanes::{self, Advance, ClaimedLane, Release};
use crate::store::{Held, LaneKey, Token, claims};

/// The right to run jobs of one lane in order, or one job outside any lane. Only [`claim`] makes one.
#[derive(Debug)]
pub(crate) struct Claim {
    held: Held,
    token: Token,
    /// Keeps the token's number live for as long as the claim is.
    _number: Number,
    subscription: i32,
    /// Already started.
    first: Job,
    /// In order, not started.
    rest: Vec<Job>,
}

impl Claim {
    fn alone(job: Job, token: Token, number: &Number) -> Self {
        let (held, subscription) = (Held::Job(job.key()), job.subscription);
        Self { held, token, _number: number.clone(), subscription, first: job, rest: Vec::new() }
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
    let mut tx = begin(pool).await?;
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
    let keys: Vec<LaneKey> = claimed.iter().filter_map(|lane| key_of(&lane.lane)).collect();
    let mut heads: HashMap<Vec<u8>, Vec<Job>> = HashMap::new();
    for job in jobs::heads(&mut *tx, &keys, lane_claim).await? {
        if let Some(lane) = &job.lane {
            heads.entry(lane.clone()).or_default().push(job);
        }
    }
    for lane in claimed {
        let Some(key) = key_of(&lane.lane) else {
            continue;
        };
        let mut runnable = runnable(heads.remove(&lane.lane).unwrap_or_default());
        let Some(mut first) = runnable.next() else {
            release_early(&mut *tx, &key, token).await?;
            continue;
        };
        let Some(started) = jobs::start(&mut *tx, first.key()).await? else {
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
            first,
            rest: runnable.collect(),
        });
    }
    Ok(())
}

/// The jobs that may run now, in order: up to the first that isn't due, since nothing may overtake it. After a rescue
/// only the head, so that if it takes its worker down again nobody else is blamed.
fn runnable(jobs: Vec<Job>) -> impl Iterator<Item = Job> {
    let rescued_head = jobs.first().is_some_and(|head| head.rescues > 0);
    let limit = if rescued_head { 1 } else { usize::MAX };
    jobs.into_iter().take_while(|job| job.is_due).take(limit)
}

/// Nothing in the lane may run yet: a redrive or a snooze made it look ready. Back at the head's time.
async fn release_early(tx: &mut PgConnection, key: &LaneKey, token: Token) -> sqlx::Result<()> {
    let wait = jobs::earliest_due(&mut *tx, key).await?.unwrap_or(0.0).clamp(0.05, 3600.0);
    let release = Release::After(std::time::Duration::from_secs_f64(wait));
    lanes::advance(tx, key, token, Advance { release: Some(release), ..Advance::default() }).await?;
    Ok(())
}

/// A lane's key is 16 bytes by the table's own check.
pub(crate) fn key_of(lane: &[u8]) -> Option<LaneKey> {
    lane.try_into().ok()
}
