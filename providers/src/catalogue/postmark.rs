//! Postmark. No signature: HTTP Basic, with user and password in the URL given to Postmark.
//! <https://postmarkapp.com/developer/webhooks/webhooks-overview>

use std::time::Duration;

use crate::locate::Locate::{Join, Json};
use crate::scheme::Scheme;
use crate::{Acknowledgement, Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "postmark",
    title: "Postmark",
    docs: "https://postmarkapp.com/developer/webhooks/webhooks-overview",
    scheme: Scheme::Basic,
    delivery_id: &[
        Join("/", &[Json("/RecordType"), Json("/ID")]),
        Join("/", &[Json("/RecordType"), Json("/MessageID")]),
    ],
    event_type: &[Json("/RecordType")],
    ordering_key: &[Json("/MessageID"), Json("/Email")],
    reply: Acknowledgement { status: 200, body: None },
    retry_horizon: Duration::from_secs(11 * 3_600),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Only 200 counts as success; 403 stops the retries at once, else up to 10 in 11 hours. Nothing is signed.",
    samples: &[
        Sample {
            event: "Delivery",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/postmark_delivery.json"),
            object: "883953f4-6105-42a2-a16a",
        },
        Sample {
            event: "Bounce",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/postmark_bounce.json"),
            object: "883953f4-6105-42a2-a16a",
        },
        Sample {
            event: "Open",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/postmark_open.json"),
            object: "883953f4-6105-42a2-a16a",
        },
        Sample {
            event: "SpamComplaint",
            headers: &[("content-type", "application/json")],
            body: include_str!("../samples/postmark_spamcomplaint.json"),
            object: "883953f4-6105-42a2-a16a",
        },
    ],
    ..Provider::DEFAULT
};
