//! What an operator does to a lane: pause, resume, skip its head, cancel what it has queued.
//!
//! Promise: nothing is lost and nothing is cut off. A running job ends as it would have; what is skipped or cancelled is
//! among the dead, from where a redrive takes it back to its place; a lane that was stopped goes on only when told. Each is a
//! line in the audit trail.

use serde_json::json;
use sqlx::{PgConnection, PgPool};

use crate::database::begin;
use crate::store::LaneKey;
use crate::store::lane_acts::{self, Standing};
use crate::store::replays;

/// What an operator wants of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// Start nothing more of it.
    Pause,
    /// Go on, from a pause or a halt.
    Resume,
    /// Leave the head behind, and go on if it was the head that halted the lane.
    Skip,
    /// Leave everything behind that is queued.
    Cancel,
}

impl Act {
    /// The word in the audit trail and the API.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Pause => "pause",
            Self::Resume => "resume",
            Self::Skip => "skip",
            Self::Cancel => "cancel",
        }
    }
}

/// What is done about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// It is so already.
    Nothing,
    Pause,
    /// When its claim ends.
    PauseLater,
    PauseNotAfterAll,
    Resume,
    BuryHead {
        resumes: bool,
    },
    BuryAll,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaneError {
    #[error("there is no such lane; one without work is forgotten after a while")]
    NotFound,
    #[error("the lane is halted, so nothing of it starts: resume it, or skip its head")]
    Halted,
    #[error("the lane's head is running: wait until it ends, or pause the lane and skip it then")]
    Running,
    #[error("nothing is queued in the lane")]
    Empty,
    #[error("the database did not answer")]
    Database(#[from] sqlx::Error),
}

/// Decides by how the lane stands.
fn decide(act: Act, standing: &Standing) -> Result<Step, LaneError> {
    let state = standing.state.as_str();
    Ok(match (act, state) {
        (Act::Pause, "halted") => return Err(LaneError::Halted),
        (Act::Pause, "claimed") => Step::PauseLater,
        (Act::Pause, "paused") => Step::Nothing,
        (Act::Pause, _) => Step::Pause,
        (Act::Resume, "halted" | "paused") => Step::Resume,
        (Act::Resume, "claimed") if standing.pausing => Step::PauseNotAfterAll,
        (Act::Resume, _) => Step::Nothing,
        (Act::Skip, "claimed") => return Err(LaneError::Running),
        (Act::Skip, _) => Step::BuryHead { resumes: state == "halted" },
        (Act::Cancel, _) => Step::BuryAll,
    })
}

/// Does it; how many jobs left the lane. Transaction: the lane, its jobs and the audit line commit together.
pub(crate) async fn act(pool: &PgPool, lane: &LaneKey, act: Act, actor: &str) -> Result<i64, LaneError> {
    let mut tx = begin(pool).await?;
    let standing = lane_acts::lock(&mut tx, lane).await?.ok_or(LaneError::NotFound)?;
    let left = carry_out(&mut tx, lane, decide(act, &standing)?, standing.latest).await?;
    let name: String = lane.iter().map(|byte| format!("{byte:02x}")).collect();
    let detail = json!({ "was": standing.state, "left": left });
    replays::audit(&mut tx, actor, &format!("lane.{}", act.as_str()), &name, &detail).await?;
    tx.commit().await?;
    Ok(left)
}

async fn carry_out(tx: &mut PgConnection, lane: &LaneKey, step: Step, latest: bool) -> Result<i64, LaneError> {
    match step {
        Step::Nothing => {}
        Step::Pause => lane_acts::pause(tx, lane).await?,
        Step::PauseLater => lane_acts::set_pausing(tx, lane, true).await?,
        Step::PauseNotAfterAll => lane_acts::set_pausing(tx, lane, false).await?,
        Step::Resume => lane_acts::resume(tx, lane).await?,
        Step::BuryHead { resumes } => {
            let head = lane_acts::head(&mut *tx, lane, latest).await?.ok_or(LaneError::Empty)?;
            let left = lane_acts::bury(&mut *tx, lane, Some(head), "skipped by an operator").await?;
            if resumes {
                lane_acts::resume(tx, lane).await?;
            }
            return Ok(left);
        }
        Step::BuryAll => return Ok(lane_acts::bury(tx, lane, None, "cancelled by an operator").await?),
    }
    Ok(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(act: Act, state: &str, pausing: bool) -> Option<Step> {
        decide(act, &Standing { state: state.to_owned(), pausing, latest: false }).ok()
    }

    #[test]
    fn every_act_in_every_state() {
        const STATES: [&str; 5] = ["idle", "ready", "claimed", "halted", "paused"];
        let of = |act| STATES.map(|state| told(act, state, false));
        let (nothing, resume) = (Some(Step::Nothing), Some(Step::Resume));
        let pause = Some(Step::Pause);
        assert_eq!(of(Act::Pause), [pause, pause, Some(Step::PauseLater), None, nothing]);
        assert_eq!(of(Act::Resume), [nothing, nothing, nothing, resume, resume]);
        assert_eq!(told(Act::Resume, "claimed", true), Some(Step::PauseNotAfterAll));
        let (skip, skip_and_resume) = (Some(Step::BuryHead { resumes: false }), Some(Step::BuryHead { resumes: true }));
        assert_eq!(of(Act::Skip), [skip, skip, None, skip_and_resume, skip]);
        assert_eq!(of(Act::Cancel), [Some(Step::BuryAll); 5]);
    }
}
