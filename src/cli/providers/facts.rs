//! What is known of a provider, in words and as JSON.

use hookgate_providers::handshake::{Answer, Handshake, Member, Proof, When};
use hookgate_providers::{Acknowledgement, Events, Locate, Provider};
use serde_json::{Value, json};

use crate::config::{show_duration, show_size};

/// What a person reads, in this order; no label is longer than [`LONGEST_LABEL`].
pub(super) fn facts(provider: &Provider) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("docs", provider.docs.to_owned()),
        ("signature", provider.scheme.to_string()),
        ("protects", protects(provider)),
        ("delivery id", places(provider.delivery_id)),
        ("event type", places(provider.event_type)),
        ("ordering key", places(provider.ordering_key)),
        ("version", places(provider.version)),
        (
            "events",
            match provider.events {
                Events::Whole => "one a request".to_owned(),
                Events::Each("") => "each element of the array that is the body".to_owned(),
                Events::Each(pointer) => format!("each element of json:{pointer}"),
                Events::EachIn(kind, "") => format!("each element of the array that is a {kind} body"),
                Events::EachIn(kind, pointer) => format!("each element of json:{pointer} in a {kind} body"),
            },
        ),
        ("methods", provider.accepts().collect::<Vec<_>>().join(", ")),
        ("answer", format!("{} within {}", reply(&provider.reply), show_duration(provider.ack_deadline))),
        ("may resend for", resends(provider)),
    ];
    if let Some(bytes) = provider.max_body {
        facts.push(("largest body", show_size(bytes)));
    }
    if !provider.volatile.is_empty() {
        facts
            .push(("volatile", provider.volatile.iter().map(|at| format!("json:{at}")).collect::<Vec<_>>().join(", ")));
    }
    facts.extend(provider.handshake.iter().map(|handshake| ("handshake", self::handshake(handshake))));
    facts.push(("samples", provider.samples.iter().map(|sample| sample.event).collect::<Vec<_>>().join(", ")));
    if !provider.quirks.is_empty() {
        facts.push(("mind", provider.quirks.to_owned()));
    }
    facts.extend(provider.warnings().iter().map(|warning| ("warning", format!("{}: {warning}", warning.as_str()))));
    facts
}

fn protects(provider: &Provider) -> String {
    let covers = provider.covers;
    let parts = [
        (covers.body, "body"),
        (covers.id, "delivery id"),
        (covers.event_type, "event type"),
        (covers.time, "time"),
        (provider.scheme.signs_url(), "URL"),
    ];
    let protected: Vec<&str> = parts.into_iter().filter_map(|(holds, what)| holds.then_some(what)).collect();
    if protected.is_empty() { "nothing".to_owned() } else { protected.join(", ") }
}

fn resends(provider: &Provider) -> String {
    let by = if provider.resends_automatically { "" } else { ", only when asked" };
    let id = if provider.redelivery_keeps_id { "" } else { ", under another delivery id" };
    format!("{}{by}{id}", show_duration(provider.retry_horizon))
}

/// The answer a provider wants.
fn reply(reply: &Acknowledgement) -> String {
    match reply.body {
        None => format!("{}", reply.status),
        Some((_, "")) => format!("{} without a body", reply.status),
        Some((content_type, body)) => format!("{} with {body} ({content_type})", reply.status),
    }
}

/// When a provider shakes hands, what proves it, and what it is answered.
fn handshake(handshake: &Handshake) -> String {
    let when: Vec<String> = handshake
        .when
        .iter()
        .map(|when| match when {
            When::Method(method) => (*method).to_owned(),
            When::Is(place, value) => format!("{place} is {value}"),
            When::Present(place) => format!("{place} is there"),
            When::Absent(place) => format!("{place} is not there"),
            other => format!("{other:?}"),
        })
        .collect();
    let proof = match handshake.proof {
        Proof::Signature => "signed".to_owned(),
        Proof::Token(place) => format!("{place} is the token of a secret verify:TOKEN"),
        Proof::Nothing => "unsigned".to_owned(),
        Proof::Offered(place) => format!("offers its secret in {place}, taken only while you pair"),
        other => format!("{other:?}"),
    };
    format!("{}; {proof} → {}", when.join(", "), answer(&handshake.answer))
}

fn answer(answer: &Answer) -> String {
    match answer {
        Answer::Empty => "200".to_owned(),
        Answer::Status(status) => status.to_string(),
        Answer::Json(key, place) => format!("200 {{\"{key}\": {place}}}"),
        Answer::Object(members) => {
            let member = |(key, member): &(&str, Member)| match member {
                Member::Echo(place) => format!("\"{key}\": {place}"),
                Member::Mac(_, _, place) => format!("\"{key}\": HMAC of {place}"),
                other => format!("\"{key}\": {other:?}"),
            };
            format!("200 {{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        Answer::Text(place) => format!("200 {place}"),
        Answer::NamedMac(place) => format!("200 HMAC of {place}"),
        Answer::Fixed(_, body) => format!("200 {body}"),
        Answer::Hashed(key, place) => format!("200 {{\"{key}\": hash of {place}, verify:TOKEN and the URL}}"),
        Answer::Visit(place, _) => format!("200, and the URL in {place} is visited"),
        Answer::AllowOrigin => "200 with the origins and rates of secrets verify:ORIGIN RATE".to_owned(),
        Answer::Header(name) => format!("200 with header:{name}"),
        Answer::Headers(headers) => {
            format!(
                "200 with {}",
                headers.iter().map(|(name, _)| format!("header:{name}")).collect::<Vec<_>>().join(", ")
            )
        }
        other => format!("{other:?}"),
    }
}

fn places(locators: &[Locate]) -> String {
    let places: Vec<String> = locators.iter().map(Locate::to_string).collect();
    match places.len() {
        0..=3 => places.join(", else "),
        more => format!("{}, else {} more (see --json)", places[..3].join(", else "), more - 3),
    }
}

/// What a program reads.
pub(super) fn value(provider: &Provider) -> Value {
    let all = |locators: &[Locate]| -> Vec<String> { locators.iter().map(Locate::to_string).collect() };
    let warnings = provider.warnings();
    json!({
        "name": provider.name,
        "title": provider.title,
        "docs": provider.docs,
        "signature": provider.scheme.to_string(),
        "signs_url": provider.scheme.signs_url(),
        "protects": {
            "body": provider.covers.body,
            "delivery_id": provider.covers.id,
            "event_type": provider.covers.event_type,
            "time": provider.covers.time,
        },
        "warnings": warnings
            .iter()
            .map(|warning| json!({"name": warning.as_str(), "consequence": warning.to_string()}))
            .collect::<Vec<_>>(),
        "delivery_id": all(provider.delivery_id),
        "event_type": all(provider.event_type),
        "ordering_key": all(provider.ordering_key),
        "version": all(provider.version),
        "events": match provider.events {
            Events::Whole => Value::Null,
            Events::Each(pointer) | Events::EachIn(_, pointer) => pointer.into(),
        },
        "volatile": provider.volatile,
        "methods": provider.accepts().collect::<Vec<_>>(),
        "handshakes": provider.handshake.iter().map(handshake).collect::<Vec<_>>(),
        "reply": {
            "status": provider.reply.status,
            "content_type": provider.reply.body.map(|(content_type, _)| content_type),
            "body": provider.reply.body.map(|(_, body)| body),
        },
        "resends_automatically": provider.resends_automatically,
        "redelivery_keeps_id": provider.redelivery_keeps_id,
        "retry_horizon_seconds": provider.retry_horizon.as_secs(),
        "ack_deadline_seconds": provider.ack_deadline.as_secs(),
        "max_body": provider.max_body,
        "samples": provider.samples.iter().map(|sample| sample.event).collect::<Vec<_>>(),
        "quirks": provider.quirks,
    })
}

/// How wide the column of labels is.
pub(super) const LONGEST_LABEL: usize = 14;

#[cfg(test)]
mod tests {
    use hookgate_providers::{ALL, find};

    use super::*;

    #[test]
    fn every_provider_shows_its_facts() {
        for provider in ALL {
            for (label, text) in facts(provider) {
                assert!(label.len() <= LONGEST_LABEL, "{}: {label} is cut", provider.name);
                // A list of code is no sentence: a new kind of handshake wants words here.
                assert!(!text.contains("Json(") && !text.contains("Header("), "{}: {text}", provider.name);
            }
            assert_eq!(value(provider)["name"], provider.name);
        }
    }

    #[test]
    fn what_a_forger_could_do_is_told() {
        let shown = facts(find("mailgun").expect("built in"));
        let warned =
            shown.iter().any(|(label, text)| *label == "warning" && text.starts_with("body_not_signed: Whoever"));
        assert!(warned, "{shown:?}");
        assert_eq!(value(find("hubspot").expect("built in"))["events"], "");
    }

    #[test]
    fn handshakes_are_told_in_words() {
        let of = |name: &str| handshake(&find(name).expect("built in").handshake[0]);
        assert_eq!(
            of("meta"),
            "GET, query:hub.mode is subscribe; query:hub.verify_token is the token of a secret verify:TOKEN → 200 \
             query:hub.challenge"
        );
        assert_eq!(of("trello"), "HEAD; unsigned → 200");
    }
}
