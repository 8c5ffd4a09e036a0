//! Strapi. No signature: set the header `Authorization`; its whole value is the secret.
//! <https://docs.strapi.io/cms/backend-customization/webhooks>

use crate::locate::Locate::{Header, Join, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "strapi",
    title: "Strapi",
    docs: "https://docs.strapi.io/cms/backend-customization/webhooks",
    scheme: Scheme::Token(Token::at(Header("authorization"))),
    event_type: &[Json("/event")],
    ordering_key: &[
        Join("/", &[Json("/model"), Json("/entry/documentId")]),
        Join("/", &[Json("/model"), Json("/entry/id")]),
    ],
    version: &[Json("/entry/updatedAt")],
    resends_automatically: false,
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed and nothing is sent again.",
    samples: &[Sample {
        event: "entry.update",
        headers: &[("content-type", "application/json")],
        body: r#"{"entry":{"updatedAt":"{{now_rfc3339}}","documentId":"{{object}}"},"model":"main","event":"entry.update"}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
