//! WebSub (YouTube and other feeds). HMAC of the body with the hash function the signature names, of the four the specification registers.
//! <https://www.w3.org/TR/websub/>
//!
//! - The topic is a secret of the source, written `verify:TOPIC`: only subscriptions to it are confirmed.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Query};
use crate::scheme::{Algorithm, Hash, Scheme, Signed};
use crate::{Acknowledgement, Coverage, Provider, Sample};

const HASHES: &[(&str, Hash)] =
    &[("sha256", Hash::Sha256), ("sha1", Hash::Sha1), ("sha384", Hash::Sha384), ("sha512", Hash::Sha512)];

pub(super) const PROVIDER: Provider = Provider {
    name: "websub",
    title: "WebSub (YouTube and other feeds)",
    docs: "https://www.w3.org/TR/websub/",
    scheme: Scheme::Signed(Signed::hex(Header("x-hub-signature")).algorithm(Algorithm::HmacLabelled(HASHES))),
    handshake: &[Handshake {
        when: &[When::Method("GET"), When::Present(Query("hub.challenge"))],
        proof: Proof::Token(Query("hub.topic")),
        answer: Answer::Text(Query("hub.challenge")),
    }],
    refusal: Acknowledgement { status: 404, body: None },
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "The body is XML: nothing is found in it, so copies are told by the whole body only. A challenge for another topic gets 404. Hubs may sign with SHA-1.",
    samples: &[Sample {
        event: "",
        headers: &[("content-type", "application/atom+xml")],
        body: r#"<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom"><entry><id>yt:video:v1</id></entry></feed>"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
