//! Settings that do not fit are told in one sentence that names each of them.

use hookgate::config::{Config, Severity};

use super::{BILLING, SECRETS, STRIPE, load};

fn found(text: &str) -> Vec<(Severity, String)> {
    let config: Config = load(text, &SECRETS).unwrap();
    config.contradictions().into_iter().map(|problem| (problem.severity, problem.sentence)).collect()
}

#[test]
fn the_defaults_contradict_nothing() {
    let problems = found("");
    assert_eq!(problems.len(), 1, "{problems:?}");
    assert_eq!(problems[0].0, Severity::Note);
    assert!(problems[0].1.contains("is admin"), "{problems:?}");
}

#[test]
fn each_contradiction_names_both_settings() {
    use Severity::{Error, Warning};
    let forward = |line: &str| format!("{STRIPE}{BILLING}{line}\n");
    let to = |url: &str| forward("").replace("http://127.0.0.1:3000/hooks/stripe", url);
    let github = STRIPE.replace("stripe", "github");
    let bare = "[source.stripe]\nprovider = \"hmac\"\nsecrets = [{ env = \"STRIPE_SECRET\" }]\nhmac = { header = \"x-signature\" }\n";
    let db = "[database]\nurl = \"postgres://db/x\"\n";
    let of = |provider: &str| STRIPE.replace("\"stripe\"", &format!("{provider:?}"));
    let table: Vec<(String, Severity, &[&str])> = vec![
        (
            format!("{STRIPE}{db}pooler = true\n"),
            Error,
            &["`database.listen` is on and `database.pooler` too", "set `database.listen` to false"],
        ),
        (
            format!("{STRIPE}[database]\npooler = true\nlisten = false\n"),
            Error,
            &["`database.pooler` is on and there is no `database.url`"],
        ),
        (of("okta"), Warning, &["nothing that Okta sends vouches for the body", "set `source.stripe.url_key`"]),
        (
            of("twilio"),
            Warning,
            &["`server.public_url` or `source.stripe.public_url`, or else `server.trusted_proxies`"],
        ),
        (
            format!("[server]\npublic_url = \"https://x/?a\"\n{STRIPE}"),
            Error,
            &["`server.public_url` is not an http or https URL without query"],
        ),
        (
            format!("{STRIPE}public_url = \"hooks.test\""),
            Error,
            &["`source.stripe.public_url` is not an http or https URL"],
        ),
        (
            "[server]\ntrusted_proxies = [\"0.0.0.0/0\"]".into(),
            Warning,
            &["`server.trusted_proxies` holds every address"],
        ),
        (
            "[database]\nworker_connections = 1".into(),
            Error,
            &["`database.worker_connections` is 1", "`database.listen = false`"],
        ),
        ("[worker]\nlease = \"14s\"".into(), Error, &["`worker.lease` (14s)", "`worker.heartbeat` (5s)"]),
        (
            "[handler_defaults]\ntimeout = \"2m\"".into(),
            Warning,
            &["`handler_defaults.timeout` (2m)", "`server.shutdown_grace` (30s)"],
        ),
        (
            forward("respond = true\norder = \"lane\""),
            Error,
            &["`forward.billing.respond` is true", "`forward.billing.order` is not \"none\""],
        ),
        (
            forward(&format!("respond = true\n{}", BILLING.replace("billing", "other"))) + "respond = true\n",
            Error,
            &["`forward.billing.respond` and `forward.other.respond` are both true"],
        ),
        (format!("{STRIPE}respond_within = \"0s\""), Error, &["`source.stripe.respond_within` is 0"]),
        (
            format!("{STRIPE}respond_within = \"1h\""),
            Warning,
            &["`source.stripe.respond_within` (1h)", "waits for an answer"],
        ),
        (forward("timeout = \"2m\""), Warning, &["`forward.billing.timeout` (2m)", "`server.shutdown_grace` (30s)"]),
        (
            forward("backoff_base = \"2h\""),
            Error,
            &["`forward.billing.backoff_base` (2h)", "`forward.billing.backoff_cap` (1h)"],
        ),
        (
            "[retention]\nreceipts = \"60d\"".into(),
            Error,
            &["`retention.receipts` (60d)", "`retention.long` (90d)", "guards outlive what they guard"],
        ),
        ("[recorder]\nbatch = 5000".into(), Error, &["`recorder.batch` (5000)", "`recorder.queue` (4096)"]),
        (
            "[recorder]\nbatch_bytes = \"65MB\"".into(),
            Error,
            &["`recorder.batch_bytes` (65MB)", "`recorder.queue_bytes` (64MB)"],
        ),
        ("[recorder]\nwriters = 9".into(), Warning, &["`recorder.writers` (9)", "`database.ingest_connections` (4)"]),
        (
            "[server]\nmax_body = \"300MB\"".into(),
            Error,
            &["`server.max_body` (300MB)", "`server.bytes_in_flight` (256MB)"],
        ),
        ("[server]\nmax_body = \"65MB\"".into(), Error, &["`server.max_body` (65MB)", "`recorder.queue_bytes` (64MB)"]),
        (
            format!("{STRIPE}max_body = \"65MB\""),
            Error,
            &["`source.stripe.max_body` (65MB)", "`recorder.queue_bytes` (64MB)"],
        ),
        (
            "[server]\nroles = [\"ingest\"]".into(),
            Error,
            &["`server.roles` leaves out worker and operator", "`database.url` is not set"],
        ),
        ("[server]\nroles = []".into(), Error, &["`server.roles` is empty"]),
        (
            "[server]\noperator = \"0.0.0.0:8081\"".into(),
            Error,
            &["`server.operator` (0.0.0.0:8081)", "`operator.token` is empty"],
        ),
        ("[server]\ningest = \"127.0.0.1:8081\"".into(), Error, &["`server.ingest`", "`server.operator`"]),
        (
            "[server]\npublic_url = \"hooks.example.com\"".into(),
            Error,
            &["`server.public_url` is not an http or https URL"],
        ),
        (format!("{STRIPE}{BILLING}{BILLING}"), Error, &["two [[forward]]s", "\"billing\""]),
        (BILLING.into(), Error, &["`forward.billing.from` is \"stripe\"", "[source.stripe]"]),
        (forward("").replace("from = \"stripe\"", "from = \"strip\""), Error, &["did you mean \"stripe\"?"]),
        (
            forward("").replace("from = \"stripe\"", "from = \"git*\""),
            Warning,
            &["`forward.billing.from` is \"git*\"", "[source.NAME]"],
        ),
        (to("http://127.0.0.1:8080/x"), Error, &["`forward.billing.to`", "`server.ingest`"]),
        (to("http://localhost:8080/in/stripe"), Error, &["`forward.billing.to`", "`server.ingest`"]),
        (to("http://[::1]:8080/in/stripe"), Error, &["`forward.billing.to`", "`server.ingest`"]),
        (
            format!("[server]\npublic_url = \"https://h.example\"\n{}", to("https://h.example/in/x")),
            Error,
            &["`forward.billing.to`", "`server.public_url`"],
        ),
        ("[recorder]\nbatch = 0".into(), Error, &["`recorder.batch` is 0"]),
        ("[handler_defaults]\nattempts = 0".into(), Error, &["`handler_defaults.attempts` is 0"]),
        ("[worker]\npoll = \"0s\"".into(), Error, &["`worker.poll` is 0"]),
        ("[log]\nlevel = \"info,=,\"".into(), Error, &["`log.level` is \"info,=,\""]),
        (
            format!(
                "{db}[[operator.token]]\nname = \"a\"\nrole = \"read\"\nsecret = {{ env = \"STRIPE_SECRET\" }}\n[[operator.token]]\nname = \"a\"\nrole = \"admin\"\nsecret = {{ env = \"BILLING_SECRET\" }}"
            ),
            Error,
            &["`operator.token`", "\"a\""],
        ),
        (
            format!("[retention]\nlong = \"7d\"\nstandard = \"7d\"\nreceipts = \"20d\"\n{STRIPE}"),
            Error,
            &["`retention.receipts` (20d)", "`source.stripe`", "(30d)"],
        ),
        (format!("[recorder]\ntimeout = \"10s\"\n{STRIPE}"), Warning, &["`recorder.timeout` (10s)", "`source.stripe`"]),
        (
            format!("[server]\nmax_body = \"1MB\"\n{github}"),
            Warning,
            &["`server.max_body` (1MB)", "`source.github`", "(25MB)"],
        ),
        (github.clone(), Severity::Note, &["`source.github`: GitHub does not send again by itself"]),
        (bare.into(), Warning, &["`source.stripe` has no `delivery_id`"]),
        (
            format!("{bare}{BILLING}order = \"lane\""),
            Warning,
            &["`forward.billing.order` is \"lane\"", "`source.stripe` has no `ordering_key`"],
        ),
        (
            forward("order = \"latest\"\non_failure = \"halt\""),
            Error,
            &["`forward.billing.on_failure` is \"halt\"", "`forward.billing.order` is \"latest\""],
        ),
        (
            forward("order = \"latest\"") + "[handler_defaults]\non_failure = \"skip\"\n",
            Error,
            &["`forward.billing.on_failure` is \"skip\"", "`forward.billing.order` is \"latest\""],
        ),
        (
            forward("on_failure = \"skip\""),
            Error,
            &["`forward.billing.on_failure`", "`forward.billing.order` is \"none\""],
        ),
        (forward("block_for = \"1m\""), Error, &["`forward.billing.block_for`", "`forward.billing.order` is \"none\""]),
        (
            forward("order = \"latest\"\nblock_for = \"1m\""),
            Error,
            &["`forward.billing.block_for`", "`forward.billing.order` is \"latest\""],
        ),
        (forward("reorder_window = \"1s\""), Error, &["`forward.billing.reorder_window`", "is \"none\""]),
        (
            forward("order = \"lane\"\nreorder_window = \"5001ms\""),
            Error,
            &["`forward.billing.reorder_window` (5001ms) is longer than 5s"],
        ),
        (forward("version = \"json:/rev\""), Error, &["`forward.billing.version`", "is \"none\""]),
        (
            forward("order = \"lane\"\nordering_key = [\"rev\"]"),
            Error,
            &["`forward.billing.ordering_key` cannot be read", "header:NAME"],
        ),
        (forward("order = \"lane\"\nversion = []"), Error, &["`forward.billing.version` is an empty list"]),
    ];
    for (text, severity, naming) in table {
        let problems = found(&text);
        let told =
            problems.iter().any(|(s, sentence)| *s == severity && naming.iter().all(|part| sentence.contains(part)));
        assert!(told, "{text}\n  expected {severity:?} naming {naming:?}\n  found {problems:#?}");
    }
}

#[test]
fn what_only_looks_like_a_contradiction_is_left_alone() {
    let forward = format!("{STRIPE}{BILLING}");
    let to = |url: &str| forward.replace("http://127.0.0.1:3000/hooks/stripe", url);
    let table = [
        forward.clone(),
        to("http://10.0.0.7:8080/hooks"),
        to("http://127.0.0.1/x"),
        format!("[database]\nurl = \"postgres://db/x\"\n[server]\nroles = [\"ingest\"]\n{forward}"),
        format!(
            "[server]\noperator = \"0.0.0.0:8081\"\n[[operator.token]]\nname = \"a\"\nrole = \"read\"\nsecret = {{ env = \"STRIPE_SECRET\" }}\n{forward}"
        ),
        format!("[worker]\nlease = \"15s\"\n{forward}"),
        // Said for those forwards that have a use for it.
        format!("{forward}[handler_defaults]\non_failure = \"halt\"\nblock_for = \"1m\"\nreorder_window = \"1s\"\n"),
        format!("{forward}order = \"lane\"\non_failure = \"halt\"\nordering_key = \"json:/id\"\n"),
    ];
    for text in table {
        let problems = found(&text);
        assert!(problems.iter().all(|(severity, _)| *severity == Severity::Note), "{text}\n{problems:#?}");
    }
}

#[test]
fn errors_stop_the_start_and_warnings_do_not() {
    let config = load("[worker]\nlease = \"1s\"\n[recorder]\nbatch = 5000\nwriters = 9", &SECRETS).unwrap();
    let refused = config.refuse_contradictions().unwrap_err();
    assert_eq!(refused.sentences().count(), 2, "{refused}");

    let config = load("[recorder]\nwriters = 9", &SECRETS).unwrap();
    let bearable = config.refuse_contradictions().unwrap();
    assert_eq!(bearable.iter().map(|p| p.severity).collect::<Vec<_>>(), [Severity::Warning, Severity::Note]);
}

/// Whoever did what the warning says hears it no more.
#[test]
fn what_protects_a_weak_provider_quiets_its_warning() {
    let variables = [&SECRETS[..], &[("URL_KEY", "0123456789abcdef")]].concat();
    let okta = STRIPE.replace("\"stripe\"", "\"okta\"") + "url_key = { env = \"URL_KEY\" }\n";
    let twilio = STRIPE.replace("\"stripe\"", "\"twilio\"");
    for text in [
        okta,
        format!("{twilio}public_url = \"https://hooks.test\"\n"),
        format!("[server]\npublic_url = \"https://hooks.test\"\n{twilio}"),
        format!("[server]\ntrusted_proxies = [\"10.0.0.1\"]\n{twilio}"),
    ] {
        let problems = load(&text, &variables).unwrap().contradictions();
        let said = problems.iter().any(|p| p.sentence.contains("url_key") || p.sentence.contains("public_url"));
        assert!(!said, "{text}: {problems:?}");
    }
}
