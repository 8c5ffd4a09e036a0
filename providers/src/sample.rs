//! Realistic events, written by us, for the simulator and the tests.

use crate::Headers;
use crate::scheme::timestamp::rfc3339;

/// A sample event. Its texts may hold `{{id}}` (delivery id), `{{object}}` (the object it is about), `{{now}}` (Unix
/// seconds) and `{{now_rfc3339}}`.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// The event type, as handlers see it.
    pub event: &'static str,
    /// The headers the provider would send, without those that [`crate::sign`] adds.
    pub headers: &'static [(&'static str, &'static str)],
    /// The body.
    pub body: &'static str,
    /// What `{{object}}` is unless it is said.
    pub object: &'static str,
}

impl Sample {
    /// The headers and the body of this event with the given delivery id, sent at `now` (Unix seconds).
    pub fn render(&self, id: &str, now: i64) -> (Headers, Vec<u8>) {
        self.render_for(self.object, id, now)
    }

    /// The same, about another object.
    pub fn render_for(&self, object: &str, id: &str, now: i64) -> (Headers, Vec<u8>) {
        let fill = |template: &str| {
            template
                .replace("{{now_rfc3339}}", &rfc3339(now))
                .replace("{{now}}", &now.to_string())
                .replace("{{object}}", object)
                .replace("{{id}}", id)
        };
        (
            self.headers.iter().map(|(name, value)| (name, fill(value))).collect(),
            fill(self.body.trim_end()).into_bytes(),
        )
    }
}
