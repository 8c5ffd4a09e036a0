//! Customer.io. HMAC-SHA256 of version, time and body.
//! <https://docs.customer.io/integrations/data-out/connections/reporting-webhooks/>

use std::time::Duration;

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "customerio",
    title: "Customer.io",
    docs: "https://docs.customer.io/integrations/data-out/connections/reporting-webhooks/",
    scheme: Scheme::Signed(
        Signed::hex(Header("x-cio-signature"))
            .signs(&[Part::Lit("v0:"), Part::Timestamp, Part::Lit(":"), Part::Body])
            .timestamp(Timestamp::seconds(Header("x-cio-timestamp"))),
    ),
    delivery_id: &[Json("/event_id")],
    event_type: &[Join(".", &[Json("/object_type"), Json("/metric")])],
    ordering_key: &[Json("/data/delivery_id"), Json("/data/customer_id")],
    version: &[Json("/timestamp")],
    ack_deadline: Duration::from_secs(4),
    retry_horizon: Duration::from_secs(7 * 86_400),
    covers: Coverage { body: true, id: true, event_type: true, time: true },
    quirks: "Wants an answer within 4 seconds; retries for 7 days. Some statuses hold back the whole queue for an hour.",
    samples: &[Sample {
        event: "email.sent",
        headers: &[("content-type", "application/json")],
        body: r#"{"timestamp":{{now}},"data":{"delivery_id":"{{object}}"},"object_type":"email","metric":"sent","event_id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
