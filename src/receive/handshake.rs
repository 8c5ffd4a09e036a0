//! Answers what asks for an answer and carries no event: bounded, and after the visit it may ask for.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::response::Response;
use hookgate_providers::{Reply, Secret};
use tokio::time::Instant;

use super::keys::KeyStore;
use super::pairing::{Offer, Pairing};
use super::reply;
use super::verify::Source;
use crate::telemetry;

/// One handshake each of these in the long run; honest providers ask a few times a day.
const INTERVAL: Duration = Duration::from_millis(100);
/// This many at once, for a provider that sets up many subscriptions.
const BURST: u32 = 100;

/// Bounds the handshakes of one source: they cost no proof, and some answers cost a MAC or a visit.
#[derive(Debug)]
pub(crate) struct Pace {
    /// When the last one taken would have been due, had they come evenly (the generic cell rate algorithm).
    due: Mutex<Option<Instant>>,
}

/// What became of a handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Answered as the provider wants.
    Answered,
    /// More than the source takes.
    Limited,
    /// It offers a secret, and no operator waits for one.
    PairingClosed,
    /// It offers a secret, and the operator's window took another.
    PairingUsed,
    /// It offers a secret, which this gateway has no key to seal with.
    PairingNoKey,
    /// It offers a secret, and the source has as many as are tried.
    PairingFull,
    /// It offers a secret, which the database did not take now.
    NotDurable,
    /// The visit that it asked for failed, so it has to be sent again.
    Unconfirmed,
}

impl Outcome {
    /// The word for metrics and operators.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "handshake",
            Self::Limited => "handshake_limited",
            Self::PairingClosed => "pairing_closed",
            Self::PairingUsed => "pairing_used",
            Self::PairingNoKey => "pairing_no_key",
            Self::PairingFull => "pairing_full",
            Self::NotDurable => "not_durable",
            Self::Unconfirmed => "handshake_unconfirmed",
        }
    }
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self { due: Mutex::new(None) }
    }

    /// Takes one, or says how long to wait for the next.
    fn take(&self, now: Instant) -> Result<(), Duration> {
        let mut due = self.due.lock().unwrap_or_else(PoisonError::into_inner);
        let at = due.map_or(now, |due| due.max(now));
        let ahead = at.saturating_duration_since(now);
        let allowed = INTERVAL * (BURST - 1);
        if ahead > allowed {
            return Err(ahead - allowed);
        }
        *due = Some(at + INTERVAL);
        Ok(())
    }
}

/// Answers a handshake that `hookgate-providers` found in order.
pub(super) async fn answer(source: &Source, keys: &KeyStore, pairing: &Pairing, reply: Reply) -> (Response, Outcome) {
    let name = &*source.name;
    let outcome = match source.handshakes.take(Instant::now()) {
        Err(wait) => return counted(name, reply::too_many(wait), Outcome::Limited),
        Ok(()) => match pair(name, pairing, reply.offers.as_ref()).await {
            Outcome::Answered => confirm(name, keys, reply.visit.as_deref()).await,
            refused => refused,
        },
    };
    let response = match outcome {
        Outcome::Answered => reply::handshake(reply),
        Outcome::Limited | Outcome::NotDurable | Outcome::Unconfirmed => reply::retry_later(),
        Outcome::PairingClosed | Outcome::PairingUsed | Outcome::PairingNoKey | Outcome::PairingFull => {
            reply::refused(&source.refusal)
        }
    };
    counted(name, response, outcome)
}

fn counted(source: &str, response: Response, outcome: Outcome) -> (Response, Outcome) {
    metrics::counter!(telemetry::HANDSHAKES, "source" => source.to_owned(), "outcome" => outcome.as_str()).increment(1);
    (response, outcome)
}

/// Keeps the secret that the sender offers, if it offers one and an operator waits for it.
async fn pair(source: &str, pairing: &Pairing, offered: Option<&Secret>) -> Outcome {
    let Some(offered) = offered else { return Outcome::Answered };
    match pairing.offer(source, offered).await {
        Ok(Offer::Taken) => Outcome::Answered,
        Ok(Offer::Closed) => Outcome::PairingClosed,
        Ok(Offer::Used) => Outcome::PairingUsed,
        Ok(Offer::NoKey) => Outcome::PairingNoKey,
        Ok(Offer::Full) => Outcome::PairingFull,
        Err(error) => {
            tracing::error!(%error, source, "pairing.failed");
            Outcome::NotDurable
        }
    }
}

/// Fetches the URL by which a sender learns that its subscription is wanted, if there is one.
async fn confirm(source: &str, keys: &KeyStore, visit: Option<&str>) -> Outcome {
    let Some(url) = visit else { return Outcome::Answered };
    match keys.visit(url).await {
        Ok(()) => {
            tracing::info!(source, "handshake.confirmed");
            Outcome::Answered
        }
        Err(failure) => {
            tracing::warn!(source, error = &failure as &dyn std::error::Error, "handshake.confirm_failed");
            Outcome::Unconfirmed
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_taken_and_then_one_each_interval() {
        let (pace, start) = (Pace::new(), Instant::now());
        for n in 0..BURST {
            assert_eq!(pace.take(start), Ok(()), "{n}");
        }
        assert_eq!(pace.take(start), Err(INTERVAL));
        assert_eq!(pace.take(start + INTERVAL / 2), Err(INTERVAL / 2));
        assert_eq!(pace.take(start + INTERVAL), Ok(()), "what was refused cost nothing");
        assert!(pace.take(start + INTERVAL).is_err());
        let later = start + Duration::from_secs(3600);
        for n in 0..BURST {
            assert_eq!(pace.take(later), Ok(()), "{n}: silence saves up one burst");
        }
        assert!(pace.take(later).is_err());
    }
}
