//! Tells a copy from a conflict: two events with one id are the same if their fingerprints are.
//!
//! Where a provider's honest retries differ in a counter, the document is hashed without it, and so that neither white
//! space nor the order of keys counts. Numbers count as they are written: `1.0` is not `1`, and no digit is lost. Of a
//! repeated key the last occurrence counts, as everywhere.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;
use sha2::{Digest, Sha256};

use crate::json;

/// SHA-256 of the bytes or, where members are volatile, of the JSON document without them. What is not JSON, or longer
/// than four gigabytes, is hashed as bytes.
///
/// Takes no more memory than a few times the text, however deeply that is nested.
pub(crate) fn of(text: &[u8], volatile: &[&str]) -> [u8; 32] {
    let hash_of_document = || {
        let text = std::str::from_utf8(json::without_bom(text)).ok()?;
        Some(Document::read(text, volatile)?.hash())
    };
    let document = if volatile.is_empty() { None } else { hash_of_document() };
    document.unwrap_or_else(|| Sha256::digest(text).into())
}

/// A JSON document and its objects, in the order of their opening braces. Arrays and scalars stay text.
struct Document<'t> {
    text: &'t str,
    objects: Vec<Object>,
    /// Of each object the members that count, side by side and sorted by key.
    members: Vec<Member>,
}

/// Where an object starts and which members are its.
struct Object {
    open: u32,
    close: u32,
    members: Range<u32>,
}

/// Where key (with its quotes) and value start. Both end where a JSON value ends.
#[derive(Clone, Copy)]
struct Member {
    key: u32,
    value: u32,
}

/// What is still to be hashed: from a place up to the end of the value there, or the rest of an object's members.
enum Todo {
    Value(usize),
    /// The rest of an array that an object interrupted.
    Rest {
        at: usize,
        depth: usize,
    },
    Members(Range<u32>),
}

impl<'t> Document<'t> {
    /// `None`: not JSON, or too long.
    fn read(text: &'t str, volatile: &[&str]) -> Option<Self> {
        u32::try_from(text.len()).ok()?;
        serde_json::from_str::<IgnoredAny>(text).ok()?;
        let start = text.as_ptr() as usize;
        let left_out: Vec<_> = json::scan(text.as_bytes(), volatile)
            .into_iter()
            .flatten()
            .map(|value| value.as_ptr() as usize - start)
            .collect();
        let mut document = Self { text, objects: Vec::new(), members: Vec::new() };
        // Members of the objects that are open, and where each object's begin: an object's are complete, and on top, when
        // it closes.
        let (mut pending, mut open) = (Vec::<Member>::new(), Vec::<(usize, usize)>::new());
        let mut at = 0;
        while let Some(byte) = text.as_bytes().get(at) {
            match byte {
                b'{' => {
                    open.push((document.objects.len(), pending.len()));
                    document.objects.push(Object { open: short(at), close: 0, members: 0..0 });
                }
                b'}' => {
                    let (object, first) = open.pop()?;
                    let members = document.keep(pending.drain(first..).collect(), &left_out);
                    let object = document.objects.get_mut(object)?;
                    (object.close, object.members) = (short(at), members);
                }
                b'"' => {
                    let end = scalar_end(text, at);
                    let after = skip_blank(text, end);
                    if text.as_bytes().get(after) == Some(&b':') {
                        pending.push(Member { key: short(at), value: short(skip_blank(text, after + 1)) });
                        at = after;
                    } else {
                        at = end - 1;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        Some(document)
    }

    /// Takes over the members of an object that closed: the last of each key, unless it is left out.
    fn keep(&mut self, mut members: Vec<Member>, left_out: &[usize]) -> Range<u32> {
        // Stable, so that of equal keys the last stands last.
        members.sort_by(|one, other| self.key(one).cmp(&self.key(other)));
        let first = self.members.len();
        for (index, member) in members.iter().enumerate() {
            let is_last = members.get(index + 1).is_none_or(|next| self.key(next) != self.key(member));
            if is_last && !left_out.contains(&(member.value as usize)) {
                self.members.push(*member);
            }
        }
        short(first)..short(self.members.len())
    }

    fn key(&self, member: &Member) -> Cow<'t, [u8]> {
        let start = member.key as usize;
        unescaped(&self.text[start..scalar_end(self.text, start)])
    }

    /// Every token is written with its kind, texts with their length too, so that no two documents are written alike.
    fn hash(&self) -> [u8; 32] {
        let mut hasher = Sha256::new();
        let mut todo = vec![Todo::Value(skip_blank(self.text, 0))];
        while let Some(next) = todo.pop() {
            let (mut at, mut depth) = match next {
                Todo::Value(at) => (at, 0_usize),
                Todo::Rest { at, depth } => (at, depth),
                Todo::Members(Range { start, end }) if start == end => {
                    hasher.update(b"}");
                    continue;
                }
                Todo::Members(Range { start, end }) => {
                    let member = self.members[start as usize];
                    absorb(&mut hasher, b's', &self.key(&member));
                    todo.push(Todo::Members(start + 1..end));
                    (member.value as usize, 0)
                }
            };
            // One value: a scalar, or an array up to the first object in it.
            while let Some(byte) = self.text.as_bytes().get(at) {
                match byte {
                    b'[' => {
                        hasher.update(b"[");
                        depth += 1;
                        at += 1;
                    }
                    b']' => {
                        hasher.update(b"]");
                        depth -= 1;
                        at += 1;
                    }
                    b'{' => {
                        hasher.update(b"{");
                        let found = self.objects.binary_search_by_key(&short(at), |object| object.open);
                        let Some(object) = found.ok().and_then(|index| self.objects.get(index)) else { break };
                        if depth > 0 {
                            todo.push(Todo::Rest { at: object.close as usize + 1, depth });
                        }
                        todo.push(Todo::Members(object.members.clone()));
                        break;
                    }
                    b',' | b' ' | b'\t' | b'\n' | b'\r' => {
                        at += 1;
                        continue;
                    }
                    b'"' => {
                        let end = scalar_end(self.text, at);
                        absorb(&mut hasher, b's', &unescaped(&self.text[at..end]));
                        at = end;
                    }
                    _ => {
                        let end = scalar_end(self.text, at);
                        absorb(&mut hasher, b'n', &self.text.as_bytes()[at..end]);
                        at = end;
                    }
                }
                if depth == 0 {
                    break;
                }
            }
        }
        hasher.finalize().into()
    }
}

/// Where the string, number or word that starts here ends.
fn scalar_end(text: &str, start: usize) -> usize {
    let bytes = &text.as_bytes()[start..];
    let length = if bytes.first() == Some(&b'"') {
        let mut escaped = true;
        let is_end = |byte: &u8| {
            let ends = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            ends
        };
        bytes.iter().position(is_end).map(|index| index + 1)
    } else {
        bytes.iter().position(|byte| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t' | b'\n' | b'\r'))
    };
    length.map_or(text.len(), |length| start + length)
}

fn skip_blank(text: &str, start: usize) -> usize {
    let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    start + text.as_bytes()[start..].iter().take_while(blank).count()
}

/// What a string with its quotes says; one that no text can hold, as it is written.
fn unescaped(quoted: &str) -> Cow<'_, [u8]> {
    let written = quoted.as_bytes().get(1..quoted.len() - 1).unwrap_or_default();
    match written.contains(&b'\\').then(|| serde_json::from_str::<String>(quoted)) {
        Some(Ok(text)) => Cow::Owned(text.into_bytes()),
        Some(Err(_)) => Cow::Borrowed(quoted.as_bytes()),
        None => Cow::Borrowed(written),
    }
}

/// [`Document::read`] refuses texts for which this would not be exact.
fn short(place: usize) -> u32 {
    place as u32
}

fn absorb(hasher: &mut Sha256, kind: u8, text: &[u8]) {
    hasher.update([kind]);
    hasher.update((text.len() as u64).to_be_bytes());
    hasher.update(text);
}

#[cfg(test)]
mod tests {
    use super::of;

    const ATTEMPT: &[&str] = &["/attempt"];

    fn same(one: &str, other: &str) -> bool {
        of(one.as_bytes(), ATTEMPT) == of(other.as_bytes(), ATTEMPT)
    }

    #[test]
    fn retries_that_differ_in_a_declared_counter_are_copies() {
        let first = r#"{"id":"1","attempt":1,"data":{"a":[1,2]}}"#;
        let retry = r#"{"attempt": 2, "data":{"a":[1,2]}, "id":"1"}"#;
        assert!(same(first, retry));
        assert_ne!(of(first.as_bytes(), &[]), of(retry.as_bytes(), &[]));
    }

    #[test]
    fn volatile_members_are_left_out_wherever_they_are_and_whatever_they_hold() {
        let deep = &["/a/0/b~1c", "/x"][..];
        let one = br#"{"a":[{"b/c":{"n":[1,{}]},"k":1}],"x":null}"#;
        let other = br#"{"a":[{"b\/c":"gone","k":1}]}"#;
        assert_eq!(of(one, deep), of(other, deep));
        assert_ne!(of(one, deep), of(br#"{"a":[{"k":2}]}"#, deep));
    }

    #[test]
    fn anything_else_that_differs_makes_a_conflict() {
        let bodies = [
            r#"{"a":1}"#,
            r#"{"a":"1"}"#,
            r#"{"a":[1]}"#,
            r#"{"a":[[1]]}"#,
            r#"{"b":1}"#,
            "[]",
            "[{}]",
            "[[],[]]",
            "[[[]]]",
            r#"["a","b"]"#,
            r#"["ab"]"#,
            r#"{"a":{"b":1}}"#,
            r#"{"a":{},"b":1}"#,
            "true",
            "false",
            "null",
            "\"null\"",
            "1",
            "1.0",
            r#"[{"a":1},2]"#,
            r#"[{"a":1,"b":2}]"#,
            r#"[{"a":1},{"b":2}]"#,
            "[1,2]",
            "[12]",
        ];
        for (index, one) in bodies.iter().enumerate() {
            for other in &bodies[index + 1..] {
                assert!(!same(one, other), "{one} {other}");
            }
        }
    }

    #[test]
    fn numbers_count_as_they_are_written() {
        let numbers = [
            "1",
            "1.0",
            "1e0",
            "10e-1",
            "1e400",
            "1e401",
            "12345678901234567890123",
            "12345678901234567890124",
            "-0",
            "0",
        ];
        for (index, one) in numbers.iter().enumerate() {
            for other in &numbers[index + 1..] {
                assert!(!same(&format!("{{\"n\":{one}}}"), &format!("{{\"n\":{other}}}")), "{one} {other}");
            }
        }
    }

    #[test]
    fn white_space_escapes_and_the_order_of_keys_do_not_count() {
        assert!(same(
            r#"{"b":[1,{"y":"A","x":2}],"a":null}"#,
            "{ \"a\" : null,\n\"b\":[ 1 ,{\"x\":2,\"y\":\"\\u0041\"} ]\t}"
        ));
    }

    #[test]
    fn of_a_repeated_key_the_last_counts() {
        assert!(same(r#"{"a":1,"\u0061":2}"#, r#"{"a":2}"#));
        assert!(same(r#"{"attempt":1,"a":1,"attempt":2}"#, r#"{"a":1}"#));
        assert!(!same(r#"{"a":1,"a":2}"#, r#"{"a":1}"#));
    }

    #[test]
    fn what_is_not_json_counts_byte_for_byte() {
        for text in ["", "{", "{\"attempt\":1", "[1,]", "a=1", "{\"a\":1} x"] {
            assert_eq!(of(text.as_bytes(), ATTEMPT), of(text.as_bytes(), &[]), "{text}");
        }
        assert_ne!(of(b"\"\xff\"", ATTEMPT), of(b"\"\xfe\"", ATTEMPT));
    }

    #[test]
    fn a_hundred_thousand_brackets_are_no_reason_to_stop_leaving_out_what_is_volatile() {
        let nested = |open: &str, close: &str| format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        for deep in [nested("[", "]"), nested("{\"a\":", "}"), nested("[{\"z\":0,\"a\":", "}]")] {
            let of =
                |attempt: u8, deep: &str| of(format!("{{\"attempt\":{attempt},\"x\":{deep}}}").as_bytes(), ATTEMPT);
            assert_eq!(of(1, &deep), of(2, &deep));
            assert_ne!(of(1, &deep), of(1, &deep.replace('1', "2")));
        }
    }
}
