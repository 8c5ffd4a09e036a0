//! Reads vector files and compares what they state with what the crate says, under the strict policy.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hookgate_providers::{Event, Headers, Provider, Reply, Request, Secret, Unsigned, Verdict, find, sign, verify};
use serde::Deserialize;
use serde_json::Value;

/// What came of the runs so far.
#[derive(Default)]
pub(crate) struct Outcome {
    /// How many vectors were run or could have been.
    pub(crate) vectors: usize,
    /// A line for each that differs.
    pub(crate) differing: Vec<String>,
    /// Providers there are none of, with how many vectors each.
    pub(crate) unknown: BTreeMap<String, usize>,
}

#[derive(Deserialize)]
struct Vector {
    id: String,
    provider: String,
    #[serde(default)]
    kind: String,
    secret: Option<String>,
    secrets: Option<Vec<String>>,
    key: Option<Value>,
    method: Option<String>,
    url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    headers_list: Option<Vec<(String, String)>>,
    body: Option<String>,
    body_base64: Option<String>,
    timestamp_now: Option<i64>,
    valid: bool,
    strict_valid: Option<bool>,
    expected_response: Option<Value>,
    expect: Option<Value>,
    meta: Option<Value>,
}

/// A file is an array of vectors or has one on each line.
fn values(text: &str) -> serde_json::Result<Vec<Value>> {
    if text.trim_start().starts_with('[') {
        return serde_json::from_str(text);
    }
    text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str).collect()
}

impl Outcome {
    /// Runs every vector file in a folder.
    pub(crate) fn run(&mut self, folder: &Path) -> Result<(), Box<dyn Error>> {
        let mut files: Vec<_> =
            std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file)?;
            let vectors = values(&text).map_err(|error| format!("{}: {error}", file.display()))?;
            vectors.into_iter().for_each(|vector| self.record(vector));
        }
        Ok(())
    }

    fn record(&mut self, vector: Value) {
        self.vectors += 1;
        let id = vector.get("id").and_then(Value::as_str).unwrap_or("a vector without an id").to_owned();
        let vector: Vector = match serde_json::from_value(vector) {
            Ok(vector) => vector,
            Err(error) => return self.differing.push(format!("{id}: not a vector: {error}")),
        };
        match find(&vector.provider.replace('_', "-")) {
            None => *self.unknown.entry(vector.provider.clone()).or_default() += 1,
            Some(provider) => {
                if let Err(difference) = vector.judge(provider) {
                    self.differing.push(format!("{}: {difference}", vector.id));
                }
            }
        }
    }

    /// Whether everything was known and as stated.
    pub(crate) fn is_clean(&self) -> bool {
        self.differing.is_empty() && self.unknown.is_empty()
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unknown: usize = self.unknown.values().sum();
        write!(f, "{} vectors, {} differ, {unknown} unknown provider", self.vectors, self.differing.len())
    }
}

impl Vector {
    fn judge(&self, provider: &Provider) -> Result<(), String> {
        let expected = self.strict_valid.unwrap_or(self.valid);
        let body = self.body().map_err(|error| format!("unreadable body: {error}"))?;
        let mut headers = self.headers();
        let now = self.timestamp_now.unwrap_or(1_700_000_000);
        let (method, url) =
            (self.method.as_deref().unwrap_or("POST"), self.url.as_deref().unwrap_or("https://example.com/hook"));
        let mut secrets = self.secrets();
        if secrets.is_empty() && self.kind == "handshake" {
            // Signed handshakes are listed without a secret: what they pin is the answer, so they get a signature here.
            let secret = Secret::new("aW52ZW50ZWQtZm9yLXRoaXMtcnVu").map_err(|error| error.to_string())?;
            let unsigned = Unsigned { method, url, headers: &headers, body: &body, id: "vector", now };
            if let Ok(signature) = sign(provider, &unsigned, &secret) {
                headers.extend(signature.iter());
            }
            secrets.push(secret);
        }
        let verdict = verify(provider, &Request { method, url, headers: &headers, body: &body }, &secrets, now);
        match (expected, verdict) {
            (false, Err(_)) => Ok(()),
            (true, Err(reject)) => Err(format!("expected accepted, got refused ({reject})")),
            (false, Ok(_)) => Err("expected refused, got accepted".into()),
            (true, Ok(Verdict::Handshake(reply))) => self.compare_reply(&reply),
            (true, Ok(Verdict::Delivery(_))) if self.kind == "handshake" => {
                Err("expected a handshake's answer, got a delivery".into())
            }
            (true, Ok(Verdict::Delivery(verified))) => self.compare_event(&verified.events()[0]),
        }
    }

    fn body(&self) -> Result<Vec<u8>, base64::DecodeError> {
        match &self.body_base64 {
            Some(body) => BASE64_STANDARD.decode(body),
            None => Ok(self.body.clone().unwrap_or_default().into_bytes()),
        }
    }

    fn headers(&self) -> Headers {
        match &self.headers_list {
            Some(list) => list.iter().map(|(name, value)| (name, value.as_str())).collect(),
            None => self.headers.iter().map(|(name, value)| (name, value.as_str())).collect(),
        }
    }

    fn secrets(&self) -> Vec<Secret> {
        let key = self.key.as_ref().and_then(|key| key.as_str().or_else(|| key.get("public_key")?.as_str()));
        let texts = self.secrets.iter().flatten().map(String::as_str).chain(self.secret.as_deref()).chain(key);
        texts.filter_map(|text| Secret::new(text).ok()).collect()
    }

    fn compare_reply(&self, reply: &Reply) -> Result<(), String> {
        let Some(expected) = self.expected_response.as_ref().or(self.expect.as_ref()) else {
            return Ok(());
        };
        differs(
            "status",
            expected.get("status").and_then(Value::as_u64).is_none_or(|status| status == u64::from(reply.status)),
        )?;
        let content_type =
            reply.headers.iter().find(|(name, _)| *name == "content-type").map(|(_, value)| value.as_str());
        let expected_type = expected.get("content_type").and_then(Value::as_str);
        differs("content type", expected_type.is_none() || expected_type == content_type)?;
        let Some(body) = expected.get("body") else {
            return Ok(());
        };
        let text = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
        let as_json =
            || Some(serde_json::from_slice::<Value>(&reply.body).ok()? == serde_json::from_str::<Value>(&text).ok()?);
        differs("body", text.as_bytes() == reply.body || as_json() == Some(true))
    }

    fn compare_event(&self, event: &Event) -> Result<(), String> {
        let expected = |field: &str| self.meta.as_ref().and_then(|meta| meta.get(field)).and_then(Value::as_str);
        let is =
            |field: &str, found: &Option<String>| expected(field).is_none_or(|text| found.as_deref() == Some(text));
        differs("delivery id", is("delivery_id", &event.delivery_id))?;
        differs("event type", is("event_type", &event.event_type))?;
        differs("object", is("object", &event.ordering_key))?;
        differs("version", expected("version").is_none_or(|text| event.version == number(text)))
    }
}

fn differs(what: &str, same: bool) -> Result<(), String> {
    if same { Ok(()) } else { Err(format!("accepted as stated, but the {what} differs")) }
}

/// A version as the crate should have read it.
fn number(text: &str) -> Option<i64> {
    let date = || chrono::DateTime::parse_from_rfc3339(text).ok().map(|time| time.timestamp_micros());
    text.parse().ok().or_else(date)
}
