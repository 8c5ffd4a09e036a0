//! The arithmetic of a rate: a bucket of tokens, filled with time, one taken for each start. Pure.

use std::time::Duration;

use crate::config::Rate;

/// What a handler may start.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Limit {
    per_second: f64,
    burst: f64,
}

impl Limit {
    /// Without a burst, a second's worth; at least one, or nothing would ever start.
    pub(crate) fn new(rate: Rate, burst: Option<u32>) -> Self {
        let per_second = f64::from(rate.jobs) / rate.per.as_secs_f64();
        Self { per_second, burst: burst.map_or(per_second, f64::from).max(1.0) }
    }

    /// A bucket that nobody took from.
    pub(crate) fn full(&self) -> f64 {
        self.burst
    }
}

/// Tokens, at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Bucket {
    tokens: f64,
    limit: Limit,
}

impl Bucket {
    /// What became of `tokens` in this time.
    pub(super) fn filled(tokens: f64, passed: Duration, limit: Limit) -> Self {
        let tokens = (tokens + passed.as_secs_f64() * limit.per_second).clamp(0.0, limit.burst);
        Self { tokens, limit }
    }

    /// How many may start now.
    pub(super) fn whole(&self) -> i64 {
        // What was added up in parts may fall short of one by less than anybody could measure.
        (self.tokens + 1e-9).floor() as i64
    }

    /// Without those that started.
    pub(super) fn without(self, started: usize) -> Self {
        Self { tokens: (self.tokens - started as f64).max(0.0), ..self }
    }

    pub(super) fn tokens(&self) -> f64 {
        self.tokens
    }

    /// Until one may start; zero if one may now.
    pub(super) fn wait(&self) -> Duration {
        if self.whole() > 0 {
            return Duration::ZERO;
        }
        Duration::try_from_secs_f64((1.0 - self.tokens) / self.limit.per_second).unwrap_or(Duration::MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn limit(rate: &str, burst: Option<u32>) -> Limit {
        Limit::new(Rate::parse(rate).unwrap(), burst)
    }

    #[test]
    fn a_burst_is_a_seconds_worth_unless_it_is_said_and_never_less_than_one() {
        assert_eq!(limit("100/s", None).full(), 100.0);
        assert_eq!(limit("600/m", None).full(), 10.0);
        assert_eq!(limit("1000/h", None).full(), 1.0);
        assert_eq!(limit("1/h", Some(50)).full(), 50.0);
    }

    #[test]
    fn it_fills_with_time_up_to_the_burst() {
        let limit = limit("10/s", Some(5));
        let filled = |tokens, ms| Bucket::filled(tokens, Duration::from_millis(ms), limit).whole();
        assert_eq!((filled(0.0, 99), filled(0.0, 100), filled(0.0, 250)), (0, 1, 2));
        assert_eq!(
            (filled(0.0, 60_000), filled(900.0, 0)),
            (5, 5),
            "never above the burst, also when that was lowered"
        );
    }

    #[test]
    fn the_wait_is_that_for_the_next_token() {
        let limit = limit("600/m", None);
        let bucket = |tokens| Bucket::filled(tokens, Duration::ZERO, limit);
        assert_eq!(bucket(0.5).wait(), Duration::from_millis(50));
        assert_eq!(bucket(1.0).wait(), Duration::ZERO);
        assert_eq!(bucket(3.0).without(3).wait(), Duration::from_millis(100));
    }

    proptest! {
        /// Whatever the moments at which somebody looks, no more start than the burst and what came since.
        #[test]
        fn no_sequence_of_looks_starts_more_than_the_rate(gaps in prop::collection::vec(0u64..2_000, 1..200), jobs in 1u32..500) {
            let limit = Limit::new(Rate { jobs, per: Duration::from_secs(60) }, Some(7));
            let (mut tokens, mut started, mut passed) = (limit.full(), 0, Duration::ZERO);
            for gap in gaps {
                let gap = Duration::from_millis(gap);
                passed += gap;
                let bucket = Bucket::filled(tokens, gap, limit);
                started += bucket.whole();
                tokens = bucket.without(bucket.whole() as usize).tokens();
                prop_assert!(started as f64 <= 7.0 + passed.as_secs_f64() * f64::from(jobs) / 60.0 + 1e-6);
            }
        }
    }
}
