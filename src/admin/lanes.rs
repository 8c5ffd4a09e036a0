//! `/lanes`: the jobs of one handler and ordering key, in order; what holds them up, and what to do about it.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Path, State};
use http::Uri;
use serde::Serialize;
use uuid::Uuid;

use super::auth::MayOperate;
use super::deliveries::Page;
use super::error::ApiError;
use super::parameters::Parameters;
use super::{Operator, cursor};
use crate::lanes::{self, Act, LaneError};
use crate::store::LaneKey;
use crate::store::search::Stamp;
use crate::store::search::lanes::{self as search, Filter, LaneRow, STATES};

/// Lanes one page may look at.
const EXAMINED: i64 = 5000;
const NO_LANE: &str = "there is no such lane; one without work is forgotten after a while";

/// A lane as it is shown.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    id: String,
    /// The ordering key.
    key: String,
    handler: String,
    source: String,
    order: String,
    state: String,
    /// It is claimed, and paused when what runs ends.
    pausing: bool,
    pending: i32,
    /// When it is looked at next, while it is ready.
    due: Stamp,
    /// The version of the newest that was handled, where its handler keeps track.
    version: Option<i64>,
    /// What runs, or is next.
    head: Option<Head>,
    gaps: i64,
    outside: i64,
    unapplied: Option<Uuid>,
}

#[derive(Debug, Serialize)]
struct Head {
    delivery: Uuid,
    event: i32,
    run: i32,
    attempt: i32,
    failures: i32,
    /// Null while it runs.
    next_try: Option<Stamp>,
    failing_since: Option<Stamp>,
    /// How long it has held the lane up.
    blocked_seconds: Option<f64>,
}

impl From<LaneRow> for Shown {
    fn from(row: LaneRow) -> Self {
        let head = row.delivery.map(|delivery| Head {
            delivery,
            event: row.event.unwrap_or_default(),
            run: row.run.unwrap_or_default(),
            attempt: row.attempt.unwrap_or_default(),
            failures: row.failures.unwrap_or_default(),
            next_try: row.next_try,
            failing_since: row.failing_since,
            blocked_seconds: row.blocked_seconds,
        });
        Self {
            id: hex(&row.lane),
            key: row.key,
            handler: row.handler,
            source: row.source,
            order: row.order,
            state: row.state,
            pausing: row.pausing,
            pending: row.pending,
            due: row.due,
            version: row.version,
            head,
            gaps: row.gaps,
            outside: row.outside,
            unapplied: row.unapplied,
        }
    }
}

pub(super) async fn list(State(operator): State<Arc<Operator>>, uri: Uri) -> Result<Json<Page<Shown>>, ApiError> {
    let parameters = Parameters::of(&uri, &["state", "handler", "source", "key", "limit", "cursor"])?;
    let limit = parameters.limit()?;
    let owned = |name: &str| parameters.get(name).map(str::to_owned);
    let filter = Filter {
        state: parameters.word("state", &STATES)?,
        handler: owned("handler"),
        source: owned("source"),
        key: owned("key"),
    };
    let after = parameters.get("cursor").map(cursor::lane).transpose()?;
    let after = after.as_ref().map_or(&[][..], |lane| &lane[..]);
    let mut reading = operator.read().await?;
    let mut rows = search::list(&mut reading, after, EXAMINED, &filter, limit + 1).await?;
    let next = if rows.len() as i64 > limit {
        rows.truncate(limit as usize);
        rows.last().map(|row| row.lane.clone())
    } else {
        search::nth(&mut reading, after, EXAMINED, &filter).await?
    };
    let items = rows.into_iter().map(Shown::from).collect();
    Ok(Json(Page { items, next: next.map(|lane| cursor::of_lane(&lane)) }))
}

pub(super) async fn show(
    State(operator): State<Arc<Operator>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Json<Shown>, ApiError> {
    Parameters::of(&uri, &[])?;
    Ok(Json(read(&operator, &lane_id(&id)?).await?))
}

async fn read(operator: &Operator, lane: &LaneKey) -> Result<Shown, ApiError> {
    let row = search::one(&mut *operator.read().await?, lane).await?;
    row.map(Shown::from).ok_or(ApiError::NotFound(NO_LANE))
}

/// The lane as it is after it, and how many jobs left it.
#[derive(Debug, Serialize)]
pub(super) struct Done {
    left: i64,
    lane: Shown,
}

pub(super) async fn act(
    State(operator): State<Arc<Operator>>,
    caller: MayOperate,
    Path((id, act)): Path<(String, String)>,
    uri: Uri,
    body: Bytes,
) -> Result<Json<Done>, ApiError> {
    Parameters::of(&uri, &[])?;
    let lane = lane_id(&id)?;
    let known = [Act::Pause, Act::Resume, Act::Skip, Act::Cancel];
    let act = known.into_iter().find(|known| known.as_str() == act);
    let act = act.ok_or(ApiError::NotFound("a lane takes pause, resume, skip and cancel, and nothing else"))?;
    if !matches!(body.trim_ascii(), b"" | b"{}") {
        return Err(ApiError::Invalid("this takes no body, or an empty one: {}".to_owned()));
    }
    let left = lanes::act(&operator.pool, &lane, act, &caller.name).await.map_err(explain)?;
    (operator.work_queued)();
    Ok(Json(Done { left, lane: read(&operator, &lane).await? }))
}

fn explain(error: LaneError) -> ApiError {
    match error {
        LaneError::NotFound => ApiError::NotFound(NO_LANE),
        LaneError::Halted | LaneError::Running | LaneError::Empty => ApiError::Conflict(error.to_string()),
        LaneError::Database(error) => ApiError::Database(error),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn lane_id(text: &str) -> Result<LaneKey, ApiError> {
    let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let lane = u128::from_str_radix(text, 16).ok().filter(|_| digits);
    let wrong = || ApiError::Invalid("a lane's id is 32 hexadecimal digits, as GET /api/v1/lanes has them".to_owned());
    lane.map(u128::to_be_bytes).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_its_bytes_in_hex_and_nothing_else_is_one() {
        let lane = [0, 1, 2, 250, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 255];
        assert_eq!(lane_id(&hex(&lane)).unwrap(), lane);
        for bad in ["", "+0102fa0405060708090a0b0c0d0eff", "00", "zz0102fa0405060708090a0b0c0d0eff", &"0".repeat(33)] {
            assert!(lane_id(bad).is_err(), "{bad}");
        }
    }
}
