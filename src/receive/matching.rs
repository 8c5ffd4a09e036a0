//! Which handlers an event is kept from by their conditions. Pure, and decided before the recorder has the request: what a
//! large body costs to look through is its sender's own wait and nobody else's.

use std::borrow::Cow;
use std::sync::Arc;

use hookgate_providers::{Provider, Request, document, elements, values};

use crate::condition::Subject;
use crate::headers;
use crate::registry::Subscription;

/// What conditions look at of a request.
pub(super) struct Read<'a> {
    pub(super) provider: &'a Provider,
    /// As stored.
    pub(super) headers: &'a [u8],
    pub(super) body: &'a [u8],
    /// Where the array of a batch is; `None`: the request is one event.
    pub(super) array: Option<&'a str>,
}

/// The subscriptions that want the events by their types and are kept from them by a condition: a list an event.
///
/// The document is walked once, and each element of a batch once more, whatever the number of conditions; not at all where
/// no handler of the source has one. An event whose element is not to be found has nothing at any pointer.
pub(super) fn filtered(read: &Read<'_>, types: &[Option<&str>], subscriptions: &[Arc<Subscription>]) -> Vec<Vec<i32>> {
    let conditional: Vec<_> =
        subscriptions.iter().filter_map(|subscription| Some((subscription, subscription.filter.as_ref()?))).collect();
    if conditional.is_empty() {
        return Vec::new();
    }
    let mut pointers: Vec<&str> = conditional.iter().flat_map(|(_, filter)| filter.pointers()).collect();
    pointers.sort_unstable();
    pointers.dedup();

    let headers = headers::decode(read.headers);
    let request = Request { method: "POST", url: "", headers: &headers, body: read.body };
    let document = if pointers.is_empty() { Cow::default() } else { document(read.provider, &request) };
    let texts: Vec<&[u8]> = match read.array {
        None => vec![&document],
        Some(array) => elements(&document, array).unwrap_or_default().into_iter().map(str::as_bytes).collect(),
    };
    let kept_from = |(index, event_type): (usize, &Option<&str>)| {
        let found = values(texts.get(index).copied().unwrap_or_default(), &pointers);
        let json: Vec<_> = pointers.iter().copied().zip(found).collect();
        let subject = Subject { event_type: *event_type, headers: &headers, json: &json };
        let kept = conditional.iter().filter(|(subscription, _)| subscription.wants(*event_type));
        kept.filter(|(_, filter)| !filter.holds(subject)).map(|(subscription, _)| subscription.id).collect()
    };
    types.iter().enumerate().map(kept_from).collect()
}
