//! Discord. Ed25519 over time and body, for interactions and webhook events. The secret is the application's public key.
//! <https://docs.discord.com/developers/events/webhook-events>
//!
//! - Two pings: `{"type":1}` of the interactions endpoint wants `{"type":1}` back, `{"type":0}` of webhook events
//!   wants 204.
//! - Discord sends wrongly signed requests on purpose and removes an endpoint that does not refuse them.
//! - Discord names no tolerance; the time is signed, so five minutes are allowed.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Encoding, Part, PublicKey, Scheme, Signed, Timestamp};
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "discord",
    title: "Discord",
    docs: "https://docs.discord.com/developers/events/webhook-events",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-signature-ed25519"))
            .encoding(Encoding::HexAnyCase)
            .public_key(PublicKey::Ed25519)
            .signs(&[Part::Timestamp, Part::Body])
            .timestamp(Timestamp::seconds(Header("x-signature-timestamp"))),
    ),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/event/type"), Json("/type")],
    ordering_key: &[Join("/", &[Json("/guild_id"), Json("/channel_id")]), Json("/event/data/user/id")],
    version: &[Json("/event/timestamp")],
    handshake: &[
        Handshake {
            when: &[When::Is(Json("/type"), "1"), When::Absent(Json("/event/type"))],
            proof: Proof::Signature,
            answer: Answer::Fixed("application/json", "{\"type\":1}"),
        },
        Handshake {
            when: &[When::Is(Json("/type"), "0"), When::Absent(Json("/event/type"))],
            proof: Proof::Signature,
            answer: Answer::Status(204),
        },
    ],
    reply: Acknowledgement { status: 204, body: Some(("text/plain", "")) },
    ack_deadline: Duration::from_secs(3),
    retry_horizon: Duration::from_secs(600),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Interactions want their answer within 3 seconds and in the response: a queue cannot give it. Webhook events carry no id and are retried for 10 minutes. Wrongly signed requests come on purpose and must get 401.",
    samples: &[
        Sample {
            event: "APPLICATION_AUTHORIZED",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/discord_application_authorized.json"),
            object: "1099000000000000118",
        },
        Sample {
            event: "2",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/discord_interaction_command.json"),
            object: "1099000000000000200",
        },
    ],
    ..Provider::DEFAULT
};
