//! Jotform. No signature: put `?token=…` in the webhook URL.
//! <https://www.jotform.com/help/245-how-to-setup-a-webhook-with-jotform/>
//!
//! - The body is multipart and is not looked into: neither `formID` nor `submissionID` is found, and copies are told by
//!   the whole body only.

use crate::locate::Locate::Query;
use crate::scheme::{Scheme, Token};
use crate::{Coverage, Provider, Sample};

pub(super) const PROVIDER: Provider = Provider {
    name: "jotform",
    title: "Jotform",
    docs: "https://www.jotform.com/help/245-how-to-setup-a-webhook-with-jotform/",
    scheme: Scheme::Token(Token::at(Query("token"))),
    covers: Coverage { body: false, id: false, event_type: false, time: false },
    quirks: "Nothing is signed: whoever knows the URL can send anything. The body is multipart, with the answers as JSON in `rawRequest`.",
    samples: &[Sample {
        event: "submission",
        headers: &[("content-type", "multipart/form-data; boundary=b118")],
        body: r#"--b118
Content-Disposition: form-data; name="formID"

{{object}}
--b118
Content-Disposition: form-data; name="submissionID"

{{id}}
--b118--"#,
        object: "250118",
    }],
    ..Provider::DEFAULT
};
