//! Gong. A token (RS256) with the URL and the hash of the body. The secret is the rule's public key.
//! <https://help.gong.io/docs/create-a-webhook-rule>

use crate::locate::Locate::Json;
use crate::scheme::jwt::{TokenPlace, UrlClaim};
use crate::scheme::{Encoding, Jwt, Scheme};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "gong",
    title: "Gong",
    docs: "https://help.gong.io/docs/create-a-webhook-rule",
    scheme: Scheme::Jwt(Jwt {
        body_hash: Some(("body_sha256", Encoding::Hex)),
        url: Some(("webhook_url", UrlClaim::WithoutQuery)),
        ..Jwt::rs256(TokenPlace::HeaderOptional("authorization", "Bearer "))
    }),
    delivery_id: &[Json("/callData/metaData/id")],
    covers: Coverage { body: true, id: true, event_type: false, time: false },
    quirks: "The URL is signed, without its query.",
    samples: &[Sample {
        event: "",
        headers: &[("content-type", "application/json")],
        body: r#"{"callData":{"metaData":{"id":"{{id}}","title":"Kick-off","started":"{{now_rfc3339}}"}}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
