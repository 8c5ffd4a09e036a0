//! What a handler handles: the whole of most requests, one element of a batch.

use std::borrow::Cow;

use crate::view::{Plan, Values, View};
use crate::{Events, Locate, Provider, Repeated, Request, fingerprint, json, scheme};

/// A batch with more elements than this is one event: each element costs rows.
const MAX_ELEMENTS: usize = 10_000;

/// One event of a verified request, and what its provider says about it.
///
/// Texts are exactly what the sender wrote and may hold any character, NUL included. Whatever could not be found is
/// `None`: finding it is best effort and never a reason to refuse an authentic request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// Position in the request: 0 unless it is a batch.
    pub index: usize,
    /// Where in the JSON document the event is, as a JSON pointer such as `/events/3`; `None` when the request is one event.
    pub pointer: Option<String>,
    /// The provider's id, the same when it sends the event again.
    pub delivery_id: Option<String>,
    /// What makes two events of one source copies of each other: the delivery id, with what it is scoped by, where
    /// the provider uses one id for several events. `None`: copies cannot be recognised.
    pub dedup_key: Option<String>,
    /// The event type.
    pub event_type: Option<String>,
    /// The object the event is about.
    pub ordering_key: Option<String>,
    /// Grows with each change of that object: an integer as the provider wrote it, or microseconds of a date.
    pub version: Option<i64>,
    /// SHA-256 of the body or element, without what changes between honest retries.
    pub fingerprint: [u8; 32],
}

/// The text of the element at a pointer, exactly as the sender wrote it: no digit, key or space differs. `document` is the
/// JSON the request carries. `None`: it is not JSON, or there is nothing at the pointer.
pub fn element<'d>(document: &'d [u8], pointer: &str) -> Option<&'d str> {
    json::scan(document, &[pointer]).pop().flatten()
}

/// The texts of the events at these pointers; `None`: the whole document. One that is not there is empty.
pub(crate) fn elements_of<'v>(view: &'v View<'_>, pointers: &[Option<&str>]) -> Vec<Option<&'v str>> {
    let first = pointers.iter().flatten().find_map(|pointer| pointer.rsplit_once('/'));
    let array = first.and_then(|(array, _)| json::scan(&view.document, &[array]).pop().flatten());
    let elements = array.and_then(|array| json::elements_up_to(array, MAX_ELEMENTS)).unwrap_or_default();
    let text = |pointer: &str| {
        let index = pointer.rsplit_once('/').and_then(|(_, index)| index.parse::<usize>().ok());
        index.and_then(|index| elements.get(index).copied()).unwrap_or_default()
    };
    pointers.iter().map(|pointer| pointer.map(text)).collect()
}

/// The texts of the elements of the array at a pointer, read in one walk. `None`: there is no array.
pub fn elements<'d>(document: &'d [u8], array: &str) -> Option<Vec<&'d str>> {
    element(document, array).and_then(json::elements)
}

/// The JSON texts at several pointers, read in one walk that builds nothing: in the order of the pointers, each exactly as the
/// sender wrote it. Of a repeated key the last occurrence counts; what is not JSON to its end has nothing anywhere.
pub fn values<'d>(document: &'d [u8], pointers: &[&str]) -> Vec<Option<&'d str>> {
    json::scan(document, pointers)
}

/// The JSON document a request carries, as its provider writes its requests: the body, or the form field that holds it.
pub fn document<'r>(provider: &Provider, request: &'r Request<'r>) -> Cow<'r, [u8]> {
    View::new(provider, request, "").document
}

/// The events of an authentic request. One, unless the provider sends batches.
pub(crate) fn events(provider: &Provider, view: &View<'_>) -> Result<Vec<Event>, Repeated> {
    let batch = batch(provider, view);
    let wanted =
        [provider.delivery_id, provider.dedup_scope, provider.event_type, provider.ordering_key, provider.version];
    let plan = Plan::new(view, batch.is_some(), &wanted);
    match batch {
        Some((array, elements)) => {
            let elements = elements.into_iter().enumerate();
            let event = |(index, text)| event(provider, view, &plan, Some(Element { index, array, text }));
            elements.map(event).collect()
        }
        None => Ok(vec![event(provider, view, &plan, None)?]),
    }
}

/// One element of a batch.
#[derive(Clone, Copy)]
struct Element<'v> {
    index: usize,
    array: &'static str,
    text: &'v str,
}

/// The array's pointer and its elements, if the provider sends batches and this is one.
fn batch<'v>(provider: &Provider, view: &'v View<'_>) -> Option<(&'static str, Vec<&'v str>)> {
    let pointer = match provider.events {
        Events::Whole => return None,
        Events::Each(pointer) => pointer,
        Events::EachIn(content_type, pointer) => {
            let sent = view.request.headers.single("content-type").ok().flatten()?;
            let essence = sent.split(|byte| *byte == b';').next().unwrap_or_default();
            essence.trim_ascii().eq_ignore_ascii_case(content_type.as_bytes()).then_some(pointer)?
        }
    };
    let array = *json::scan(&view.document, &[pointer]).first()?;
    let elements = json::elements_up_to(array?, MAX_ELEMENTS)?;
    Some((pointer, elements))
}

fn event<'v>(
    provider: &Provider,
    view: &View<'_>,
    plan: &Plan<'v>,
    element: Option<Element<'v>>,
) -> Result<Event, Repeated> {
    let values = plan.values(element.map(|element| element.text));
    let delivery_id = values.first(provider.delivery_id)?;
    let (text, is_json) = match element {
        Some(element) => (element.text.as_bytes(), true),
        None if view.is_multipart_field => (&view.document[..], true),
        None => (view.request.body, !view.is_form),
    };
    Ok(Event {
        index: element.map_or(0, |element| element.index),
        pointer: element.map(|Element { index, array, .. }| format!("{array}/{index}")),
        dedup_key: match &delivery_id {
            Some(id) => Some(scoped(id, &values, provider.dedup_scope)?),
            None => None,
        },
        delivery_id,
        event_type: values.first(provider.event_type)?,
        ordering_key: values.first(provider.ordering_key)?,
        version: first_version(&values, provider.version)?,
        fingerprint: fingerprint::of(text, if is_json { provider.volatile } else { &[] }),
    })
}

/// The id comes last, so that no scope value can be mistaken for a part of another event's id.
fn scoped(id: &str, values: &Values<'_>, scope: &[Locate]) -> Result<String, Repeated> {
    let mut key = String::new();
    for locate in scope {
        let value = values.text(locate)?.unwrap_or_default();
        key.push_str(&format!("{}:{value}|", value.len()));
    }
    key.push_str(id);
    Ok(key)
}

pub(crate) fn first_version(values: &Values<'_>, locators: &[Locate]) -> Result<Option<i64>, Repeated> {
    for locate in locators {
        if let Some(version) = values.text(locate)?.as_deref().and_then(scheme::timestamp::version) {
            return Ok(Some(version));
        }
    }
    Ok(None)
}
