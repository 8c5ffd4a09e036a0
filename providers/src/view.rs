//! A request as locators see it: which header family counts, where its JSON is, and what is found there.

use std::borrow::Cow;

use crate::{Headers, Locate, Provider, Repeated, Request, form, json};

/// One request, seen the way a provider writes its requests.
pub(crate) struct View<'a> {
    pub(crate) request: &'a Request<'a>,
    pub(crate) family: &'static str,
    /// The JSON document: the body, or the form field that carries it.
    pub(crate) document: Cow<'a, [u8]>,
    pub(crate) is_form: bool,
    /// Whether the document is a field of a multipart form, between boundaries that are new in each try.
    pub(crate) is_multipart_field: bool,
}

impl<'a> View<'a> {
    pub(crate) fn new(provider: &Provider, request: &'a Request<'a>, family: &'static str) -> Self {
        let is_form = request.headers.iter().any(|(name, value)| name == "content-type" && form::is_form(value));
        let apart = provider.scheme.document(request);
        let is_multipart_field = matches!(apart, Some(Cow::Borrowed(_)));
        let document = match provider.form_payload {
            Some(field) if is_form => match form::field(request.body, field) {
                Some(Cow::Borrowed(text)) => Cow::Borrowed(text.as_bytes()),
                Some(Cow::Owned(text)) => Cow::Owned(text.into_bytes()),
                None => Cow::Borrowed(&[][..]),
            },
            _ => apart.unwrap_or(Cow::Borrowed(request.body)),
        };
        Self { request, family, document, is_form, is_multipart_field }
    }
}

/// What was found at the JSON pointers of some locators, in an event (`element`) or the whole document.
pub(crate) struct Values<'v> {
    view: &'v View<'v>,
    json: Vec<(Locate, Option<&'v str>)>,
}

impl<'v> Values<'v> {
    /// Reads the pointers of these locators; `element` is the text of one event of a batch.
    pub(crate) fn read(view: &'v View<'v>, element: Option<&'v str>, locators: &[&[Locate]]) -> Self {
        let mut wanted: Vec<(Locate, &'static str)> = Vec::new();
        for locate in locators.iter().copied().flatten() {
            locate.pointers(&mut |locate, pointer| {
                if !wanted.contains(&(locate, pointer)) {
                    wanted.push((locate, pointer));
                }
            });
        }
        let in_element = |(locate, _): &(Locate, &str)| {
            element.is_some() && matches!(locate, Locate::Json(_) | Locate::IfPresent(..))
        };
        let (inner, outer): (Vec<_>, Vec<_>) = wanted.into_iter().partition(in_element);
        let mut json = scan(&view.document, outer);
        json.extend(scan(element.unwrap_or_default().as_bytes(), inner));
        Self { view, json }
    }

    /// The first of these that is there and not blank.
    pub(crate) fn first(&self, locators: &[Locate]) -> Result<Option<String>, Repeated> {
        for locate in locators {
            if let Some(text) = self.text(locate)? {
                return Ok(Some(text));
            }
        }
        Ok(None)
    }

    /// The text at a location. Empty and blank count as absent: a sender that has no id sends `""` as often as nothing.
    pub(crate) fn text(&self, locate: &Locate) -> Result<Option<String>, Repeated> {
        let request = self.view.request;
        let text = match *locate {
            Locate::Header(name) => utf8(request.headers.single(name)?),
            Locate::Family(name) => utf8(family_header(request.headers, self.view.family, name)?),
            Locate::Pair(header, key) => match utf8(request.headers.single(header)?) {
                Some(pairs) => one_pair(&pairs, key)?.map(|value| Cow::Owned(value.to_owned())),
                None => None,
            },
            Locate::Json(_) | Locate::Root(_) => self.json_text(*locate),
            Locate::IfPresent(_, text) => self.json(*locate).filter(|json| *json != "null").map(|_| text.into()),
            Locate::Form(name) if self.view.is_form => form::field(request.body, name),
            Locate::Form(_) => None,
            Locate::Query(name) => form::query(request.url, name),
            Locate::Lit(text) => Some(Cow::Borrowed(text)),
            Locate::Join(separator, parts) => return self.join(separator, parts),
        };
        Ok(text.filter(|text| !text.trim().is_empty()).map(Cow::into_owned))
    }

    fn join(&self, separator: &str, parts: &[Locate]) -> Result<Option<String>, Repeated> {
        let mut joined = String::new();
        for (index, part) in parts.iter().enumerate() {
            let Some(text) = self.text(part)? else {
                return Ok(None);
            };
            if index > 0 {
                joined.push_str(separator);
            }
            joined.push_str(&text);
        }
        Ok(Some(joined))
    }

    fn json_text(&self, locate: Locate) -> Option<Cow<'_, str>> {
        self.json(locate).and_then(json::scalar)
    }

    fn json(&self, locate: Locate) -> Option<&'v str> {
        self.json.iter().find(|(known, _)| *known == locate)?.1
    }
}

/// The value of the header `{family}{name}`, without making that name.
pub(crate) fn family_header<'h>(headers: &'h Headers, family: &str, name: &str) -> Result<Option<&'h [u8]>, Repeated> {
    headers.single_where(|header| header.strip_prefix(family) == Some(name))
}

/// Every value of a key in `key=value` pairs separated by commas. No trimming: senders write no spaces, and the
/// official libraries do not recognise a key with one before it.
pub(crate) fn pairs<'p>(pairs: &'p str, key: &'p str) -> impl Iterator<Item = &'p str> {
    pairs
        .split(',')
        .filter_map(|pair| pair.split_once('='))
        .filter(move |(name, _)| *name == key)
        .map(|(_, value)| value)
}

/// The value of a key that must not be repeated: libraries disagree on which one counts.
pub(crate) fn one_pair<'p>(text: &'p str, key: &'p str) -> Result<Option<&'p str>, Repeated> {
    let mut values = pairs(text, key);
    match (values.next(), values.next()) {
        (_, Some(_)) => Err(Repeated),
        (value, None) => Ok(value),
    }
}

fn scan<'t>(document: &'t [u8], wanted: Vec<(Locate, &'static str)>) -> Vec<(Locate, Option<&'t str>)> {
    if wanted.is_empty() {
        return Vec::new();
    }
    let pointers: Vec<&str> = wanted.iter().map(|(_, pointer)| *pointer).collect();
    let found = json::scan(document, &pointers);
    wanted.into_iter().map(|(locate, _)| locate).zip(found).collect()
}

fn utf8(value: Option<&[u8]>) -> Option<Cow<'_, str>> {
    std::str::from_utf8(value?).ok().map(Cow::Borrowed)
}
