//! TikTok. HMAC-SHA256 of time and body, keyed with the client secret.
//! <https://developers.tiktok.com/doc/webhooks-verification>

use std::time::Duration;

use crate::locate::Locate::{Json, Pair};
use crate::scheme::{Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "tiktok",
    title: "TikTok",
    docs: "https://developers.tiktok.com/doc/webhooks-verification",
    scheme: Scheme::Signed(
        Signed::hex(Pair("tiktok-signature", "s"))
            .signs(&[Part::Timestamp, Part::Lit("."), Part::Body])
            .timestamp(Timestamp::seconds(Pair("tiktok-signature", "t"))),
    ),
    event_type: &[Json("/event")],
    ordering_key: &[Json("/user_openid")],
    version: &[Json("/create_time")],
    retry_horizon: Duration::from_secs(3 * 86_400),
    covers: Coverage { body: true, id: false, event_type: true, time: true },
    quirks: "`content` is JSON inside a string. Retries for 72 hours.",
    samples: &[Sample {
        event: "authorization.removed",
        headers: &[("content-type", "application/json")],
        body: r#"{"create_time":{{now}},"user_openid":"{{object}}","event":"authorization.removed"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
