//! Clio Manage. HMAC-SHA256 of the body in hex. The secret comes in the handshake, as `X-Hook-Secret`.
//! <https://docs.developers.clio.com/guides/clio-manage/webhooks/>
//!
//! - The handshake is answered with the secret it carries, which is the source's from then on.

use crate::handshake::{Answer, Handshake, Proof, When};
use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "clio",
    title: "Clio Manage",
    docs: "https://docs.developers.clio.com/guides/clio-manage/webhooks/",
    scheme: Scheme::Signed(Signed::hex(Header("x-hook-signature"))),
    event_type: &[Json("/meta/event")],
    ordering_key: &[Json("/data/id")],
    version: &[Json("/data/updated_at")],
    handshake: &[Handshake {
        when: &[When::Method("POST"), When::Present(Header("x-hook-secret")), When::Absent(Header("x-hook-signature"))],
        proof: Proof::Offered(Header("x-hook-secret")),
        answer: Answer::Header("x-hook-secret"),
    }],
    covers: Coverage { body: true, id: false, event_type: true, time: false },
    quirks: "Events have no id. A webhook ends by itself unless it is renewed. Clio Platform webhooks are another scheme and are not of this kind.",
    samples: &[
        Sample {
            event: "updated",
            headers: &[("content-type", "application/json")],
            body: r#"{"data":{"id":{{object}},"etag":"\"9f1c\"","number":1,"display_number":"00118-Kestrel","updated_at":"{{now_rfc3339}}"},"meta":{"event":"updated","webhook_id":4411}}"#,
            object: "50118027",
        },
        Sample {
            event: "created",
            headers: &[("content-type", "application/json")],
            body: r#"{"data":{"id":{{object}},"etag":"\"77aa\"","updated_at":"{{now_rfc3339}}"},"meta":{"event":"created","webhook_id":4411}}"#,
            object: "50118027",
        },
    ],
    ..Provider::DEFAULT
};
