//! What is sent: events of three kinds, each for another handler, about objects whose events are numbered.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::gateway::Signed;

/// Which handler an event is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// A Rust handler in lanes.
    Ordered,
    /// A Rust handler without order.
    Loose,
    /// An HTTP forward.
    Forwarded,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Ordered => "ordered",
            Self::Loose => "loose",
            Self::Forwarded => "forwarded",
        }
    }
}

/// One event, of the `n`th that are about its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) kind: Kind,
    pub(crate) key: String,
    pub(crate) n: u64,
}

impl Event {
    pub(crate) fn id(&self) -> String {
        format!("evt_{}_{}", self.key, self.n)
    }

    /// As Stripe would send it now.
    pub(crate) fn signed(&self) -> Signed {
        let (kind, object) = (format!("{}.changed", self.kind.name()), json!({"id": self.key, "n": self.n}));
        let event = json!({"id": self.id(), "type": kind, "created": 1_700_000_000, "data": {"object": object}});
        Signed::stripe(event.to_string())
    }
}

/// What a handler reads of it.
#[derive(Debug, Deserialize)]
pub(crate) struct Received {
    pub(crate) id: String,
    pub(crate) data: Data,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Data {
    pub(crate) object: Object,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Object {
    pub(crate) id: String,
    pub(crate) n: i64,
}
