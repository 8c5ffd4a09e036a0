//! Logs and metrics: how they are set up, and every metric's name.
//!
//! Labels carry names from the configuration and words from our own enums, never anything a sender chose: a sender
//! could otherwise make as many time series as it likes. What a log line may hold: docs/LOGGING.md.

use std::io::IsTerminal;
use std::sync::OnceLock;

use metrics::{Unit, describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

use crate::Error;

/// How a log line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Why logs or metrics can't be set up.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter does not parse.
    #[error(
        "log.level {filter:?} is no filter; write a level (error, warn, info, debug, trace) or a list such as \"info,hookgate=debug\""
    )]
    Filter {
        /// As configured.
        filter: String,
        /// What is wrong with it.
        source: ParseError,
    },
    /// The process has a log subscriber already.
    #[error("logging was set up before in this process")]
    Subscriber(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The process has a metrics recorder already.
    #[error("metrics were set up before in this process")]
    Recorder(#[from] BuildError),
}

/// Starts logging to standard error, so that a command's output stays clean.
pub fn init(format: Format, filter: &str) -> Result<(), TelemetryError> {
    let directives = EnvFilter::builder()
        .parse(filter)
        .map_err(|source| TelemetryError::Filter { filter: filter.to_owned(), source })?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(directives)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    match format {
        Format::Text => builder.try_init(),
        Format::Json => builder.json().flatten_event(true).with_current_span(false).try_init(),
    }
    .map_err(TelemetryError::Subscriber)
}

/// The process's metrics, installed on first use: one recorder, however many gateways.
pub fn metrics() -> Result<PrometheusHandle, Error> {
    static HANDLE: OnceLock<Result<PrometheusHandle, String>> = OnceLock::new();
    HANDLE.get_or_init(|| install().map_err(|error| error.to_string())).clone().map_err(Error::contradiction)
}

fn install() -> Result<PrometheusHandle, TelemetryError> {
    let handle = builder()?.install_recorder()?;
    describe();
    Ok(handle)
}

/// Seconds that tell an acknowledgement from a slow one, and a handler's run from a stuck one.
const SECONDS: [f64; 14] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];
const BATCH: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

fn builder() -> Result<PrometheusBuilder, BuildError> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), &SECONDS)?
        .set_buckets_for_metric(Matcher::Full(RECORD_BATCH_SIZE.to_owned()), &BATCH)
}

/// Requests to the ingest listener. `source`, `outcome`.
pub const REQUESTS: &str = "hookgate_requests_total";
/// Requests refused. `source`, `reason`.
pub const REFUSALS: &str = "hookgate_refusals_total";
/// Handshakes. `source`, `outcome`.
pub const HANDSHAKES: &str = "hookgate_handshakes_total";
/// Fetches of providers' keys. `outcome`.
pub const KEY_FETCHES: &str = "hookgate_key_fetches_total";
/// From a request's headers to its answer.
pub const ACK_SECONDS: &str = "hookgate_ack_seconds";
/// Deliveries a commit.
pub const RECORD_BATCH_SIZE: &str = "hookgate_record_batch_size";
/// One recording transaction, commit included.
pub const RECORD_SECONDS: &str = "hookgate_record_seconds";
/// Requests that wait for the recorder.
pub const RECORDER_QUEUE: &str = "hookgate_recorder_queue";
/// Recording transactions that failed. `class`: the first two characters of the SQLSTATE, or `connection`.
pub const RECORD_FAILURES: &str = "hookgate_record_failures_total";
/// Events that a condition kept a handler from. `handler`.
pub const FILTERED: &str = "hookgate_filtered_total";
/// Requests that waited for their handler's answer. `source`, `outcome`: `answered`, `nothing` (no answer, or a failure), `late`,
/// `full` (too many wait), `stopping`.
pub const RESPONSES: &str = "hookgate_responses_total";
/// Further arrivals of recorded events. `source`, `act`.
pub const DUPLICATES: &str = "hookgate_duplicates_total";
/// Ids that came again with another body. `source`.
pub const CONFLICTS: &str = "hookgate_conflicts_total";
/// Attempts ended. `handler`, `outcome`.
pub const ATTEMPTS: &str = "hookgate_attempts_total";
/// How long an attempt took.
pub const ATTEMPT_SECONDS: &str = "hookgate_attempt_seconds";
/// From received to handled.
pub const DELIVERED_SECONDS: &str = "hookgate_delivered_seconds";
/// Results refused because the claim was lost.
pub const FENCED: &str = "hookgate_fenced_total";
/// Results that the database went on refusing: their jobs run again. `handler`.
pub const SETTLES_REFUSED: &str = "hookgate_settles_refused_total";
/// Jobs taken back from silent workers.
pub const RESCUED: &str = "hookgate_rescued_total";
/// Lanes whose counter of jobs was wrong and was set right.
pub const LANES_REPAIRED: &str = "hookgate_lanes_repaired_total";
/// Attempts whose row could not be written although they were settled.
pub const ATTEMPT_LOG_FAILURES: &str = "hookgate_attempt_log_failures_total";
/// Claims that failed.
pub const CLAIM_FAILURES: &str = "hookgate_claim_failures_total";
/// Jobs put back by an operator. `how`: `queued`, `redriven`, `hastened`, `redriven_to` (another handler).
pub const REPLAYED: &str = "hookgate_replayed_total";
/// Unfinished jobs that an operator ended.
pub const CANCELLED: &str = "hookgate_cancelled_total";
/// Pauses in force. `scope`: `all`, `source`, `handler`, `subscription`.
pub const PAUSED: &str = "hookgate_paused";
/// Unfinished jobs of handlers that no live worker has had for a minute. `handler`.
pub const UNSERVED_JOBS: &str = "hookgate_unserved_jobs";
/// Unfinished jobs. `handler`, `state`.
pub const JOBS: &str = "hookgate_jobs";
/// How long the first due job has waited. `handler`.
pub const OVERDUE_SECONDS: &str = "hookgate_overdue_seconds";
/// Lanes that are not idle. `state`.
pub const LANES: &str = "hookgate_lanes";
/// Dead jobs. `handler`.
pub const DEAD: &str = "hookgate_dead";
/// Breakers of what ever failed. `state`.
pub const BREAKERS: &str = "hookgate_breakers";
/// Workers that spoke within their lease.
pub const WORKERS: &str = "hookgate_workers";
/// Samples of the gauges that failed; the gauges then keep their last value.
pub const SAMPLE_FAILURES: &str = "hookgate_sample_failures_total";

/// Counters with what they say.
const COUNTERS: &[(&str, &str)] = &[
    (REQUESTS, "Requests to the ingest listener by source and outcome"),
    (REFUSALS, "Requests refused by source and reason"),
    (HANDSHAKES, "Handshakes by source and outcome"),
    (KEY_FETCHES, "Fetches of providers' keys by outcome"),
    (RECORD_FAILURES, "Recording transactions that failed, by SQLSTATE class"),
    (RESPONSES, "Requests that waited for their handler's answer by source and outcome"),
    (FILTERED, "Events that a condition kept a handler from"),
    (DUPLICATES, "Further arrivals of recorded events by source and act"),
    (CONFLICTS, "Provider ids that came again with another body"),
    (ATTEMPTS, "Attempts ended by handler and outcome"),
    (FENCED, "Results refused because the claim was lost"),
    (SETTLES_REFUSED, "Results that the database went on refusing by handler"),
    (RESCUED, "Jobs taken back from silent workers"),
    (LANES_REPAIRED, "Lanes whose counter of jobs was wrong"),
    (ATTEMPT_LOG_FAILURES, "Settled attempts whose log row could not be written"),
    (CLAIM_FAILURES, "Claims that failed"),
    (REPLAYED, "Jobs put back by an operator"),
    (CANCELLED, "Unfinished jobs that an operator ended"),
    (SAMPLE_FAILURES, "Samples of the gauges that failed"),
];

const GAUGES: &[(&str, &str)] = &[
    (RECORDER_QUEUE, "Requests that wait for the recorder"),
    (JOBS, "Unfinished jobs by handler and state"),
    (OVERDUE_SECONDS, "How long the first due job of a handler has waited"),
    (LANES, "Lanes that are not idle, by state"),
    (DEAD, "Dead jobs by handler"),
    (BREAKERS, "Breakers of destinations and dependencies that ever failed, by state"),
    (PAUSED, "Pauses in force by scope"),
    (UNSERVED_JOBS, "Unfinished jobs of handlers that no live worker has had for a minute"),
    (WORKERS, "Workers that spoke within their lease"),
];

const HISTOGRAMS: &[(&str, Unit, &str)] = &[
    (ACK_SECONDS, Unit::Seconds, "From a request's headers to its answer"),
    (RECORD_BATCH_SIZE, Unit::Count, "Deliveries a commit"),
    (RECORD_SECONDS, Unit::Seconds, "One recording transaction, commit included"),
    (ATTEMPT_SECONDS, Unit::Seconds, "How long an attempt took"),
    (DELIVERED_SECONDS, Unit::Seconds, "From received to handled"),
];

/// Tells the recorder what each metric says.
pub fn describe() {
    for (name, says) in COUNTERS {
        describe_counter!(*name, *says);
    }
    for (name, says) in GAUGES {
        describe_gauge!(*name, *says);
    }
    for (name, unit, says) in HISTOGRAMS {
        describe_histogram!(*name, *unit, *says);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_metric_named_here_is_described_once() {
        let source = include_str!("telemetry.rs");
        let named: Vec<&str> = source
            .lines()
            .filter_map(|line| line.strip_prefix("pub const "))
            .filter_map(|line| line.split('"').nth(1))
            .collect();
        let described: Vec<&str> = (COUNTERS.iter().map(|c| c.0))
            .chain(GAUGES.iter().map(|g| g.0))
            .chain(HISTOGRAMS.iter().map(|h| h.0))
            .collect();
        assert_eq!(named.len(), described.len());
        for name in named {
            assert_eq!(described.iter().filter(|d| **d == name).count(), 1, "{name}");
        }
    }

    #[test]
    fn a_bad_filter_is_named_with_the_setting() {
        let error = init(Format::Text, "hookgate=loud").unwrap_err().to_string();
        assert!(error.contains("log.level") && error.contains("hookgate=loud"), "{error}");
    }

    #[test]
    fn times_and_batches_are_histograms_with_buckets() {
        let recorder = builder().unwrap().build_recorder();
        let handle = recorder.handle();
        metrics::with_local_recorder(&recorder, || {
            metrics::histogram!(ACK_SECONDS, "source" => "stripe").record(0.003);
            metrics::histogram!(RECORD_BATCH_SIZE).record(40.0);
        });
        let text = handle.render();
        assert!(text.contains("hookgate_ack_seconds_bucket{source=\"stripe\",le=\"0.005\"} 1"), "{text}");
        assert!(text.contains("hookgate_record_batch_size_bucket{le=\"64\"} 1"), "{text}");
    }
}
