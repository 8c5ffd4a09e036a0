//! Waits for what a handler answers, when the request is recorded and as long as its provider does.
//!
//! Answers of other processes are found by one task for everybody who waits, over one connection at a time: however many
//! wait, they hold none of the recorder's.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use tokio::time::Instant;

use super::Call;
use super::patience::{answered, give_back};
use super::record::Recorded;
use crate::answers::{Answer, AnswerKey, Answers, Waited};
use crate::database::single_on;
use crate::store::answers as store;
use crate::telemetry;

/// What the way back to the provider may take, at least, and as a part of what it waits.
const MARGIN: Duration = Duration::from_millis(500);
const PART: u32 = 6;

/// Between two looks, while anybody waits.
const LOOK: Duration = Duration::from_millis(50);
/// Between two looks when one more began to wait: it may have its answer already.
const LOOK_SOON: Duration = Duration::from_millis(10);

/// The answer, if a handler answers this event and does so in time. The request's bytes were let go of when it was recorded;
/// who waits here holds a connection and a place among those who may wait.
pub(super) async fn await_answer(answers: &Answers, call: &Call<'_>, recorded: &Recorded) -> Option<Arc<Answer>> {
    let subscription = recorded.responder?;
    let key = AnswerKey { delivery: recorded.delivery, event: recorded.event, subscription };
    let waited = answers.wait(key, (call.started + call.source.respond_within).into()).await;
    let source = call.source.name.to_string();
    metrics::counter!(telemetry::RESPONSES, "source" => source, "outcome" => waited.as_str()).increment(1);
    match waited {
        Waited::Answered(answer) => Some(answer),
        Waited::Nothing | Waited::Late | Waited::Full | Waited::Stopping => None,
    }
}

/// How long an answer may take, from the request's head, if the provider waits so long.
pub(super) fn within(deadline: Duration) -> Duration {
    deadline.saturating_sub(MARGIN.max(deadline / PART))
}

/// Looks for answers that other processes recorded, as long as anybody waits here.
pub(crate) async fn look_out(answers: Arc<Answers>, pool: PgPool) {
    loop {
        answers.one_more().await;
        loop {
            let wanted = answers.wanted();
            if wanted.is_empty() {
                break;
            }
            match look(&pool, &wanted).await {
                Ok(found) => found.into_iter().for_each(|(key, told)| answers.tell(key, told.map(Arc::new))),
                // Whoever waits has a deadline and is answered without it.
                Err(error) => tracing::debug!(%error, "answers.look_failed"),
            }
            tokio::select! {
                () = tokio::time::sleep(LOOK) => {}
                () = answers.one_more() => tokio::time::sleep(LOOK_SOON).await,
            }
        }
    }
}

async fn look(pool: &PgPool, wanted: &[(AnswerKey, Instant)]) -> sqlx::Result<Vec<(AnswerKey, Option<Answer>)>> {
    let now = Instant::now();
    let wanted: Vec<_> = wanted.iter().map(|(key, until)| (*key, until.saturating_duration_since(now))).collect();
    let mut conn = pool.acquire().await?;
    let found = answered(async {
        let mut alone = single_on(pool, &mut conn).await?;
        let found = store::decided(&mut alone, &wanted).await?;
        alone.done().await?;
        Ok(found)
    })
    .await;
    give_back(conn, &found);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_to_be_there_a_while_before_the_provider_gives_up() {
        let table = [(3_000, 2_500), (15_000, 12_500), (1_000, 500), (300, 0)];
        for (deadline, expected) in table {
            assert_eq!(within(Duration::from_millis(deadline)), Duration::from_millis(expected));
        }
    }
}
