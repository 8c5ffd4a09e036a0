//! Sinch (voice, verification). HMAC-SHA256 of method, MD5 of the body, content type, time and path, in the
//! `Authorization` header. The secret is `APPLICATION_KEY:APPLICATION_SECRET`.
//! <https://developers.sinch.com/docs/voice/api-reference/authentication/callback-signed-request/>
//!
//! - The body counts through its MD5, which resists forgers who see it but not those who also write what is signed.
//! - Sinch's own library does not look at the time, and neither is it judged here.

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Hash, KeyForm, Listing, Part, Scheme, Signed};
use crate::{Coverage, Provider, Sample};

const SIGNS: &[Part] = &[
    Part::Method,
    Part::Lit("\n"),
    Part::BodyHashIfAny(Hash::Md5),
    Part::Lit("\n"),
    Part::Header("content-type"),
    Part::Lit("\nx-timestamp:"),
    Part::Header("x-timestamp"),
    Part::Lit("\n"),
    Part::Path,
];

pub(super) const PROVIDER: Provider = Provider {
    name: "sinch-application",
    title: "Sinch (voice, verification)",
    docs: "https://developers.sinch.com/docs/voice/api-reference/authentication/callback-signed-request/",
    scheme: Scheme::Signed(
        Signed::base64(Header("authorization"))
            .key(KeyForm::NamedBase64)
            .listing(Listing::NamedBehind("Application ", ":"))
            .signs(SIGNS),
    ),
    delivery_id: &[Join("/", &[Json("/event"), Json("/callid")]), Join("/", &[Json("/event"), Json("/id")])],
    event_type: &[Json("/event")],
    ordering_key: &[Json("/callid"), Json("/id")],
    version: &[Json("/timestamp")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The path is signed, the host and the query are not. Call events want instructions as the answer, which a queue cannot give.",
    samples: &[Sample {
        event: "dice",
        headers: &[("content-type", "application/json; charset=utf-8"), ("x-timestamp", "{{now_rfc3339}}")],
        body: r#"{"event":"dice","callid":"{{object}}-{{id}}","timestamp":"{{now_rfc3339}}","reason":"HANGUP","result":"ANSWERED"}"#,
        object: "call",
    }],
    ..Provider::DEFAULT
};
