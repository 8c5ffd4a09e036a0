//! Grafana Alerting. HMAC-SHA256 of the body, or of time and body where a timestamp header is configured.
//! <https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/>
//!
//! - Keep the default signature header and name the timestamp header `X-Grafana-Timestamp`.

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

const SIGNATURE: &str = "x-grafana-alerting-signature";
const TIMED: Signed = Signed::hex(Header(SIGNATURE))
    .signs(&[Part::Timestamp, Part::Lit(":"), Part::Body])
    .timestamp(Timestamp::seconds(Header("x-grafana-timestamp")));

pub(super) const PROVIDER: Provider = Provider {
    name: "grafana",
    title: "Grafana Alerting",
    docs: "https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/",
    scheme: Scheme::FirstCarried(&[Scheme::Signed(TIMED), Scheme::Signed(Signed::hex(Header(SIGNATURE)))]),
    event_type: &[Json("/status")],
    ordering_key: &[Json("/groupKey")],
    version: &[Json("/alerts/0/startsAt")],
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "A notification carries a group of alerts; its key says which group.",
    samples: &[Sample {
        event: "firing",
        headers: &[("content-type", "application/json")],
        body: r#"{"alerts":[{"startsAt":"{{now_rfc3339}}"}],"groupKey":"{{object}}","status":"firing"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
