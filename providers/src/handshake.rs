//! Requests that ask for an answer instead of carrying an event. They never become deliveries.

use crate::view::{Values, View};
use crate::{Locate, Provider, Reject};

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
}

/// What a handshake needs before it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// A valid signature.
    Signature,
    /// Nothing: the provider sends it unsigned, and the answer gives nothing away.
    Nothing,
}

/// The answer to a handshake. Always status 200 unless it says otherwise.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Answer {
    /// No body.
    Empty,
    /// `{"key": value}` as JSON, the value from the request.
    Json(&'static str, Locate),
    /// The value as plain text.
    Text(Locate),
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
}

/// The answer, if the request is a handshake that needs (exactly) this proof.
pub(crate) fn answer(provider: &Provider, view: &View<'_>, proof: Proof) -> Result<Option<Reply>, Reject> {
    let mut handshakes = provider.handshake.iter().filter(|handshake| handshake.proof == proof).peekable();
    if handshakes.peek().is_none() {
        return Ok(None);
    }
    let wanted: Vec<Locate> = handshakes.clone().flat_map(locators).collect();
    let values = Values::read(view, None, &[&wanted]);
    for handshake in handshakes {
        if holds(handshake, view, &values)? {
            return reply(handshake.answer, &values).map(Some);
        }
    }
    Ok(None)
}

fn locators(handshake: &Handshake) -> Vec<Locate> {
    let when = handshake.when.iter().filter_map(|when| match *when {
        When::Is(locate, _) | When::Present(locate) => Some(locate),
        When::Method(_) => None,
    });
    let answer = match handshake.answer {
        Answer::Empty => None,
        Answer::Json(_, locate) | Answer::Text(locate) => Some(locate),
    };
    when.chain(answer).collect()
}

fn holds(handshake: &Handshake, view: &View<'_>, values: &Values<'_>) -> Result<bool, Reject> {
    for when in handshake.when {
        let holds = match *when {
            When::Method(method) => view.request.method == method,
            When::Is(ref locate, expected) => values.text(locate)?.as_deref() == Some(expected),
            When::Present(ref locate) => values.text(locate)?.is_some(),
        };
        if !holds {
            return Ok(false);
        }
    }
    Ok(true)
}

fn reply(answer: Answer, values: &Values<'_>) -> Result<Reply, Reject> {
    let value = |locate: Locate| values.text(&locate)?.ok_or(Reject::HandshakeIncomplete);
    // The echoed text is the sender's: nosniff keeps a browser from taking it for a page.
    let typed = |content_type: &str| {
        vec![("content-type", content_type.to_owned()), ("x-content-type-options", "nosniff".to_owned())]
    };
    Ok(match answer {
        Answer::Empty => Reply { status: 200, headers: Vec::new(), body: Vec::new() },
        Answer::Json(key, locate) => {
            let body = serde_json::Value::Object([(key.to_owned(), value(locate)?.into())].into_iter().collect());
            Reply { status: 200, headers: typed("application/json"), body: body.to_string().into_bytes() }
        }
        Answer::Text(locate) => Reply { status: 200, headers: typed("text/plain"), body: value(locate)?.into_bytes() },
    })
}
