//! Reads vector files and compares what they state with what the crate says, under the strict policy.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::path::Path;

use hookgate_providers::{
    Event, Keys, Provider, Reject, Reply, Request, Secret, Unsigned, Verdict, find, sign, verify, verify_with_keys,
};
use serde_json::Value;

use crate::secrets::secret_for;
use crate::vector::{Vector, provider_name};

/// Where this crate means to differ from what a vector states, and why.
const DEVIATIONS: &[(&str, &str)] = &[
    ("bitbucket-cloud/-/valid", "that X-Request-UUID survives a retry is not documented: no delivery id"),
    ("bitbucket-server/-/valid", "X-Request-Id is new for each request: no delivery id"),
    ("sentry/-/valid", "Request-ID is new for each attempt: no delivery id"),
    ("lemonsqueezy/-/valid", "that meta.webhook_id names a delivery is not documented: no delivery id"),
    ("box/keys_crossed", "any signature may match under any live secret, as everywhere"),
    (
        "adyen/standard/colon-ambiguity-original",
        "a colon in Adyen's own reference, which has none, would make the signed text ambiguous",
    ),
    (
        "vonage_jwt/vonage_jwt_sdk/published_sdk_signature_only",
        "a token without the hash of the body protects nothing but itself",
    ),
    ("contentful/-/timestamp-at-tolerance", "the tolerance is inclusive, as everywhere"),
    ("contentful/-/secret-wrong-length", "what length a secret has is not looked at when a request is judged"),
    ("braintree/-/valid", "the payload is XML in base64, which is not looked into"),
    ("mailgun/mailgun_form/form_duplicate_last_wins", "a repeated field that authenticates is refused; JSON has none"),
    ("quicknode/gzip_body_signed_uncompressed", "bodies are judged as received: switch compression off"),
    (
        "plaid/-/valid",
        "iat is when this try was sent, not when the item changed: as a version, a late retry would pass for the newest",
    ),
    ("grafana/timestamp/sdk-test-input-clock-zero", "headers under other names are the provider `hmac`"),
];

/// What came of the runs so far.
#[derive(Default)]
pub(crate) struct Outcome {
    /// How many vectors were run or could have been.
    pub(crate) vectors: usize,
    /// How many differ as [`DEVIATIONS`] says.
    pub(crate) deviating: usize,
    /// A line for each that differs.
    pub(crate) differing: Vec<String>,
    /// Providers there are none of, with how many vectors each.
    pub(crate) unknown: BTreeMap<String, usize>,
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
        match find(&provider_name(&vector.provider)) {
            None => *self.unknown.entry(vector.provider.clone()).or_default() += 1,
            Some(provider) => {
                let known = DEVIATIONS.iter().find(|(id, _)| *id == vector.id);
                match (vector.judge(provider), known) {
                    (Err(difference), None) => self.differing.push(format!("{}: {difference}", vector.id)),
                    (Ok(()), Some(_)) => self.differing.push(format!("{}: no longer deviates", vector.id)),
                    (Err(_), Some(_)) => self.deviating += 1,
                    (Ok(()), None) => {}
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
        let method = self.method.as_deref().unwrap_or("POST");
        let mut url = self.url.as_deref().unwrap_or("https://example.com/hook").to_owned();
        let mut secrets = self.secrets();
        let as_it_is = Request { method, url: &url, headers: &headers, body: &body };
        if secrets.is_empty()
            && self.kind == "handshake"
            && !matches!(verify(provider, &as_it_is, &[], now), Ok(Verdict::Handshake(_)))
            && let Some(text) = secret_for(provider, "vector")
            && let Ok(secret) = Secret::new(text.as_str())
        {
            // Signed handshakes are listed without a secret: what they pin is the answer, so they get a signature here.
            let with_token = format!("{url}{}token={text}", if url.contains('?') { '&' } else { '?' });
            for candidate in [url.clone(), with_token] {
                let unsigned = Unsigned { method, url: &candidate, headers: &headers, body: &body, id: "vector", now };
                if let Ok(signature) = sign(provider, &unsigned, &secret) {
                    headers.extend(signature.iter());
                    url = candidate;
                    break;
                }
            }
            secrets.push(secret);
        }
        let skew = self.config.get("skew").and_then(Value::as_u64).and_then(|seconds| seconds.try_into().ok());
        let tolerance_s = self
            .tolerance_s
            .or_else(|| self.config.get("tolerance")?.as_u64()?.try_into().ok())
            .filter(|seconds| *seconds > 0)
            .or(skew);
        let provider = &Provider { tolerance_s, ..*provider };
        let request = Request { method, url: &url, headers: &headers, body: &body };
        let verdict = self.fetching(provider, &request, &secrets, now);
        if let Some(key) = self.given_key() {
            let secrets = [&secrets[..], &[key]].concat();
            let given = verify(provider, &request, &secrets, now);
            if given.is_ok() != matches!(verdict, Ok(Verdict::Delivery(_) | Verdict::Handshake(_))) {
                return Err(format!("with its key fetched {verdict:?}, with it given {given:?}"));
            }
        }
        match (expected, verdict) {
            (false, Err(_) | Ok(Verdict::NeedKey(_))) => Ok(()),
            (true, Err(reject)) => Err(format!("expected accepted, got refused ({reject})")),
            // A handshake that must not be answered as one may still be an event.
            (false, Ok(Verdict::Delivery(_))) if self.kind == "handshake" => Ok(()),
            (false, Ok(_)) => Err("expected refused, got accepted".into()),
            (true, Ok(Verdict::Handshake(reply))) => self.compare_reply(&reply),
            // What every event has to be answered with is listed as a handshake.
            (true, Ok(Verdict::Delivery(_))) if self.kind == "handshake" => match provider.reply.body {
                None => Err("expected a handshake's answer, got a delivery".into()),
                Some((content_type, body)) => self.compare_answer(
                    provider.reply.status,
                    &[("content-type", content_type.to_owned())],
                    body.as_bytes(),
                ),
            },
            (true, Ok(Verdict::Delivery(verified))) => self.compare_events(verified.events()),
            (true, Ok(Verdict::NeedKey(request))) => Err(format!("expected accepted, got {request:?}")),
        }
    }

    /// The verdict, with every key fetched that it asks for.
    fn fetching(
        &self,
        provider: &Provider,
        request: &Request<'_>,
        secrets: &[Secret],
        now: i64,
    ) -> Result<Verdict, Reject> {
        let mut keys = Keys::new();
        for _ in 0..4 {
            match verify_with_keys(provider, request, secrets, &keys, now)? {
                Verdict::NeedKey(needed) => match self.answer(&needed) {
                    Some(answer) => keys.insert(&needed, answer),
                    None => return Ok(Verdict::NeedKey(needed)),
                },
                verdict => return Ok(verdict),
            }
        }
        verify_with_keys(provider, request, secrets, &keys, now)
    }

    fn compare_reply(&self, reply: &Reply) -> Result<(), String> {
        self.compare_answer(reply.status, &reply.headers, &reply.body)
    }

    fn compare_answer(&self, status: u16, headers: &[(&str, String)], answer: &[u8]) -> Result<(), String> {
        let Some(expected) = self.expected_response.as_ref().or(self.expect.as_ref()) else {
            return Ok(());
        };
        let expected_status = expected.get("status").and_then(Value::as_u64);
        differs("status", expected_status.is_none_or(|expected| expected == u64::from(status)))?;
        let header = |name: &str| {
            headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
        };
        let expected_type = expected.get("content_type").and_then(Value::as_str);
        differs("content type", expected_type.is_none() || expected_type == header("content-type"))?;
        for (name, value) in expected.get("headers").and_then(Value::as_object).into_iter().flatten() {
            differs(name, header(name) == value.as_str())?;
        }
        if let Some(part) = expected.get("body_contains").and_then(Value::as_str) {
            differs("body", String::from_utf8_lossy(answer).contains(part))?;
        }
        let Some(body) = expected.get("body") else {
            return Ok(());
        };
        let text = body.as_str().map_or_else(|| body.to_string(), str::to_owned);
        let as_json =
            || Some(serde_json::from_slice::<Value>(answer).ok()? == serde_json::from_str::<Value>(&text).ok()?);
        differs("body", text.as_bytes() == answer || as_json() == Some(true))
    }

    /// Of a batch only the ids of its elements are stated.
    fn compare_events(&self, events: &[Event]) -> Result<(), String> {
        let items = self.meta.as_ref().and_then(|meta| meta.get("items")).and_then(Value::as_array);
        match (items, events) {
            (Some(items), _) => {
                let same = |(item, event): (&Value, &Event)| {
                    let id = item.get("id").and_then(Value::as_str);
                    id.is_none() || id == event.delivery_id.as_deref()
                };
                differs("elements", items.len() == events.len() && items.iter().zip(events).all(same))
            }
            (None, [event, ..]) => self.compare_event(event),
            (None, []) => Ok(()),
        }
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
