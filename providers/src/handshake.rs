//! Requests that ask for an answer instead of carrying an event. They never become deliveries.

use serde_json::{Map, Value};
use subtle::ConstantTimeEq;

use crate::pinned::Hosts;
use crate::scheme::{Encoding, Hash, KeyForm};
use crate::view::{Values, View};
use crate::{Headers, Locate, Provider, Reject, Secret};

/// A kind of handshake: how to recognise it and what to answer.
#[derive(Debug, Clone, Copy)]
pub struct Handshake {
    /// All of these hold.
    pub when: &'static [When],
    /// Whether the request must be authentic first.
    pub proof: Proof,
    /// The answer.
    pub answer: Answer,
}

/// A sign of a handshake.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum When {
    /// The request has this method.
    Method(&'static str),
    /// The value is there and is this.
    Is(Locate, &'static str),
    /// The value is there.
    Present(Locate),
    /// The value is not there.
    Absent(Locate),
}

/// What a handshake needs before it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Proof {
    /// A valid signature.
    Signature,
    /// The token the operator chose when subscribing, at this place: one of the source's secrets, written
    /// `verify:TOKEN`. It travels in URLs, so it is never used as a key.
    Token(Locate),
    /// Nothing: the provider sends it unsigned, and the answer gives nothing away.
    Nothing,
    /// Nothing yet: it offers the secret at this place, with which the provider will sign what follows. Anybody can send
    /// such a request, so [`Reply::offers`] is kept, and the request answered, only while the operator waits for it.
    Offered(Locate),
}

impl Proof {
    pub(crate) fn is_token(self) -> bool {
        matches!(self, Self::Token(_))
    }
}

/// The answer to a handshake. Always status 200 unless it says otherwise.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Answer {
    /// No body.
    Empty,
    /// This status without a body.
    Status(u16),
    /// `{"key": value}` as JSON, the value from the request.
    Json(&'static str, Locate),
    /// A JSON object of several members.
    Object(&'static [(&'static str, Member)]),
    /// The value as plain text.
    Text(Locate),
    /// `NAME|` and the HMAC-SHA1, in hex, of a value that is 20 to 32 lower-case hex digits, under the newest secret read
    /// as [`KeyForm::NamedSha1`]: what Braintree asks for.
    NamedMac(Locate),
    /// This content type and body.
    Fixed(&'static str, &'static str),
    /// The request's header of this name, as the answer's.
    Header(&'static str),
    /// These headers.
    Headers(&'static [(&'static str, &'static str)]),
    /// `{"key": hash}`: the SHA-256, in hex, of the value, the source's `verify:TOKEN` and the URL without its query, as
    /// eBay asks for. Only of short plain values.
    Hashed(&'static str, Locate),
    /// No body, and this URL to be visited, if it is on one of these hosts.
    Visit(Locate, Hosts),
    /// The grant of the CloudEvents webhook specification, if the origin that asks is one of the source's secrets, written
    /// `verify:ORIGIN` or `verify:ORIGIN RATE` (requests a minute), `*` for any.
    /// <https://github.com/cloudevents/spec/blob/main/cloudevents/http-webhook.md#4-abuse-protection>
    AllowOrigin,
}

/// A member of an answer.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Member {
    /// The value from the request.
    Echo(Locate),
    /// The HMAC-SHA256 of the value from the request, in this encoding and with this text before it, keyed with the
    /// newest secret. Only of short plain tokens: whoever asks must not get a signature that fits an event.
    Mac(&'static str, Encoding, Locate),
}

/// What to answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// Headers, lower-case names.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// A URL that has to be fetched (GET, `https`, a host the provider's module pins) for the handshake to take effect: how
    /// SNS subscriptions are confirmed.
    pub visit: Option<String>,
    /// The secret that the sender offers in this handshake, to verify what follows. Anybody can offer one: keep it only
    /// while the operator waits for it, and else refuse the handshake.
    pub offers: Option<Secret>,
}

impl Reply {
    const fn new(status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8>) -> Self {
        Self { status, headers, body, visit: None, offers: None }
    }
}

/// When in the course of verification a handshake is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    Unsigned,
    Signed,
}

/// The answer, if the request is a handshake of this stage.
pub(crate) fn answer(
    provider: &Provider,
    view: &View<'_>,
    secrets: &[Secret],
    stage: Stage,
) -> Result<Option<Reply>, Reject> {
    let due = |handshake: &&Handshake| (handshake.proof == Proof::Signature) == (stage == Stage::Signed);
    let mut handshakes = provider.handshake.iter().filter(due).peekable();
    if handshakes.peek().is_none() {
        return Ok(None);
    }
    let wanted: Vec<Locate> = handshakes.clone().flat_map(locators).collect();
    let values = Values::read(view, None, &[&wanted]);
    for handshake in handshakes {
        if holds(handshake, view, &values)? {
            if let Proof::Token(locate) = handshake.proof {
                check_token(values.text(&locate)?, secrets)?;
            }
            let offers = match handshake.proof {
                Proof::Offered(locate) => Some(offered(values.text(&locate)?)?),
                _ => None,
            };
            let reply = reply(handshake.answer, view, &values, secrets)?;
            return Ok(Some(Reply { offers, ..reply }));
        }
    }
    Ok(None)
}

fn check_token(token: Option<String>, secrets: &[Secret]) -> Result<(), Reject> {
    let token = token.ok_or(Reject::HandshakeIncomplete)?;
    let mut known = secrets.iter().filter_map(Secret::verify_token);
    let is_known = known.any(|known| bool::from(known.ct_eq(token.as_bytes())));
    if is_known { Ok(()) } else { Err(Reject::HandshakeRefused) }
}

/// A secret short enough to be one, and without what no provider's secret holds.
fn offered(secret: Option<String>) -> Result<Secret, Reject> {
    let secret = secret.ok_or(Reject::HandshakeIncomplete)?;
    let plain = secret.len() <= 512 && secret.bytes().all(|byte| byte.is_ascii_graphic());
    let secret = Secret::new(secret).ok().filter(|secret| plain && secret.verify_token().is_none());
    secret.ok_or(Reject::HandshakeRefused)
}

fn locators(handshake: &Handshake) -> Vec<Locate> {
    let when = handshake.when.iter().filter_map(|when| match *when {
        When::Is(locate, _) | When::Present(locate) | When::Absent(locate) => Some(locate),
        When::Method(_) => None,
    });
    let answer = match handshake.answer {
        Answer::Json(_, locate)
        | Answer::Text(locate)
        | Answer::NamedMac(locate)
        | Answer::Hashed(_, locate)
        | Answer::Visit(locate, _) => vec![locate],
        Answer::Object(members) => {
            members.iter().map(|(_, Member::Echo(locate) | Member::Mac(_, _, locate))| *locate).collect()
        }
        Answer::Empty | Answer::Status(_) | Answer::Fixed(..) => Vec::new(),
        Answer::Header(_) | Answer::Headers(_) | Answer::AllowOrigin => Vec::new(),
    };
    let token = match handshake.proof {
        Proof::Token(locate) | Proof::Offered(locate) => Some(locate),
        Proof::Signature | Proof::Nothing => None,
    };
    when.chain(answer).chain(token).collect()
}

fn holds(handshake: &Handshake, view: &View<'_>, values: &Values<'_>) -> Result<bool, Reject> {
    for when in handshake.when {
        let holds = match *when {
            When::Method(method) => view.request.method == method,
            When::Is(ref locate, expected) => values.text(locate)?.as_deref() == Some(expected),
            When::Present(ref locate) => values.text(locate)?.is_some(),
            When::Absent(ref locate) => values.text(locate)?.is_none(),
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

fn reply(answer: Answer, view: &View<'_>, values: &Values<'_>, secrets: &[Secret]) -> Result<Reply, Reject> {
    let value = |locate: Locate| values.text(&locate)?.ok_or(Reject::HandshakeIncomplete);
    // The echoed text is the sender's: nosniff keeps a browser from taking it for a page.
    let typed = |content_type: &str, body: Vec<u8>| {
        let headers = vec![("content-type", content_type.to_owned()), ("x-content-type-options", "nosniff".to_owned())];
        Reply::new(200, headers, body)
    };
    let object = |members: Map<String, Value>| typed("application/json", Value::Object(members).to_string().into());
    Ok(match answer {
        Answer::Empty => Reply::new(200, Vec::new(), Vec::new()),
        Answer::Status(status) => Reply::new(status, Vec::new(), Vec::new()),
        Answer::Json(key, locate) => object([(key.to_owned(), value(locate)?.into())].into_iter().collect()),
        Answer::Object(members) => {
            let member = |(key, member): &(&str, Member)| {
                let text = match *member {
                    Member::Echo(locate) => value(locate)?,
                    Member::Mac(prefix, encoding, locate) => mac(prefix, encoding, &value(locate)?, secrets)?,
                };
                Ok(((*key).to_owned(), Value::from(text)))
            };
            object(members.iter().map(member).collect::<Result<_, Reject>>()?)
        }
        Answer::Text(locate) => typed("text/plain", value(locate)?.into_bytes()),
        Answer::NamedMac(locate) => typed("text/plain", named_mac(&value(locate)?, secrets)?.into_bytes()),
        Answer::Fixed(content_type, body) => typed(content_type, body.into()),
        Answer::Headers(headers) => {
            let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
            Reply::new(200, headers, Vec::new())
        }
        Answer::Hashed(key, locate) => {
            object([(key.to_owned(), hashed(&value(locate)?, view.request.url, secrets)?.into())].into_iter().collect())
        }
        Answer::Visit(locate, hosts) => {
            let url = value(locate)?;
            hosts.target(&url).ok_or(Reject::HandshakeRefused)?;
            Reply { visit: Some(url), ..Reply::new(200, Vec::new(), Vec::new()) }
        }
        Answer::AllowOrigin => Reply::new(200, grant(view.request.headers, secrets)?, Vec::new()),
        Answer::Header(name) => {
            let value = view.request.headers.single(name)?.and_then(|value| std::str::from_utf8(value).ok());
            let value = value.ok_or(Reject::HandshakeIncomplete)?.to_owned();
            Reply::new(200, vec![(name, value)], Vec::new())
        }
    })
}

fn hashed(challenge: &str, url: &str, secrets: &[Secret]) -> Result<String, Reject> {
    if challenge.len() > 128 || !challenge.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Reject::HandshakeRefused);
    }
    let token = secrets.iter().find_map(Secret::verify_token).ok_or(Reject::NoSecret)?;
    let endpoint = url.split(['?', '#']).next().unwrap_or_default();
    let parts = [challenge.as_bytes().into(), token.into(), endpoint.as_bytes().into()];
    Ok(Encoding::Hex.encode(&Hash::Sha256.digest(&parts)))
}

/// Without the origin on the list there is no header, which is how the specification says no.
fn grant(headers: &Headers, secrets: &[Secret]) -> Result<Vec<(&'static str, String)>, Reject> {
    let header = |name: &str| Ok::<_, Reject>(headers.single(name)?.and_then(|value| std::str::from_utf8(value).ok()));
    let origin = header("webhook-request-origin")?.ok_or(Reject::HandshakeIncomplete)?;
    if origin.len() > 255 || !origin.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Reject::HandshakeRefused);
    }
    let allowed = secrets.iter().filter_map(|secret| std::str::from_utf8(secret.verify_token()?).ok());
    let mut allowed = allowed.map(|text| text.split_once(' ').map_or((text, None), |(name, rate)| (name, Some(rate))));
    let (_, rate) =
        allowed.find(|(name, _)| *name == "*" || name.eq_ignore_ascii_case(origin)).ok_or(Reject::HandshakeRefused)?;
    let mut grant = vec![("allow", "POST".to_owned()), ("webhook-allowed-origin", origin.to_owned())];
    if rate.is_some() || header("webhook-request-rate")?.is_some() {
        grant.push(("webhook-allowed-rate", rate.unwrap_or("*").trim().to_owned()));
    }
    Ok(grant)
}

fn mac(prefix: &str, encoding: Encoding, token: &str, secrets: &[Secret]) -> Result<String, Reject> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if token.len() > 128 || !token.bytes().all(plain) {
        return Err(Reject::HandshakeRefused);
    }
    let secret = secrets.iter().find(|secret| secret.verify_token().is_none()).ok_or(Reject::NoSecret)?;
    Ok(format!("{prefix}{}", encoding.encode(&Hash::Sha256.hmac(secret.bytes(), &[token.as_bytes().into()]))))
}

fn named_mac(challenge: &str, secrets: &[Secret]) -> Result<String, Reject> {
    let hex = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'a'..=b'f');
    if !(20..=32).contains(&challenge.len()) || !challenge.bytes().all(hex) {
        return Err(Reject::HandshakeRefused);
    }
    let secret = secrets.first().ok_or(Reject::NoSecret)?;
    let key = KeyForm::NamedSha1.of(secret).map_err(|_| Reject::SecretUnusable)?;
    let mac = Hash::Sha1.hmac(&key.bytes, &[challenge.as_bytes().into()]);
    Ok(format!("{}|{}", key.name.unwrap_or_default(), Encoding::Hex.encode(&mac)))
}
