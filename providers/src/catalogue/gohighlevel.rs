//! HighLevel. RSA (SHA-256) over the body. The secret is HighLevel's published public key.
//! <https://marketplace.gohighlevel.com/docs/webhook/WebhookIntegrationGuide>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Hash, PublicKey, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "gohighlevel",
    title: "HighLevel",
    docs: "https://marketplace.gohighlevel.com/docs/webhook/WebhookIntegrationGuide",
    scheme: Scheme::Signed(Signed::base64(Header("x-wh-signature")).public_key(PublicKey::Rsa(Hash::Sha256))),
    delivery_id: &[Json("/webhookId")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/contactId"), Json("/id")],
    version: &[Json("/timestamp")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "One public key for everybody: check `locationId` too.",
    samples: &[Sample {
        event: "ContactUpdate",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":"{{now_rfc3339}}","contactId":"{{object}}","type":"ContactUpdate","webhookId":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
