//! Why was it refused? The likeliest reason comes first, for every kind of mistake people make.

use hookgate_providers::{
    ALL, BodyChange, Finding, Headers, Keys, Provider, Refused, Request, Secret, SecretReading, Unsigned, UrlPart,
    explain, find, sign,
};

use crate::signed::{NOW, Signed, secret};

pub(crate) const URL: &str = "https://hooks.example.com/in/source?a=1&b=x%20y";

/// A request that was signed right, to be spoilt.
struct Case {
    provider: &'static Provider,
    method: &'static str,
    url: String,
    headers: Headers,
    body: Vec<u8>,
    secrets: Vec<Secret>,
    now: i64,
}

impl Case {
    fn signed(name: &str, secret: &str, headers: &[(&str, &str)], body: &str) -> Self {
        let provider = find(name).unwrap();
        let secret = Secret::new(secret).unwrap();
        let mut headers: Headers = headers.iter().copied().collect();
        let unsigned =
            Unsigned { method: "POST", url: URL, headers: &headers, body: body.as_bytes(), id: "msg_1", now: NOW };
        let added = sign(provider, &unsigned, &secret).unwrap();
        headers.extend(added.iter());
        Self { provider, method: "POST", url: URL.into(), headers, body: body.into(), secrets: vec![secret], now: NOW }
    }

    fn all(&self) -> Vec<Finding> {
        let request = Request { method: self.method, url: &self.url, headers: &self.headers, body: &self.body };
        explain(&Refused {
            provider: self.provider,
            request,
            secrets: &self.secrets,
            retired: &[],
            keys: &Keys::new(),
            others: ALL,
            now: self.now,
        })
    }

    fn first(&self) -> Finding {
        self.all().remove(0)
    }

    fn with_secret(mut self, secret: &str) -> Self {
        self.secrets = vec![Secret::new(secret).unwrap()];
        self
    }

    fn with_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }
}

impl Signed {
    fn first(&self, headers: &Headers, body: &[u8], secrets: &[Secret], retired: &[Secret], now: i64) -> Finding {
        let request = Request { method: "POST", url: &self.url, headers, body };
        explain(&Refused { provider: self.provider, request, secrets, retired, keys: &Keys::new(), others: ALL, now })
            .remove(0)
    }

    fn own(&self) -> &[Secret] {
        std::slice::from_ref(&self.secret)
    }

    /// Public-key signatures take a while to try many times over without optimisation.
    fn is_cheap(&self) -> bool {
        self.stride() == 1
    }
}

#[test]
fn for_every_provider_an_old_secret_is_recognised() {
    for signed in Signed::every() {
        let live = [secret(signed.provider, "other")];
        let found = signed.first(&signed.headers, &signed.body, &live, signed.own(), NOW);
        assert_eq!(found, Finding::RetiredSecret { index: 0 }, "{}", signed.name());
    }
}

#[test]
fn for_every_provider_a_secret_that_is_just_wrong_is_called_wrong() {
    for signed in Signed::every().iter().filter(|signed| signed.is_cheap()) {
        let live = [secret(signed.provider, "other"), secret(signed.provider, "another")];
        let found = signed.first(&signed.headers, &signed.body, &live, &[], NOW);
        assert!(matches!(found, Finding::WrongSecret { tried: 2, .. }), "{}: {found:?}", signed.name());
    }
}

#[test]
fn for_every_provider_that_signs_a_time_a_wrong_clock_is_measured() {
    for signed in Signed::every().iter().filter(|signed| signed.provider.covers.time && signed.is_cheap()) {
        let (old, ahead) = signed.tolerance().unwrap();
        for age in [old + 1, old + 100_000, -ahead - 1, -90_000_000] {
            let found = signed.first(&signed.headers, &signed.body, signed.own(), &[], NOW + age);
            assert_eq!(found, Finding::Clock { age_s: age }, "{}", signed.name());
        }
    }
}

#[test]
fn for_every_provider_a_missing_header_is_named() {
    for signed in Signed::every() {
        for (name, _) in signed.authenticating() {
            let found = signed.first(&signed.with(name, None), &signed.body, signed.own(), &[], NOW);
            match &found {
                Finding::Missing { wanted, .. } => {
                    assert!(
                        wanted.iter().flatten().any(|header| header == name),
                        "{}: {name} {found:?}",
                        signed.name()
                    );
                }
                // Without it, the request is signed another way.
                found => assert!(!matches!(found, Finding::Accepted), "{}: {name} {found:?}", signed.name()),
            }
        }
    }
}

#[test]
fn for_every_provider_a_repeated_header_is_named() {
    for signed in Signed::every().iter().filter(|signed| !signed.is_one_of_many_lines()) {
        for (name, value) in signed.authenticating() {
            let mut headers = signed.headers.clone();
            headers.push(name, value);
            let found = signed.first(&headers, &signed.body, signed.own(), &[], NOW);
            let expected = Finding::Repeated { name: Some(name.to_owned()), one_is_right: true };
            assert_eq!(found, expected, "{}", signed.name());
        }
    }
}

#[test]
fn for_every_provider_with_shared_keys_a_shortened_signature_is_recognised() {
    for signed in Signed::every().iter().filter(|signed| signed.is_cheap()) {
        let Some((name, value)) = signed.authenticating().into_iter().max_by_key(|(_, value)| value.len()) else {
            continue;
        };
        let found =
            signed.first(&signed.with(name, Some(&value[..value.len() - 3])), &signed.body, signed.own(), &[], NOW);
        assert_eq!(found, Finding::Truncated { header: name.to_owned() }, "{}", signed.name());
    }
}

#[test]
fn for_every_provider_that_signs_the_body_a_line_break_more_or_less_is_recognised() {
    for signed in Signed::every().iter().filter(|signed| signed.provider.covers.body && signed.is_cheap()) {
        let longer = [&signed.body, &b"\n"[..]].concat();
        let found = signed.first(&signed.headers, &longer, signed.own(), &[], NOW);
        assert_eq!(found, Finding::Body(BodyChange::NewlineAdded), "{}", signed.name());
    }
}

#[test]
fn for_every_provider_with_shared_keys_a_line_break_behind_the_secret_is_recognised() {
    for signed in Signed::every().iter().filter(|signed| signed.is_cheap()) {
        let secret = crate::secrets::secret_for(signed.provider, "right").unwrap();
        let live = [Secret::new(format!("{secret}\n")).unwrap()];
        let found = signed.first(&signed.headers, &signed.body, &live, &[], NOW);
        let expected = Finding::Secret { index: 0, reading: SecretReading::WithoutNewline };
        assert_eq!(found, expected, "{}", signed.name());
    }
}

#[test]
fn a_secret_that_should_be_read_another_way_is_recognised() {
    const TEXT: &str = "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=";
    let bytes = "01234567890123456789012345678901";
    let hex = "3031323334353637383930313233343536373839303132333435363738393031";
    let whsec = format!("whsec_{TEXT}");
    let cases = [
        ("github", "s3cret-key", "\"s3cret-key\"".to_owned(), SecretReading::Unquoted),
        ("github", "s3cret-key", " s3cret-key".into(), SecretReading::Trimmed),
        ("github", "s3cret-key\n", "s3cret-key".into(), SecretReading::WithNewline),
        ("github", bytes, hex.into(), SecretReading::Hex),
        ("github", bytes, TEXT.into(), SecretReading::Base64),
        ("shopify", "ABCDEF", "abcdef".into(), SecretReading::UpperCase),
        ("stripe", &whsec, TEXT.into(), SecretReading::WithPrefix),
        ("stripe", TEXT, whsec.clone(), SecretReading::WithoutPrefix),
        ("stripe", bytes, whsec.clone(), SecretReading::Base64),
        ("slack", "abc", "name:abc".into(), SecretReading::WithoutName),
        ("zoom", bytes, hex.into(), SecretReading::Hex),
        ("linear", bytes, TEXT.into(), SecretReading::Base64),
        ("intercom", "s3cret-key", "'s3cret-key' ".into(), SecretReading::Unquoted),
        ("line", bytes, TEXT.into(), SecretReading::Base64),
        ("typeform", bytes, hex.into(), SecretReading::Hex),
    ];
    for (name, right, configured, reading) in cases {
        let body = format!("{{\"id\":\"evt_1\",\"webhookTimestamp\":{NOW}000}}");
        let found = Case::signed(name, right, &[], &body).with_secret(&configured).first();
        assert_eq!(found, Finding::Secret { index: 0, reading }, "{name}");
    }
    // Where a provider decodes its secrets and the sender does not.
    let as_text = format!("whsec_{}", "YWJjZGVm");
    let signed_as_text = Case::signed("standard-webhooks", &as_text, &[], "{}").with_secret("abcdef");
    assert!(signed_as_text.all().contains(&Finding::Secret { index: 0, reading: SecretReading::AsText }));
}

#[test]
fn json_that_was_written_again_is_recognised_with_its_style() {
    let compact = r#"{"b":[1,{"u":"http://x/é"}],"a":{},"n":1.0}"#;
    let spaced = r#"{"b": [1, {"u": "http://x/é"}], "a": {}, "n": 1.0}"#;
    let pretty =
        "{\n  \"b\": [\n    1,\n    {\n      \"u\": \"http://x/é\"\n    }\n  ],\n  \"a\": {},\n  \"n\": 1.0\n}";
    let php = r#"{"b":[1,{"u":"http:\/\/x\/\u00e9"}],"a":{},"n":1.0}"#;
    let python = r#"{"b": [1, {"u": "http://x/\u00e9"}], "a": {}, "n": 1.0}"#;
    let sorted = r#"{"a":{},"b":[1,{"u":"http://x/é"}],"n":1.0}"#;
    let providers = [
        "github",
        "shopify",
        "slack",
        "intercom",
        "line",
        "typeform",
        "razorpay",
        "meta",
        "calcom",
        "standard-webhooks",
    ];
    for name in providers {
        for signed in [compact, spaced, pretty, php, python, sorted] {
            for arrived in [compact, spaced, pretty, php].into_iter().filter(|arrived| *arrived != signed) {
                let found =
                    Case::signed(name, "whsec_YWJjZGVmZ2hpamtsbW5vcA==", &[], signed).with_body(arrived).first();
                assert!(matches!(found, Finding::Body(BodyChange::Rewritten(_))), "{name} {found:?} {signed}");
            }
        }
    }
    let said = Case::signed("github", "s", &[], php).with_body(compact).first().to_string();
    assert!(said.contains("slashes and everything beyond ASCII escaped"), "{said}");
}

#[test]
fn other_changes_of_the_body_are_recognised() {
    use std::io::Write;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(b"{\"id\":\"evt_1\"}").unwrap();
    let form = "payload=%7B%22a%22%3A%22x%20y%22%7D&b=%C3%A9";
    let json = "{\"a\":\"é\",\n\"b\":1}";
    let cases: [(&str, Vec<u8>, BodyChange); 13] = [
        ("{\"id\":\"evt_1\"}", gzip.finish().unwrap(), BodyChange::Compressed),
        (json, format!("{json}\r\n").into(), BodyChange::NewlineAdded),
        ("{\"a\":1}\n", "{\"a\":1}".into(), BodyChange::NewlineRemoved),
        ("{\"a\":1}", " {\"a\":1} ".into(), BodyChange::WhiteSpaceAdded),
        (json, json.replace('\n', "\r\n").into(), BodyChange::LineBreaks),
        ("\u{feff}{}", "{}".into(), BodyChange::ByteOrderMark),
        (json, json.bytes().map(char::from).collect::<String>().into(), BodyChange::Charset),
        (json, json.chars().map(|letter| letter as u8).collect(), BodyChange::Charset),
        (json, "eyJhIjoiw6kiLAoiYiI6MX0=".into(), BodyChange::Base64),
        (json, serde_json::to_vec(json).unwrap(), BodyChange::JsonString),
        (json, json.replace('"', "%22").into(), BodyChange::PercentEncoded),
        ("payload=%7B%22a%22%3A%22x+y%22%7D", "{\"a\":\"x y\"}".into(), BodyChange::TakenOutOfForm),
        (form, "payload={\"a\":\"x y\"}&b=é".into(), BodyChange::FormDecoded),
    ];
    for (signed, arrived, change) in cases {
        let found = Case::signed("github", "s3cret-key", &[], signed).with_body(arrived).first();
        assert_eq!(found, Finding::Body(change));
    }
    let case = Case::signed("slack", "s3cret-key", &[("content-type", "application/x-www-form-urlencoded")], form);
    let found = case.with_body("payload=%7B%22a%22%3A%22x+y%22%7D&b=%c3%a9").first();
    assert_eq!(found, Finding::Body(BodyChange::FormRewritten));
}

#[test]
fn a_bomb_is_not_unpacked() {
    use std::io::Write;
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    (0..512).for_each(|_| gzip.write_all(&[0; 1 << 16]).unwrap());
    let found = Case::signed("github", "s3cret-key", &[], "{}").with_body(gzip.finish().unwrap()).first();
    assert!(matches!(found, Finding::WrongSecret { .. }), "{found:?}");
}

#[test]
fn damage_that_cannot_be_undone_is_named() {
    let case =
        || Case::signed("shopify", "s3cret-key", &[("content-encoding", "gzip"), ("content-length", "9")], "123456789");
    assert_eq!(case().with_body("").first(), Finding::EmptyBody);
    assert_eq!(case().with_body("12345").first(), Finding::Length { claimed: 9, received: 5 });
    assert_eq!(case().with_body("abcdefghi").first(), Finding::Decompressed);
    let case = Case::signed("shopify", "s3cret-key", &[], "{}").with_body("{\"a\":\"\u{fffd}\"}");
    assert_eq!(case.first(), Finding::LostCharacters);
}

#[test]
fn a_url_or_method_that_a_proxy_changed_is_recognised() {
    let spoilt: [(&str, UrlPart); 10] = [
        ("http://hooks.example.com/in/source?a=1&b=x%20y", UrlPart::Scheme),
        ("https://hooks.example.com:8080/in/source?a=1&b=x%20y", UrlPart::Port),
        ("http://hooks.example.com:3000/in/source?a=1&b=x%20y", UrlPart::Port),
        ("https://10.0.0.7/in/source?a=1&b=x%20y", UrlPart::Host),
        ("https://hooks.example.com/in/source/?a=1&b=x%20y", UrlPart::TrailingSlash),
        ("https://hooks.example.com/v1/in/source?a=1&b=x%20y", UrlPart::Path),
        ("https://hooks.example.com/source?a=1&b=x%20y", UrlPart::Path),
        ("https://hooks.example.com/in/source?b=x%20y&a=1", UrlPart::QueryOrder),
        ("https://hooks.example.com/in/source?a=1&b=x+y", UrlPart::QueryEncoding),
        ("https://hooks.example.com/in/source", UrlPart::Query),
    ];
    let headers = [("x-forwarded-host", "hooks.example.com"), ("x-original-uri", "/in/source?a=1&b=x%20y")];
    for name in ["hubspot", "square", "trello", "mandrill"] {
        for (url, part) in spoilt {
            let mut case = Case::signed(name, "s3cret-key", &headers, "{}");
            case.url = url.into();
            assert_eq!(case.first(), Finding::Url(part), "{name} {url}");
        }
        let mut case = Case::signed(name, "s3cret-key", &[], "{}");
        case.url = "https://elsewhere.example/x".into();
        assert!(case.all().contains(&Finding::UrlMayDiffer), "{name}");
    }
    let mut case = Case::signed("hubspot", "s3cret-key", &[], "{}");
    case.method = "PUT";
    assert_eq!(case.first(), Finding::Method);
}

#[test]
fn headers_of_another_family_or_name_or_in_another_writing_are_recognised() {
    let rename = |case: &Case, from: &str, to: &str| -> Headers {
        case.headers.iter().map(|(name, value)| (name.replace(from, to), value)).collect()
    };
    let mut case = Case::signed("svix", "whsec_YWJjZGVm", &[], "{}");
    case.provider = find("standard-webhooks").unwrap();
    if matches!(case.first(), Finding::Accepted) {
        case.headers = rename(&case, "svix-", "shopify-");
    }
    assert!(matches!(case.first(), Finding::Family { .. }), "{:?}", case.all());

    for (to, name) in [("http_x_hub_signature_256", "underscored"), ("x-forwarded-hub-signature-256", "prefixed")] {
        let mut case = Case::signed("github", "s3cret-key", &[], "{}");
        case.headers = rename(&case, "x-hub-signature-256", to);
        let expected = Finding::Renamed { from: to.into(), to: "x-hub-signature-256".into() };
        assert_eq!(case.first(), expected, "{name}");
    }

    let mut case = Case::signed("github", "s3cret-key", &[], "{}");
    let value = String::from_utf8(case.headers.single("x-hub-signature-256").unwrap().unwrap().to_vec()).unwrap();
    let bytes = hex::decode(&value[7..]).unwrap();
    use base64::Engine;
    for other in [
        value.to_uppercase(),
        value[7..].to_owned(),
        format!("\"{value}\""),
        format!(" {value}"),
        base64::prelude::BASE64_STANDARD.encode(bytes),
    ] {
        case.headers = [("x-hub-signature-256", other.as_str())].into_iter().collect();
        let expected = Finding::WrittenOtherwise { header: "x-hub-signature-256".into() };
        assert_eq!(case.first(), expected, "{other}");
    }
}

#[test]
fn another_providers_request_is_recognised_with_the_right_secret_and_without() {
    for (name, source) in
        [("stripe", "github"), ("github", "stripe"), ("shopify", "slack"), ("slack", "line"), ("square", "meta")]
    {
        let mut case = Case::signed(name, "s3cret-key", &[], "{\"id\":1}");
        case.provider = find(source).unwrap();
        match case.first() {
            Finding::AnotherProvider { names } => assert!(names.contains(&name), "{name}: {names:?}"),
            found => panic!("{name}: {found:?}"),
        }
        let case = case.with_secret("another-key");
        let named = |finding: &Finding| matches!(finding, Finding::HeadersOfAnother { names } if names.contains(&name));
        assert!(case.all().iter().any(named), "{name}: {:?}", case.all());
    }
}

#[test]
fn test_and_live_mode_are_told_where_the_event_says_so() {
    let found = Case::signed("stripe", "s3cret-key", &[], "{\"livemode\":false}").with_secret("another-key").first();
    assert_eq!(found, Finding::WrongSecret { tried: 1, live: Some(false) });
    assert!(found.to_string().contains("test mode"), "{found}");
}

#[test]
fn what_is_not_refused_or_cannot_be_judged_is_said() {
    let mut case = Case::signed("stripe", "s3cret-key", &[], "{}");
    assert_eq!(case.all(), [Finding::Accepted]);
    case.secrets = Vec::new();
    assert_eq!(case.all(), [Finding::NoSecret]);
    let unusable = Case::signed("standard-webhooks", "whsec_YWJjZGVm", &[], "{}").with_secret("***");
    assert!(matches!(unusable.first(), Finding::UnusableSecret { index: 0, .. }), "{:?}", unusable.all());
}

/// Found by fuzzing: a secret that is none for the scheme that is carried, and one for another that the provider has.
#[test]
fn of_whatever_is_refused_something_is_said() {
    for signed in Signed::every() {
        let provider = signed.provider;
        for text in ["x", "\x04\0", "verify:token", "NAME:", "{}", "-----BEGIN"] {
            for (headers, body) in
                [(&signed.headers, &signed.body[..]), (&Headers::new(), b"{}"), (&Headers::new(), b"")]
            {
                let secrets = vec![Secret::new(text).unwrap()];
                let (method, url) = ("POST", URL.to_owned());
                let case =
                    Case { provider, method, url, headers: headers.clone(), body: body.into(), secrets, now: NOW };
                assert!(!case.all().is_empty(), "{}: {text:?}", provider.name);
            }
        }
    }
}
