//! `reply`: a source's own acknowledgement, instead of its provider's.

use http::HeaderValue;
use serde::{Deserialize, Serialize};

const TEXT: &str = "text/plain; charset=utf-8";
const LARGEST_BODY: usize = 4096;

/// What the sender of a recorded delivery is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reply {
    /// The status, 200 to 299: anything else asks the sender to send again.
    pub status: u16,
    /// The body; `None`: hookgate's own, with the delivery's id.
    pub body: Option<String>,
    /// The body's type, where `body` is set and not empty.
    pub content_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table with `status`, `body` and `content_type`")]
pub(super) struct ReplySettings {
    status: Option<u16>,
    body: Option<String>,
    content_type: Option<String>,
}

impl ReplySettings {
    /// The error names the setting and what to write.
    pub(super) fn resolve(self, setting: &str) -> Result<Reply, String> {
        let status = self.status.unwrap_or(200);
        if !(200..=299).contains(&status) {
            return Err(format!(
                "`{setting}.status` is {status}: an acknowledgement is 200 to 299, since senders take anything else for a \
                 failure and send again"
            ));
        }
        let has_body = self.body.as_ref().is_some_and(|body| !body.is_empty());
        if has_body && matches!(status, 204 | 205) {
            return Err(format!(
                "`{setting}.status` is {status}, which has no body: remove `body` or write status = 200"
            ));
        }
        if self.body.as_ref().is_some_and(|body| body.len() > LARGEST_BODY) {
            return Err(format!("`{setting}.body` has more than {LARGEST_BODY} bytes: shorten it"));
        }
        if self.content_type.is_some() && !has_body {
            return Err(format!(
                "`{setting}.content_type` is set and `{setting}.body` is not: add a body or remove it"
            ));
        }
        if let Some(text) = &self.content_type
            && (text.trim().is_empty() || !text.contains('/') || HeaderValue::from_str(text).is_err())
        {
            return Err(format!("`{setting}.content_type` is no content type: write one such as \"text/plain\""));
        }
        let content_type = self.content_type.or_else(|| has_body.then(|| TEXT.to_owned()));
        Ok(Reply { status, body: self.body, content_type })
    }
}
