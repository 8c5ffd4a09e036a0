//! The catalogue as a page of Markdown.

use std::fmt::Write;
use std::time::Duration;

use hookgate_providers::handshake::{Answer, Member, Proof, When};
use hookgate_providers::{Events, Handshake, Locate, Provider, Warning};

const HEAD: &str = "\
# Providers

<!-- Generated: change providers/src/catalogue, then run
     cargo run -p hookgate-providers --example catalogue > docs/PROVIDERS.md -->

What hookgate knows of each kind of sender. `hookgate providers show NAME` prints the same; a sender that is not here and
signs with an HMAC is described in configuration (`hookgate init hmac`). What is second-hand or unverified is marked so.

## How to read it

- **Signature**: how a request is authenticated. **Covers**: what that protects; anything else somebody who has seen one
  request can change.
- **Id, type, key, version**: whether events carry a delivery id, an event type, the object they are about, and something
  that grows with each change of it. The sections say where.
- **Batch**: one request can carry many events; each is deduplicated, ordered and handled by itself.
- **Handshake**: requests that ask for an answer; they are answered and never become events.
- **Answer within**: how long the provider waits. Where it says nothing, 10 seconds are assumed.
- **Resends**: whether a failed delivery is sent again without being asked. **Keeps id**: whether it then has the same id.

## Warnings

A forger here is somebody who has seen one request, in a proxy's log or on a machine it passed, and has no key.

| Warning | What a forger could do |
| --- | --- |
";

/// The whole page.
pub(crate) fn page(providers: &[&Provider]) -> String {
    let mut page = HEAD.to_owned();
    for warning in Warning::ALL {
        line(&mut page, &format!("| `{}` | {warning} |", warning.as_str()));
    }
    line(&mut page, &format!("\n## The {} providers\n", providers.len()));
    line(
        &mut page,
        "| Name | Title | Signature | Covers | Id | Type | Key | Version | Batch | Handshake | Answer within | Resends | Keeps id |",
    );
    line(&mut page, "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for provider in providers {
        line(&mut page, &row(provider));
    }
    line(&mut page, "\n## Each of them");
    for provider in providers {
        page.push('\n');
        section(&mut page, provider);
    }
    page
}

fn row(provider: &Provider) -> String {
    let has = |locators: &[Locate]| if locators.is_empty() { "–" } else { "yes" };
    let cells = [
        format!("[`{0}`](#{0})", provider.name),
        provider.title.to_owned(),
        provider.scheme.to_string(),
        covers(provider),
        has(provider.delivery_id).to_owned(),
        has(provider.event_type).to_owned(),
        has(provider.ordering_key).to_owned(),
        has(provider.version).to_owned(),
        if provider.events == Events::Whole { "–" } else { "yes" }.to_owned(),
        if provider.handshake.is_empty() { "–" } else { "yes" }.to_owned(),
        span(provider.ack_deadline),
        if provider.resends_automatically { "yes" } else { "no" }.to_owned(),
        keeps_id(provider).to_owned(),
    ];
    format!("| {} |", cells.map(|cell| cell.replace('|', "\\|")).join(" | "))
}

fn covers(provider: &Provider) -> String {
    let covers = provider.covers;
    let all = [(covers.body, "body"), (covers.id, "id"), (covers.event_type, "type"), (covers.time, "time")];
    let covered: Vec<_> = all.into_iter().filter_map(|(is, what)| is.then_some(what)).collect();
    match covered.len() {
        0 => "nothing".to_owned(),
        4 => "all".to_owned(),
        _ => covered.join(", "),
    }
}

fn keeps_id(provider: &Provider) -> &'static str {
    match (provider.delivery_id, provider.redelivery_keeps_id) {
        ([], _) => "–",
        (_, true) => "yes",
        (_, false) => "no",
    }
}

fn section(page: &mut String, provider: &Provider) {
    line(page, &format!("### {}\n\n{}. <{}>\n\n{}\n", provider.name, provider.title, provider.docs, provider.quirks));
    let mut fact = |label: &str, text: String| {
        if !text.is_empty() {
            line(page, &format!("- {label}: {text}"));
        }
    };
    fact("Signature", provider.scheme.to_string());
    fact("Delivery id", places(provider.delivery_id));
    fact("Copies are also equal in", places(provider.dedup_scope));
    fact("Event type", places(provider.event_type));
    fact("Ordering key", places(provider.ordering_key));
    fact("Version", places(provider.version));
    if let Events::Each(pointer) | Events::EachIn(_, pointer) = provider.events {
        fact(
            "Events",
            if pointer.is_empty() {
                "the elements of the document".into()
            } else {
                format!("the elements of `{pointer}`")
            },
        );
    }
    fact(
        "Differs between copies",
        provider.volatile.iter().map(|pointer| format!("`{pointer}`")).collect::<Vec<_>>().join(", "),
    );
    for handshake in provider.handshake {
        fact("Handshake", exchange(handshake));
    }
    fact("Answer", answer(provider));
    fact("May send again for", span(provider.retry_horizon));
    fact("Largest body", provider.max_body.map(size).unwrap_or_default());
    let warnings: Vec<_> = provider.warnings().iter().map(|warning| format!("`{}`", warning.as_str())).collect();
    fact("Warnings", if warnings.is_empty() { "none".into() } else { warnings.join(", ") });
    let samples = provider.samples.iter().filter(|sample| !sample.event.is_empty());
    fact("Samples", samples.map(|sample| format!("`{}`", sample.event)).collect::<Vec<_>>().join(", "));
}

fn places(locators: &[Locate]) -> String {
    locators.iter().map(|locate| format!("`{locate}`")).collect::<Vec<_>>().join(", else ")
}

fn answer(provider: &Provider) -> String {
    let body = match provider.reply.body {
        None => String::new(),
        Some((_, "")) => " without a body".to_owned(),
        Some((_, body)) => format!(" with `{body}`"),
    };
    let status = provider.refusal.status;
    let refusal = if status == 401 { String::new() } else { format!("; a refusal is {status}") };
    format!("{}{body}, within {}{refusal}", provider.reply.status, span(provider.ack_deadline))
}

/// A handshake in words: when, what proves it, and the answer.
fn exchange(handshake: &Handshake) -> String {
    let when: Vec<_> = handshake.when.iter().map(sign).collect();
    let proof = match handshake.proof {
        Proof::Signature => "authentic".to_owned(),
        Proof::Token(locate) => format!("with the verify token in `{locate}`"),
        Proof::Nothing => "unsigned".to_owned(),
        Proof::Offered(locate) => format!("offers the secret in `{locate}`, kept only while the operator pairs"),
        _ => "with a proof of its own".to_owned(),
    };
    format!("{}; {proof}; answered with {}", when.join(", "), reply(&handshake.answer))
}

fn sign(when: &When) -> String {
    match when {
        When::Method(method) => (*method).to_owned(),
        When::Is(locate, value) => format!("`{locate}` is `{value}`"),
        When::Present(locate) => format!("with `{locate}`"),
        When::Absent(locate) => format!("without `{locate}`"),
        _ => "a sign of its own".to_owned(),
    }
}

fn reply(answer: &Answer) -> String {
    match answer {
        Answer::Empty => "200".to_owned(),
        Answer::Status(status) => status.to_string(),
        Answer::Json(key, locate) => format!("`{{\"{key}\": …}}`, the value of `{locate}`"),
        Answer::Object(members) => format!("`{{{}}}`", members.iter().map(member).collect::<Vec<_>>().join(", ")),
        Answer::Text(locate) => format!("the value of `{locate}` as plain text"),
        Answer::NamedMac(locate) => format!("the name of the key and the HMAC of `{locate}`"),
        Answer::Hashed(key, locate) => {
            format!("`{{\"{key}\": …}}`, the SHA-256 of `{locate}`, the verify token and the URL")
        }
        Answer::Visit(locate, _) => format!("200, and a visit to `{locate}`"),
        Answer::AllowOrigin => "the grant, for origins that are secrets of the source".to_owned(),
        Answer::Fixed(_, body) => format!("`{body}`"),
        Answer::Header(name) => format!("the same header `{name}`"),
        Answer::Headers(headers) => {
            headers.iter().map(|(name, value)| format!("`{name}: {value}`")).collect::<Vec<_>>().join(", ")
        }
        _ => "what the provider wants".to_owned(),
    }
}

fn member((key, member): &(&str, Member)) -> String {
    match member {
        Member::Echo(locate) => format!("\"{key}\": {locate}"),
        Member::Mac(_, _, locate) => format!("\"{key}\": HMAC of {locate}"),
        _ => format!("\"{key}\": …"),
    }
}

fn span(duration: Duration) -> String {
    let seconds = duration.as_secs();
    match seconds {
        _ if seconds > 0 && seconds.is_multiple_of(86_400) => format!("{} d", seconds / 86_400),
        _ if seconds > 0 && seconds.is_multiple_of(3_600) => format!("{} h", seconds / 3_600),
        _ if seconds >= 120 && seconds.is_multiple_of(60) => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}

fn size(bytes: usize) -> String {
    match bytes {
        _ if bytes.is_multiple_of(1024 * 1024) => format!("{} MiB", bytes / (1024 * 1024)),
        _ => format!("{} KiB", bytes / 1024),
    }
}

fn line(page: &mut String, text: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(page, "{text}");
}
