//! Requests that are answered and never stored.

use hookgate_providers::{Headers, Reject, Request, Secret, Unsigned, Verdict, sign, verify};

use crate::request::{judge, provider, signed};
use crate::secrets::secret_for;
use crate::signed::NOW;

#[test]
fn a_signed_ping_or_challenge_is_answered_and_an_unsigned_one_is_not() {
    let secret = Secret::new("s").unwrap();
    let challenge = br#"{"type":"url_verification","challenge":"c\"1"}"#;
    let ping: &[_] = &[("x-github-event", "ping")];
    let handshakes = [("github", ping, &b"{}"[..], &b""[..]), ("slack", &[], challenge, br#"{"challenge":"c\"1"}"#)];
    for (name, headers, body, answer) in handshakes {
        let provider = provider(name);
        match judge(provider, std::slice::from_ref(&secret), &signed(provider, &secret, headers, body), body) {
            Ok(Verdict::Handshake(reply)) => {
                assert_eq!((reply.status, &reply.body[..]), (200, answer), "{name}")
            }
            other => panic!("{name}: {other:?}"),
        }
        let unsigned: Headers = headers.iter().copied().collect();
        assert_eq!(
            judge(provider, std::slice::from_ref(&secret), &unsigned, body),
            Err(Reject::SignatureMissing),
            "{name}"
        );
    }
    let slack = provider("slack");
    let empty = br#"{"type":"url_verification"}"#;
    assert_eq!(
        judge(slack, std::slice::from_ref(&secret), &signed(slack, &secret, &[], empty), empty),
        Err(Reject::HandshakeIncomplete)
    );
}

#[test]
fn an_unsigned_ssl_check_is_answered_with_nothing_and_carries_nothing() {
    let form: Headers = [("content-type", "application/x-www-form-urlencoded")].into_iter().collect();
    let body = b"ssl_check=1&payload=%7B%22type%22%3A%22block_actions%22%7D&token=x";
    match judge(provider("slack"), &[], &form, body) {
        Ok(Verdict::Handshake(reply)) => assert!(reply.status == 200 && reply.body.is_empty()),
        other => panic!("{other:?}"),
    }
    assert_eq!(judge(provider("slack"), &[], &Headers::new(), body), Err(Reject::NoSecret));
}

/// One handshake as the provider sends it, and the answer it wants.
struct Asked {
    provider: &'static str,
    method: &'static str,
    url: &'static str,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
    secrets: &'static [&'static str],
    wants: (u16, &'static [(&'static str, &'static str)], &'static str),
}

const HOOK: &str = "https://example.com/in/x";
const KEY: &[&str] = &["whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="];
const JSON: &[(&str, &str)] = &[("content-type", "application/json"), ("x-content-type-options", "nosniff")];
const TEXT: &[(&str, &str)] = &[("content-type", "text/plain"), ("x-content-type-options", "nosniff")];

impl Asked {
    const fn of(provider: &'static str, body: &'static str, answer: &'static str) -> Self {
        Self { provider, method: "POST", url: HOOK, headers: &[], body, secrets: KEY, wants: (200, JSON, answer) }
    }

    const fn get(provider: &'static str, url: &'static str) -> Self {
        Self { method: "GET", url, ..Self::of(provider, "", "") }
    }

    const fn head(provider: &'static str) -> Self {
        Self { method: "HEAD", secrets: &[], ..Self::of(provider, "", "") }.empty(200)
    }

    const fn with(self, headers: &'static [(&'static str, &'static str)]) -> Self {
        Self { headers, ..self }
    }

    const fn secrets(self, secrets: &'static [&'static str]) -> Self {
        Self { secrets, ..self }
    }

    const fn json(self, answer: &'static str) -> Self {
        Self { wants: (200, JSON, answer), ..self }
    }

    const fn text(self, answer: &'static str) -> Self {
        Self { wants: (200, TEXT, answer), ..self }
    }

    const fn empty(self, status: u16) -> Self {
        Self { wants: (status, &[], ""), ..self }
    }

    const fn echoes(self, headers: &'static [(&'static str, &'static str)]) -> Self {
        Self { wants: (200, headers, ""), ..self }
    }

    fn secrets_of_source(&self) -> Vec<Secret> {
        self.secrets.iter().map(|secret| Secret::new(*secret).unwrap()).collect()
    }

    fn verdict(&self, headers: &Headers) -> Result<Verdict, Reject> {
        let request = Request { method: self.method, url: self.url, headers, body: self.body.as_bytes() };
        verify(provider(self.provider), &request, &self.secrets_of_source(), NOW)
    }

    /// The request as sent: unsigned where that is answered, else signed with the first secret.
    fn answered(&self) -> Result<Verdict, Reject> {
        let plain: Headers = self.headers.iter().copied().collect();
        let unsigned = self.verdict(&plain);
        let (Err(_), Some(secret)) = (&unsigned, self.secrets_of_source().into_iter().next()) else { return unsigned };
        let (method, url, body) = (self.method, self.url, self.body.as_bytes());
        let request = Unsigned { method, url, headers: &plain, body, id: "id-1", now: NOW };
        let mut headers = plain.clone();
        headers.extend(sign(provider(self.provider), &request, &secret).unwrap().iter());
        self.verdict(&headers)
    }
}

const ASKED: &[Asked] = &[
    Asked::of("slack", r#"{"type":"url_verification","challenge":"c-1"}"#, r#"{"challenge":"c-1"}"#),
    Asked::of("zoom", r#"{"event":"endpoint.url_validation","payload":{"plainToken":"p-1"}}"#, ZOOM).secrets(&["s"]),
    Asked::of("monday", r#"{"challenge":"c-1"}"#, r#"{"challenge":"c-1"}"#),
    Asked::of("miro", r#"{"challenge":"c-1"}"#, r#"{"challenge":"c-1"}"#),
    Asked::of(
        "statsig",
        r#"{"data":{"event":"url_verification","verification_code":"c-1"}}"#,
        r#"{"verification_code":"c-1"}"#,
    ),
    Asked::of("smartcar", r#"{"eventType":"VERIFY","data":{"challenge":"c-1"}}"#, SMARTCAR).secrets(&["s"]),
    Asked::of("twitch", r#"{"challenge":"c-1","subscription":{"status":"webhook_callback_verification_pending"}}"#, "")
        .with(&[("twitch-eventsub-message-id", "m-1")])
        .text("c-1"),
    Asked::of("xero", r#"{"events":[],"firstEventSequence":0,"lastEventSequence":0,"entropy":"E"}"#, "").empty(200),
    Asked::of("figma", r#"{"event_type":"PING","passcode":"p"}"#, "").secrets(&["p"]).empty(200),
    Asked::of("terraform", r#"{"notifications":[{"trigger":"verification"}]}"#, "").empty(200),
    Asked::of("viber", r#"{"event":"webhook"}"#, "").empty(200),
    Asked::of("intercom", r#"{"topic":"ping"}"#, "").empty(200),
    Asked::of("buildkite", r#"{"event":"ping"}"#, "").empty(200),
    Asked::of("woocommerce", "webhook_id=7", "")
        .with(&[("content-type", "application/x-www-form-urlencoded")])
        .empty(200),
    Asked::of("asana", "{}", "").with(&[("x-hook-secret", "s-1")]).echoes(&[("x-hook-secret", "s-1")]),
    Asked::of("clio", "{}", "").with(&[("x-hook-secret", "s-1")]).echoes(&[("x-hook-secret", "s-1")]),
    Asked::of("ringcentral", "", "").with(&[("validation-token", "v-1")]).echoes(&[("validation-token", "v-1")]),
    Asked::of("front-app", "{}", "").with(&[("x-front-challenge", "c-1")]).text("c-1"),
    Asked::of("bitbucket-server", r#"{"test":true}"#, "").with(&[("x-event-key", "diagnostics:ping")]).empty(200),
    Asked { url: "https://example.com/in/x?validationToken=a%20b%3C1%3E", ..Asked::of("graph", "", "") }.text("a b<1>"),
    Asked { url: "https://example.com/in/x?validationtoken=t-1", ..Asked::of("sharepoint", "", "") }.text("t-1"),
    Asked { url: "https://example.com/in/x?code=s", ..Asked::of("azure-event-grid", GRID, "") }
        .secrets(&["s"])
        .json(r#"{"validationResponse":"512d38b6"}"#),
    Asked { method: "OPTIONS", url: "https://example.com/in/x?code=s", ..Asked::of("azure-event-grid", "", "") }
        .with(&[("webhook-request-origin", "eventgrid.azure.net")])
        .secrets(&["s"])
        .echoes(&[("webhook-allowed-origin", "eventgrid.azure.net"), ("webhook-allowed-rate", "*")]),
    Asked::get("meta", "https://x.example/?hub.mode=subscribe&hub.challenge=118&hub.verify_token=t")
        .secrets(&["verify:t"])
        .text("118"),
    Asked::get(
        "websub",
        "https://x.example/?hub.mode=subscribe&hub.challenge=118&hub.topic=https%3A%2F%2Ft.example%2F",
    )
    .secrets(&["verify:https://t.example/"])
    .text("118"),
    Asked::get("strava", "https://x.example/?hub.mode=subscribe&hub.challenge=118&hub.verify_token=t")
        .secrets(&["verify:t"])
        .json(r#"{"hub.challenge":"118"}"#),
    Asked::get("x-twitter", "https://x.example/?crc_token=c-1").secrets(&["s"]).json(CRC),
    Asked::get("linkedin", "https://x.example/?challengeCode=c-1").secrets(&["s"]).json(LINKEDIN),
    Asked::get("okta", HOOK).with(&[("x-okta-verification-challenge", "c-1")]).json(r#"{"verification":"c-1"}"#),
    Asked::get("dropbox", "https://x.example/?challenge=c-1").text("c-1"),
    Asked::get("nylas", "https://x.example/?challenge=c-1").text("c-1"),
    Asked::get("fitbit", "https://x.example/?verify=v-1").secrets(&["verify:v-1"]).empty(204),
    Asked::get("oura", "https://x.example/?verification_token=t&challenge=c-1")
        .secrets(&["verify:t"])
        .json(r#"{"challenge":"c-1"}"#),
    Asked::get("mailchimp", "https://example.com/in/x?token=s").secrets(&["s"]).empty(200),
    Asked::head("trello"),
    Asked::head("mandrill"),
    Asked::head("surveymonkey"),
    Asked::head("intercom"),
];

// Computed with Python's hmac: HMAC-SHA256 of "p-1" and "c-1" under "s".
const ZOOM: &str =
    r#"{"encryptedToken":"418ad378ba39abfc3bc5490d801b5b52a0aae88f781b79efaecc65effedaffe2","plainToken":"p-1"}"#;
const SMARTCAR: &str = r#"{"challenge":"7324737e126c058a008cd0142e3d204b4b828b1aca1373e1d6a5e01ee4778213"}"#;
const CRC: &str = r#"{"response_token":"sha256=cyRzfhJsBYoAjNAULj0gS0uCixrKE3Ph1qXgHuR3ghM="}"#;
const LINKEDIN: &str =
    r#"{"challengeCode":"c-1","challengeResponse":"7324737e126c058a008cd0142e3d204b4b828b1aca1373e1d6a5e01ee4778213"}"#;
const GRID: &str = r#"[{"id":"1","eventType":"Microsoft.EventGrid.SubscriptionValidationEvent","data":{"validationCode":"512d38b6"}}]"#;

#[test]
fn each_handshake_is_answered_to_the_letter() {
    for asked in ASKED {
        let (status, headers, body) = asked.wants;
        match asked.answered() {
            Ok(Verdict::Handshake(reply)) => {
                let sent: Vec<_> = reply.headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
                let text = String::from_utf8(reply.body).unwrap();
                assert_eq!((reply.status, &sent[..], text.as_str()), (status, headers, body), "{}", asked.provider);
            }
            other => panic!("{} {} {}: {other:?}", asked.provider, asked.method, asked.url),
        }
    }
}

#[test]
fn both_pings_of_discord_are_answered_each_in_its_way() {
    for (body, status, answer) in [(r#"{"type":1}"#, 200, r#"{"type":1}"#), (r#"{"type":0}"#, 204, "")] {
        let discord = provider("discord");
        let secret = Secret::new(secret_for(discord, "right").unwrap()).unwrap();
        let headers = signed(discord, &secret, &[], body.as_bytes());
        match judge(discord, std::slice::from_ref(&secret), &headers, body.as_bytes()) {
            Ok(Verdict::Handshake(reply)) => assert_eq!((reply.status, &reply.body[..]), (status, answer.as_bytes())),
            other => panic!("{body}: {other:?}"),
        }
        assert!(judge(discord, &[secret], &Headers::new(), body.as_bytes()).is_err());
    }
}

#[test]
fn a_handshake_with_a_wrong_token_signature_or_secret_is_refused() {
    let wrong: &[Asked] = &[
        Asked::get("meta", "https://x.example/?hub.mode=subscribe&hub.challenge=1&hub.verify_token=no")
            .secrets(&["verify:t"]),
        Asked::get("strava", "https://x.example/?hub.mode=subscribe&hub.challenge=1&hub.verify_token=no")
            .secrets(&["verify:t"]),
        Asked::get("websub", "https://x.example/?hub.mode=subscribe&hub.challenge=1&hub.topic=no")
            .secrets(&["verify:t"]),
        Asked::get("fitbit", "https://x.example/?verify=no").secrets(&["verify:t"]),
        Asked::get("oura", "https://x.example/?verification_token=no&challenge=1").secrets(&["verify:t"]),
        Asked::get("mailchimp", "https://example.com/in/x?token=no").secrets(&["t"]),
        Asked::get("okta", HOOK).with(&[("authorization", "no"), ("x-okta-verification-challenge", "c")]),
        Asked::get("x-twitter", "https://x.example/?crc_token=%7B%22a%22%3A1%7D").secrets(&["s"]),
        Asked::of("slack", r#"{"type":"url_verification","challenge":"c"}"#, ""),
        Asked::of("zoom", r#"{"event":"endpoint.url_validation","payload":{"plainToken":"p"}}"#, ""),
        Asked { url: "https://example.com/in/x?code=no", ..Asked::of("azure-event-grid", GRID, "") }.secrets(&["s"]),
    ];
    for asked in wrong {
        let headers: Headers = asked.headers.iter().copied().collect();
        assert!(asked.verdict(&headers).is_err(), "{} {}", asked.provider, asked.url);
    }
}
