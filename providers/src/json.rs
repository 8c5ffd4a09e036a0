//! Reads a few values out of a JSON document without building it.
//!
//! The document is walked once; only the objects on the way to a wanted value are looked into, everything else is
//! skipped without recursion, so a hundred thousand opening brackets cost nothing but their bytes.
//! A document that is not JSON to its end yields nothing.

pub(crate) mod document;

use std::borrow::Cow;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The text of a document without a byte order mark, which some senders put first and no parser takes.
pub(crate) fn without_bom(document: &[u8]) -> &[u8] {
    document.strip_prefix(b"\xef\xbb\xbf").unwrap_or(document)
}

/// The JSON text at each pointer, in the order of the pointers. Of a repeated key the last occurrence counts.
pub(crate) fn scan<'de>(document: &'de [u8], pointers: &[&str]) -> Vec<Option<&'de str>> {
    Wanted::new(pointers).scan(document)
}

/// Pointers, ready to be looked up in many documents.
pub(crate) struct Wanted<'p> {
    root: Node<'p>,
    pointers: usize,
}

impl<'p> Wanted<'p> {
    pub(crate) fn new(pointers: &[&'p str]) -> Self {
        let mut root = Node::default();
        pointers.iter().enumerate().for_each(|(slot, pointer)| root.add(pointer, slot));
        Self { root, pointers: pointers.len() }
    }

    /// As [`scan`].
    pub(crate) fn scan<'de>(&self, document: &'de [u8]) -> Vec<Option<&'de str>> {
        let mut found = vec![None; self.pointers];
        if found.is_empty() {
            return found;
        }
        let mut deserializer = serde_json::Deserializer::from_slice(without_bom(document));
        let walked = Walk { node: &self.root, found: &mut found }.deserialize(&mut deserializer);
        if walked.and_then(|()| deserializer.end()).is_err() {
            found.fill(None);
        }
        found
    }
}

/// Whether a key of a pointer comes several times in its object. Only for values that authenticate: parsers disagree on
/// which one counts.
pub(crate) fn repeats(document: &[u8], pointer: &str) -> bool {
    struct Count<'n>(&'n str, usize);
    impl<'de> Visitor<'de> for &mut Count<'_> {
        type Value = ();
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("an object")
        }
        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some((key, _)) = map.next_entry::<Cow<'de, str>, IgnoredAny>()? {
                self.1 += usize::from(key == self.0);
            }
            Ok(())
        }
    }
    let is_repeated = |(slash, _): (usize, &str)| {
        let name = pointer[slash + 1..].split('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
        let object = scan(document, &[&pointer[..slash]]).first().copied().flatten().unwrap_or_default();
        let mut count = Count(&name, 0);
        let counted = serde_json::Deserializer::from_str(object).deserialize_map(&mut count);
        counted.is_ok() && count.1 > 1
    };
    pointer.match_indices('/').any(is_repeated)
}

/// The elements of a JSON array, each as its text. `None`: not an array.
pub(crate) fn elements(array: &str) -> Option<Vec<&str>> {
    elements_up_to(array, usize::MAX)
}

/// The same, if there are not more than this many.
pub(crate) fn elements_up_to(array: &str, most: usize) -> Option<Vec<&str>> {
    struct Elements(usize);
    impl<'de> Visitor<'de> for Elements {
        type Value = Vec<&'de str>;
        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "an array of at most {} elements", self.0)
        }
        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
            let mut elements = Vec::new();
            while let Some(element) = seq.next_element::<&RawValue>()? {
                if elements.len() == self.0 {
                    return Err(A::Error::invalid_length(self.0 + 1, &self));
                }
                elements.push(element.get());
            }
            Ok(elements)
        }
    }
    let mut deserializer = serde_json::Deserializer::from_str(array);
    let elements = deserializer.deserialize_seq(Elements(most)).ok()?;
    deserializer.end().ok().map(|()| elements)
}

/// A scalar as text: strings unescaped, numbers and booleans as written, so that no digit is lost.
/// `None` for null, objects, arrays, and strings with a lone surrogate, which no text can hold.
pub(crate) fn scalar(json: &str) -> Option<Cow<'_, str>> {
    match json.as_bytes().first()? {
        b'"' => serde_json::from_str::<String>(json).ok().map(Cow::Owned),
        b'-' | b'0'..=b'9' | b't' | b'f' => Some(Cow::Borrowed(json)),
        _ => None,
    }
}

/// The pointers wanted, as a tree of their segments.
#[derive(Default)]
struct Node<'p> {
    slots: Vec<usize>,
    children: Vec<(Cow<'p, str>, Node<'p>)>,
}

impl<'p> Node<'p> {
    fn add(&mut self, pointer: &'p str, slot: usize) {
        let mut node = self;
        for segment in pointer.split('/').skip(1) {
            // Every request of a source walks the same few dozen segments: those without an escape cost no allocation.
            let segment = match segment.contains('~') {
                true => Cow::Owned(segment.replace("~1", "/").replace("~0", "~")),
                false => Cow::Borrowed(segment),
            };
            let index = match node.children.iter().position(|(name, _)| *name == segment) {
                Some(index) => index,
                None => {
                    node.children.push((segment, Self::default()));
                    node.children.len() - 1
                }
            };
            node = &mut node.children[index].1;
        }
        node.slots.push(slot);
    }

    fn child(&self, name: &str) -> Option<&Self> {
        self.children.iter().find(|(child, _)| child == name).map(|(_, node)| node)
    }

    fn forget(&self, found: &mut [Option<&str>]) {
        self.slots.iter().for_each(|slot| found[*slot] = None);
        self.children.iter().for_each(|(_, child)| child.forget(found));
    }
}

struct Walk<'w, 'de> {
    node: &'w Node<'w>,
    found: &'w mut [Option<&'de str>],
}

impl<'de> DeserializeSeed<'de> for Walk<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.node.slots.is_empty() {
            return deserializer.deserialize_any(self);
        }
        let Walk { node, found } = self;
        let text = <&RawValue>::deserialize(deserializer)?.get();
        node.slots.iter().for_each(|slot| found[*slot] = Some(text));
        if node.children.is_empty() {
            return Ok(());
        }
        // Both this value and something inside it are wanted: walk its text again. Bounded by the depth of the pointers.
        let mut inside = serde_json::Deserializer::from_str(text);
        inside.deserialize_any(Walk { node, found }).map_err(D::Error::custom)
    }
}

impl<'de> Visitor<'de> for Walk<'_, 'de> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match self.node.child(&key) {
                Some(node) => {
                    node.forget(self.found);
                    map.next_value_seed(Walk { node, found: self.found })?;
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        for index in 0_usize.. {
            let node = self.node.children.iter().find(|(name, _)| name.parse() == Ok(index)).map(|(_, node)| node);
            let more = match node {
                Some(node) => seq.next_element_seed(Walk { node, found: self.found })?.is_some(),
                None => seq.next_element::<IgnoredAny>()?.is_some(),
            };
            if !more {
                break;
            }
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(document: &[u8], pointer: &str) -> Option<String> {
        scalar(scan(document, &[pointer])[0]?).map(Cow::into_owned)
    }

    #[test]
    fn values_are_found_where_the_pointer_says() {
        let document = br#"{"a":{"b":[{"c":1},{"c":"two"}],"d/e":{"~":true}},"":"empty","z":null}"#;
        assert_eq!(text(document, "/a/b/0/c").as_deref(), Some("1"));
        assert_eq!(text(document, "/a/b/1/c").as_deref(), Some("two"));
        assert_eq!(text(document, "/a/d~1e/~0").as_deref(), Some("true"));
        assert_eq!(text(document, "/").as_deref(), Some("empty"));
        for absent in ["/z", "/a", "/a/b", "/a/b/2/c", "/a/b/c", "/x", "/a/b/0/c/d", ""] {
            assert_eq!(text(document, absent), None, "{absent}");
        }
        assert_eq!(text(b"\"top\"", "").as_deref(), Some("top"));
    }

    #[test]
    fn a_value_and_something_inside_it_are_both_found() {
        let found = scan(br#"{"a":{"b":{"c":1}}}"#, &["/a", "/a/b/c", "/a/b"]);
        assert_eq!(found, [Some(r#"{"b":{"c":1}}"#), Some("1"), Some(r#"{"c":1}"#)]);
    }

    #[test]
    fn of_a_repeated_key_the_last_counts_and_takes_nothing_from_the_first() {
        assert_eq!(text(br#"{"id":1,"id":2}"#, "/id").as_deref(), Some("2"));
        assert_eq!(text(br#"{"a":{"id":1},"a":{"x":2}}"#, "/a/id"), None);
        assert_eq!(text(br#"{"a":{"id":1},"a":3}"#, "/a/id"), None);
        assert_eq!(text(br#"{"id":1,"\u0069d":2}"#, "/id").as_deref(), Some("2"));
    }

    #[test]
    fn a_repeated_key_is_seen_anywhere_on_the_way_and_nowhere_else() {
        for document in [r#"{"a":{"b":1,"\u0062":2}}"#, r#"{"a":{"b":1},"a":{"b":1}}"#, r#"{"a":1,"a":{"b":1}}"#] {
            assert!(repeats(document.as_bytes(), "/a/b"), "{document}");
        }
        for document in [r#"{"a":{"b":1},"c":1,"c":2}"#, r#"{"a":{"c":1,"c":2}}"#, "{}", "[]", "", r#"{"a":[{"b":1}]}"#]
        {
            assert!(!repeats(document.as_bytes(), "/a/b"), "{document}");
        }
    }

    #[test]
    fn numbers_keep_every_digit() {
        let document = br#"{"big":123456789012345678901234567890,"exact":0.10,"huge":1e999}"#;
        assert_eq!(text(document, "/big").as_deref(), Some("123456789012345678901234567890"));
        assert_eq!(text(document, "/exact").as_deref(), Some("0.10"));
        assert_eq!(text(document, "/huge").as_deref(), Some("1e999"));
    }

    #[test]
    fn strings_are_exact_and_those_no_text_can_hold_are_absent() {
        assert_eq!(text(br#"{"id":"a\u0000b"}"#, "/id").as_deref(), Some("a\0b"));
        assert_eq!(text(br#"{"id":"\ud83d\ude80"}"#, "/id").as_deref(), Some("🚀"));
        assert_eq!(text(br#"{"id":"\ud83d","other":"kept"}"#, "/id"), None);
        assert_eq!(text(br#"{"id":"\ud83d","other":"kept"}"#, "/other").as_deref(), Some("kept"));
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_document() {
        assert_eq!(text(b"\xef\xbb\xbf{\"id\":1}", "/id").as_deref(), Some("1"));
    }

    #[test]
    fn what_is_not_json_to_its_end_yields_nothing() {
        let broken: [&[u8]; 6] = [b"{\"id\":1", b"{\"id\":1}}", b"{\"id\":1} x", b"", b"{\"id\":1,}", b"id=1"];
        for document in broken {
            assert_eq!(text(document, "/id"), None, "{}", String::from_utf8_lossy(document));
        }
    }

    #[test]
    fn a_hundred_thousand_brackets_neither_overflow_the_stack_nor_hide_what_stands_beside_them() {
        let deep = format!("{{\"x\":{}{},\"id\":7}}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(text(deep.as_bytes(), "/id").as_deref(), Some("7"));
        assert_eq!(text("[".repeat(100_000).as_bytes(), "/id"), None);
        let along = format!("{}1{}", "{\"a\":".repeat(100_000), "}".repeat(100_000));
        assert_eq!(text(along.as_bytes(), "/a/a/a"), None);
    }

    #[test]
    fn elements_of_an_array_are_its_texts() {
        assert_eq!(elements(r#"[{"a": 1}, 2]"#), Some(vec![r#"{"a": 1}"#, "2"]));
        assert_eq!(elements("[]"), Some(vec![]));
        assert_eq!(elements("{}"), None);
        assert_eq!(elements("[1] 2"), None);
        assert_eq!((elements_up_to("[1,2]", 2), elements_up_to("[1,2,3]", 2)), (Some(vec!["1", "2"]), None));
    }
}
