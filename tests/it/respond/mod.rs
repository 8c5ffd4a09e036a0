//! `respond`: the handler's answer goes to the sender, recorded first and in time, or the usual one does.

mod copies;
mod elsewhere;
mod forwards;
mod in_time;
mod providers;

use hookgate::{Named, on};

use crate::support::gateway::{Answer, STRIPE_SECRET, Signed};

/// What the sender is told when no handler answers in time.
const FALLBACK: (u16, &str) = (200, "later");

/// A source of Stripe's signatures called `asks`, whose sender waits so long.
fn source(within: &str) -> String {
    let (status, body) = FALLBACK;
    format!(
        "[source.asks]\nprovider = 'stripe'\nsecrets = [{{ literal = '{STRIPE_SECRET}' }}]\n\
         respond_within = '{within}'\nreply = {{ status = {status}, body = '{body}' }}\n"
    )
}

/// Longer than any test waits: who is told the fallback was told for another reason than the deadline.
const LONG: &str = "19s";

/// A handler that answers what comes to `asks`.
fn responder(name: &str) -> Named {
    on("asks", &["*"]).name(name).respond()
}

fn request(id: &str) -> Signed {
    Signed::stripe_event(id, "a.b", "in_1").to("asks")
}

fn told(answer: &Answer) -> (u16, &str) {
    (answer.status, &answer.text)
}
