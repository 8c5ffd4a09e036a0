//! `explain`: why a captured request is refused, and what to change.
//!
//! Promise: nothing of a secret, a signature or a body is printed, nor the URL, which may hold a token.

mod captured;
mod reasons;

use std::io::Read as _;
use std::path::PathBuf;

use chrono::{DateTime, SecondsFormat, Utc};
use hookgate_providers::{Request, Secret};
use serde_json::json;

use super::exit::{Exit, Failure};
use super::{Invocation, local_url};
use crate::config::{Config, Mode, Name, Source};
use captured::Captured;
use reasons::{Answer, Asked};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
The request is the text of HTTP/1: the request line, the headers, a blank line, the body. To capture one, point the
sender (or a proxy) at `nc -l 9000 > captured.http`. Ends with 0 when it would be accepted, with 1 when refused.")]
pub(super) struct Args {
    /// The source it was meant for
    #[arg(long, value_name = "NAME")]
    source: Name,
    /// The captured request; `-` is standard input
    #[arg(long, value_name = "FILE")]
    request: PathBuf,
    /// A variable with a secret that was live once; may be given several times
    #[arg(long, value_name = "VARIABLE")]
    old_secret_env: Vec<String>,
    /// When it was received: RFC 3339 or Unix seconds [default: its Date header, else now]
    #[arg(long, value_name = "TIME", value_parser = time)]
    at: Option<DateTime<Utc>>,
}

pub(super) fn run(invocation: &Invocation, args: &Args) -> Result<Exit, Failure> {
    let mut captured = captured(args)?;
    let config = invocation.config(Mode::Dev)?;
    let source = source(&config, &args.source)?;
    let retired =
        args.old_secret_env.iter().map(|variable| old_secret(invocation, variable)).collect::<Result<Vec<_>, _>>()?;
    let received = Received::of(args, &captured);
    let base = public_url(&config, source).unwrap_or_else(|| {
        if source.provider.scheme.signs_url() {
            captured
                .notes
                .push("its signature covers the URL, and neither the source nor the server has a public_url".into());
        }
        local_url(config.server.ingest).as_str().trim_end_matches('/').to_owned()
    });
    let url = format!("{base}{}", captured.target);
    let request = Request { method: &captured.method, url: &url, headers: &captured.headers, body: &captured.body };
    let asked = Asked {
        provider: &source.provider,
        request,
        secrets: &source.keys,
        retired: &retired,
        max_body: source.max_body.unwrap_or(config.server.max_body),
        now: received.at.timestamp(),
    };
    let answer = reasons::answer(&asked);
    tell(invocation, args, source, &captured, &received, &answer);
    Ok(match answer {
        Answer::Refused(..) => Exit::No,
        Answer::Delivery | Answer::Handshake => Exit::Done,
    })
}

fn captured(args: &Args) -> Result<Captured, Failure> {
    let read = || {
        if args.request.as_os_str() != "-" {
            return std::fs::read(&args.request);
        }
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    };
    let bytes = read().map_err(|error| Failure::usage(format!("--request cannot be read: {error}")))?;
    captured::read(&bytes).map_err(|error| {
        Failure::usage(format!("{} is no captured HTTP request: {error}", args.request.display()))
            .advise("`hookgate explain --help` says how one looks and how to capture it")
    })
}

fn source<'c>(config: &'c Config, name: &Name) -> Result<&'c Source, Failure> {
    let names = || config.sources.keys().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    config.sources.get(name).ok_or_else(|| {
        Failure::new(Exit::NotFound, format!("no source is called \"{name}\""))
            .advise(format!("there are: {}", names()))
    })
}

fn old_secret(invocation: &Invocation, variable: &str) -> Result<Secret, Failure> {
    let value = invocation
        .variable(variable)
        .ok_or_else(|| Failure::usage(format!("--old-secret-env names {variable}, which is not set")))?;
    Secret::new(value).map_err(|error| Failure::usage(format!("{variable}: {error}")))
}

/// Where senders reach the source, as the gateway takes the signed URL to begin.
fn public_url(config: &Config, source: &Source) -> Option<String> {
    let url = source.public_url.as_ref().or(config.server.public_url.as_ref())?;
    Some(url.trim_end_matches('/').to_owned())
}

/// When the request was received, and who says so.
struct Received {
    at: DateTime<Utc>,
    by: &'static str,
}

impl Received {
    fn of(args: &Args, captured: &Captured) -> Self {
        let date = captured.headers.single("date").ok().flatten().and_then(|date| std::str::from_utf8(date).ok());
        let date = date.and_then(|date| httpdate::parse_http_date(date).ok()).map(DateTime::<Utc>::from);
        match (args.at, date) {
            (Some(at), _) => Self { at, by: "--at" },
            (None, Some(at)) => Self { at, by: "its Date header" },
            (None, None) => Self { at: Utc::now(), by: "now" },
        }
    }

    fn text(&self) -> String {
        self.at.to_rfc3339_opts(SecondsFormat::Secs, true)
    }
}

fn tell(
    invocation: &Invocation,
    args: &Args,
    source: &Source,
    captured: &Captured,
    received: &Received,
    answer: &Answer,
) {
    let say = |label: &str, text: String| invocation.screen.line(format!("{label:<9} {text}"));
    let provider = &source.provider;
    say("source", format!("{} ({})", source.name, provider.title));
    say(
        "request",
        format!("{}, {} headers, {} bytes", captured.method, captured.headers.iter().count(), captured.body.len()),
    );
    say("received", format!("{} ({})", received.text(), received.by));
    let secrets: Vec<String> = source.secrets.iter().map(|secret| secret.reference().to_string()).collect();
    let numbered = |(n, name): (usize, &String)| format!("{} {name}", n + 1);
    say("secrets", secrets.iter().enumerate().map(numbered).collect::<Vec<_>>().join(", "));
    if !args.old_secret_env.is_empty() {
        say("retired", args.old_secret_env.iter().enumerate().map(numbered).collect::<Vec<_>>().join(", "));
    }
    let disabled = (!source.enabled).then(|| "the source is disabled, so it is answered 404 whatever comes".to_owned());
    let notes: Vec<&String> = captured.notes.iter().chain(&disabled).collect();
    for note in &notes {
        say("mind", (*note).clone());
    }
    let (verdict, reasons) = match answer {
        Answer::Delivery => ("accepted", &[][..]),
        Answer::Handshake => ("handshake", &[][..]),
        Answer::Refused(why, reasons) => (*why, reasons.as_slice()),
    };
    say(
        "verdict",
        match answer {
            Answer::Delivery => "it would be accepted".to_owned(),
            Answer::Handshake => "it is a handshake: it would be answered, and is no event".to_owned(),
            Answer::Refused(why, _) => format!("it would be refused: {why}"),
        },
    );
    if !reasons.is_empty() {
        invocation.screen.line("");
    }
    for (n, reason) in reasons.iter().enumerate() {
        let sure = if reason.is_certain { "certain" } else { "likely" };
        invocation.screen.line(format!("{}. ({sure}) {}", n + 1, reason.sentence));
    }
    invocation.screen.value(&json!({
        "source": source.name,
        "provider": provider.name,
        "method": captured.method,
        "headers": captured.headers.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "body_bytes": captured.body.len(),
        "received_at": received.text(),
        "received_at_from": received.by,
        "secrets": secrets,
        "retired": args.old_secret_env,
        "notes": notes,
        "accepted": !matches!(answer, Answer::Refused(..)),
        "verdict": verdict,
        "reasons": reasons
            .iter()
            .map(|reason| json!({"code": reason.code, "certain": reason.is_certain, "sentence": reason.sentence}))
            .collect::<Vec<_>>(),
    }));
}

/// RFC 3339, or Unix seconds.
fn time(text: &str) -> Result<DateTime<Utc>, String> {
    let seconds = text.parse().ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    let date = || DateTime::parse_from_rfc3339(text).ok().map(|date| date.to_utc());
    seconds.or_else(date).ok_or_else(|| "write 2026-11-30T22:13:20Z, or Unix seconds".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_date_or_unix_seconds() {
        let at = time("1764540800").expect("seconds");
        assert_eq!(time("2025-11-30T22:13:20Z"), Ok(at));
        assert_eq!(time("2025-12-01T00:13:20+02:00"), Ok(at));
        assert!(time("yesterday").is_err() && time("").is_err());
    }
}
