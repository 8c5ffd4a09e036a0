//! How a forward connects, and when it is tried again: what is refused, what is inherited, what is shown.

use std::time::Duration;

use hookgate::config::Severity;

use super::{BILLING, SECRETS, STRIPE, load};

fn forward(line: &str) -> String {
    format!("{STRIPE}{BILLING}{line}\n")
}

#[test]
fn what_cannot_work_is_refused_with_what_to_change() {
    let secure = |line: &str| forward(line).replace("http://127.0.0.1:3000", "https://app.internal");
    let table = [
        (forward("auth = { bearer = \"t0ken\" }"), "`forward.billing.auth.bearer` holds a secret in clear"),
        (
            forward("auth = { basic = { user = \"u\", password = \"t0ken\" } }"),
            "`forward.billing.auth.basic.password` holds a secret in clear",
        ),
        (
            forward("auth = { basic = { user = \"u:v\", password = { env = \"T\" } } }"),
            "`forward.billing.auth.basic.user`",
        ),
        (forward("auth = { bearer = { env = \"LINES\" } }"), "`forward.billing.auth.bearer` has a line break"),
        (
            forward("auth = { bearer = { env = \"T\" } }\nheaders = { Authorization = { env = \"T\" } }"),
            "`forward.billing.auth` and `forward.billing.headers.authorization`",
        ),
        (forward("tls = { ca = { env = \"CA\" } }"), "`forward.billing.tls` needs an https:// address"),
        (secure("tls = { ca = { env = \"T\" } }"), "`forward.billing.tls.ca` is no certificate in PEM"),
        (secure("tls = { ca = \"t0ken\" }"), "`forward.billing.tls.ca` holds a secret in clear"),
        (secure("tls = { client_cert = { env = \"T\" } }"), "has no `forward.billing.tls.client_key`"),
        (secure("tls = { client_key = { env = \"T\" } }"), "has no `forward.billing.tls.client_cert`"),
        (forward("proxy = \"socks5://127.0.0.1\""), "`forward.billing.proxy` has the scheme `socks5`"),
        (forward("proxy = \"127.0.0.1\""), "`forward.billing.proxy` is not a URL"),
        (forward("proxy = \"http://u:t0ken@proxy\""), "`forward.billing.proxy` has credentials in it"),
        (
            forward("proxy_auth = { user = \"u\", password = { env = \"T\" } }"),
            "`forward.billing.proxy_auth` has no `forward.billing.proxy`",
        ),
        (forward("connect_timeout = \"0s\""), "`forward.billing.connect_timeout` is 0"),
        (forward("http2 = \"always\""), "unknown value `always`; known here: auto, never, prior-knowledge"),
        (forward("permanent = [429]"), "429 asks for another try later"),
        (forward("permanent = [\"5xx\"]"), "\"5xx\" asks for another try later"),
        (forward("permanent = [200]"), "200 is a success"),
        (forward("permanent = [\"40x\"]"), "`40x` is no HTTP status"),
        (forward("retry = [\"5\"]"), "`5` is not a duration"),
        (forward("retry = \"5s\""), "hookgate.toml:11: found a string, where"),
    ];
    let variables = [&SECRETS[..], &[("T", "t0ken"), ("LINES", "a\nb"), ("CA", "t0ken")]].concat();
    for (text, said) in table {
        let refused = load(&text, &variables).map(|config| config.to_toml()).expect_err(&text).to_string();
        assert!(refused.contains(said), "{text}\n{refused}");
        assert!(!refused.contains("t0ken"), "{refused}");
    }
}

#[test]
fn a_horizon_that_allows_no_retry_is_refused_at_boot() {
    for (line, said) in [
        ("give_up_after = \"0s\"", "`forward.billing.give_up_after` is 0"),
        ("retry = [\"5m\"]\ngive_up_after = \"1m\"", "the first wait of `forward.billing.retry` (5m)"),
    ] {
        let problems = load(&forward(line), &SECRETS).unwrap().contradictions();
        assert!(
            problems.iter().any(|one| one.severity == Severity::Error && one.sentence.contains(said)),
            "{problems:?}"
        );
    }
}

#[test]
fn a_list_of_waits_counts_the_attempts_unless_a_number_stands_beside_it() {
    let attempts = |text: String| load(&text, &SECRETS).unwrap().forwards[0].policy.attempts;
    let list = "retry = [\"5s\", \"1m\", \"1h\"]";
    let defaults = |lines: &str| format!("[handler_defaults]\n{lines}\n");
    assert_eq!(attempts(forward("")), 12);
    assert_eq!(attempts(forward(list)), 4);
    assert_eq!(attempts(forward(&format!("{list}\nattempts = 9"))), 9);
    assert_eq!(attempts(defaults(list) + &forward("")), 4);
    assert_eq!(attempts(defaults(list) + &forward("attempts = 9")), 9);
    assert_eq!(attempts(defaults(&format!("{list}\nattempts = 9")) + &forward("")), 9);
    assert_eq!(attempts(defaults("attempts = 9") + &forward(list)), 4);
    let config = load(&(defaults(list) + &forward("retry = []\nattempts = 7")), &SECRETS).unwrap();
    assert_eq!(config.handler_defaults.attempts, 4);
    assert!(config.forwards[0].policy.retry.is_empty());
    assert_eq!(config.handler_defaults.retry, [5, 60, 3600].map(Duration::from_secs));
}

#[test]
fn credentials_of_a_forward_are_shown_by_where_they_are() {
    let text = forward(
        "auth = { bearer = { env = \"T\" } }\nproxy = \"http://proxy:3128\"\n\
         proxy_auth = { user = \"gate\", password = { env = \"P\" } }",
    );
    let config = load(&text, &[&SECRETS[..], &[("T", "d0wnstream"), ("P", "pa55word")]].concat()).unwrap();
    for shown in [format!("{config:?}"), config.to_toml(), config.to_json().to_string()] {
        for secret in ["d0wnstream", "pa55word", "Z2F0ZTpwYTU1d29yZA"] {
            assert!(!shown.contains(secret), "{shown}");
        }
    }
    assert!(config.to_toml().contains("auth = \"env:T (set"), "{}", config.to_toml());
}
