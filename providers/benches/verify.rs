//! How much more than the hash itself does it cost to verify? `cargo bench -p hookgate-providers`
//!
//! The bare HMAC has its key prepared and takes exactly the bytes that are signed, at Stripe the time and the body.
//!
//! Each round measures the bare HMAC, authentication, and the whole verdict one right after the other for a moment, so that
//! all three see the same machine; what counts is the fastest tenth of the rounds, which nothing else disturbed. That is
//! why this is no criterion benchmark: it would measure them minutes apart, and by their means.

#![allow(clippy::unwrap_used, missing_docs, reason = "a benchmark may fail here")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit, Mac};
use hookgate_providers::{Headers, Keys, Provider, Request, Secret, Unsigned, authenticate, find, sign, verify};
use sha2::Sha256;

const NOW: i64 = 1_764_500_000;
const SECRET: &str = "whsec_bench_7f3a9c0d2e";
const ROUNDS: usize = 2_000;
/// Long enough for the clock, shorter than what the scheduler gives others.
const SLICE: Duration = Duration::from_micros(100);
/// What authentication may cost, as a multiple of the bare HMAC.
const MOST: f64 = 1.25;

fn main() {
    // `cargo test --all-targets` starts this too.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    println!(
        "The fastest tenth of {ROUNDS} rounds. authenticate: signature and time. verify: that, and id, type, key, version, fingerprint.\n"
    );
    println!("| provider | body | bare HMAC | authenticate | verify | authenticate ÷ HMAC | verify ÷ HMAC |");
    println!("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut within = true;
    for name in ["github", "stripe"] {
        for size in [2 << 10, 1 << 20] {
            within &= row(find(name).unwrap(), size);
        }
    }
    let verdict = if within { "within" } else { "NOT within" };
    println!("\nauthentication is {verdict} {MOST} times the bare HMAC");
}

fn row(provider: &Provider, size: usize) -> bool {
    let body = body(provider.name, size);
    let secrets = [Secret::new(SECRET).unwrap()];
    let mut headers: Headers =
        [("content-type", "application/json"), ("x-github-event", "push"), ("user-agent", "bench"), ("accept", "*/*")]
            .into_iter()
            .collect();
    let url = "https://hooks.example.com/in/bench";
    let unsigned = Unsigned { method: "POST", url, headers: &headers, body: &body, id: "1", now: NOW };
    let added = sign(provider, &unsigned, &secrets[0]).unwrap();
    headers.extend(added.iter());
    let request = Request { method: "POST", url, headers: &headers, body: &body };
    let prepared = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    let keys = Keys::new();

    let stamp = format!("{NOW}.");
    let before_body = if provider.name == "stripe" { stamp.as_bytes() } else { b"" };
    let hmac = || {
        let mut mac = prepared.clone();
        mac.update(black_box(before_body));
        mac.update(black_box(&body));
        black_box(mac.finalize().into_bytes());
    };
    let authentic = || assert!(black_box(authenticate(provider, black_box(&request), &secrets, &keys, NOW)).is_ok());
    let whole = || assert!(black_box(verify(provider, black_box(&request), &secrets, NOW)).is_ok());

    let times = repetitions(hmac);
    let mut rounds: Vec<[f64; 3]> =
        (0..ROUNDS).map(|_| [time(times, hmac), time(times, authentic), time(times, whole)]).collect();
    let mut fast = |index: usize| {
        rounds.sort_by(|one, other| one[index].total_cmp(&other[index]));
        rounds[ROUNDS / 10][index]
    };
    let (hmac, authentic, whole) = (fast(0), fast(1), fast(2));
    let ratio = authentic / hmac;
    println!(
        "| {} | {} KB | {hmac:.2} µs | {authentic:.2} µs | {whole:.2} µs | {ratio:.2} | {:.2} |",
        provider.name,
        size >> 10,
        whole / hmac,
    );
    ratio <= MOST
}

/// An event of about this size, with what is located at its end.
fn body(provider: &str, size: usize) -> Vec<u8> {
    let (start, end) = match provider {
        "github" => (r#"{"action":"opened","commits":["#, r#"],"ref":"refs/heads/main","repository":{"id":7}}"#),
        _ => (
            r#"{"lines":["#,
            r#"],"id":"evt_1","type":"invoice.paid","created":1764500000,"data":{"object":{"id":"in_1"}}}"#,
        ),
    };
    let item = |number: usize| {
        format!(r#"{{"id":{number},"message":"A change like any other","added":["a.rs"],"distinct":true}}"#)
    };
    let mut items = Vec::new();
    let mut length = start.len() + end.len();
    while length < size {
        items.push(item(items.len()));
        length += items.last().map_or(0, String::len) + 1;
    }
    format!("{start}{}{end}", items.join(",")).into_bytes()
}

fn repetitions(action: impl Fn()) -> u32 {
    let once = time(16, &action);
    ((SLICE.as_secs_f64() * 1e6 / once) as u32).max(1)
}

/// Microseconds for one.
fn time(times: u32, action: impl Fn()) -> f64 {
    let started = Instant::now();
    (0..times).for_each(|_| action());
    started.elapsed().as_secs_f64() * 1e6 / f64::from(times)
}
