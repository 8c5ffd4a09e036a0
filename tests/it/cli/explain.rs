//! `explain`: a captured request, judged with the configuration at hand.

use std::io::Write;
use std::process::{Output, Stdio};

use hookgate_providers::{Headers, Secret, Unsigned, find, sign};
use serde_json::Value;
use tempfile::TempDir;

use super::{code, err, folder, hookgate, json, out};

const LIVE: &str = "whsec_live_9fK2";
const OLD: &str = "whsec_old_7Qp1";
const NOW: i64 = 1_764_540_800;
const PUBLIC_URL: &str = "https://hooks.example.com";

/// A folder with a source for each provider here, all with the secret [`LIVE`].
fn configured() -> TempDir {
    let folder = folder();
    let source = |name: &str| format!("[source.{name}]\nprovider = \"{name}\"\nsecrets = [{{ env = \"LIVE\" }}]\n");
    let toml = ["stripe", "github", "twilio", "dropbox"].map(source).concat();
    let toml = format!("[server]\npublic_url = \"{PUBLIC_URL}\"\n{toml}");
    std::fs::write(folder.path().join("hookgate.toml"), toml).expect("written");
    folder
}

/// What a provider sends, as headers and body.
fn signed(provider: &str, secret: &str, url: &str, body: &str) -> Headers {
    let content_type = if provider == "twilio" { "application/x-www-form-urlencoded" } else { "application/json" };
    let mut headers: Headers = [("content-type", content_type)].into_iter().collect();
    if provider == "github" {
        headers.push("x-github-event", "push");
    }
    let unsigned = Unsigned { method: "POST", url, headers: &headers, body: body.as_bytes(), id: "0198-1", now: NOW };
    let added = sign(find(provider).unwrap(), &unsigned, &Secret::new(secret).unwrap()).unwrap();
    headers.extend(added.iter());
    headers
}

fn http(target: &str, headers: &Headers, body: &str) -> Vec<u8> {
    let mut text = format!("POST {target} HTTP/1.1\r\nHost: hooks.example.com\r\n").into_bytes();
    for (name, value) in headers.iter() {
        text.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    text.extend(format!("Content-Length: {}\r\n\r\n{body}", body.len()).bytes());
    text
}

fn explained(folder: &TempDir, line: &str, request: &[u8]) -> Output {
    std::fs::write(folder.path().join("captured.http"), request).expect("written");
    let line = format!("explain --request captured.http {line}");
    let mut command = hookgate(folder.path());
    command.args(line.split_whitespace()).env("LIVE", LIVE).env("OLD", OLD);
    command.output().expect("the binary runs")
}

fn codes(answer: &Value) -> Vec<&str> {
    answer["reasons"].as_array().expect("a list").iter().map(|reason| reason["code"].as_str().expect("text")).collect()
}

const BODY: &str = r#"{"id": "evt_1", "type": "invoice.paid", "data": {"object": {"id": "in_1"}}}"#;

#[test]
fn each_kind_of_mistake_is_named_and_nothing_secret_is_printed() {
    let folder = configured();
    let stripe = |secret| signed("stripe", secret, "", BODY);
    let without =
        |headers: Headers, name: &str| -> Headers { headers.iter().filter(|(known, _)| *known != name).collect() };
    let reserialised = BODY.replace(": ", ":").replace(", ", ",");
    let form = "MessageSid=SM1&MessageStatus=delivered";
    let table: Vec<(&str, &str, Headers, &str, &str)> = vec![
        ("as sent", "--source stripe", stripe(LIVE), BODY, ""),
        ("an older secret", "--source stripe --old-secret-env OLD", stripe(OLD), BODY, "retired_secret"),
        ("another secret", "--source stripe", stripe("whsec_of_another_endpoint"), BODY, "wrong_secret"),
        ("printed again", "--source stripe", stripe(LIVE), &reserialised, "body_changed"),
        ("another provider", "--source stripe", signed("github", LIVE, "", BODY), BODY, "another_provider"),
        ("unsigned", "--source stripe", without(stripe(LIVE), "stripe-signature"), BODY, "missing"),
        (
            "behind a proxy",
            "--source twilio",
            signed("twilio", LIVE, "http://hooks.example.com/in/twilio", form),
            form,
            "url_changed",
        ),
    ];
    for (what, line, headers, body, reason) in table {
        let source = line.split_whitespace().nth(1).unwrap();
        let request = http(&format!("/in/{source}"), &headers, body);
        let at = format!("{line} --at {NOW}");
        let answer = explained(&folder, &format!("{at} --json"), &request);
        let told = json(&answer);
        if what == "as sent" {
            assert_eq!((code(&answer), &told["accepted"]), (0, &true.into()), "{told}");
        } else {
            assert_eq!((code(&answer), &told["accepted"]), (1, &false.into()), "{what}: {told}");
            assert!(codes(&told).first().is_some_and(|first| *first == reason), "{what}: {told}");
        }
        let text = explained(&folder, &at, &request);
        assert_eq!(code(&text), code(&answer), "{what}");
        for shown in [out(&answer), out(&text), err(&answer), err(&text)] {
            let signature = headers.iter().filter(|(name, _)| name.contains("signature"));
            for secret in signature.map(|(_, value)| String::from_utf8_lossy(value)).chain([LIVE.into(), OLD.into()]) {
                let mac = secret.rsplit(['=', ',']).next().unwrap_or_default();
                assert!(mac.len() < 8 || !shown.contains(mac), "{what}: {shown}");
            }
            assert!(!shown.contains("in_1"), "{what}: a part of the body: {shown}");
        }
    }
}

#[test]
fn the_time_is_that_of_receipt_whoever_says_it() {
    let folder = configured();
    let headers = signed("stripe", LIVE, "", BODY);
    let request = http("/in/stripe", &headers, BODY);
    let late = json(&explained(&folder, "--source stripe --json", &request));
    assert_eq!((codes(&late), &late["received_at_from"]), (vec!["clock"], &"now".into()), "{late}");
    let three_days = NOW + 3 * 86_400;
    let late = json(&explained(&folder, &format!("--source stripe --json --at {three_days}"), &request));
    assert!(late["reasons"][0]["sentence"].as_str().is_some_and(|text| text.contains("3 days")), "{late}");
    let mut dated = headers;
    dated.push("date", "Sun, 30 Nov 2025 22:13:25 GMT");
    let fresh = json(&explained(&folder, "--source stripe --json", &http("/in/stripe", &dated, BODY)));
    assert_eq!((&fresh["accepted"], &fresh["received_at"]), (&true.into(), &"2025-11-30T22:13:25Z".into()), "{fresh}");
}

#[test]
fn line_ends_chunks_and_standard_input_make_no_difference() {
    let folder = configured();
    let headers = signed("github", LIVE, "", BODY);
    let line_feeds = String::from_utf8(http("/in/github", &headers, BODY)).unwrap().replace("\r\n", "\n");
    let answer = explained(&folder, "--source github --json", line_feeds.as_bytes());
    assert_eq!(code(&answer), 0, "{}{}", out(&answer), err(&answer));

    let head = String::from_utf8(http("/in/github", &headers, "")).unwrap();
    let head = head.replace("Content-Length: 0", "Transfer-Encoding: chunked");
    let chunked = format!("{head}{:x}\r\n{}\r\n{:x}\r\n{}\r\n0\r\n\r\n", 10, &BODY[..10], BODY.len() - 10, &BODY[10..]);
    let mut command = hookgate(folder.path());
    command.args(["explain", "--source", "github", "--request", "-"]).env("LIVE", LIVE);
    let mut running = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("runs");
    running.stdin.take().expect("piped").write_all(chunked.as_bytes()).expect("written");
    let answer = running.wait_with_output().expect("ended");
    assert_eq!(code(&answer), 0, "{}", out(&answer));
    assert!(out(&answer).contains("it would be accepted"));
}

#[test]
fn a_handshake_is_told_from_an_event() {
    let folder = configured();
    let answer =
        explained(&folder, "--source dropbox --json", b"GET /in/dropbox?challenge=abc HTTP/1.1\r\nhost: a\r\n\r\n");
    assert_eq!((code(&answer), &json(&answer)["verdict"]), (0, &"handshake".into()));
}

#[test]
fn what_is_no_request_or_no_source_is_said_with_its_own_exit_code() {
    let folder = configured();
    let curl = explained(&folder, "--source stripe", b"curl -X POST https://example.com\n");
    assert_eq!(code(&curl), 2);
    assert!(err(&curl).contains("curl command") && err(&curl).contains("explain --help"), "{}", err(&curl));
    let unknown = explained(&folder, "--source strpie", b"POST / HTTP/1.1\n\n");
    assert_eq!(code(&unknown), 5);
    assert!(err(&unknown).contains("stripe"), "{}", err(&unknown));
    let unset = explained(&folder, "--source stripe --old-secret-env NOT_SET", b"POST / HTTP/1.1\n\n");
    assert_eq!((code(&unset), err(&unset).contains("NOT_SET")), (2, true));
}
