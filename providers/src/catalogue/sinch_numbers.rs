//! Sinch Numbers. HMAC-SHA1 of the body in hex, keyed with the callback secret.
//! <https://developers.sinch.com/docs/numbers/api-reference/numbers/tag/Numbers-Callbacks/>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "sinch-numbers",
    title: "Sinch Numbers",
    docs: "https://developers.sinch.com/docs/numbers/api-reference/numbers/tag/Numbers-Callbacks/",
    scheme: Scheme::Signed(Signed::hex(Header("x-sinch-signature")).hash(Hash::Sha1)),
    delivery_id: &[Json("/eventId")],
    event_type: &[Json("/eventType")],
    ordering_key: &[Json("/resourceId")],
    version: &[Json("/timestamp")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Other Sinch products sign differently.",
    samples: &[Sample {
        event: "PROVISIONING_TO_VOICE_PLATFORM",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":"{{now_rfc3339}}","resourceId":"{{object}}","eventType":"PROVISIONING_TO_VOICE_PLATFORM","eventId":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
