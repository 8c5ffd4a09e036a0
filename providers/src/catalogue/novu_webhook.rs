//! Novu (webhook providers). HMAC-SHA256 of the body in hex.
//! <https://docs.novu.co/platform/integrations/push/push-webhook>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "novu-webhook",
    title: "Novu (webhook providers)",
    docs: "https://docs.novu.co/platform/integrations/push/push-webhook",
    scheme: Scheme::Signed(Signed::hex(Header("x-novu-signature"))),
    event_type: &[Json("/payload/type")],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Signs what Novu sends to your own e-mail or push service.",
    samples: &[Sample {
        event: "push",
        headers: &[("content-type", "application/json")],
        body: r#"{"payload":{"type":"push"}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
