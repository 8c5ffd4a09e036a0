//! Framer Forms. HMAC-SHA256 of the body and then the submission id.
//! <https://www.framer.com/help/articles/webhooks-for-forms/>
//!
//! - Second-hand: read from independent implementations.

use crate::locate::Locate::Header;
use crate::scheme::{Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "framer",
    title: "Framer Forms",
    docs: "https://www.framer.com/help/articles/webhooks-for-forms/",
    scheme: Scheme::Signed(
        Signed::hex(Header("framer-signature"))
            .prefix("sha256=")
            .signs(&[Part::Body, Part::Header("framer-webhook-submission-id")]),
    ),
    delivery_id: &[Header("framer-webhook-submission-id")],
    covers: Coverage { body: true, id: true, event_type: false, time: false },
    quirks: "The body is the form's fields and nothing else. Follows no redirects.",
    samples: &[Sample {
        event: "",
        headers: &[("content-type", "application/json")],
        body: r#"{"email":"ada@example.com"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
