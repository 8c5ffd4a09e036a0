//! Recurly. HMAC-SHA256 of time and body; the header is the time and then one signature a live secret.
//! <https://docs.recurly.com/recurly-subscriptions/docs/webhooks>
//!
//! - The older XML webhooks are unsigned and are refused here.

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Listing, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

const MILLISECONDS: Timestamp = Timestamp::milliseconds(Header("recurly-signature"));

pub(super) const PROVIDER: Provider = Provider {
    name: "recurly",
    title: "Recurly",
    docs: "https://docs.recurly.com/recurly-subscriptions/docs/webhooks",
    scheme: Scheme::Signed(
        Signed::hex(Header("recurly-signature"))
            .listing(Listing::AfterTimestamp)
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(MILLISECONDS),
    ),
    delivery_id: &[Join("/", &[Json("/object_type"), Json("/id"), Json("/event_type"), Json("/event_time")])],
    event_type: &[Join(".", &[Json("/object_type"), Json("/event_type")])],
    ordering_key: &[Join("/", &[Json("/object_type"), Json("/id")])],
    version: &[Json("/event_time")],
    retry_horizon: Duration::from_secs(2 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Events have no id of their own: object, kind and time make one. Ten retries with growing delays, in the order of the events.",
    samples: &[Sample {
        event: "account.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"id":"{{object}}","object_type":"account","site_id":"qc326l1hl8k9","event_type":"created","event_time":"2026-11-30T21:40:36Z","account_code":"7yk2nn5"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
