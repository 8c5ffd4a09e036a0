//! Smartcar. HMAC-SHA256 of the body in hex, keyed with the application management token.
//! <https://smartcar.com/docs/integrations/webhooks/payload-verification>
//!
//! - The `VERIFY` challenge comes unsigned and is answered with its HMAC under the same key: only short plain tokens are
//!   answered, so that nobody can have an event signed.

use std::time::Duration;

use crate::handshake::{Answer, Handshake, Member, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Encoding, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "smartcar",
    title: "Smartcar",
    docs: "https://smartcar.com/docs/integrations/webhooks/payload-verification",
    scheme: Scheme::Signed(Signed::hex(Header("sc-signature"))),
    delivery_id: &[Json("/eventId")],
    event_type: &[Json("/eventType")],
    ordering_key: &[Json("/data/vehicle/id")],
    version: &[Json("/meta/deliveredAt")],
    volatile: &["/meta/deliveredAt", "/meta/deliveryId"],
    handshake: &[Handshake {
        when: &[When::Is(Json("/eventType"), "VERIFY")],
        proof: Proof::Nothing,
        answer: Answer::Object(&[("challenge", Member::Mac("", Encoding::Hex, Json("/data/challenge")))]),
    }],
    ack_deadline: Duration::from_secs(15),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The challenge has to be answered within 15 seconds or the webhook stays inactive.",
    samples: &[Sample {
        event: "VEHICLE_STATE",
        headers: &[("content-type", "application/json")],
        body: r#"{"eventId":"{{id}}","eventType":"VEHICLE_STATE","data":{"user":{"id":"u-118"},"vehicle":{"id":"{{object}}","make":"KESTREL","model":"K1","year":2026},"signals":[{"code":"charge-state","value":81}]},"triggers":[{"type":"SIGNAL_UPDATED"}],"meta":{"version":"4.0","deliveredAt":{{now}}000}}"#,
        object: "36ab27d0",
    }],
    ..Provider::DEFAULT
};
