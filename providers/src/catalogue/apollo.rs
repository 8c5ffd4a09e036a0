//! Apollo.io (phone numbers that arrive later). No signature: put `?token=…` in `webhook_url`.
//! <https://docs.apollo.io/reference/people-enrichment>
//!
//! - No scheme was found in Apollo's documentation; the fields of the body are unverified.

use crate::locate::Locate::{Json, Query};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "apollo",
    title: "Apollo.io",
    docs: "https://docs.apollo.io/reference/people-enrichment",
    scheme: Scheme::Token(Token::at(Query("token"))),
    ordering_key: &[Json("/people/0/id"), Json("/person/id")],
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever knows the URL can send anything. The fields of the body are unverified.",
    samples: &[Sample {
        event: "phone_numbers",
        headers: &[("content-type", "application/json")],
        body: r#"{"status":"success","total_requested_enrichments":1,"people":[{"id":"{{object}}","status":"success","phone_numbers":[{"raw_number":"+1 555 0100","status":"valid_number"}]}]}"#,
        object: "587cf802f65125cad923a266",
    }],
    ..Provider::DEFAULT
};
