//! Exact Online. HMAC-SHA256 of the text of `Content`, exactly as sent, in upper-case hex under `HashCode` beside it.
//! <https://support.exactonline.com/community/s/knowledge-base#All-All-DNO-Content-webhooksc>
//!
//! - Second-hand: what is signed was read from independent implementations. Confirm with a real event.
//! - Nothing of the body is signed but `Content`, which holds all there is; anything beside it is not signed.

use crate::locate::Locate::{Join, Json};
use crate::scheme::{Encoding, Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "exact-online",
    title: "Exact Online",
    docs: "https://support.exactonline.com/community/s/knowledge-base#All-All-DNO-Content-webhooksc",
    scheme: Scheme::Signed(
        Signed::hex(Json("/HashCode")).encoding(Encoding::HexUpper).signs(&[Part::RawJson("/Content")]),
    ),
    event_type: &[Join(".", &[Json("/Content/Topic"), Json("/Content/Action")])],
    ordering_key: &[Join("/", &[Json("/Content/Division"), Json("/Content/Key")])],
    covers: Coverage { body: false, id: false, event_type: true, time: false },
    quirks: "Only `Content` is signed, the rest of the body is not signed. It is thin: fetch the record by its key. Events have no id.",
    samples: &[Sample {
        event: "Accounts.Update",
        headers: &[("content-type", "application/json")],
        body: r#"{"Content":{"Topic":"Accounts","ClientId":"0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d","Division":123456,"Action":"Update","Key":"{{object}}","ExactOnlineEndpoint":"https://start.exactonline.nl/api/v1/123456/crm/Accounts(guid'{{object}}')","EventCreatedOn":"{{now_rfc3339}}"},"HashCode":""}"#,
        object: "d4d4c8b6-1a2b-4c3d",
    }],
    ..Provider::DEFAULT
};
