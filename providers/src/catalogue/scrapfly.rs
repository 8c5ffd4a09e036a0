//! Scrapfly. HMAC-SHA256 of the body in upper-case hex; a second header repeats it in lower case and is not looked at.
//! <https://scrapfly.io/docs/scrape-api/webhook>
//!
//! - Scrape results carry the signing secret inside the body: keep stored payloads as safe as the secret.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Encoding, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "scrapfly",
    title: "Scrapfly",
    docs: "https://scrapfly.io/docs/scrape-api/webhook",
    scheme: Scheme::Signed(Signed::hex(Header("x-scrapfly-webhook-signature")).encoding(Encoding::HexUpper)),
    delivery_id: &[Header("x-scrapfly-webhook-id")],
    event_type: &[Json("/event"), Header("x-scrapfly-webhook-resource-type")],
    ordering_key: &[Header("x-scrapfly-webhook-job-id")],
    covers: Coverage { body: true, id: false, event_type: false, time: false },
    quirks: "Id, job and kind are headers that are not signed. The ping sent when a webhook is made is unsigned and is refused.",
    samples: &[
        Sample {
            event: "crawler_finished",
            headers: &[
                ("content-type", "application/json"),
                ("x-scrapfly-webhook-id", "{{id}}"),
                ("x-scrapfly-webhook-job-id", "{{object}}"),
                ("x-scrapfly-webhook-resource-type", "crawler"),
            ],
            body: r#"{"event":"crawler_finished","payload":{"crawler_uuid":"{{object}}","status":"DONE","finished_at":"{{now_rfc3339}}"}}"#,
            object: "c7e2-7Yk2Nn5",
        },
        Sample {
            event: "scrape",
            headers: &[
                ("content-type", "application/json"),
                ("x-scrapfly-webhook-id", "{{id}}"),
                ("x-scrapfly-webhook-job-id", "{{object}}"),
                ("x-scrapfly-webhook-resource-type", "scrape"),
            ],
            body: r#"{"result":{"status":"DONE","status_code":200,"url":"https://example.com/"},"context":{"job":{"uuid":"{{object}}"}}}"#,
            object: "c7e2-7Yk2Nn5",
        },
    ],
    ..Provider::DEFAULT
};
