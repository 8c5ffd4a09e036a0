//! Where an authentic request says its place in order is, for someone who looks elsewhere than its provider does.

use crate::event::{elements_of, first_version};
use crate::view::{Plan, View};
use crate::{Locate, Provider, Request};

/// Where to look. An empty list: nowhere.
#[derive(Debug, Clone, Copy, Default)]
pub struct Places<'a> {
    /// For the ordering key; the first found counts.
    pub ordering_key: &'a [Locate],
    /// For the version; the first found that is one counts.
    pub version: &'a [Locate],
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placed {
    /// The ordering key.
    pub ordering_key: Option<String>,
    /// The version, as [`crate::Event::version`] has it.
    pub version: Option<i64>,
}

/// Looks into each event of a request at each of the `places`: by event, then by place. `pointers` are the events' own, as
/// [`crate::Event::pointer`] has them; pointers of `places` are relative to the event.
///
/// One pass over the document and one over each element of a batch, however many places there are. Best effort: what can't
/// be found, or is there twice where that is suspicious, is `None`.
pub fn place(
    provider: &Provider,
    request: &Request<'_>,
    pointers: &[Option<&str>],
    places: &[Places<'_>],
) -> Vec<Vec<Placed>> {
    let view = View::new(provider, request, "");
    let locators: Vec<&[Locate]> = places.iter().flat_map(|place| [place.ordering_key, place.version]).collect();
    let plan = Plan::new(&view, pointers.iter().any(Option::is_some), &locators);
    let elements = elements_of(&view, pointers);
    let placed = |element: Option<&str>| {
        let values = plan.values(element);
        let found = places.iter().map(|place| Placed {
            ordering_key: values.first(place.ordering_key).unwrap_or_default(),
            version: first_version(&values, place.version).unwrap_or_default(),
        });
        found.collect()
    };
    elements.into_iter().map(placed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Headers;

    fn at(pointer: &'static str) -> [Locate; 1] {
        [Locate::Json(pointer)]
    }

    fn look(body: &str, pointers: &[Option<&str>], places: &[Places<'_>]) -> Vec<Vec<Placed>> {
        let headers = Headers::new();
        let request = Request { method: "POST", url: "/in/x?tenant=7", headers: &headers, body: body.as_bytes() };
        place(&Provider::DEFAULT, &request, pointers, places)
    }

    #[test]
    fn a_request_is_looked_into_at_every_place() {
        let (customer, id, at_version) = (at("/data/customer"), at("/id"), at("/rev"));
        let places = [
            Places { ordering_key: &customer, version: &at_version },
            Places { ordering_key: &id, version: &id },
            Places { ordering_key: &[Locate::Query("tenant")], version: &[] },
        ];
        let found = look(r#"{"id": "evt_1", "rev": 12, "data": {"customer": "cus_9"}}"#, &[None], &places);
        let placed = |key: &str, version| Placed { ordering_key: Some(key.into()), version };
        assert_eq!(found, [[placed("cus_9", Some(12)), placed("evt_1", None), placed("7", None)]]);
    }

    #[test]
    fn in_a_batch_pointers_are_relative_to_the_element() {
        let (key, version) = (at("/links/a~1b"), at("/n"));
        let places = [Places { ordering_key: &key, version: &version }];
        let body = r#"{"events": [{"n": 1}, {"n": 2, "links": {"a/b": "MD"}}], "n": 9}"#;
        let found = look(body, &[Some("/events/0"), Some("/events/1"), Some("/events/7")], &places);
        assert_eq!(found[0], [Placed { ordering_key: None, version: Some(1) }]);
        assert_eq!(found[1], [Placed { ordering_key: Some("MD".into()), version: Some(2) }]);
        assert_eq!(found[2], [Placed::default()], "an element that is not there has nothing");
    }

    #[test]
    fn what_is_no_json_has_nothing_and_harms_nothing() {
        let key = at("/id");
        assert_eq!(look("not json", &[None], &[Places { ordering_key: &key, version: &key }]), [[Placed::default()]]);
    }
}
