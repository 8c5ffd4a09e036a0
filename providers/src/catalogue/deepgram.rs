//! Deepgram. No signature: the id of the API key in a header.
//! <https://developers.deepgram.com/docs/using-callbacks-to-return-transcripts-to-your-server>

use std::time::Duration;

use crate::locate::Locate::{Header, Json};
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "deepgram",
    title: "Deepgram",
    docs: "https://developers.deepgram.com/docs/using-callbacks-to-return-transcripts-to-your-server",
    scheme: Scheme::Token(Token::at(Header("dg-token"))),
    delivery_id: &[Json("/metadata/request_id")],
    retry_horizon: Duration::from_secs(600),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed, and the token is the id of the key, which is no secret to anybody in the project. Ten retries, 30 seconds apart.",
    samples: &[Sample {
        event: "",
        headers: &[("content-type", "application/json")],
        body: r#"{"metadata":{"request_id":"{{id}}"},"results":{"channels":[]}}"#,
        object: "obj_7Yk2Nn5",
    }],
    ..Provider::DEFAULT
};
