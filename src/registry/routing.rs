//! What whoever records an event must know of a handler beyond its patterns and order, though it may not contain the
//! handler itself: stored with the handler's row as `routing`.

use serde::{Deserialize, Serialize};

/// How events find their way into a handler's jobs. Every option has a default, so a row of an older release reads as well.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Routing {
    /// The conditions that must all hold, as written. Not read here: what a newer release can say must not keep this one from
    /// reading the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) when: Option<serde_json::Value>,
    /// Whether it answers the request.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) respond: bool,
}
