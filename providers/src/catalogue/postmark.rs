//! Postmark. No signature: HTTP Basic, with user and password in the URL given to Postmark.
//! <https://postmarkapp.com/developer/webhooks/webhooks-overview>

use std::time::Duration;

use crate::locate::Locate::{Join, Json};
use crate::scheme::Scheme;
use crate::{Coverage, Provider, Sample};

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
    retry_horizon: Duration::from_secs(39600),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "403 stops the retries at once; else up to 10 in 11 hours. Nothing is signed.",
    samples: &[Sample {
        event: "Delivery",
        headers: &[("content-type", "application/json")],
        body: r#"{"RecordType":"Delivery","ID":"{{id}}","MessageID":"{{object}}","Recipient":"a@example.com","DeliveredAt":"{{now_rfc3339}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
