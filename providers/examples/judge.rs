//! Signs and verifies for a program in another language: one JSON command a line on standard input, one JSON answer a
//! line on standard output. `tests/interop/` compares these answers with those of the providers' own packages.
//!
//! ```json
//! {"op":"sign","provider":"stripe","secrets":["whsec_x"],"method":"POST","url":"https://example.com/","headers":[],"body":"e30=","id":"evt_1","now":1764500000}
//! {"op":"verify","provider":"stripe","secrets":["whsec_x"],"method":"POST","url":"https://example.com/","headers":[["stripe-signature","…"]],"body":"e30=","now":1764500000}
//! ```
//!
//! The body is in base64, `now` in Unix seconds, `sign` uses the first secret. The answer is one of
//! `{"headers":[["name","value"]]}`, `{"verdict":"delivery","secret":0,"ids":["evt_1"]}`, `{"verdict":"handshake"}`,
//! `{"verdict":"refused","reason":"signature_mismatch"}`, `{"verdict":"needs_key"}` and `{"error":"a sentence"}`. No answer
//! repeats a secret.

use std::error::Error;
use std::io::{BufRead, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hookgate_providers::{Headers, Provider, Request, Secret, Unsigned, Verdict, find, sign, verify};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Command {
    op: Operation,
    provider: String,
    secrets: Vec<String>,
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    body: String,
    #[serde(default)]
    id: String,
    now: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Operation {
    Sign,
    Verify,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut answers = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = answer(&line?).unwrap_or_else(|error| json!({ "error": error.to_string() }));
        writeln!(answers, "{answer}")?;
        answers.flush()?;
    }
    Ok(())
}

fn answer(line: &str) -> Result<Value, Box<dyn Error>> {
    // serde_json's own message may quote the line, which holds the secret.
    let command: Command = serde_json::from_str(line)
        .map_err(|error| format!("this is no command: {:?} error in column {}", error.classify(), error.column()))?;
    let provider = find(&command.provider).ok_or_else(|| format!("there is no provider {:?}", command.provider))?;
    let secrets = command.secrets.iter().map(|secret| Secret::new(secret.as_str())).collect::<Result<Vec<_>, _>>()?;
    let body = STANDARD.decode(&command.body).map_err(|_| "the body is not base64")?;
    let headers: Headers = command.headers.iter().map(|(name, value)| (name, value.as_str())).collect();
    match command.op {
        Operation::Sign => signed(provider, &command, &headers, &body, &secrets),
        Operation::Verify => {
            let request = Request { method: &command.method, url: &command.url, headers: &headers, body: &body };
            Ok(verdict(provider, &request, &secrets, command.now))
        }
    }
}

fn signed(
    provider: &Provider,
    command: &Command,
    headers: &Headers,
    body: &[u8],
    secrets: &[Secret],
) -> Result<Value, Box<dyn Error>> {
    let secret = secrets.first().ok_or("there is no secret to sign with")?;
    let unsigned =
        Unsigned { method: &command.method, url: &command.url, headers, body, id: &command.id, now: command.now };
    let added = sign(provider, &unsigned, secret)?;
    let added: Vec<_> = added.iter().map(|(name, value)| (name, String::from_utf8_lossy(value))).collect();
    Ok(json!({ "headers": added }))
}

fn verdict(provider: &Provider, request: &Request<'_>, secrets: &[Secret], now: i64) -> Value {
    match verify(provider, request, secrets, now) {
        Ok(Verdict::Delivery(verified)) => {
            let ids: Vec<_> = verified.events().iter().map(|event| &event.delivery_id).collect();
            json!({ "verdict": "delivery", "secret": verified.secret_index(), "ids": ids })
        }
        Ok(Verdict::Handshake(_)) => json!({ "verdict": "handshake" }),
        Ok(Verdict::NeedKey(_)) => json!({ "verdict": "needs_key" }),
        Err(reject) => json!({ "verdict": "refused", "reason": reject.as_str() }),
    }
}
