//! `/jobs`: unfinished work of all handlers, and cancelling it.

use std::sync::Arc;

use axum::Json;
use axum::body::Bytes;
use axum::extract::State;
use http::Uri;
use serde::{Deserialize, Serialize};
use sqlx::PgConnection;

use super::auth::MayOperate;
use super::deliveries::{Page, delivery_id};
use super::error::ApiError;
use super::parameters::Parameters;
use super::pauses::reason;
use super::{Operator, cursor};
use crate::receive::arrival::lane;
use crate::steer::{self, Cancelled, Chosen};
use crate::store::search::jobs::{self as search, Filter, QueuedRow};
use crate::store::{JobKey, registry};

/// How many jobs a filtered search examines for one page.
const EXAMINED: i64 = 5_000;
const STATES: [&str; 4] = ["ready", "running", "waiting", "held"];

const LAST: JobKey = JobKey { delivery: uuid::Uuid::max(), event: i32::MAX, subscription: i32::MAX, run: i32::MAX };

pub(super) async fn list(State(operator): State<Arc<Operator>>, uri: Uri) -> Result<Json<Page<QueuedRow>>, ApiError> {
    let known = ["state", "handler", "source", "lane", "due", "limit", "cursor"];
    let parameters = Parameters::of(&uri, &known)?;
    let limit = parameters.limit()?;
    let below = parameters.get("cursor").map(cursor::job).transpose()?.unwrap_or(LAST);
    let mut reading = operator.read().await?;
    let filter = filter(&mut reading, &parameters).await?;
    // The end of what is examined comes first: should a page fall short, the next begins exactly there.
    let (end, examined) = match filter.is_open() {
        true => (None, limit + 1),
        false => (search::nth_newest(&mut reading, below, EXAMINED).await?, EXAMINED),
    };
    let mut items = search::list(&mut reading, below, examined, &filter, limit + 1).await?;
    let more = items.len() as i64 > limit;
    items.truncate(limit as usize);
    let end = end.map(|(delivery, event, subscription, run)| JobKey { delivery, event, subscription, run });
    let last = if more { items.last().map(QueuedRow::key) } else { end };
    Ok(Json(Page { items, next: last.map(cursor::of_job) }))
}

async fn filter(conn: &mut PgConnection, parameters: &Parameters) -> Result<Filter, ApiError> {
    let (handler, source, key) = (parameters.get("handler"), parameters.get("source"), parameters.get("lane"));
    let mut filter = Filter {
        state: parameters.word("state", &STATES)?,
        due: parameters.word("due", &["now", "later"])?.map(|due| due == "now"),
        ..Filter::default()
    };
    if handler.is_some() || source.is_some() || key.is_some() {
        let places = registry::places(conn, handler, source).await?;
        // A lane's key is a hash of its subscription and its ordering key, so no label is searched for.
        filter.lanes =
            key.map(|key| places.iter().map(|place| lane(place.subscription, Some(key)).0.to_vec()).collect());
        filter.subscriptions = Some(places.iter().map(|place| place.subscription).collect());
    }
    Ok(filter)
}

/// Which jobs end: those of a delivery, or what is queued of a handler, a source, or a handler on a source.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    delivery: Option<String>,
    event: Option<i32>,
    run: Option<i32>,
    handler: Option<String>,
    source: Option<String>,
    #[serde(default)]
    running: bool,
    #[serde(default)]
    dry_run: bool,
    reason: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Answer {
    dry_run: bool,
    /// Jobs that ended; on a dry run those that would.
    cancelled: i64,
    /// Those that run and were left.
    running: i64,
    /// Whether to ask again.
    more: bool,
}

pub(super) async fn cancel(
    State(operator): State<Arc<Operator>>,
    caller: MayOperate,
    uri: Uri,
    body: Bytes,
) -> Result<Json<Answer>, ApiError> {
    Parameters::of(&uri, &[])?;
    let asked: Asked = serde_json::from_slice(&body).map_err(|error| {
        ApiError::Invalid(format!(
            "the body must be JSON such as {{\"handler\": \"billing\", \"dry_run\": true}} or {{\"delivery\": \"…\"}}: {error}"
        ))
    })?;
    let reason = reason(asked.reason.as_deref())?;
    let dry_run = asked.dry_run;
    let chosen = chosen(&asked)?;
    let Cancelled { cancelled, running, more } =
        steer::cancel(&operator.pool, &chosen, reason, &caller.name, dry_run).await?;
    // A lane whose head was cancelled may go on at once.
    (operator.work_queued)();
    Ok(Json(Answer { dry_run, cancelled, running, more }))
}

fn chosen(asked: &Asked) -> Result<Chosen, ApiError> {
    let delivery = asked.delivery.as_deref().map(delivery_id).transpose()?;
    if delivery.is_none() && (asked.event.is_some() || asked.run.is_some()) {
        return Err(ApiError::Invalid("\"event\" and \"run\" name jobs of a \"delivery\": give it too".to_owned()));
    }
    if delivery.is_none() && asked.handler.is_none() && asked.source.is_none() {
        return Err(ApiError::Invalid("say which jobs: of a \"delivery\", a \"handler\", a \"source\"".to_owned()));
    }
    Ok(Chosen {
        delivery,
        event: asked.event,
        run: asked.run,
        handler: asked.handler.clone(),
        source: asked.source.clone(),
        running: asked.running,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_cancelled_that_was_not_named() {
        let chosen = |body: &str| {
            let asked = serde_json::from_str::<Asked>(body).map_err(|error| ApiError::Invalid(error.to_string()))?;
            chosen(&asked)
        };
        assert!(chosen(r#"{"handler": "billing"}"#).is_ok());
        assert!(chosen(r#"{"delivery": "01998f6e-7a11-7c3e-9d0b-2f4c1a7be502", "event": 1, "run": 0}"#).is_ok());
        for bad in
            ["{}", r#"{"event": 1}"#, r#"{"handler": "a", "run": 1}"#, r#"{"delivery": "x"}"#, r#"{"all": true}"#]
        {
            assert!(chosen(bad).is_err(), "{bad}");
        }
    }
}
