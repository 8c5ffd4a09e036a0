//! Salesforce Marketing Cloud ENS. HMAC-SHA256 of the body in base64.
//! <https://developer.salesforce.com/docs/marketing/marketing-cloud/guide/ens-notification-signing.html>
//!
//! - How the key is decoded is not stated; it is used as text, as the vectors do. Confirm with a real event.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Signed};
use crate::{Coverage, Events, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "salesforce-mc-ens",
    title: "Salesforce Marketing Cloud ENS",
    docs: "https://developer.salesforce.com/docs/marketing/marketing-cloud/guide/ens-notification-signing.html",
    scheme: Scheme::Signed(Signed::base64(Header("x-sfmc-ens-signature"))),
    delivery_id: &[Json("/compositeId")],
    event_type: &[Json("/eventCategoryType")],
    ordering_key: &[Json("/definitionKey")],
    version: &[Json("/timestampUTC")],
    events: Events::Each(""),
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The signature key is shown once. Many events a request.",
    samples: &[Sample {
        event: "TransactionalSendEvents.EmailSent",
        headers: &[("content-type", "application/json")],
        body: r#"[{"timestampUTC":{{now}}000,"definitionKey":"{{object}}","eventCategoryType":"TransactionalSendEvents.EmailSent","compositeId":"{{id}}"}]"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
