//! What is printed: one line a leg, then the ratio with its spread, then what a delivery cost.

use std::time::Duration;

use crate::ingest::{Leg, Options};
use crate::postgres::Postgres;
use crate::{Failed, processor};

/// How many processors others may keep busy before a rate, and the ratio of two, says little.
const QUIET: f64 = 0.1;

/// Machine, disk, server and method.
pub(crate) async fn head(options: &Options, postgres: &Postgres) -> Result<(), Failed> {
    let version: String = sqlx::query_scalar("show server_version").fetch_one(&postgres.pool).await?;
    let load = processor::load_average();
    println!("machine     {}, load average {load:.2}", processor::machine());
    println!("Postgres    {version}, fsync on, synchronous_commit on; fdatasync {}", postgres.fdatasync().await?);
    println!(
        "scenario    ingest, {}: hookgate and pgbench in turn, {} × {} s each, tables emptied and a checkpoint before every leg",
        if options.lanes { "one lane an ordering key" } else { "unordered jobs" },
        options.repeats,
        options.seconds,
    );
    Ok(())
}

/// One repeat.
pub(crate) fn pair(connections: usize, repeat: usize, ours: &Leg, theirs: &Leg) {
    for (name, leg) in [("hookgate", ours), ("pgbench", theirs)] {
        println!(
            "{connections:>4} conn #{repeat} {name:<9}{:>8.0}/s   p50 {:>6.1} ms   p99 {:>6.1} ms   {} stored",
            leg.rate(),
            millis(leg.p50),
            millis(leg.p99),
            leg.cost.deliveries,
        );
    }
}

/// The result of all repeats.
pub(crate) fn summary(connections: usize, ours: &[Leg], theirs: &[Leg]) {
    let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a.rate() / b.rate()).collect();
    println!("{connections:>4} conn    ratio    {}", spread(ratios, 2));
    println!("{:<24}{:>28}{:>28}", "median (min–max)", "hookgate", "pgbench");
    let row = |what: &str, digits: usize, of: &dyn Fn(&Leg) -> f64| {
        let (a, b) = (ours.iter().map(of).collect(), theirs.iter().map(of).collect());
        println!("{what:<24}{:>28}{:>28}", spread(a, digits), spread(b, digits));
    };
    row("durable deliveries/s", 0, &Leg::rate);
    row("p50 ms", 1, &|leg| millis(leg.p50));
    row("p99 ms", 1, &|leg| millis(leg.p99));
    row("WAL bytes/delivery", 0, &|leg| leg.cost.wal_bytes);
    row("page images/delivery", 3, &|leg| leg.cost.wal_page_images);
    row("tuples/delivery", 2, &|leg| leg.cost.tuples);
    row("index entries/delivery", 2, &|leg| leg.cost.index_entries);
    row("commits/delivery", 3, &|leg| leg.cost.commits);
    row("body lz4 ratio", 2, &|leg| leg.cost.compression);
    row("CPU µs/delivery", 0, &|leg| micros_each(leg.used.total(), leg));
    row("  Postgres", 0, &|leg| micros_each(leg.used.postgres, leg));
    row("  gateway", 0, &|leg| micros_each(leg.used.gateway, leg));
    row("  senders or pgbench", 0, &|leg| micros_each(leg.used.clients, leg));
    row("CPUs taken by others", 2, &others);
    row("deliveries/batch", 1, &|leg| leg.recorded.batch);
    row("record ms", 1, &|leg| millis(leg.recorded.record));
    if ours.iter().chain(theirs).any(|leg| others(leg) > QUIET) {
        println!(
            "NOT VALID   other programs used the processors meanwhile: rates and ratio mean nothing, CPU/delivery little"
        );
    }
}

fn others(leg: &Leg) -> f64 {
    leg.used.others(leg.elapsed)
}

fn spread(mut values: Vec<f64>, digits: usize) -> String {
    values.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (values.first(), values.last()) else {
        return String::new();
    };
    format!("{:.digits$} ({least:.digits$}–{most:.digits$})", median(&values))
}

fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { f64::midpoint(sorted[half - 1], sorted[half]) }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn micros_each(duration: Duration, leg: &Leg) -> f64 {
    duration.as_secs_f64() * 1e6 / leg.cost.deliveries.max(1) as f64
}
