//! What whoever records an event must know of a handler beyond its patterns and order, though it may not contain the
//! handler itself: stored with the handler's row as `routing`.

use serde::{Deserialize, Serialize};

/// How events find their way into a handler's jobs. Every option has a default, so a row of an older release reads as well.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Routing {}
