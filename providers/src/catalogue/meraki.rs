//! Cisco Meraki. No signature: the shared secret is in the body.
//! <https://developer.cisco.com/meraki/webhooks/>

use crate::locate::Locate::Json;
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "meraki",
    title: "Cisco Meraki",
    docs: "https://developer.cisco.com/meraki/webhooks/",
    scheme: Scheme::Token(Token::at(Json("/sharedSecret"))),
    delivery_id: &[Json("/alertId")],
    event_type: &[Json("/alertTypeId")],
    ordering_key: &[Json("/deviceSerial"), Json("/networkId")],
    version: &[Json("/occurredAt")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed.",
    samples: &[Sample {
        event: "sensor_alert",
        headers: &[("content-type", "application/json")],
        body: r#"{"occurredAt":"{{now_rfc3339}}","deviceSerial":"{{object}}","alertTypeId":"sensor_alert","alertId":"{{id}}","sharedSecret":"{{secret}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
