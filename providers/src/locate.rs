//! Where a value lives in a request.

mod dedup;
mod text;

pub use dedup::{Reason, refuse_as_dedup_key};
pub use text::LocateError;
pub(crate) use text::header as header_name;

/// Where a value lives: in a header, the JSON body, a form field, the query.
///
/// Repeated JSON keys, form fields and query parameters: the last one counts, as it does for `JSON.parse`.
/// A repeated header counts as an attack and the request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Locate {
    /// The value of a header (lower-case name).
    Header(&'static str),
    /// The value of the header that ends in this name in the family the signature is of (see [`crate::Provider::families`]).
    Family(&'static str),
    /// The value of a key in a header of comma-separated `key=value` pairs.
    Pair(&'static str, &'static str),
    /// A scalar at a JSON pointer (RFC 6901): in the event, which is the document or, in a batch, an element of it.
    Json(&'static str),
    /// A scalar at a JSON pointer in the whole document.
    Root(&'static str),
    /// This text, if there is anything but null at a JSON pointer in the event.
    IfPresent(&'static str, &'static str),
    /// A field of a form body.
    Form(&'static str),
    /// A parameter of the URL's query.
    Query(&'static str),
    /// This text. Only useful inside [`Locate::Join`].
    Lit(&'static str),
    /// All of these, joined by the text; absent when one of them is.
    Join(&'static str, &'static [Locate]),
}

impl Locate {
    /// Reads a location as written in configuration: `header:x-event-id`, `json:/data/id`, `form:id`, `query:id`,
    /// or several of these joined, `json:/account + json:/id`.
    ///
    /// Texts are kept for the life of the process, once each.
    pub fn parse(text: &str) -> Result<Self, LocateError> {
        text::parse(text)
    }

    /// Calls `visit` with each pointer into the event (`Json`) or the document (`Root`).
    pub(crate) fn pointers(&self, visit: &mut impl FnMut(Locate, &'static str)) {
        match *self {
            Self::Json(pointer) | Self::Root(pointer) | Self::IfPresent(pointer, _) => visit(*self, pointer),
            Self::Join(_, parts) => parts.iter().for_each(|part| part.pointers(visit)),
            _ => {}
        }
    }
}
