//! Pipedrive. No signature: HTTP Basic, `http_auth_user` and `http_auth_password` of the webhook.
//! <https://pipedrive.readme.io/docs/guide-for-webhooks-v2>

use std::time::Duration;

use crate::locate::Locate::{Join, Json};
use crate::scheme::Scheme;
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "pipedrive",
    title: "Pipedrive",
    docs: "https://pipedrive.readme.io/docs/guide-for-webhooks-v2",
    scheme: Scheme::Basic,
    delivery_id: &[Json("/meta/id")],
    event_type: &[Join(".", &[Json("/meta/action"), Json("/meta/entity")])],
    ordering_key: &[Join("/", &[Json("/meta/entity"), Json("/meta/entity_id")])],
    version: &[Json("/meta/timestamp")],
    volatile: &["/meta/attempt"],
    retry_horizon: Duration::from_secs(60 * 60),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever sees one request can send any. Retries after 3, 30 and 150 seconds; ten first attempts that fail bring a pause of 30 minutes, three days without success the end of the webhook.",
    samples: &[
        Sample {
            event: "change.deal",
            headers: &[("content-type", "application/json")],
            body: r#"{"meta":{"action":"change","entity":"deal","entity_id":"{{object}}","company_id":"118","correlation_id":"c-1","id":"{{id}}","attempt":1,"timestamp":"{{now_rfc3339}}","version":"2.0","webhook_id":"7"},"data":{"id":{{object}},"title":"Kestrel renewal","value":1200,"currency":"EUR","stage_id":3},"previous":{"stage_id":2}}"#,
            object: "4411",
        },
        Sample {
            event: "create.person",
            headers: &[("content-type", "application/json")],
            body: r#"{"meta":{"action":"create","entity":"person","entity_id":"{{object}}","company_id":"118","correlation_id":"c-2","id":"{{id}}","attempt":1,"timestamp":"{{now_rfc3339}}","version":"2.0","webhook_id":"7"},"data":{"id":{{object}},"name":"Ada Kestrel"},"previous":null}"#,
            object: "902",
        },
    ],
    ..Provider::DEFAULT
};
