//! `/deliveries`: search, one in full, its body.

use std::sync::Arc;

use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderValue, Uri, header};
use serde::Serialize;
use uuid::Uuid;

use super::error::ApiError;
use super::masking::{self, HeaderLine};
use super::parameters::Parameters;
use super::{Operator, cursor};
use crate::headers;
use crate::store::search::deliveries::{self as search, CopyRow, Detail, Filter, Range, Summary};
use crate::store::search::work::{self, AnswerRow, AttemptRow, JobRow};

/// How many deliveries a filtered search examines for one page.
const EXAMINED: i64 = 5_000;
/// How much of a body is shown.
const PREVIEW: usize = 64 * 1024;
/// How many rows of one kind a delivery is shown with.
pub(super) const ROWS: i64 = 1_000;

const STATES: [&str; 6] = ["unhandled", "filtered", "conflict", "pending", "dead", "done"];

/// A page. With `next` there may be more, even if this page is short or empty.
#[derive(Debug, Serialize)]
pub(super) struct Page<T> {
    pub(super) items: Vec<T>,
    pub(super) next: Option<String>,
}

pub(super) async fn list(State(operator): State<Arc<Operator>>, uri: Uri) -> Result<Json<Page<Summary>>, ApiError> {
    let known = ["source", "event", "state", "id", "after", "before", "limit", "cursor"];
    let parameters = Parameters::of(&uri, &known)?;
    let filter = Filter {
        source: parameters.get("source").map(str::to_owned),
        event: parameters.get("event").map(like),
        state: parameters.word("state", &STATES)?,
        ..Filter::default()
    };
    page(&operator, &parameters, filter).await.map(Json)
}

pub(super) async fn conflicts(
    State(operator): State<Arc<Operator>>,
    uri: Uri,
) -> Result<Json<Page<Summary>>, ApiError> {
    let parameters = Parameters::of(&uri, &["source", "after", "before", "limit", "cursor"])?;
    let filter =
        Filter { source: parameters.get("source").map(str::to_owned), conflicts_only: true, ..Filter::default() };
    page(&operator, &parameters, filter).await.map(Json)
}

async fn page(operator: &Operator, parameters: &Parameters, mut filter: Filter) -> Result<Page<Summary>, ApiError> {
    let limit = parameters.limit()?;
    let mut range = Range {
        from: parameters.bound("after")?.unwrap_or(Uuid::nil()),
        below: parameters.bound("before")?.unwrap_or(Uuid::max()),
    };
    if let Some(text) = parameters.get("cursor") {
        range.below = range.below.min(cursor::delivery(text)?);
    }

    let mut reading = operator.read().await?;
    if let Some(id) = parameters.get("id") {
        let key = (operator.receipt_key)(id);
        let ids = search::meant_by(&mut reading, Uuid::parse_str(id).ok(), &key).await?;
        if !ids.is_empty() {
            let found = search::among(&mut reading, &ids, range, &filter, limit + 1).await?;
            return Ok(cut(found, limit, None));
        }
        // No receipt: perhaps an id that is no dedup key. Then the readable copies are searched.
        filter.provider_id = Some(id.to_owned());
    }

    // The end of what is examined comes first: should a page fall short, the next begins exactly there.
    let end = if filter.is_open() { None } else { search::nth_newest(&mut reading, range, EXAMINED).await? };
    let examined = if filter.is_open() { limit + 1 } else { EXAMINED };
    range.from = end.unwrap_or(range.from);
    let found = search::list(&mut reading, range, examined, &filter, limit + 1).await?;
    Ok(cut(found, limit, end))
}

/// A page of what was found, which is one more than fits if there is more.
fn cut(mut found: Vec<Summary>, limit: i64, examined_to: Option<Uuid>) -> Page<Summary> {
    let more = found.len() as i64 > limit;
    found.truncate(limit as usize);
    let last = if more { found.last().map(|d| d.id) } else { examined_to };
    Page { items: found, next: last.map(cursor::of_delivery) }
}

/// An event pattern as LIKE: `*` stands for any run of characters, everything else for itself.
fn like(pattern: &str) -> String {
    let mut like = String::with_capacity(pattern.len());
    for c in pattern.chars() {
        match c {
            '*' => like.push('%'),
            '%' | '_' | '\\' => like.extend(['\\', c]),
            _ => like.push(c),
        }
    }
    like
}

/// A delivery in full.
#[derive(Debug, Serialize)]
pub(super) struct Shown {
    #[serde(flatten)]
    summary: Summary,
    method: String,
    target: String,
    /// Which of the source's live secrets matched, from 0.
    secret_index: i16,
    /// Whether a receipt guards it: without a provider's id it can't be told from a copy.
    deduplicated: bool,
    headers: Vec<HeaderLine>,
    body: BodyShown,
    jobs: Vec<JobRow>,
    attempts: Vec<AttemptRow>,
    answers: Vec<AnswerRow>,
    received_again: Vec<CopyRow>,
    conflicts: Vec<Uuid>,
}

/// What is shown of a body.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct BodyShown {
    size: i32,
    content_type: Option<String>,
    sha256: String,
    preview: String,
    /// `utf-8` or `base64`.
    encoding: &'static str,
    truncated: bool,
}

pub(super) async fn show(
    State(operator): State<Arc<Operator>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Json<Shown>, ApiError> {
    Parameters::of(&uri, &[])?;
    let id = delivery_id(&id)?;
    let mut reading = operator.read().await?;
    let found = search::detail(&mut reading, id, PREVIEW as i32).await?;
    let Detail { summary, method, target, headers, secret, deduplicated, sha256, head } = found.ok_or(NO_DELIVERY)?;
    let conflicts = match &summary.provider_id {
        Some(provider_id) => search::conflicts(&mut reading, id, &(operator.receipt_key)(provider_id)).await?,
        None => Vec::new(),
    };
    Ok(Json(Shown {
        body: body_shown(&summary, &sha256, &head),
        headers: masking::headers(&headers::decode(&headers)),
        target: masking::target(&target),
        method,
        secret_index: secret,
        deduplicated,
        jobs: work::jobs(&mut reading, id, ROWS).await?,
        attempts: work::attempts(&mut reading, id, ROWS).await?,
        answers: work::answers(&mut reading, id, ROWS).await?,
        received_again: search::copies(&mut reading, id, ROWS).await?,
        conflicts,
        summary,
    }))
}

fn body_shown(summary: &Summary, sha256: &[u8], head: &[u8]) -> BodyShown {
    let truncated = (head.len() as i64) < i64::from(summary.body_size);
    let (encoding, preview) = match std::str::from_utf8(head) {
        Ok(text) => ("utf-8", text.to_owned()),
        // The cut fell into a character.
        Err(e) if truncated && e.error_len().is_none() => {
            ("utf-8", String::from_utf8_lossy(&head[..e.valid_up_to()]).into_owned())
        }
        Err(_) => ("base64", base64(head)),
    };
    BodyShown {
        size: summary.body_size,
        content_type: summary.content_type.clone(),
        sha256: hex::encode(sha256),
        preview,
        encoding,
        truncated,
    }
}

/// The bytes as received. As a download and as no type a browser would run: whoever signs a webhook chose them.
pub(super) async fn body(
    State(operator): State<Arc<Operator>>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Response, ApiError> {
    Parameters::of(&uri, &[])?;
    let id = delivery_id(&id)?;
    let mut reading = operator.read().await?;
    let (bytes, content_type) = search::body(&mut reading, id).await?.ok_or(NO_DELIVERY)?;
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("sandbox; default-src 'none'"));
    let file = HeaderValue::try_from(format!("attachment; filename=\"{id}.bin\""));
    headers.insert(header::CONTENT_DISPOSITION, file.unwrap_or(HeaderValue::from_static("attachment")));
    if let Some(content_type) = content_type.and_then(|text| HeaderValue::try_from(text).ok()) {
        headers.insert("hookgate-content-type", content_type);
    }
    Ok(response)
}

pub(super) const NO_DELIVERY: ApiError =
    ApiError::NotFound("no delivery has this id, or it was purged when its retention was over");

pub(super) fn delivery_id(text: &str) -> Result<Uuid, ApiError> {
    Uuid::parse_str(text).map_err(|_| {
        ApiError::Invalid(
            "the path needs hookgate's delivery id, a UUID; GET /api/v1/deliveries?id=… finds it by the provider's"
                .to_owned(),
        )
    })
}

pub(super) fn base64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_star_of_a_pattern_is_special() {
        assert_eq!(like("invoice.*"), "invoice.%");
        assert_eq!(like(r"50%_a\b"), r"50\%\_a\\b");
    }
}
