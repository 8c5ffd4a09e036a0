//! What is known about one kind of sender.

use std::time::Duration;

use crate::scheme::Scheme;
use crate::{Handshake, Locate, Sample, Secret, SecretError};

/// One kind of sender, as a value: everything hookgate does differently for it is a field here.
///
/// Lists of [`Locate`] mean "the first of these that is there".
#[derive(Debug, Clone, Copy)]
pub struct Provider {
    /// The name used in configuration: `[a-z0-9-]`.
    pub name: &'static str,
    /// The name people use.
    pub title: &'static str,
    /// The provider's own page on its signatures.
    pub docs: &'static str,
    /// How requests are authenticated.
    pub scheme: Scheme,
    /// The methods events come with. Those of handshakes are said by the handshakes: see [`Provider::accepts`].
    pub methods: &'static [&'static str],
    /// How many seconds a signed time may be off, instead of what the scheme says.
    pub tolerance_s: Option<u32>,
    /// Prefixes the provider's header names can have, preferred first, when it sends one of several families
    /// (`x-shopify-…` or `shopify-…`). The family of the signature is the only one read.
    pub families: &'static [&'static str],
    /// The form field that holds the JSON document when the body is a form.
    pub form_payload: Option<&'static str>,
    /// The id that stays the same when the provider sends the event again.
    pub delivery_id: &'static [Locate],
    /// What else must be equal for two requests with one delivery id to be copies of each other.
    pub dedup_scope: &'static [Locate],
    /// The event type: a dotted or slashed string that handlers match on.
    pub event_type: &'static [Locate],
    /// The object the event is about: events with one key are processed in order.
    pub ordering_key: &'static [Locate],
    /// A number that grows with each change of that object.
    pub version: &'static [Locate],
    /// Whether a request carries one event or many.
    pub events: Events,
    /// JSON pointers to values that differ between honest retries of one event (attempt counters); left out of the fingerprint.
    pub volatile: &'static [&'static str],
    /// Requests that ask for an answer instead of carrying an event.
    pub handshake: &'static [Handshake],
    /// What the provider wants to hear when an event was taken.
    pub reply: Acknowledgement,
    /// What it wants to hear when a request was refused: Fitbit and WebSub's hubs ask with a wrong token on purpose and want
    /// 404, Xero takes no answer with a body. Without a body here it is the receiver's.
    pub refusal: Acknowledgement,
    /// How long the provider waits for that answer.
    pub ack_deadline: Duration,
    /// How long after an event the provider may still send it again, by itself or on request.
    pub retry_horizon: Duration,
    /// Whether the provider retries a failed delivery by itself.
    pub resends_automatically: bool,
    /// Whether a repeated delivery has the delivery id of the first.
    pub redelivery_keeps_id: bool,
    /// The largest body the provider sends, in bytes, where it says so.
    pub max_body: Option<usize>,
    /// What the signature protects.
    pub covers: Coverage,
    /// What surprises people about this provider, for `providers show`.
    pub quirks: &'static str,
    /// Realistic events, for the simulator and tests.
    pub samples: &'static [Sample],
}

/// How many events a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Events {
    /// The whole request is one event.
    Whole,
    /// Each element of the array at this JSON pointer (`""` is the document) is an event; pointers are relative to it.
    Each(&'static str),
    /// The same, in bodies of this content type; others are one event.
    EachIn(&'static str, &'static str),
}

/// The answer to an event that was accepted, or to a request that was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The status code.
    pub status: u16,
    /// Content type and body the provider demands; `None`: it ignores the body.
    pub body: Option<(&'static str, &'static str)>,
}

/// What a signature protects: a forger who has seen one request can change everything else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Coverage {
    /// The body.
    pub body: bool,
    /// The delivery id.
    pub id: bool,
    /// The event type.
    pub event_type: bool,
    /// The time of sending, so that old requests can be told.
    pub time: bool,
}

impl Provider {
    /// The start of every provider: no scheme but what follows.
    pub const DEFAULT: Self = Self {
        name: "",
        title: "",
        docs: "",
        scheme: Scheme::Undeclared,
        methods: &["POST"],
        tolerance_s: None,
        families: &[],
        form_payload: None,
        delivery_id: &[],
        dedup_scope: &[],
        event_type: &[],
        ordering_key: &[],
        version: &[],
        events: Events::Whole,
        volatile: &[],
        handshake: &[],
        reply: Acknowledgement { status: 202, body: None },
        refusal: Acknowledgement { status: 401, body: None },
        ack_deadline: Duration::from_secs(10),
        retry_horizon: Duration::from_secs(3 * 86_400),
        resends_automatically: true,
        redelivery_keeps_id: true,
        max_body: None,
        covers: Coverage { body: true, id: true, event_type: true, time: false },
        quirks: "",
        samples: &[],
    };

    /// Whether a secret has the form this provider's secrets have; the error says what to change.
    ///
    /// For where configuration is read: [`crate::verify`] takes any secret and refuses what does not match.
    pub fn check_secret(&self, secret: &Secret) -> Result<(), SecretError> {
        secret.check_ends()?;
        if secret.verify_token().is_some() && self.handshake.iter().any(|handshake| handshake.proof.is_token()) {
            return Ok(());
        }
        self.scheme.check_secret(secret)
    }

    /// Whether the provider chooses the secret and sends it in a handshake: [`crate::Reply::offers`].
    pub fn offers_secrets(&self) -> bool {
        self.handshake.iter().any(|handshake| matches!(handshake.proof, crate::handshake::Proof::Offered(_)))
    }

    /// The sample event of this name (`invoice.paid`), if there is one.
    pub fn sample(&self, event: &str) -> Option<&'static Sample> {
        self.samples.iter().find(|sample| sample.event == event)
    }
}
