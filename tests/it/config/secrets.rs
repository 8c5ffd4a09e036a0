//! Secrets come by reference and never go out again.

use std::collections::BTreeMap;

use hookgate::config::{Config, Mode};

use super::{BILLING, SECRETS, STRIPE, env, load};

const LITERAL: &str = "[source.s]\nprovider = \"stripe\"\nsecrets = [{ literal = \"whsec_in_the_clear\" }]";

#[test]
fn a_literal_secret_is_refused_outside_dev_and_not_repeated() {
    for text in [LITERAL, &LITERAL.replace("{ literal = \"whsec_in_the_clear\" }", "\"whsec_in_the_clear\"")] {
        let refused = load(text, &[]).unwrap_err().to_string();
        assert!(refused.contains("`source.s.secrets` holds a secret in clear"), "{refused}");
        assert!(!refused.contains("whsec_in_the_clear"), "{refused}");
        let config = Config::from_toml(text, &BTreeMap::new(), Mode::Dev).unwrap();
        assert_eq!(config.sources["s"].secrets[0].expose(), "whsec_in_the_clear");
    }
}

#[test]
fn a_secret_in_the_wrong_place_is_not_repeated_by_the_refusal() {
    for text in [
        "[source.s]\nprovider = \"stripe\"\nsecrets = \"whsec_in_the_clear\"",
        "[source.s]\nprovider = \"stripe\"\nsecrets = [{ env = [\"whsec_in_the_clear\"] }]",
        "[source.s]\nprovider = \"stripe\"\nsecrets = [{ env = \"A\", literal = \"whsec_in_the_clear\" }]",
        "[worker]\nrescues = \"whsec_in_the_clear\"",
        "[log]\nformat = 1\n# whsec_in_the_clear",
    ] {
        let refused = load(text, &[]).unwrap_err().to_string();
        assert!(!refused.contains("whsec_in_the_clear"), "{refused}");
    }
}

#[test]
fn a_blank_secret_is_refused_by_the_name_of_its_variable() {
    for blank in ["", " ", "\t\n "] {
        let refused = load(STRIPE, &[("STRIPE_SECRET", blank)]).unwrap_err().to_string();
        assert!(
            refused.contains("`source.stripe.secrets` is blank in the environment variable STRIPE_SECRET"),
            "{refused}"
        );
    }
}

#[test]
fn a_secret_file_loses_its_final_newline_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("secret");
    let text = format!("[source.s]\nprovider = \"stripe\"\nsecrets = [{{ file = {path:?} }}]");
    for (written, secret) in [("a b", "a b"), ("a b\n", "a b"), ("a b\r\n", "a b"), ("a\nb\n", "a\nb")] {
        std::fs::write(&path, written).unwrap();
        assert_eq!(load(&text, &[]).unwrap().sources["s"].secrets[0].expose(), secret, "{written:?}");
    }
    for (written, said) in [(&b"\n"[..], "is blank in the file"), (&b"\xff"[..], "is not UTF-8 text")] {
        std::fs::write(&path, written).unwrap();
        let refused = load(&text, &[]).unwrap_err().to_string();
        assert!(refused.contains(said), "{refused}");
    }
    std::fs::remove_file(&path).unwrap();
    let refused = load(&text, &[]).unwrap_err().to_string();
    assert!(refused.contains("which cannot be read"), "{refused}");
}

#[test]
fn nothing_that_is_printed_holds_a_secret() {
    let text = format!(
        "[database]\nurl = {{ env = \"DB\" }}\n\
         [[operator.token]]\nname = \"ops\"\nrole = \"admin\"\nsecret = {{ env = \"OPS\" }}\n\
         {STRIPE}{BILLING}headers = {{ authorization = {{ env = \"AUTH\" }}, x-team = \"money\" }}\n"
    );
    let variables = [
        ("DB", "postgres://gate:pa55word@db:5432/hooks?password=s3cond"),
        ("OPS", "0perator-t0ken-of-the-day"),
        ("AUTH", "Bearer d0wnstream"),
    ];
    let config = load(&text, &[&SECRETS[..], &variables[..]].concat()).unwrap();
    assert_eq!(config.database.url.as_ref().unwrap().expose(), variables[0].1);
    for shown in [format!("{config:?}"), config.to_toml(), config.to_json().to_string()] {
        for secret in ["pa55word", "s3cond", "0perator-t0ken-of-the-day", "d0wnstream", SECRETS[0].1, SECRETS[1].1] {
            assert!(!shown.contains(secret), "{secret} in {shown}");
        }
    }
    let shown = config.to_toml();
    for told in [
        "env:STRIPE_SECRET (set, 37 bytes)",
        "env:DB (postgres://gate:hidden@db:5432/hooks)",
        "authorization = \"env:AUTH (set, 17 bytes)\"",
        "x-team = \"money\"",
        "sign = \"standard-webhooks\"",
    ] {
        assert!(shown.contains(told), "{told} not in\n{shown}");
    }
}

#[test]
fn a_literal_database_url_is_accepted_and_its_password_masked() {
    let config = load("[database]\nurl = \"postgres://gate:pa55word@db/hooks\"", &[]).unwrap();
    assert!(config.to_toml().contains("url = \"postgres://gate:hidden@db/hooks\""), "{}", config.to_toml());
    assert!(!format!("{config:?}").contains("pa55word"));
}

#[test]
fn secrets_carry_their_names() {
    let text = STRIPE.replace("{ env", "{ name = \"old\", env");
    let config = Config::from_toml(&text, &env(&SECRETS), Mode::Serve).unwrap();
    assert_eq!(config.sources["stripe"].secrets[0].name().unwrap().as_str(), "old");
}

#[test]
fn a_source_may_be_without_a_secret_only_if_its_provider_sends_one_and_check_says_that_it_waits() {
    let source = |provider: &str| format!("[source.s]\nprovider = \"{provider}\"\nsecrets = []\n");
    let refused = load(&source("stripe"), &[]).unwrap_err().to_string();
    assert!(refused.contains("`source.s.secrets` is empty"), "{refused}");
    let told = |text: &str, variables: &[(&str, &str)]| {
        let problems = load(text, variables).unwrap().contradictions();
        problems.into_iter().map(|problem| problem.to_string()).find(|sentence| sentence.contains("`source.s.secrets`"))
    };
    let without = told(&source("asana"), &[]).unwrap();
    assert!(without.starts_with("warning") && without.contains("openssl rand -base64 32"), "{without}");
    let keyed = format!("[secrets]\nsealing_key = {{ env = \"KEY\" }}\n{}", source("notion"));
    let waits = told(&keyed, &[("KEY", "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")]).unwrap();
    assert!(waits.starts_with("note") && waits.contains("hookgate sources pair s"), "{waits}");
}

#[test]
fn a_sealing_key_is_32_bytes_in_base64_and_never_shown() {
    let text = "[secrets]\nsealing_key = { env = \"KEY\" }\nsealing_key_old = [{ env = \"OLD\" }]\n";
    let good = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";
    let config = load(text, &[("KEY", good), ("OLD", good)]).unwrap();
    assert!(!format!("{config:?}{}{}", config.to_toml(), config.to_json()).contains(good));
    for (key, old, named) in
        [("short", good, "`secrets.sealing_key` (env:KEY)"), (good, "c2hvcnQ=", "`secrets.sealing_key_old` (env:OLD)")]
    {
        let refused = load(text, &[("KEY", key), ("OLD", old)]).unwrap_err().to_string();
        assert!(refused.contains(named) && refused.contains("openssl rand -base64 32"), "{refused}");
    }
}
