//! Claim, **T2**: ready lanes and ready jobs → the right to run them.

use std::collections::HashMap;
use std::time::Duration;

use sqlx::PgConnection;

use super::Worker;
use super::live::Number;
use super::permit::Permits;
use super::served::{Asked, Got};
use super::share::Queue;
use super::suspects::SuspectPlace;
use crate::database::begin;
use crate::store::jobs::{self, Job, Rank, Waiting};
use crate::store::lanes::{self, Advance, ClaimedLane, Mark, Release};
use crate::store::pick::{self, Group, Picked};
use crate::store::{Held, JobKey, LaneKey, Token, claims, newest};

/// When a lane whose head is a suspect is looked at again, while another suspect runs here.
const SUSPECTS_WAIT: Duration = Duration::from_millis(500);

/// When a look is repeated that found only what may not start. Nothing of it is back as soon.
const PUT_OFF_WAIT: Duration = Duration::from_millis(25);

/// The right to run jobs of one lane in order, or one job outside any lane. Only [`claim`] makes one.
#[derive(Debug)]
pub(crate) struct Claim {
    held: Held,
    token: Token,
    /// Keeps the token's number live for as long as the claim is.
    _number: Number,
    /// For as long as a suspect runs, no other one does here.
    _suspect: Option<SuspectPlace>,
    subscription: i32,
    sequence: Sequence,
    /// Already started.
    first: Job,
    /// In order, not started.
    rest: Vec<Job>,
    /// The one try of its destination's breaker.
    is_probe: bool,
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
    fn alone(job: Job, token: Token, number: &Number, suspect: Option<SuspectPlace>) -> Self {
        let (held, subscription) = (Held::Job(job.key()), job.subscription);
        Self {
            held,
            token,
            _number: number.clone(),
            _suspect: suspect,
            subscription,
            sequence: Sequence::Received,
            first: job,
            rest: Vec::new(),
            is_probe: false,
        }
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

    pub(crate) fn is_probe(&self) -> bool {
        self.is_probe
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

/// What a claim brought: the claims, and what each of those who asked is to know of it.
pub(super) struct Claimed {
    pub(super) claims: Vec<Claim>,
    pub(super) got: Vec<Got>,
    /// When to look again, where all that was asked for was put off: more may stand behind it.
    pub(super) again_in: Option<Duration>,
}

/// Fills the places of those who ask, within their rates and breakers, and starts the first job of each claim. A lane's
/// claim has up to `lane_claim` jobs. Of all that a rescue put back, at most one is claimed, and only while no other one
/// runs in this process. Transaction: a claim, the start it makes durable, the tokens that it takes and the try that it is
/// commit together.
pub(super) async fn claim(worker: &Worker, asked: &[Asked], number: &Number) -> sqlx::Result<Claimed> {
    let mut suspect = worker.suspects.place();
    let token = Token { worker: worker.id, n: number.get() };
    let mut tx = begin(&worker.pool).await?;
    claims::plan_by_index(&mut tx).await?;
    let mut permits = Permits::lock(&mut tx, asked, token).await?;
    let groups = grouped(asked, &permits);
    let picked = pick::pick(&mut tx, &groups, suspect.is_some()).await?;
    let lane_claim = |subscription| {
        let asked = asked.iter().find(|asked| asked.has(subscription));
        // What follows within a lane would start without a token, or be a second try.
        let is_bounded = asked.is_some_and(|asked| asked.limit().is_some() || asked.probes().is_some());
        if is_bounded { 1 } else { worker.settings.lane_claim }
    };
    let mut made: Vec<Claim> = Vec::new();
    let lanes: Vec<LaneKey> = picked.iter().filter_map(|picked| key_of(picked.lane.as_deref()?)).collect();
    if !lanes.is_empty() {
        let claimed = lanes::take(&mut tx, &lanes, token).await?;
        start_lanes(&mut tx, claimed, token, number, lane_claim, &mut suspect, &mut made).await?;
    }
    let alone: Vec<JobKey> = picked.iter().filter_map(Picked::job).collect();
    if !alone.is_empty() {
        let jobs = jobs::take(&mut tx, &alone, token).await?;
        start_alone(&mut tx, jobs, token, number, &mut suspect, &mut made).await?;
    }
    let started = |asked: &Asked| made.iter().filter(|claim| asked.has(claim.subscription)).count();
    let started: Vec<usize> = asked.iter().map(started).collect();
    permits.take(&mut tx, asked, &started, token, &worker.breakers).await?;
    tx.commit().await?;
    for claim in &mut made {
        claim.is_probe = asked.iter().any(|asked| asked.has(claim.subscription) && asked.probes().is_some());
    }
    let got: Vec<Got> = asked.iter().map(|asked| got(asked, &groups, &picked, &permits)).collect();
    let is_cut = asked.iter().zip(&got).any(|(asked, got)| is_cut(asked, got));
    let again_in = Some(PUT_OFF_WAIT).filter(|_| made.is_empty() && is_cut);
    Ok(Claimed { claims: made, got, again_in })
}

/// Who shares places: each handler has its own, but all that would try the same destination have one.
fn grouped<'a>(asked: &'a [Asked], permits: &Permits) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for asked in asked {
        let places = permits.places(asked);
        let together = groups.iter_mut().find(|group| group.probes.is_some() && group.probes == asked.probes());
        match together {
            _ if places == 0 => {}
            Some(group) => group.grabs.extend(&asked.grabs),
            None => {
                let places = if asked.probes().is_some() { 1 } else { places };
                groups.push(Group { places, probes: asked.probes(), grabs: asked.grabs.clone() });
            }
        }
    }
    groups
}

fn got(asked: &Asked, groups: &[Group<'_>], picked: &[Picked], permits: &Permits) -> Got {
    let of = |queue: Queue| picked.iter().filter(|picked| picked.queue() == queue).count() as i64;
    let taken: Vec<i64> = asked.grabs.iter().map(|grab| of(grab.queue)).collect();
    let group = asked.grabs.first().and_then(|first| groups.iter().find(|group| group.grabs.contains(first)));
    let of_group = |group: &Group<'_>| group.grabs.iter().map(|grab| of(grab.queue)).sum::<i64>();
    let is_full = group.is_none_or(|group| of_group(group) >= group.places);
    Got { taken, is_full, dry_for: permits.dry_for(asked) }
}

/// Whether there may have been more than was picked.
fn is_cut(asked: &Asked, got: &Got) -> bool {
    let most = asked.grabs.iter().zip(&got.taken).any(|(grab, taken)| *taken >= grab.at_most);
    most || got.is_full && got.taken.iter().any(|taken| *taken > 0)
}

/// What was claimed is started already; a suspect too many goes back as if it had not been.
async fn start_alone(
    tx: &mut PgConnection,
    claimed: Vec<Job>,
    token: Token,
    number: &Number,
    suspect: &mut Option<SuspectPlace>,
    made: &mut Vec<Claim>,
) -> sqlx::Result<()> {
    for job in claimed {
        let place = if job.rescues > 0 { suspect.take() } else { None };
        if job.rescues > 0 && place.is_none() {
            jobs::put_back(&mut *tx, job.key(), Some(token), Waiting::NotStarted(Duration::ZERO)).await?;
        } else {
            made.push(Claim::alone(job, token, number, place));
        }
    }
    Ok(())
}

async fn start_lanes(
    tx: &mut PgConnection,
    claimed: Vec<ClaimedLane>,
    token: Token,
    number: &Number,
    lane_claim: impl Fn(i32) -> i64,
    suspect: &mut Option<SuspectPlace>,
    made: &mut Vec<Claim>,
) -> sqlx::Result<()> {
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
    let most = claimed.iter().map(|lane| lane_claim(lane.subscription)).max().unwrap_or_default();
    for job in jobs::heads(&mut *tx, &keys(&|lane| !lane.latest), most).await? {
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
        let most = lane_claim(lane.subscription) as usize;
        let heads = heads.remove(&lane.lane).unwrap_or_default();
        let due_in = heads.first().and_then(|next| next.due_in);
        let rank = heads.first().map_or(Rank::First, |next| next.rank);
        let mut runnable = runnable(heads.into_iter().map(|next| next.job).collect()).take(most);
        let Some(mut first) = runnable.next() else {
            release_early(&mut *tx, &key, token, sequence, due_in).await?;
            continue;
        };
        let place = if first.rescues > 0 { suspect.take() } else { None };
        if first.rescues > 0 && place.is_none() {
            let release = Some(Release::After(SUSPECTS_WAIT));
            lanes::advance(&mut *tx, &key, token, Advance { release, ..Advance::default() }).await?;
            continue;
        }
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
            _suspect: place,
            subscription: lane.subscription,
            sequence,
            first,
            rest: runnable.collect(),
            is_probe: false,
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

/// The jobs that may run now, in order: up to the first that isn't due, since nothing may overtake it. A suspect is a head,
/// and alone in its claim.
fn runnable(jobs: Vec<Job>) -> impl Iterator<Item = Job> {
    let rescued_head = jobs.first().is_some_and(|head| head.rescues > 0);
    let limit = if rescued_head { 1 } else { jobs.iter().position(|job| job.rescues > 0).unwrap_or(usize::MAX) };
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
    let wait = wait.map(|wait| Duration::from_secs_f64(wait.clamp(0.05, 3600.0)));
    let release = Some(wait.map_or(Release::Now, Release::After));
    lanes::advance(tx, key, token, Advance { release, ..Advance::default() }).await?;
    Ok(())
}

/// A lane's key is 16 bytes by the table's own check.
pub(crate) fn key_of(lane: &[u8]) -> Option<LaneKey> {
    lane.try_into().ok()
}
