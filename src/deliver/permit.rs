//! What bounds a claim beyond free places: tokens of a rate, and the one try of a breaker. Both are rows that all gateways
//! share, locked in the transaction of the claim and written by what it really started.
//!
//! Locked before lanes and jobs, in the order of names, and only if nobody else holds them: a gateway that is stopped in its
//! claim stops no other.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use super::bucket::Bucket;
use super::served::Asked;
use crate::breaker::{Breakers, later};
use crate::store::breakers::{self, Named};
use crate::store::{Token, buckets};

/// How long to leave alone what another gateway is looking at.
const ELSEWHERE: Duration = Duration::from_millis(20);

/// How much longer than its attempt a try may take to be told of, before another takes its place.
const PROBE_MARGIN: Duration = Duration::from_secs(5);

/// What each of those who asked may have, and the locked rows that say so.
pub(super) struct Permits {
    buckets: HashMap<String, (Bucket, DateTime<Utc>)>,
    probes: BTreeMap<String, Named>,
}

impl Permits {
    /// Locks what these are bounded by. Nothing at all, where nothing bounds them.
    pub(super) async fn lock(tx: &mut PgConnection, asked: &[Asked], token: Token) -> sqlx::Result<Self> {
        let limited: Vec<_> = asked.iter().filter_map(|a| Some((&*a.handler().name, a.limit()?))).collect();
        let mut filled = HashMap::new();
        if !limited.is_empty() {
            let (handlers, full): (Vec<&str>, Vec<f64>) =
                limited.iter().map(|(name, limit)| (*name, limit.full())).unzip();
            for row in buckets::lock(&mut *tx, &handlers, &full).await? {
                if let Some((_, limit)) = limited.iter().find(|(name, _)| *name == row.handler) {
                    let passed = (row.now - row.filled_at).to_std().unwrap_or_default();
                    filled.insert(row.handler, (Bucket::filled(row.tokens, passed, *limit), row.now));
                }
            }
        }
        let names: Vec<&str> = asked.iter().filter_map(Asked::probes).collect();
        let mut probes = BTreeMap::new();
        if !names.is_empty() {
            for named in breakers::lock_free(tx, &names).await? {
                if named.breaker.probed(token, named.now, named.now).is_some() {
                    probes.insert(named.name.clone(), named);
                }
            }
        }
        Ok(Self { buckets: filled, probes })
    }

    /// How many of its places it may fill.
    pub(super) fn places(&self, asked: &Asked) -> i64 {
        if asked.probes().is_some_and(|name| !self.probes.contains_key(name)) {
            return 0;
        }
        let tokens = match (asked.limit(), self.buckets.get(&*asked.handler().name)) {
            (None, _) => i64::MAX,
            (Some(_), None) => 0,
            (Some(_), Some((bucket, _))) => bucket.whole(),
        };
        asked.places().min(tokens)
    }

    /// Takes a token for each start, and notes whose try it is.
    pub(super) async fn take(
        &mut self,
        tx: &mut PgConnection,
        asked: &[Asked],
        started: &[usize],
        token: Token,
        breakers: &Breakers,
    ) -> sqlx::Result<()> {
        let mut left = Vec::new();
        for (asked, started) in asked.iter().zip(started).filter(|(_, started)| **started > 0) {
            let name = &*asked.handler().name;
            if let Some((bucket, at)) = self.buckets.get_mut(name) {
                *bucket = bucket.without(*started);
                left.push((name, bucket.tokens(), *at));
            }
            if let Some(named) = asked.probes().and_then(|probed| self.probes.get_mut(probed)) {
                let until = later(named.now, asked.handler().timeout.saturating_add(PROBE_MARGIN));
                if let Some(tried) = named.breaker.probed(token, until, named.now) {
                    breakers::write(&mut *tx, &named.name, &tried).await?;
                    named.breaker = tried;
                    breakers.learn(named);
                }
            }
        }
        if !left.is_empty() {
            buckets::leave(tx, &left).await?;
        }
        Ok(())
    }

    /// How long there is surely nothing to be had.
    pub(super) fn dry_for(&self, asked: &Asked) -> Option<Duration> {
        if asked.probes().is_some_and(|name| !self.probes.contains_key(name)) {
            return Some(ELSEWHERE);
        }
        asked.limit()?;
        let wait = self.buckets.get(&*asked.handler().name).map_or(ELSEWHERE, |(bucket, _)| bucket.wait());
        Some(wait).filter(|wait| !wait.is_zero())
    }
}
