//! Every refusal says where, what is wrong and what to write instead.

use super::{BILLING, SECRETS, STRIPE, load};

/// Text, further environment, and what the refusal must say.
type Refusal<'a> = (String, &'a [(&'a str, &'a str)], &'a str);

#[test]
fn each_refusal_says_where_and_what_to_write() {
    let forward = |line: &str| format!("{STRIPE}{BILLING}{line}\n");
    let source = |line: &str| format!("{STRIPE}{line}\n");
    let to = |url: &str| forward("").replace("http://127.0.0.1:3000/hooks/stripe", url);
    let table: Vec<Refusal> = vec![
        // Keys.
        (
            "[worker]\npoll = \"1s\"\nhearbeat = \"5s\"".into(),
            &[],
            "hookgate.toml:3: unknown key `hearbeat`; did you mean `heartbeat`?",
        ),
        ("\n[wroker]\npoll = \"1s\"".into(), &[], "hookgate.toml:2: unknown key `wroker`; did you mean `worker`?"),
        ("[log]\ncolour = true".into(), &[], "hookgate.toml:2: unknown key `colour`; known here: format, level"),
        (
            String::new(),
            &[("HOOKGATE__WORKER__HEARBEAT", "5s")],
            "environment variable HOOKGATE__WORKER__HEARBEAT: unknown key `hearbeat`; did you mean `heartbeat`?",
        ),
        (
            String::new(),
            &[("HOOKGATE__WROKER__POLL", "5s")],
            "environment variable HOOKGATE__WROKER__POLL: unknown key `wroker`; did you mean `worker`?",
        ),
        (source("tolerence = \"5m\""), &[], "hookgate.toml:5: unknown key `tolerence`; did you mean `tolerance`?"),
        (forward("event = [\"*\"]"), &[], "unknown key `event`; did you mean `events`?"),
        ("[source_defaults]\nreceipts = \"1d\"".into(), &[], "unknown key `receipts`"),
        // Syntax, types, units.
        ("[worker]\npoll = ".into(), &[], "hookgate.toml:2: "),
        (
            "[worker]\npoll = 1".into(),
            &[],
            "hookgate.toml:2: found an integer, where a duration in quotes with its unit, as in \"30s\" belongs",
        ),
        (
            "[worker]\npoll = \"1 fortnight\"".into(),
            &[],
            "hookgate.toml:2: `1 fortnight` is not a duration: write a whole number and ms, s, m, h or d",
        ),
        (
            String::new(),
            &[("HOOKGATE__WORKER__POLL", "soon")],
            "environment variable HOOKGATE__WORKER__POLL: `soon` is not a duration",
        ),
        (
            "[server]\nmax_body = 25".into(),
            &[],
            "found an integer, where a size in quotes with its unit, as in \"25MB\" belongs",
        ),
        (
            "[server]\nroles = [\"ingets\"]".into(),
            &[],
            "hookgate.toml:2: unknown value `ingets`; did you mean `ingest`?",
        ),
        ("[server]\ningest = \"8080\"".into(), &[], "hookgate.toml:2: "),
        ("worker = 3".into(), &[], "hookgate.toml:1: found an integer, where a table of settings belongs"),
        (
            String::new(),
            &[("HOOKGATE__LOG__LEVEL", "5")],
            "environment variable HOOKGATE__LOG__LEVEL: found an integer, where a string belongs",
        ),
        (String::new(), &[("HOOKGATE__LOG__LEVEL__X", "5")], "`level` is a single value"),
        (
            String::new(),
            &[("HOOKGATE__FORWARD__BILLING__ORDER", "lane")],
            "environment variable HOOKGATE__FORWARD__BILLING__ORDER",
        ),
        (
            forward(""),
            &[("HOOKGATE__FORWARD__BILING__ORDER", "lane")],
            "there is no `forward` named `biling` in the file to override",
        ),
        // Names.
        (
            STRIPE.replace("source.stripe", "source.Stripe"),
            &[],
            "hookgate.toml:2: `Stripe` is not a name: use 1 to 64 of a-z, 0-9, _ and -",
        ),
        (forward("").replace("\"billing\"", "\"bill ing\""), &[], "`bill ing` is not a name"),
        // Sources.
        ("[source.x]\nsecrets = [{ env = \"STRIPE_SECRET\" }]".into(), &[], "the key `provider` is missing here"),
        ("[source.x]\nprovider = \"stripe\"".into(), &[], "hookgate.toml:1: the key `secrets` is missing here"),
        (
            "[source.x]\nprovider = \"stripe\"\nsecrets = []".into(),
            &[],
            "`source.x.secrets` is empty: without a secret anyone could post to /in/x",
        ),
        (source("on_conflict = \"drop\""), &[], "unknown value `drop`; known here: park, process"),
        (source("retention = \"forever\""), &[], "unknown value `forever`; known here: short, standard, long"),
        // Forwards.
        (
            to("localhost:3000/x"),
            &[],
            "`forward.billing.to` has the scheme `localhost`: only http and https are spoken",
        ),
        (to("/hooks"), &[], "`forward.billing.to` is not a URL"),
        (to("ftp://h/x"), &[], "has the scheme `ftp`"),
        (to("https://u:hunter2@h/x"), &[], "`forward.billing.to` has credentials in it"),
        (to("https://h/x#y"), &[], "has a fragment"),
        (
            forward("").replace("secret = { env = \"BILLING_SECRET\" }", ""),
            &[],
            "`forward.billing.secret` is missing: write secret = { env = \"VARIABLE\" }",
        ),
        (forward("sign = \"none\""), &[], "`forward.billing.sign` is \"none\" and `forward.billing.secret` is set"),
        (forward("secret_key = 1").replace("secret_key = 1", "events = []"), &[], "`forward.billing.events` is empty"),
        (forward("events = [\"a b\"]"), &[], "`a b` is not a pattern"),
        (forward("events = [\"\"]"), &[], "a pattern is empty"),
        (
            forward("").replace("BILLING_SECRET", "STRIPE_SECRET"),
            &[],
            "`forward.billing.secret` (env:STRIPE_SECRET) is not a Standard Webhooks secret",
        ),
        (
            forward("headers = { Webhook-Id = \"1\" }"),
            &[],
            "`forward.billing.headers.Webhook-Id` is a header that hookgate or HTTP sets itself",
        ),
        (forward("headers = { host = \"x\" }"), &[], "sets itself"),
        (forward("headers = { \"a b\" = \"x\" }"), &[], "is not a header name"),
        (forward("headers = { x = \"a\\r\\nb: c\" }"), &[], "`forward.billing.headers.x` (literal) has a line break"),
        (
            forward("headers = { authorization = \"Bearer x\" }"),
            &[],
            "`forward.billing.headers.authorization` holds a credential in clear",
        ),
        (forward("order = \"lanes\""), &[], "unknown value `lanes`; did you mean `lane`?"),
        // Operator.
        (
            "[[operator.token]]\nname = \"a\"\nrole = \"read\"\nsecret = { env = \"SHORT\" }".into(),
            &[("SHORT", "hunter2")],
            "`operator.token.a.secret` (env:SHORT) is shorter than 16 bytes",
        ),
        (
            "[[operator.token]]\nname = \"a\"\nrole = \"root\"\nsecret = { env = \"SHORT\" }".into(),
            &[],
            "hookgate.toml:3: unknown value `root`; known here: read, operate, admin",
        ),
        // Database.
        (
            "[database]\nurl = \"mysql://h/db\"".into(),
            &[],
            "`database.url` (literal) is not a Postgres URL: write postgres://",
        ),
        (
            "[database]\nurl = { env = \"NOPE\" }".into(),
            &[],
            "`database.url` refers to the environment variable NOPE, which is not set",
        ),
    ];
    for (text, variables, expected) in table {
        let refused = match load(&text, &[&SECRETS[..], variables].concat()) {
            Ok(_) => panic!("accepted: {text} {variables:?}"),
            Err(refused) => refused.to_string(),
        };
        assert!(refused.contains(expected), "{text}\n{variables:?}\n  said: {refused}\n  not:  {expected}");
        assert!(!refused.contains("hunter2") && !refused.contains(SECRETS[0].1), "leaked: {refused}");
    }
}

#[test]
fn all_unset_variables_are_told_at_once() {
    let refused = load(&format!("{STRIPE}{BILLING}"), &[]).unwrap_err();
    let sentences: Vec<String> = refused.sentences().collect();
    assert_eq!(
        sentences,
        [
            "`source.stripe.secrets` refers to the environment variable STRIPE_SECRET, which is not set: set it, or change the reference",
            "`forward.billing.secret` refers to the environment variable BILLING_SECRET, which is not set: set it, or change the reference",
        ]
    );
}
