//! Takes the secret that a provider offers in a handshake, when an operator waits for it, and keeps every gateway's set of
//! such secrets current.
//!
//! Anybody can offer one, and whoever's is taken can sign. So it is taken only inside a window that an operator opened, one
//! a window, and the handshake is answered only after the sealed secret is committed: a provider that was answered signs
//! with it from then on.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hookgate_providers::Secret;
use serde_json::json;
use sqlx::PgPool;
use tokio::time::Instant;

use super::patience::answered;
use super::secrets::LiveSecrets;
use crate::database::{begin, single};
use crate::sealing::SealingKeys;
use crate::store::pairing::{self, Window};
use crate::store::replays;

/// How old the set of paired secrets may be.
const REFRESH: Duration = Duration::from_secs(2);
/// A request that no secret vouches for makes a gateway look for newer ones, but not more often than this.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

/// The sources whose provider offers secrets.
#[derive(Debug)]
pub(crate) struct Pairing {
    pool: PgPool,
    keys: SealingKeys,
    sources: HashMap<String, Arc<LiveSecrets>>,
    /// When the set was last read. Held while it is read, so that an older reading never replaces a newer one.
    read_at: tokio::sync::Mutex<Option<Instant>>,
    /// Secrets that can't be opened and were told of.
    told: Mutex<HashSet<(String, i16)>>,
}

/// What became of an offered secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Offer {
    /// Committed, now or by an earlier try whose answer was lost.
    Taken,
    /// No window is open.
    Closed,
    /// The window took another one.
    Used,
    /// This gateway has no key to seal it with.
    NoKey,
    /// The source has as many live secrets as are tried.
    Full,
}

impl Pairing {
    pub(crate) fn new(pool: PgPool, keys: SealingKeys, sources: HashMap<String, Arc<LiveSecrets>>) -> Self {
        Self { pool, keys, sources, read_at: tokio::sync::Mutex::default(), told: Mutex::default() }
    }

    /// Takes a secret or refuses it. An error: not known whether it was taken; the provider asks again.
    pub(super) async fn offer(&self, source: &str, offered: &Secret) -> sqlx::Result<Offer> {
        let Some(live) = self.sources.get(source) else {
            return Ok(Offer::Closed);
        };
        let offer = answered(self.take(source, live, offered)).await?;
        match offer {
            // What is committed is answered, even if it can't be read back now: the next reading finds it.
            Offer::Taken => {
                if let Err(error) = self.refresh().await {
                    tracing::warn!(%error, source, "pairing.refresh_failed");
                }
            }
            Offer::NoKey => tracing::error!(source, "pairing.no_key: set `secrets.sealing_key` on this gateway too"),
            Offer::Closed | Offer::Used | Offer::Full => {}
        }
        Ok(offer)
    }

    /// Transaction: the sealed secret, the end of the window and the audit line commit together.
    async fn take(&self, source: &str, live: &LiveSecrets, offered: &Secret) -> sqlx::Result<Offer> {
        let mut tx = begin(&self.pool).await?;
        let window = match pairing::lock(&mut tx, source).await? {
            Some(window) if window.is_open => window,
            _ => return Ok(Offer::Closed),
        };
        if let Some(taken) = window.secret {
            let again = self.stored(&mut tx, source, taken).await?.is_some_and(|stored| stored == *offered);
            return Ok(if again { Offer::Taken } else { Offer::Used });
        }
        if !live.now().has_room() {
            return Ok(Offer::Full);
        }
        let number = pairing::next_number(&mut tx, window.source).await?;
        let Some(sealed) = self.keys.seal(offered, &row_name(source, number)) else {
            return Ok(Offer::NoKey);
        };
        let Window { opened_by, .. } = &window;
        pairing::take(&mut tx, &window, number, &sealed).await?;
        let detail = json!({ "secret": number });
        replays::audit(&mut tx, opened_by, "source.paired", source, &detail).await?;
        tx.commit().await?;
        tracing::info!(source, number, "pairing.taken");
        Ok(Offer::Taken)
    }

    async fn stored(&self, conn: &mut sqlx::PgConnection, source: &str, number: i16) -> sqlx::Result<Option<Secret>> {
        let rows = pairing::all(conn, &[source.to_owned()]).await?;
        let row = rows.into_iter().find(|row| row.number == number);
        Ok(row.and_then(|row| self.keys.open(&row.key_id, &row.sealed, &row_name(source, number)).ok()))
    }

    /// Reads the paired secrets of every source; whether anything changed.
    pub(crate) async fn refresh(&self) -> sqlx::Result<bool> {
        if self.sources.is_empty() {
            return Ok(false);
        }
        let mut read_at = self.read_at.lock().await;
        let changed = self.read().await?;
        *read_at = Some(Instant::now());
        Ok(changed)
    }

    /// The same when a request of this source was refused, unless they were read just now. `false`: nothing changed.
    pub(super) async fn look_again(&self, source: &str) -> bool {
        if !self.sources.contains_key(source) {
            return false;
        }
        let mut read_at = self.read_at.lock().await;
        if read_at.is_some_and(|at| at.elapsed() < LOOK_AGAIN) {
            return false;
        }
        *read_at = Some(Instant::now());
        self.read().await.unwrap_or(false)
    }

    async fn read(&self) -> sqlx::Result<bool> {
        let names: Vec<String> = self.sources.keys().cloned().collect();
        let rows = answered(async {
            let mut conn = single(&self.pool).await?;
            pairing::all(&mut conn, &names).await
        })
        .await?;
        let mut paired: HashMap<&str, Vec<(i16, Secret)>> = HashMap::new();
        for row in &rows {
            match self.keys.open(&row.key_id, &row.sealed, &row_name(&row.source, row.number)) {
                Ok(secret) => paired.entry(&row.source).or_default().push((row.number, secret)),
                Err(why) => self.tell_once(row, why),
            }
        }
        let mut changed = false;
        for (name, live) in &self.sources {
            changed |= live.pair(paired.remove(name.as_str()).unwrap_or_default());
        }
        Ok(changed)
    }

    /// A source whose secret can't be opened waits; it would say so every two seconds.
    fn tell_once(&self, row: &pairing::Row, why: crate::sealing::Unopened) {
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.insert((row.source.clone(), row.number)) {
            tracing::error!(source = row.source, number = row.number, "pairing.secret_unreadable: {why}");
        }
    }
}

/// Keeps the paired secrets current, until dropped.
pub(crate) async fn keep(pairing: Arc<Pairing>) {
    if pairing.sources.is_empty() {
        return;
    }
    let mut tick = tokio::time::interval(REFRESH);
    loop {
        tick.tick().await;
        if let Err(error) = pairing.refresh().await {
            tracing::warn!(%error, "pairing.refresh_failed");
        }
    }
}

/// Binds a sealed secret to its row.
fn row_name(source: &str, number: i16) -> String {
    format!("{source}/{number}")
}
