//! The commented file is the defaults, and it leaves nothing out.

use std::collections::BTreeSet;
use std::time::Duration;

use hookgate::config::{Config, DEFAULT_TOML, HandlerPolicy, OnFailure, Order};
use serde_json::Value;

use super::{WHSEC, load};

/// The file with its examples switched on: a line that starts with `#` and no space is one.
fn with_examples() -> String {
    let switched_on = DEFAULT_TOML.lines().map(|line| match line.strip_prefix('#') {
        Some(example) if !example.is_empty() && !example.starts_with(' ') => example,
        _ => line,
    });
    switched_on.collect::<Vec<_>>().join("\n")
}

fn keys(tables: &[&Value]) -> BTreeSet<String> {
    tables.iter().flat_map(|table| table.as_object().unwrap().keys().cloned()).collect()
}

fn elements(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(array) => array.iter().collect(),
        Value::Object(map) => map.values().collect(),
        other => panic!("{other} has no elements"),
    }
}

#[test]
fn the_default_file_shows_every_key_there_is() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("stripe_old");
    std::fs::write(&old, "whsec_old_example_0123456789abcdefgh\n").unwrap();
    let rcgen::CertifiedKey { cert, signing_key } =
        rcgen::generate_simple_self_signed(vec!["ledger".to_owned()]).unwrap();
    let (certificate, key) = (cert.pem(), signing_key.serialize_pem());
    for (name, pem) in [("ledger.crt", &certificate), ("ledger.key", &key), ("ledger_ca.crt", &certificate)] {
        std::fs::write(folder.path().join(name), pem).unwrap();
    }
    let text = with_examples()
        .replace("/run/secrets/stripe_old", old.to_str().unwrap())
        .replace("/run/secrets/", &format!("{}/", folder.path().display()));
    let variables = [
        ("HOOKGATE_DASHBOARD_TOKEN", "a token of sorts"),
        ("DATABASE_URL", "postgres://127.0.0.1/hookgate"),
        ("STRIPE_SECRET", "whsec_new_example_0123456789abcdefgh"),
        ("STRIPE_URL_KEY", "0123456789abcdef0123456789abcdef"),
        ("HOOKGATE_SEALING_KEY", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="),
        ("INHOUSE_SECRET", "in the house of secrets"),
        ("BILLING_SECRET", WHSEC),
        ("BILLING_AUTHORIZATION", "Bearer x"),
        ("LEDGER_TOKEN", "x"),
        ("PROXY_PASSWORD", "x"),
    ];
    let resolved = load(&text, &variables).unwrap_or_else(|refused| panic!("{refused}")).to_json();
    let written: Value = serde_json::to_value(toml::from_str::<toml::Table>(&text).unwrap()).unwrap();

    let inherited = BTreeSet::from(["forward_defaults".to_owned(), "source_defaults".to_owned()]);
    assert_eq!(&keys(&[&written]) - &inherited, keys(&[&resolved]));
    for section in keys(&[&resolved]) {
        match section.as_str() {
            "source" | "forward" => {
                assert_eq!(keys(&elements(&written[&section])), keys(&elements(&resolved[&section])), "{section}")
            }
            _ => assert_eq!(keys(&[&written[&section]]), keys(&[&resolved[&section]]), "{section}"),
        }
    }
    // What the description of a provider may hold is told by the refusal of what it may not.
    let refused = load("[source.x]\nprovider = \"hmac\"\nsecrets = [\"x\"]\nhmac = { zzzzzzzzz = 1 }", &[]);
    let refused = refused.unwrap_err().to_string();
    let (_, known) = refused.split_once("known here: ").unwrap();
    let known: BTreeSet<String> = known.lines().next().unwrap().split(", ").map(str::to_owned).collect();
    assert_eq!(keys(&[&written["source"]["inhouse"]["hmac"]]), known);
    assert_eq!(keys(&elements(&written["operator"]["token"])), keys(&elements(&resolved["operator"]["token"])));
}

#[test]
fn every_option_in_the_default_file_has_a_comment_above_its_group() {
    let mut commented = false;
    for line in DEFAULT_TOML.lines() {
        if line.starts_with("# ") {
            commented = true;
        } else if line.is_empty() || line.starts_with('[') || line.starts_with("#[") {
            commented = commented && line.starts_with(['[', '#']);
        } else {
            assert!(commented, "no comment above {line}");
        }
    }
}

#[test]
fn the_defaults_are_those_the_design_promises() {
    let config = Config::dev_defaults().unwrap();
    let expected = HandlerPolicy {
        attempts: 12,
        timeout: Duration::from_secs(30),
        concurrency: 10,
        rate: None,
        burst: None,
        backoff_base: Duration::from_secs(5),
        backoff_factor: 2,
        backoff_cap: Duration::from_secs(3600),
        retry: Vec::new(),
        give_up_after: None,
        block_for: Duration::from_secs(15 * 60),
        order: Order::None,
        on_failure: OnFailure::Block,
        reorder_window: Duration::ZERO,
        ordering_key: None,
        version: None,
    };
    assert_eq!(config.handler_defaults, expected);
    assert_eq!((config.worker.heartbeat, config.worker.lease), (Duration::from_secs(5), Duration::from_secs(20)));
    assert_eq!((config.recorder.batch, config.recorder.batch_bytes), (128, 1 << 20));
    assert_eq!((config.recorder.queue, config.recorder.queue_bytes), (4096, 64 << 20));
    assert_eq!(config.retention.receipts, Duration::from_secs(100 * 86_400));
    assert_eq!(config.server.ingest.to_string(), "0.0.0.0:8080");
    assert!(config.server.operator.ip().is_loopback());
    assert!(config.sources.is_empty() && config.forwards.is_empty() && config.database.url.is_none());
}
