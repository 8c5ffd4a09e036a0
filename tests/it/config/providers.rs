//! A source ends up with the provider it asked for, and a request signed for it is accepted.

use hookgate_providers::{Headers, Request, Unsigned, Verdict, sign, verify};

use super::{SECRETS, STRIPE, load};

const INHOUSE: &str = r#"
[source.inhouse]
provider = "hmac"
secrets = [{ env = "STRIPE_SECRET" }, { env = "BILLING_SECRET" }]
tolerance = "10m"
[source.inhouse.hmac]
header = "x-signature"
signs = ["timestamp", ".", "body"]
timestamp = "header:x-time"
delivery_id = "json:/id"
"#;

/// Signs with the source's second secret at 1 000 000 s and verifies `age` seconds later.
fn accepted(text: &str, age: i64) -> bool {
    let config = load(text, &SECRETS).unwrap();
    let source = &config.sources["inhouse"];
    let unsigned = Unsigned {
        method: "POST",
        url: "http://127.0.0.1/in/inhouse",
        headers: &Headers::new(),
        body: br#"{"id":"e1"}"#,
        id: "e1",
        now: 1_000_000,
    };
    let headers = sign(&source.provider, &unsigned, &source.keys[1]).unwrap();
    let request = Request { method: "POST", url: unsigned.url, headers: &headers, body: unsigned.body };
    match verify(&source.provider, &request, &source.keys, 1_000_000 + age) {
        Ok(Verdict::Delivery(verified)) => {
            assert_eq!(verified.events()[0].delivery_id.as_deref(), Some("e1"));
            true
        }
        _ => false,
    }
}

#[test]
fn a_described_provider_verifies_under_any_live_secret_within_the_sources_tolerance() {
    assert!(accepted(INHOUSE, 600));
    assert!(!accepted(INHOUSE, 601));
    let own_tolerance = INHOUSE.replace("tolerance = \"10m\"\n", "");
    assert!(accepted(&own_tolerance, 300));
    assert!(!accepted(&own_tolerance, 301));
}

#[test]
fn a_source_may_say_where_ids_are() {
    let text = format!("{STRIPE}ordering_key = \"json:/customer\"\ndelivery_id = [\"json:/a\", \"json:/b\"]\n");
    let source = &load(&text, &SECRETS).unwrap().sources["stripe"];
    assert_eq!(source.provider.ordering_key.len(), 1);
    assert_eq!(source.provider.delivery_id.len(), 2);
    assert_eq!(source.ordering_key.as_deref(), Some(&["json:/customer".to_owned()][..]));
}

#[test]
fn each_refusal_of_a_provider_says_what_to_write() {
    let stripe = |line: &str| format!("{STRIPE}{line}\n");
    let named = |name: &str| STRIPE.replace("\"stripe\"", name);
    let many = vec!["{ env = \"STRIPE_SECRET\" }"; 17].join(", ");
    let table = [
        (named("\"strype\""), "`source.stripe.provider` is \"strype\", which is unknown; did you mean \"stripe\"?"),
        (named("\"acme\""), "is unknown: `hookgate providers list` shows "),
        (named("\"hmac\""), "[source.stripe.hmac] is missing"),
        (stripe("hmac = { header = \"x\" }"), "write provider = \"hmac\" or remove the table"),
        (INHOUSE.replace("header =", "heder ="), "[source.inhouse.hmac]: unknown key `heder`; did you mean `header`?"),
        (INHOUSE.replace("\"body\"", "\"header:x\""), "`signs` does not name \"body\""),
        (INHOUSE.replace("header = \"x-signature\"\n", ""), "[source.inhouse.hmac]: the key `header` is missing"),
        (INHOUSE.replace("json:/id", "header:x-request-id"), "`delivery_id` cannot be "),
        (stripe("delivery_id = \"header:traceparent\""), "source.stripe: `delivery_id` cannot be "),
        (stripe("delivery_id = \"json:/attempt\""), "it counts or names attempts"),
        (stripe("delivery_id = \"json:/timestamp\""), "it is a time"),
        (stripe("delivery_id = []"), "`delivery_id` is an empty list"),
        (stripe("delivery_id = 3"), "hookgate.toml:5: found neither a text nor a list of texts"),
        (stripe("ordering_key = \"/id\""), "write header:NAME, json:/pointer, form:FIELD or query:NAME"),
        (stripe("tolerance = \"0s\""), "`source.stripe.tolerance` is 0s: it must be between 1s and 1d"),
        (stripe("tolerance = \"2d\""), "`source.stripe.tolerance` is 2d"),
        (stripe("url_key = { env = \"SHORT\" }"), "`source.stripe.url_key` (env:SHORT) must be 16 to 128 of A-Z"),
        (stripe("url_key = { env = \"SLASHED\" }"), "`source.stripe.url_key` (env:SLASHED) must be 16 to 128 of A-Z"),
        (stripe("url_key = \"0123456789abcdef\""), "`source.stripe.url_key` holds a secret in clear"),
        (stripe("reply = { status = 302 }"), "`source.stripe.reply.status` is 302: an acknowledgement is 200 to 299"),
        (stripe("reply = { status = 204, body = \"x\" }"), "204, which has no body: remove `body`"),
        (stripe("reply = { content_type = \"text/xml\" }"), "and `source.stripe.reply.body` is not"),
        (stripe("reply = { body = \"x\", content_type = \"text/x\\r\\nset-cookie: a\" }"), "is no content type"),
        (stripe("reply = { boddy = \"x\" }"), "unknown key `boddy`; did you mean `body`?"),
        (format!("[server]\ntrusted_proxies = [\"10.0.0.0/33\"]\n{STRIPE}"), "`10.0.0.0/33` is not a network"),
        (named("\"standard-webhooks\""), "`source.stripe.secrets` (env:STRIPE_SECRET): the secret is not valid base64"),
        (STRIPE.replace("{ env = \"STRIPE_SECRET\" }", &many), "has 17 secrets and at most 16 are tried"),
        (
            STRIPE.replace("STRIPE_SECRET", "SPACED"),
            "`source.stripe.secrets` (env:SPACED): the secret has white space around it",
        ),
    ];
    let variables =
        [&SECRETS[..], &[("SPACED", " hush hush"), ("SHORT", "hush hush"), ("SLASHED", "hush hush/0123456789")]]
            .concat();
    for (text, expected) in table {
        let refused = match load(&text, &variables) {
            Ok(_) => panic!("accepted: {text}"),
            Err(refused) => refused.to_string(),
        };
        assert!(refused.contains(expected), "{text}\n  said: {refused}\n  not:  {expected}");
        assert!(!refused.contains("hush hush") && !refused.contains(SECRETS[0].1), "leaked: {refused}");
    }
}
