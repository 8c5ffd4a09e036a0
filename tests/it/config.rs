//! What the configuration accepts, refuses and shows.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod contradictions;
mod default_file;
mod forwards;
mod providers;
mod refusals;
mod secrets;

use std::collections::BTreeMap;
use std::time::Duration;

use hookgate::config::{
    Config, ConfigError, LoadOptions, Mode, OnConflict, Order, ProcessRole, RetentionClass, Signing,
};

/// 32 bytes, as a destination would hold them.
const WHSEC: &str = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";

fn env(variables: &[(&str, &str)]) -> BTreeMap<String, String> {
    variables.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

fn load(text: &str, variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
    Config::from_toml(text, &env(variables), Mode::Serve)
}

const STRIPE: &str = r#"
[source.stripe]
provider = "stripe"
secrets = [{ env = "STRIPE_SECRET" }]
"#;

const BILLING: &str = r#"
[[forward]]
name = "billing"
from = "stripe"
to = "http://127.0.0.1:3000/hooks/stripe"
secret = { env = "BILLING_SECRET" }
"#;

const SECRETS: [(&str, &str); 2] =
    [("STRIPE_SECRET", "whsec_stripe_example_0123456789abcdef"), ("BILLING_SECRET", WHSEC)];

#[test]
fn a_source_and_a_forward_inherit_what_they_do_not_say() {
    let config = load(&format!("{STRIPE}{BILLING}"), &SECRETS).unwrap();
    let source = &config.sources["stripe"];
    assert_eq!(source.name.as_str(), "stripe");
    assert!(source.enabled);
    assert_eq!(source.on_conflict, OnConflict::Park);
    assert_eq!(source.retention, RetentionClass::Standard);
    assert_eq!((source.tolerance, source.max_body), (None, None));
    assert_eq!(source.secrets[0].expose(), SECRETS[0].1);

    let forward = &config.forwards[0];
    assert_eq!(forward.policy, config.handler_defaults);
    assert_eq!(forward.events[0].as_str(), "*");
    assert!(matches!(&forward.signing, Signing::StandardWebhooks { secret } if secret.expose() == WHSEC));
}

#[test]
fn a_file_overrides_defaults_and_the_environment_overrides_the_file() {
    let text = format!(
        "[worker]\npoll = \"3s\"\nheartbeat = \"4s\"\n[handler_defaults]\nattempts = 7\n[source_defaults]\ntolerance = \"9m\"\n{STRIPE}{BILLING}"
    );
    let overrides = [
        ("HOOKGATE__WORKER__POLL", "7s"),
        ("HOOKGATE__SERVER__ROLES", "[\"worker\"]"),
        ("HOOKGATE__DATABASE__LISTEN", "false"),
        ("HOOKGATE__RECORDER", "{ writers = 3 }"),
        ("HOOKGATE__SOURCE__STRIPE__TENANT", "\"123\""),
        ("HOOKGATE__FORWARD__BILLING__ORDER", "lane"),
        ("HOOKGATE__FORWARD__BILLING__ATTEMPTS", "3"),
        ("HOOKGATE_PG_BIN", "/opt/pg/bin"),
        ("HOOKGATE_UNRELATED", "left alone"),
    ];
    let config = load(&text, &[&SECRETS[..], &overrides[..]].concat()).unwrap();
    assert_eq!(config.worker.poll, Duration::from_secs(7));
    assert_eq!(config.worker.heartbeat, Duration::from_secs(4));
    assert_eq!(config.worker.lease, Duration::from_secs(20));
    assert_eq!(config.server.roles, [ProcessRole::Worker].into());
    assert!(!config.database.listen);
    assert_eq!((config.recorder.writers, config.recorder.batch), (3, 128));
    assert_eq!(config.database.pg_bin.as_deref(), Some("/opt/pg/bin".as_ref()));
    assert_eq!(config.sources["stripe"].tenant.as_ref().map(|t| t.as_str()), Some("123"));
    assert_eq!(config.sources["stripe"].tolerance, Some(Duration::from_secs(9 * 60)));
    assert_eq!(config.handler_defaults.attempts, 7);
    assert_eq!(config.forwards[0].policy.attempts, 3);
    assert_eq!(config.forwards[0].policy.order, Order::Lane);
}

#[test]
fn the_environment_reaches_names_with_dashes_and_makes_sources_of_its_own() {
    let text = "[source.my-shop]\nprovider = \"shopify\"\nsecrets = [{ env = \"S\" }]";
    let variables = [
        ("S", "hush hush"),
        ("HOOKGATE__SOURCE__MY_SHOP__TOLERANCE", "10m"),
        ("HOOKGATE__SOURCE__HUB__PROVIDER", "github"),
        ("HOOKGATE__SOURCE__HUB__SECRETS", "[{ env = \"S\" }]"),
    ];
    let config = load(text, &variables).unwrap();
    assert_eq!(config.sources["my-shop"].tolerance, Some(Duration::from_secs(600)));
    assert_eq!(config.sources["hub"].provider.name, "github");
    assert_eq!(config.sources.len(), 2);
}

#[test]
fn the_named_file_is_read_and_a_missing_one_is_refused_by_the_name_of_who_named_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gate.toml");
    std::fs::write(&path, "[worker]\npoll = \"9s\"").unwrap();
    let by_flag = LoadOptions { file: Some(path.clone()), ..LoadOptions::default() };
    assert_eq!(Config::load(&by_flag).unwrap().worker.poll, Duration::from_secs(9));

    let by_variable =
        LoadOptions { env: env(&[("HOOKGATE_CONFIG", path.to_str().unwrap())]), ..LoadOptions::default() };
    assert_eq!(Config::load(&by_variable).unwrap().worker.poll, Duration::from_secs(9));

    std::fs::remove_file(&path).unwrap();
    let refused = Config::load(&by_flag).unwrap_err();
    assert!(refused.to_string().contains("named by --config, cannot be read"), "{refused}");
    assert!(std::error::Error::source(&refused).is_some());
    let refused = Config::load(&by_variable).unwrap_err().to_string();
    assert!(refused.contains("named by HOOKGATE_CONFIG"), "{refused}");
}

#[test]
fn the_fingerprint_follows_what_processes_must_agree_on_and_nothing_else() {
    let base = load(STRIPE, &SECRETS).unwrap().fingerprint();
    let same = load(&format!("[server]\ningest = \"127.0.0.1:9\"\n{STRIPE}"), &SECRETS).unwrap().fingerprint();
    assert_eq!(base, same);
    let other = load(&format!("[retention]\nlong = \"91d\"\n{STRIPE}"), &SECRETS).unwrap().fingerprint();
    assert_ne!(base, other);
    let other = load(&format!("{STRIPE}{BILLING}"), &SECRETS).unwrap().fingerprint();
    assert_ne!(base, other);
}
