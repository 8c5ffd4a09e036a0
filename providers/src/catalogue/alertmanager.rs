//! Prometheus Alertmanager. No signature: Basic, or the whole `Authorization` value as the secret (`Bearer …`).
//! <https://prometheus.io/docs/alerting/latest/configuration/#webhook_config>

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "alertmanager",
    title: "Prometheus Alertmanager",
    docs: "https://prometheus.io/docs/alerting/latest/configuration/#webhook_config",
    scheme: Scheme::FirstCarried(&[Scheme::Basic, Scheme::Token(Token::at(Header("authorization")))]),
    event_type: &[Json("/status")],
    ordering_key: &[Json("/groupKey")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed. Sent again after a 5xx until the next group interval, never after a 4xx.",
    samples: &[Sample {
        event: "firing",
        headers: &[("content-type", "application/json")],
        body: r#"{"groupKey":"{{object}}","status":"firing"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
