//! What whoever records an event must know of a handler beyond its patterns and order, though it may not contain the
//! handler itself: stored with the handler's row as `routing`.

use hookgate_providers::{Locate, Placed, Places, Provider, Request, find, place};
use serde::{Deserialize, Serialize};

use crate::headers;

/// How events find their way into a handler's jobs. Every option has a default, so a row of an older release reads as well;
/// and a default is not written, so the row of a handler that uses none of them stays what it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Routing {
    /// Where the ordering key is; empty: where the source says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) ordering_key: Vec<String>,
    /// Where the version is; empty: where the source says.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) version: Vec<String>,
    /// How long an idle lane waits before it starts. SQL reads it, too.
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) reorder_ms: i32,
    /// Whether a lane stops at a failure. SQL reads it, too: any process may find a job dead whose worker vanished.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) halts: bool,
    /// The conditions that must all hold, as written. Not read here: what a newer release can say must not keep this one from
    /// reading the rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) when: Option<serde_json::Value>,
    /// Whether it answers the request.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) respond: bool,
}

impl Routing {
    /// What overrides the source's ordering key and version; `None`: nothing does. A location that a newer release
    /// understands and this one doesn't is passed over.
    pub(crate) fn placement(&self) -> Option<Placement> {
        let read = |texts: &[String]| texts.iter().filter_map(|text| Locate::parse(text).ok()).collect();
        let placement = Placement { ordering_key: read(&self.ordering_key), version: read(&self.version) };
        (placement != Placement::default()).then_some(placement)
    }
}

fn is_zero(ms: &i32) -> bool {
    *ms == 0
}

/// Where a handler looks for an event's place in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Placement {
    pub(crate) ordering_key: Vec<Locate>,
    pub(crate) version: Vec<Locate>,
}

/// A request as it is stored, to look for places in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Received<'a> {
    pub(crate) target: &'a str,
    /// As [`headers::encode`] writes them.
    pub(crate) headers: &'a [u8],
    pub(crate) body: &'a [u8],
}

impl Received<'_> {
    /// What each of the events has at each of the placements, by placement: found in one pass, best effort.
    pub(crate) fn place(
        &self,
        provider: &Provider,
        pointers: &[Option<&str>],
        placements: &[&Placement],
    ) -> Vec<Vec<Placed>> {
        if placements.is_empty() {
            return Vec::new();
        }
        let headers = headers::decode(self.headers);
        // No location depends on the method.
        let request = Request { method: "POST", url: self.target, headers: &headers, body: self.body };
        let places: Vec<Places<'_>> = placements
            .iter()
            .map(|placement| Places { ordering_key: &placement.ordering_key, version: &placement.version })
            .collect();
        let by_event = place(provider, &request, pointers, &places);
        (0..placements.len()).map(|n| by_event.iter().map(|placed| placed[n].clone()).collect()).collect()
    }

    /// The same for one event and one placement, by whoever knows the provider by name: one that a source describes itself
    /// sends its document as the body.
    pub(crate) fn place_one(&self, provider: &str, pointer: Option<&str>, placement: &Placement) -> Placed {
        let provider = find(provider).copied().unwrap_or(Provider::DEFAULT);
        self.place(&provider, &[pointer], &[placement]).pop().and_then(|mut placed| placed.pop()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handler_without_options_has_the_row_it_always_had() {
        assert_eq!(serde_json::to_string(&Routing::default()).unwrap(), "{}");
        assert_eq!(serde_json::from_str::<Routing>("{}").unwrap(), Routing::default());
    }

    #[test]
    fn what_a_newer_release_wrote_is_read_as_far_as_it_is_known() {
        let row = r#"{"ordering_key": ["json:/a", "moon:b"], "reorder_ms": 1500, "phase": "full"}"#;
        let routing: Routing = serde_json::from_str(row).unwrap();
        assert_eq!(routing.reorder_ms, 1500);
        let placement = routing.placement().unwrap();
        assert_eq!((placement.ordering_key, placement.version), (vec![Locate::Json("/a")], Vec::new()));
    }
}
