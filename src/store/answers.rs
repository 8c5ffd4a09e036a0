//! `answers`: what handlers answered their requests with. Kept as long as the deliveries, for their copies.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use super::JobKey;
use crate::answers::{Answer, AnswerKey};
use crate::headers;

/// Keeps the answer with its delivery; a later one takes the place of an earlier. `false`: the delivery was purged.
pub(crate) async fn insert(conn: &mut PgConnection, key: JobKey, answer: &Answer) -> sqlx::Result<bool> {
    let lines = answer.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    let done = sqlx::query(
        "insert into hookgate.answers (retention, delivery, event, subscription, status, headers, body)
         select d.retention, $1, $2, $3, $4, $5, $6 from hookgate.deliveries d where d.id = $1
             on conflict (delivery, event, subscription) do update
            set status = excluded.status, headers = excluded.headers, body = excluded.body,
                answered_at = excluded.answered_at",
    )
    .bind(key.delivery)
    .bind(key.event)
    .bind(key.subscription)
    .bind(answer.status.as_u16() as i16)
    .bind(headers::encode(&lines))
    .bind(answer.body.as_ref())
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// One that is waited for and need not be any longer.
#[derive(Debug, FromRow)]
struct Decided {
    delivery: Uuid,
    event: i32,
    subscription: i32,
    status: Option<i16>,
    headers: Option<Vec<u8>>,
    body: Option<Vec<u8>>,
}

/// Of those that are waited for, and for how long still, the ones that are decided: with their answer, or with none where no
/// job is left that could give it in that time. One statement, so one snapshot: a job's end and its answer are seen together.
/// By the primary keys of both tables.
pub(crate) async fn decided(
    conn: &mut PgConnection,
    wanted: &[(AnswerKey, Duration)],
) -> sqlx::Result<Vec<(AnswerKey, Option<Answer>)>> {
    let deliveries: Vec<Uuid> = wanted.iter().map(|(key, _)| key.delivery).collect();
    let events: Vec<i32> = wanted.iter().map(|(key, _)| key.event).collect();
    let subscriptions: Vec<i32> = wanted.iter().map(|(key, _)| key.subscription).collect();
    let left: Vec<f64> = wanted.iter().map(|(_, left)| left.as_millis() as f64).collect();
    let decided: Vec<Decided> = sqlx::query_as(
        "select w.delivery, w.event, w.subscription, a.status, a.headers, a.body
           from unnest($1::uuid[], $2::int[], $3::int[], $4::float8[]) as w(delivery, event, subscription, left_ms)
           left join hookgate.answers a
                  on (a.delivery, a.event, a.subscription) = (w.delivery, w.event, w.subscription)
          where a.delivery is not null
             or not exists (
                select from hookgate.jobs j
                 where (j.delivery, j.event, j.subscription) = (w.delivery, w.event, w.subscription)
                   and greatest(j.due, j.snoozed_until) <= clock_timestamp() + w.left_ms * interval '1 millisecond')",
    )
    .bind(&deliveries)
    .bind(&events)
    .bind(&subscriptions)
    .bind(&left)
    .fetch_all(conn)
    .await?;
    Ok(decided.into_iter().map(Decided::into_answer).collect())
}

impl Decided {
    fn into_answer(self) -> (AnswerKey, Option<Answer>) {
        let key = AnswerKey { delivery: self.delivery, event: self.event, subscription: self.subscription };
        let status = self.status.and_then(|status| StatusCode::from_u16(status.unsigned_abs()).ok());
        let answer = status.map(|status| Answer {
            status,
            headers: header_map(&self.headers.unwrap_or_default()),
            body: Bytes::from(self.body.unwrap_or_default()),
        });
        (key, answer)
    }
}

fn header_map(encoded: &[u8]) -> HeaderMap {
    let lines = headers::decode(encoded);
    lines
        .iter()
        .filter_map(|(name, value)| Some((HeaderName::try_from(name).ok()?, HeaderValue::from_bytes(value).ok()?)))
        .collect()
}
