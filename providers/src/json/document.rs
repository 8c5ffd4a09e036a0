//! A JSON document as a stream of tokens, without recursion and with its objects' keys in the order one likes.

use std::borrow::Cow;
use std::ops::Range;

use serde::de::IgnoredAny;

use super::scan;

/// A JSON document and its objects, in the order of their opening braces. Arrays and scalars stay text.
pub(crate) struct Document<'t> {
    text: &'t str,
    objects: Vec<Object>,
    /// Of each object the members that count, side by side.
    members: Vec<Member>,
}

/// The order of an object's keys.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keys {
    /// As written, repeated ones too.
    AsWritten,
    /// By their bytes, each once: of a repeated key the last occurrence.
    Sorted,
}

/// A piece of a document. White space, commas and colons are left to whoever writes it again.
#[derive(Clone, Copy)]
pub(crate) enum Token<'t> {
    /// A bracket or brace.
    Open(u8),
    Close(u8),
    /// A key, with its quotes; its value follows.
    Key(&'t str),
    /// A string, with its quotes.
    Text(&'t str),
    /// A number, `true`, `false` or `null`, as written.
    Plain(&'t str),
}

/// Where an object starts and ends, and which members are its.
struct Object {
    open: u32,
    close: u32,
    members: Range<u32>,
}

/// Where key (with its quotes) and value start.
#[derive(Clone, Copy)]
struct Member {
    key: u32,
    value: u32,
}

/// What is still to be walked.
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
    /// `None`: not JSON, or longer than four gigabytes. Members at the pointers of `without` are left out.
    pub(crate) fn read(text: &'t str, keys: Keys, without: &[&str]) -> Option<Self> {
        u32::try_from(text.len()).ok()?;
        serde_json::from_str::<IgnoredAny>(text).ok()?;
        let start = text.as_ptr() as usize;
        let found = scan(text.as_bytes(), without);
        let left_out: Vec<_> = found.into_iter().flatten().map(|value| value.as_ptr() as usize - start).collect();
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
                    let members = document.keep(pending.drain(first..).collect(), keys, &left_out);
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

    /// Takes over the members of an object that closed.
    fn keep(&mut self, mut members: Vec<Member>, keys: Keys, left_out: &[usize]) -> Range<u32> {
        let first = self.members.len();
        if keys == Keys::Sorted {
            // Stable, so that of equal keys the last stands last.
            members.sort_by(|one, other| self.name(one).cmp(&self.name(other)));
        }
        for (index, member) in members.iter().enumerate() {
            let next = members.get(index + 1).filter(|_| keys == Keys::Sorted);
            let is_last = next.is_none_or(|next| self.name(next) != self.name(member));
            if is_last && !left_out.contains(&(member.value as usize)) {
                self.members.push(*member);
            }
        }
        short(first)..short(self.members.len())
    }

    fn key(&self, member: &Member) -> &'t str {
        let start = member.key as usize;
        &self.text[start..scalar_end(self.text, start)]
    }

    fn name(&self, member: &Member) -> Cow<'t, [u8]> {
        unescaped(self.key(member))
    }

    /// Calls `visit` with every token, until that returns false.
    pub(crate) fn walk(&self, visit: &mut impl FnMut(Token<'t>) -> bool) {
        let mut todo = vec![Todo::Value(skip_blank(self.text, 0))];
        while let Some(next) = todo.pop() {
            let (at, depth) = match next {
                Todo::Value(at) => (at, 0),
                Todo::Rest { at, depth } => (at, depth),
                Todo::Members(Range { start, end }) if start == end => {
                    if !visit(Token::Close(b'}')) {
                        return;
                    }
                    continue;
                }
                Todo::Members(Range { start, end }) => {
                    let member = self.members[start as usize];
                    if !visit(Token::Key(self.key(&member))) {
                        return;
                    }
                    todo.push(Todo::Members(start + 1..end));
                    (member.value as usize, 0)
                }
            };
            if !self.value(at, depth, &mut todo, visit) {
                return;
            }
        }
    }

    /// One value, or the rest of an array: up to its end, or to the first object in it.
    fn value(
        &self,
        mut at: usize,
        mut depth: usize,
        todo: &mut Vec<Todo>,
        visit: &mut impl FnMut(Token<'t>) -> bool,
    ) -> bool {
        while let Some(byte) = self.text.as_bytes().get(at).copied() {
            let (token, end) = match byte {
                b',' | b' ' | b'\t' | b'\n' | b'\r' => {
                    at += 1;
                    continue;
                }
                b'[' => {
                    depth += 1;
                    (Token::Open(byte), at + 1)
                }
                b']' => {
                    depth -= 1;
                    (Token::Close(byte), at + 1)
                }
                b'{' => {
                    let found = self.objects.binary_search_by_key(&short(at), |object| object.open);
                    if let Some(object) = found.ok().and_then(|index| self.objects.get(index)) {
                        if depth > 0 {
                            todo.push(Todo::Rest { at: object.close as usize + 1, depth });
                        }
                        todo.push(Todo::Members(object.members.clone()));
                    }
                    return visit(Token::Open(byte));
                }
                _ => {
                    let end = scalar_end(self.text, at);
                    let text = &self.text[at..end];
                    (if byte == b'"' { Token::Text(text) } else { Token::Plain(text) }, end)
                }
            };
            at = end;
            if !visit(token) {
                return false;
            }
            if depth == 0 {
                break;
            }
        }
        true
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
pub(crate) fn unescaped(quoted: &str) -> Cow<'_, [u8]> {
    let written = quoted.as_bytes().get(1..quoted.len() - 1).unwrap_or_default();
    match written.contains(&b'\\').then(|| serde_json::from_str::<String>(quoted)) {
        Some(Ok(text)) => Cow::Owned(text.into_bytes()),
        Some(Err(_)) => Cow::Borrowed(quoted.as_bytes()),
        None => Cow::Borrowed(written),
    }
}

/// Exact, since [`Document::read`] refuses longer texts.
fn short(place: usize) -> u32 {
    place as u32
}
