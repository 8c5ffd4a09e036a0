//! `send`: a signed sample event, posted to a source as its provider would.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use hookgate_providers::Secret as Key;
use reqwest::{StatusCode, Url};
use serde_json::{Value, json};
use uuid::Uuid;

use super::exit::{Exit, Failure, told};
use super::sample::{Signed, Wish, signed};
use super::table::Table;
use super::{Invocation, client, local_url, providers};
use crate::config::{Config, Mode, Source};

#[derive(Debug, clap::Args)]
#[command(after_help = "Ends with 0 when every request was accepted; with --tamper, when every one was refused.")]
pub(super) struct Args {
    /// The provider, or "hmac"
    provider: String,
    /// The event; without it the samples are listed
    event: Option<String>,
    /// The source to post to [default: the first of that provider]
    #[arg(long, value_name = "NAME")]
    source: Option<String>,
    /// Where to post [default: the source at server.ingest on this machine]
    #[arg(long, value_name = "URL")]
    to: Option<Url>,
    /// How often
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// Give every request the same delivery id: one delivery and its copies
    #[arg(long)]
    same_id: bool,
    /// The delivery id, instead of a fresh one
    #[arg(long, value_name = "ID", conflicts_with = "same_id")]
    id: Option<String>,
    /// Change one byte after signing: it must be refused
    #[arg(long)]
    tamper: bool,
    /// Send this file as the body
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
}

/// What came back.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) body: String,
    /// `hookgate-delivery-id`: there whatever body the provider demands.
    pub(super) delivery: Option<String>,
    pub(super) took: Duration,
}

impl Answer {
    /// The gateway's word for what became of the request; providers that demand another body hide it.
    pub(super) fn word(&self) -> String {
        let body: Value = serde_json::from_str(&self.body).unwrap_or_default();
        match body.get("status").and_then(Value::as_str) {
            Some(status) => status.to_owned(),
            None if self.status.is_success() => "accepted".to_owned(),
            None => "refused".to_owned(),
        }
    }
}

pub(super) async fn run(invocation: &Invocation, args: &Args) -> Result<Exit, Failure> {
    let Some(event) = &args.event else {
        return list(invocation, &args.provider);
    };
    let config = invocation.config(Mode::Dev)?;
    let source = choose(&config, args)?;
    let key = source.keys.first().ok_or_else(|| Failure::no(format!("source {} has no secret", source.name)))?;
    let to = match &args.to {
        Some(url) => url.clone(),
        None => source_url(local_url(config.server.ingest), source)?,
    };
    let data = args
        .data
        .as_ref()
        .map(std::fs::read)
        .transpose()
        .map_err(|error| Failure::usage(format!("--data cannot be read: {error}")))?;
    let public_url = source.public_url.as_deref().or(config.server.public_url.as_deref());
    let public = match public_url.map(Url::parse) {
        Some(Ok(base)) => source_url(base, source)?,
        _ => to.clone(),
    };
    let plan = Plan { args, event, source, key, data, to, public };
    plan.carry_out(invocation).await
}

struct Plan<'a> {
    args: &'a Args,
    event: &'a str,
    source: &'a Source,
    key: &'a Key,
    data: Option<Vec<u8>>,
    to: Url,
    public: Url,
}

impl Plan<'_> {
    async fn carry_out(&self, invocation: &Invocation) -> Result<Exit, Failure> {
        let http = client::http()?;
        let (mut shown, mut as_told) = (Vec::new(), true);
        let (mut id, mut request) = self.request()?;
        for n in 0..self.args.times {
            // One id means one request, sent again: with another time in its body it would be a conflict.
            if n > 0 && !self.args.same_id && self.args.id.is_none() {
                (id, request) = self.request()?;
            }
            let answer = post(&http, &self.to, request.clone()).await?;
            as_told &= answer.status.is_success() != self.args.tamper;
            let took = answer.took.as_secs_f64() * 1000.0;
            invocation.screen.line(format!("{}  {took:7.1} ms  {id}  {}", answer.status.as_u16(), answer.body.trim()));
            shown.push(json!({"id": id, "delivery": answer.delivery, "status": answer.status.as_u16(), "ms": took, "body": answer.body}));
        }
        invocation.screen.value(&json!({"to": self.to.as_str(), "as_told": as_told, "sent": shown}));
        if !as_told && !invocation.screen.json {
            eprintln!(
                "error: {}",
                if self.args.tamper { "a forged request was accepted" } else { "not every request was accepted" }
            );
        }
        Ok(if as_told { Exit::Done } else { Exit::No })
    }

    fn request(&self) -> Result<(String, Signed), Failure> {
        let id = self.args.id.clone().unwrap_or_else(fresh_id);
        let wish = Wish {
            provider: &self.source.provider,
            event: self.event,
            id: &id,
            data: self.data.as_deref(),
            url: self.public.as_str(),
            now: chrono::Utc::now().timestamp(),
        };
        let request = signed(&wish, self.key)?;
        let request = if self.args.tamper { request.tampered() } else { request };
        Ok((id, request))
    }
}

fn fresh_id() -> String {
    Uuid::now_v7().to_string()
}

/// The same for a configured source, with its key.
fn source_url(base: Url, source: &Source) -> Result<Url, Failure> {
    ingest_url(base, source.ingest_path().trim_start_matches("/in/"))
}

/// The URL of a source below the base of an ingest listener.
pub(super) fn ingest_url(base: Url, source: &str) -> Result<Url, Failure> {
    let path = format!("{}/in/{source}", base.path().trim_end_matches('/'));
    base.join(&path).map_err(|error| Failure::usage(format!("{base} is no base for /in/{source}: {error}")))
}

/// Posts the request as it is and waits for the answer.
pub(super) async fn post(http: &reqwest::Client, to: &Url, request: Signed) -> Result<Answer, Failure> {
    let lost = |error: reqwest::Error| {
        Failure::new(Exit::Unreachable, format!("{to} does not answer: {}", told(&error.without_url())))
            .advise("start the gateway with `hookgate dev`, or say where to post with --to URL")
    };
    let mut post = http.post(to.clone()).body(request.body);
    for (name, value) in request.headers.iter() {
        post = post.header(name, value);
    }
    let begun = Instant::now();
    let response = post.send().await.map_err(lost)?;
    let status = response.status();
    let delivery = response.headers().get("hookgate-delivery-id");
    let delivery = delivery.and_then(|id| id.to_str().ok()).map(str::to_owned);
    let body = response.text().await.map_err(lost)?;
    Ok(Answer { status, body, delivery, took: begun.elapsed() })
}

fn choose<'c>(config: &'c Config, args: &Args) -> Result<&'c Source, Failure> {
    let fits = |source: &&Source| source.provider.name == args.provider;
    let Some(name) = &args.source else {
        if args.provider != "hmac" {
            providers::known(&args.provider)?;
        }
        return config.sources.values().find(fits).ok_or_else(|| {
            Failure::new(Exit::NotFound, format!("no source has the provider {}", args.provider))
                .advise(format!("add one with `hookgate init {}`", args.provider))
        });
    };
    let names = || config.sources.keys().map(|name| name.as_str()).collect::<Vec<_>>().join(", ");
    let source = config.sources.get(name.as_str()).ok_or_else(|| {
        Failure::new(Exit::NotFound, format!("no source is called \"{name}\""))
            .advise(format!("there are: {}", names()))
    })?;
    if fits(&source) {
        Ok(source)
    } else {
        Err(Failure::usage(format!(
            "source {name} has the provider {}, not {}: a sample signed otherwise would be refused",
            source.provider.name, args.provider
        )))
    }
}

fn list(invocation: &Invocation, provider: &str) -> Result<Exit, Failure> {
    if provider == "hmac" {
        invocation.screen.line("hmac has no samples: any event name makes a plain JSON event, or give --data FILE");
        invocation.screen.value(&json!([]));
        return Ok(Exit::Done);
    }
    let provider = providers::known(provider)?;
    let mut table = Table::new(["EVENT", "BYTES", "SEND IT"]);
    for sample in provider.samples {
        let command = format!("hookgate send {} {}", provider.name, sample.event);
        table.row([sample.event.to_owned(), sample.body.len().to_string(), command]);
    }
    invocation.screen.table(&table);
    invocation.screen.value(&provider.samples.iter().map(|sample| sample.event).collect());
    Ok(Exit::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_source_is_found_below_whatever_path_the_listener_is_published_at() {
        let url = |base: &str| ingest_url(base.parse().expect("a URL"), "x").expect("a URL").to_string();
        assert_eq!(url("http://127.0.0.1:8080"), "http://127.0.0.1:8080/in/x");
        assert_eq!(url("https://example.com/hooks/"), "https://example.com/hooks/in/x");
    }

    #[test]
    fn the_answer_is_told_in_one_word_whatever_the_provider_demands() {
        let word = |status: u16, body: &str| {
            let status = StatusCode::from_u16(status).expect("a status");
            Answer { status, body: body.to_owned(), delivery: None, took: Duration::ZERO }.word()
        };
        assert_eq!(word(202, r#"{"id":"x","status":"duplicate"}"#), "duplicate");
        assert_eq!(word(200, ""), "accepted");
        assert_eq!(word(401, "unauthorized"), "refused");
    }
}
