//! The demo's plot: what is sent in which order, and what the API says came of it, as a timeline.

use std::collections::HashSet;
use std::time::Duration;

use chrono::{DateTime, Utc};
use reqwest::Url;
use serde_json::Value;
use tokio::time::Instant;
use uuid::Uuid;

use super::cast::{COPIED, Sender};
use super::verdict::{Act, Sent};
use crate::cli::client::{self, Client};
use crate::cli::deliveries::text;
use crate::cli::exit::Failure;
use crate::cli::sample::{Signed, Wish, signed};
use crate::cli::screen::Screen;
use crate::cli::send;

/// How long everything may take.
const DEADLINE: Duration = Duration::from_secs(30);
/// How often the API is asked.
const LOOK: Duration = Duration::from_millis(20);
/// How long a sender waits for the one before, so that the lines come in the order of their times.
const PAUSE: Duration = Duration::from_millis(200);

/// Tells the story as it happens. Every line is something an answer or the API said.
pub(super) struct Story {
    screen: Screen,
    http: reqwest::Client,
    ingest: Url,
    api: Client,
    begun: DateTime<Utc>,
    sent: Vec<Sent>,
    told: HashSet<(String, String, i64)>,
}

impl Story {
    pub(super) fn new(screen: Screen, ingest: Url, api: Client) -> Result<Self, Failure> {
        let http = client::http()?;
        Ok(Self { screen, http, ingest, api, begun: Utc::now(), sent: Vec::new(), told: HashSet::new() })
    }

    /// Sends everything, and waits until the last job is done or the time is up.
    pub(super) async fn tell(mut self, senders: &[Sender]) -> Result<(Vec<Sent>, usize), Failure> {
        for sender in senders {
            let request = self.request(sender)?;
            self.send(Act::Deliver, sender, request.clone()).await?;
            if sender.source == COPIED {
                self.send(Act::Copy, sender, request.clone()).await?;
                self.send(Act::Forge, sender, request.tampered(&sender.provider)).await?;
            }
            self.look_for(PAUSE).await?;
        }
        self.look_for(DEADLINE).await?;
        let refusals = self.api.get("refusals", &[]).await?;
        let refusals = refusals["items"].as_array().map_or(0, Vec::len);
        Ok((self.sent, refusals))
    }

    fn request(&self, sender: &Sender) -> Result<Signed, Failure> {
        let url = send::ingest_url(self.ingest.clone(), &sender.source)?;
        let wish = Wish {
            provider: &sender.provider,
            event: sender.event,
            // Fresh in every run: a second demo on the same data would otherwise see duplicates only.
            id: &Uuid::now_v7().to_string(),
            data: None,
            url: url.as_str(),
            token: None,
            now: Utc::now().timestamp(),
        };
        signed(&wish, &sender.key).map_err(|unmade| unmade.failure(&sender.provider))
    }

    async fn send(&mut self, act: Act, sender: &Sender, request: Signed) -> Result<(), Failure> {
        let url = send::ingest_url(self.ingest.clone(), &sender.source)?;
        let answer = send::post(&self.http, &url, request).await?;
        let (status, word) = (answer.status.as_u16(), answer.word());
        let label = match act {
            Act::Deliver => "",
            Act::Copy => " (the same request again)",
            Act::Forge => " (one byte changed after signing)",
        };
        let took = answer.took.as_secs_f64() * 1000.0;
        self.line(Utc::now(), &sender.source, sender.event, &format!("{word}, {status} in {took:.1} ms{label}"));
        self.sent.push(Sent {
            act,
            source: sender.source.clone(),
            event: sender.event.to_owned(),
            status,
            word,
            delivery: answer.delivery,
            shown: Value::Null,
        });
        Ok(())
    }

    /// Looks until everything sent so far is over, but not longer than this.
    async fn look_for(&mut self, at_most: Duration) -> Result<(), Failure> {
        let deadline = Instant::now() + at_most;
        loop {
            self.look().await?;
            if self.is_over() || Instant::now() >= deadline {
                return Ok(());
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Asks the API about every delivery that is not done, and tells the attempts it has not told yet.
    async fn look(&mut self) -> Result<(), Failure> {
        let mut news = Vec::new();
        for sent in self.sent.iter_mut().filter(|sent| sent.act == Act::Deliver && sent.state() != "done") {
            let Some(id) = &sent.delivery else { continue };
            sent.shown = self.api.get(&format!("deliveries/{id}"), &[]).await?;
            for attempt in sent.attempts() {
                let number = attempt["attempt"].as_i64().unwrap_or_default();
                if self.told.insert((id.clone(), text(attempt, "handler"), number)) {
                    news.push((text(attempt, "ended_at"), sent.source.clone(), sent.event.clone(), happened(attempt)));
                }
            }
        }
        news.sort();
        for (at, source, event, what) in news {
            let at = DateTime::parse_from_rfc3339(&at).map_or_else(|_| Utc::now(), |at| at.to_utc());
            self.line(at, &source, &event, &what);
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        let mut deliveries = self.sent.iter().filter(|sent| sent.act == Act::Deliver);
        deliveries.all(|sent| matches!(sent.state(), "done" | "dead") || sent.delivery.is_none())
    }

    fn line(&self, at: DateTime<Utc>, source: &str, event: &str, what: &str) {
        let seconds = (at - self.begun).num_milliseconds() as f64 / 1000.0;
        self.screen.line(format!("{seconds:>+8.3} s  {source:<18} {event:<20} {what}"));
    }
}

/// An attempt in words.
fn happened(attempt: &Value) -> String {
    let (handler, number) = (text(attempt, "handler"), text(attempt, "attempt"));
    match text(attempt, "outcome").as_str() {
        "ok" => format!("{handler}: attempt {number} ok"),
        outcome => format!("{handler}: attempt {number} {outcome}: {}", text(attempt, "error")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_attempt_is_told_with_its_number_and_its_error() {
        let ok = json!({"handler": "a", "attempt": 2, "outcome": "ok", "error": null});
        assert_eq!(happened(&ok), "a: attempt 2 ok");
        let failed = json!({"handler": "a", "attempt": 1, "outcome": "failed", "error": "away"});
        assert_eq!(happened(&failed), "a: attempt 1 failed: away");
    }
}
