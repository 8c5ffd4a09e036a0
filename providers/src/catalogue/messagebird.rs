//! MessageBird. A token (HS256, HS384, HS512) with the hashes of URL and body; before that, and again in the Bird platform,
//! HMAC-SHA256 of time, query or URL, and the hash of the body.
//! <https://developers.messagebird.com/api/#verifying-http-requests>
//! <https://docs.bird.com/api/notifications-api/api-reference/webhook-subscriptions/verifying-a-webhook-subscription>
//!
//! - A claim about a body that is not there, or a body without its claim, is refused.

use crate::locate::Locate::{Header, Json};
use crate::scheme::jwt::{Issuer, JwtAlgorithm, TokenPlace, UrlClaim};
use crate::scheme::{Encoding, Hash, Jwt, Part, Scheme, Signed, Timestamp};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "messagebird",
    title: "MessageBird",
    docs: "https://developers.messagebird.com/api/#verifying-http-requests",
    scheme: Scheme::FirstCarried(&[
        Scheme::Jwt(Jwt {
            algorithms: &[JwtAlgorithm::Hs256, JwtAlgorithm::Hs384, JwtAlgorithm::Hs512],
            issuer: Issuer::Is("MessageBird"),
            body_hash: Some(("payload_hash", Encoding::Hex)),
            url: Some(("url_hash", UrlClaim::Sha256)),
            leeway_s: 1,
            ..Jwt::hs256(TokenPlace::Header("messagebird-signature-jwt", ""))
        }),
        Scheme::Signed(
            Signed::base64(Header("messagebird-signature"))
                .signs(&[
                    Part::Timestamp,
                    Part::Lit("\n"),
                    Part::QuerySorted,
                    Part::Lit("\n"),
                    Part::BodyDigest(Hash::Sha256),
                ])
                .or_signs(&[
                    Part::Timestamp,
                    Part::Lit("\n"),
                    Part::Url,
                    Part::Lit("\n"),
                    Part::BodyDigest(Hash::Sha256),
                ])
                .timestamp(Timestamp::seconds(Header("messagebird-request-timestamp")).within(100)),
        ),
    ]),
    delivery_id: &[Json("/id")],
    event_type: &[Json("/type")],
    ordering_key: &[Json("/conversation/id"), Json("/message/id")],
    version: &[Json("/message/updatedDatetime")],
    covers: Coverage { body: true, id: true, event_type: true, time: false },
    quirks: "The URL is signed whole. A token lives for a minute.",
    samples: &[Sample {
        event: "message.created",
        headers: &[("content-type", "application/json")],
        body: r#"{"message":{"updatedDatetime":"{{now_rfc3339}}"},"conversation":{"id":"{{object}}"},"type":"message.created","id":"{{id}}"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
