//! Notion. HMAC-SHA256 of the body in hex behind `sha256=`.
//! <https://developers.notion.com/reference/webhooks>
//!
//! - The key is the verification token that Notion sends when a subscription is made.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Encoding, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "notion",
    title: "Notion",
    docs: "https://developers.notion.com/reference/webhooks",
    scheme: Scheme::Signed(Signed::hex(Header("x-notion-signature")).prefix("sha256=").encoding(Encoding::HexAnyCase)),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/entity/id")],
    version: &[Json("/timestamp")],
    volatile: &["/attempt_number"],
    handshake: &[Handshake {
        when: &[When::Method("POST"), When::Present(Json("/verification_token")), When::Absent(Json("/type"))],
        proof: Proof::Offered(Json("/verification_token")),
        answer: Answer::Empty,
    }],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "Up to 8 attempts; `attempt_number` counts them. Order events by `timestamp`.",
    samples: &[
        Sample {
            event: "page.content_updated",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/notion_page_content_updated.json"),
            object: "153104cd-477e-809d",
        },
        Sample {
            event: "page.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/notion_page_created.json"),
            object: "153104cd-477e-809d",
        },
        Sample {
            event: "comment.created",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/notion_comment_created.json"),
            object: "153104cd-477e-809d",
        },
    ],
    ..Provider::DEFAULT
};
