//! What a handler handles: the whole of most requests, one element of a batch.

use crate::view::{Values, View};
use crate::{Events, Locate, Provider, Repeated, fingerprint, json, scheme};

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

/// The events of an authentic request. One, unless the provider sends batches.
pub(crate) fn events(provider: &Provider, view: &View<'_>) -> Result<Vec<Event>, Repeated> {
    match batch(provider, view) {
        Some(elements) => elements
            .into_iter()
            .enumerate()
            .map(|(index, element)| event(provider, view, index, Some(element)))
            .collect(),
        None => Ok(vec![event(provider, view, 0, None)?]),
    }
}

/// The elements, if the provider sends batches and this is one.
fn batch<'v>(provider: &Provider, view: &'v View<'_>) -> Option<Vec<&'v str>> {
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
    json::elements(array?).filter(|elements| elements.len() <= MAX_ELEMENTS)
}

fn event(provider: &Provider, view: &View<'_>, index: usize, element: Option<&str>) -> Result<Event, Repeated> {
    let wanted =
        [provider.delivery_id, provider.dedup_scope, provider.event_type, provider.ordering_key, provider.version];
    let values = Values::read(view, element, &wanted);
    let delivery_id = values.first(provider.delivery_id)?;
    let (text, is_json) = match element {
        Some(element) => (element.as_bytes(), true),
        None if view.is_multipart_field => (&view.document[..], true),
        None => (view.request.body, !view.is_form),
    };
    Ok(Event {
        index,
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

fn first_version(values: &Values<'_>, locators: &[Locate]) -> Result<Option<i64>, Repeated> {
    for locate in locators {
        if let Some(version) = values.text(locate)?.as_deref().and_then(scheme::timestamp::version) {
            return Ok(Some(version));
        }
    }
    Ok(None)
}
