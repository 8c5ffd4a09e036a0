//! What conditions mean together: checked, and asked of each event.

use std::borrow::Cow;

use hookgate_providers::Headers;
use http::HeaderName;

use super::decimal::Decimal;
use super::scalar::{Kind, Scalar};
use super::{Condition, Patterns};
use crate::config::Pattern;

/// Conditions of one handler, nested ones counted.
const MOST: usize = 64;
/// How deep they may nest.
const DEEPEST: usize = 8;
/// Values of one `in`.
const MOST_VALUES: usize = 256;
/// A text of a condition, in bytes.
const LONGEST: usize = 1024;

/// Conditions that must all hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filter {
    tests: Vec<Test>,
    pointers: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    Event(Vec<Pattern>),
    Header(String, Is),
    Json(String, Is),
    Not(Box<Test>),
    Any(Vec<Test>),
    All(Vec<Test>),
}

/// What is asked of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Is {
    OneOf(Vec<Value>),
    Prefix(String),
    There(bool),
    Null(bool),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Value {
    Text(String),
    Number(Decimal),
    Bool(bool),
}

/// One event, as conditions see it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subject<'a> {
    pub(crate) event_type: Option<&'a str>,
    pub(crate) headers: &'a Headers,
    /// The JSON text at each pointer that was looked up.
    pub(crate) json: &'a [(&'a str, Option<&'a str>)],
}

impl Filter {
    /// What all of these conditions mean. The error says which of them can't be meant, and what to write; `setting` is what
    /// they are called there.
    pub(crate) fn of(setting: &str, conditions: &[Condition]) -> Result<Self, String> {
        let mut reader = Reader { left: MOST, pointers: Vec::new() };
        let tests = reader.list(setting, conditions, 1)?;
        Ok(Self { tests, pointers: reader.pointers })
    }

    /// As stored with a handler. One that this release can't read, of a newer one perhaps, holds for nothing: what it keeps
    /// back is recorded as filtered and can be replayed, and what it let through could not be taken back.
    pub(crate) fn stored(when: &serde_json::Value) -> Self {
        let conditions = serde_json::from_value::<Vec<Condition>>(when.clone()).map_err(|error| error.to_string());
        conditions.and_then(|conditions| Self::of("when", &conditions)).unwrap_or_else(|why| {
            tracing::error!(why, "handler.condition_unreadable: it holds for nothing here");
            Self { tests: vec![Test::Any(Vec::new())], pointers: Vec::new() }
        })
    }

    /// The JSON pointers that the conditions look at, each once.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = &str> {
        self.pointers.iter().map(String::as_str)
    }

    /// Whether the event fulfils them all.
    pub(crate) fn holds(&self, subject: Subject<'_>) -> bool {
        self.tests.iter().all(|test| test.holds(subject))
    }
}

impl Test {
    fn holds(&self, subject: Subject<'_>) -> bool {
        match self {
            Self::Event(patterns) => {
                patterns.iter().any(|pattern| pattern.matches(subject.event_type.unwrap_or_default()))
            }
            Self::Header(name, is) => is.holds_for_header(subject.headers, name),
            Self::Json(pointer, is) => {
                is.holds_for_json(subject.json.iter().find(|(known, _)| known == pointer).and_then(|(_, text)| *text))
            }
            Self::Not(test) => !test.holds(subject),
            Self::Any(tests) => tests.iter().any(|test| test.holds(subject)),
            Self::All(tests) => tests.iter().all(|test| test.holds(subject)),
        }
    }
}

impl Is {
    fn holds_for_header(&self, headers: &Headers, name: &str) -> bool {
        let mut values = headers.iter().filter(|(known, _)| *known == name).map(|(_, value)| value);
        match self {
            Self::There(wanted) => values.next().is_some() == *wanted,
            Self::Prefix(prefix) => values.any(|value| value.starts_with(prefix.as_bytes())),
            Self::OneOf(wanted) => values.any(|value| {
                wanted.iter().any(|wanted| matches!(wanted, Value::Text(text) if text.as_bytes() == value))
            }),
            Self::Null(_) => false,
        }
    }

    fn holds_for_json(&self, json: Option<&str>) -> bool {
        match (self, json) {
            (Self::There(wanted), found) => found.is_some() == *wanted,
            (_, None) => false,
            (Self::Null(wanted), Some(json)) => (json == "null") == *wanted,
            (Self::Prefix(prefix), Some(json)) => text(json).is_some_and(|text| text.starts_with(prefix.as_str())),
            (Self::OneOf(wanted), Some(json)) => match json.as_bytes().first() {
                Some(b'"') => text(json).is_some_and(|found| {
                    wanted.iter().any(|wanted| matches!(wanted, Value::Text(text) if *text == *found))
                }),
                Some(b't' | b'f') => wanted.contains(&Value::Bool(json == "true")),
                Some(b'-' | b'0'..=b'9') => {
                    Decimal::read(json).is_some_and(|number| wanted.contains(&Value::Number(number)))
                }
                _ => false,
            },
        }
    }
}

/// A JSON string unescaped; `None` for other values, and for what no text can hold.
fn text(json: &str) -> Option<Cow<'_, str>> {
    json.starts_with('"').then_some(())?;
    let plain = &json[1..json.len().checked_sub(1)?];
    // Most have no escape, and a large one need not be copied.
    if !plain.contains('\\') {
        return Some(Cow::Borrowed(plain));
    }
    serde_json::from_str::<String>(json).ok().map(Cow::Owned)
}

/// Reads conditions, and counts them.
struct Reader {
    left: usize,
    pointers: Vec<String>,
}

impl Reader {
    fn list(&mut self, at: &str, conditions: &[Condition], depth: usize) -> Result<Vec<Test>, String> {
        if conditions.is_empty() {
            return Err(format!("`{at}` is an empty list, which asks for nothing: write a condition or remove it"));
        }
        let each = conditions.iter().enumerate();
        each.map(|(index, condition)| self.one(&format!("{at}[{index}]"), condition, depth)).collect()
    }

    fn one(&mut self, at: &str, condition: &Condition, depth: usize) -> Result<Test, String> {
        self.left = self.left.checked_sub(1).ok_or_else(|| {
            format!("`{at}` is one condition too many: a handler may have {MOST}, nested ones counted")
        })?;
        if depth > DEEPEST {
            return Err(format!("`{at}` is nested more than {DEEPEST} deep: write it flatter"));
        }
        let Condition { event, header, json, not, any, all, .. } = condition;
        let about = [
            ("event", event.is_some()),
            ("header", header.is_some()),
            ("json", json.is_some()),
            ("not", not.is_some()),
            ("any", any.is_some()),
            ("all", all.is_some()),
        ];
        let about: Vec<&str> = about.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
        match about[..] {
            [] => {
                return Err(format!(
                    "`{at}` says nothing about the event: write one of event, header, json, not, any and all in it"
                ));
            }
            [_] => {}
            [one, other, ..] => {
                return Err(format!(
                    "`{at}` has both `{one}` and `{other}`: write a condition for each, next to each other for both, under \
                     `any` for one of them"
                ));
            }
        }
        if header.is_none() && json.is_none() {
            refuse_operators(at, condition, about[0])?;
        }
        Ok(match condition {
            Condition { event: Some(patterns), .. } => Test::Event(event_patterns(at, patterns)?),
            Condition { header: Some(name), .. } => {
                let name = short(at, "header", name)?;
                let name: HeaderName = name.to_ascii_lowercase().parse().map_err(|_| {
                    format!("`{at}.header` is no header name (`{}`): letters, digits and -", name.escape_debug())
                })?;
                let is = operator(at, condition)?;
                of_header(at, &is)?;
                Test::Header(name.as_str().to_owned(), is)
            }
            Condition { json: Some(pointer), .. } => {
                let pointer = self.pointer(at, pointer)?;
                Test::Json(pointer, operator(at, condition)?)
            }
            Condition { not: Some(inner), .. } => {
                Test::Not(Box::new(self.one(&format!("{at}.not"), inner, depth + 1)?))
            }
            Condition { any: Some(inner), .. } => Test::Any(self.list(&format!("{at}.any"), inner, depth + 1)?),
            Condition { all: Some(inner), .. } => Test::All(self.list(&format!("{at}.all"), inner, depth + 1)?),
            _ => unreachable!("one of them is there"),
        })
    }

    fn pointer(&mut self, at: &str, pointer: &str) -> Result<String, String> {
        let pointer = short(at, "json", pointer)?;
        let shown = pointer.escape_debug();
        if !pointer.starts_with('/') {
            return Err(format!(
                "`{at}.json` is no JSON pointer (`{shown}`): it begins with a slash, as in \"/data/object/id\""
            ));
        }
        let escapes = pointer.match_indices('~');
        let is_escape = |(tilde, _): (usize, &str)| matches!(pointer.as_bytes().get(tilde + 1), Some(b'0' | b'1'));
        if !escapes.into_iter().all(is_escape) {
            return Err(format!(
                "`{at}.json` is no JSON pointer (`{shown}`): in a name, ~ is written ~0 and / is written ~1"
            ));
        }
        if !self.pointers.iter().any(|known| known == pointer) {
            self.pointers.push(pointer.to_owned());
        }
        Ok(pointer.to_owned())
    }
}

fn refuse_operators(at: &str, condition: &Condition, about: &str) -> Result<(), String> {
    match operators(condition)[..] {
        [] => Ok(()),
        [first, ..] if about == "event" => Err(format!(
            "`{at}` has `event` and `{first}`: `event` is itself a pattern or a list of them, as in {{ event = \"invoice.*\" }}"
        )),
        [first, ..] => {
            Err(format!("`{at}` has `{about}` and `{first}`: put `{first}` into a condition on header or json"))
        }
    }
}

/// The operators that are written.
fn operators(condition: &Condition) -> Vec<&'static str> {
    let operators = [
        ("equals", condition.equals.is_some()),
        ("in", condition.one_of.is_some()),
        ("prefix", condition.prefix.is_some()),
        ("exists", condition.exists.is_some()),
        ("null", condition.null.is_some()),
    ];
    operators.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect()
}

fn operator(at: &str, condition: &Condition) -> Result<Is, String> {
    match operators(condition)[..] {
        [] => {
            return Err(format!(
                "`{at}` says what to look at and not what it must be: add equals, in, prefix or exists"
            ));
        }
        [_] => {}
        [one, other, ..] => {
            return Err(format!("`{at}` has both `{one}` and `{other}`: write two conditions, one for each"));
        }
    }
    Ok(match condition {
        Condition { equals: Some(scalar), .. } => Is::OneOf(vec![value(at, "equals", scalar)?]),
        Condition { one_of: Some(scalars), .. } if scalars.is_empty() => {
            return Err(format!("`{at}.in` is an empty list, so nothing could ever be in it: write what it may be"));
        }
        Condition { one_of: Some(scalars), .. } if scalars.len() > MOST_VALUES => {
            return Err(format!("`{at}.in` has {} values: at most {MOST_VALUES}", scalars.len()));
        }
        Condition { one_of: Some(scalars), .. } => {
            Is::OneOf(scalars.iter().map(|scalar| value(at, "in", scalar)).collect::<Result<_, _>>()?)
        }
        Condition { prefix: Some(prefix), .. } if prefix.is_empty() => {
            return Err(format!("`{at}.prefix` is empty, and every text begins so: write exists = true"));
        }
        Condition { prefix: Some(prefix), .. } => Is::Prefix(short(at, "prefix", prefix)?.to_owned()),
        Condition { exists: Some(wanted), .. } => Is::There(*wanted),
        Condition { null: Some(wanted), .. } => Is::Null(*wanted),
        _ => unreachable!("one of them is there"),
    })
}

/// Headers are texts.
fn of_header(at: &str, is: &Is) -> Result<(), String> {
    match is {
        Is::Null(_) => Err(format!("`{at}.null` is about JSON, and a header is a text: write exists = false")),
        Is::OneOf(values) if !values.iter().all(|value| matches!(value, Value::Text(_))) => Err(format!(
            "`{at}` compares a header, which is a text, with something else: write it in quotes, as in \"1\""
        )),
        _ => Ok(()),
    }
}

fn value(at: &str, operator: &str, scalar: &Scalar) -> Result<Value, String> {
    let no_number = || format!("`{at}.{operator}` is a number that JSON does not have: write another");
    Ok(match &scalar.0 {
        Kind::Text(text) => Value::Text(short(at, operator, text)?.to_owned()),
        Kind::Bool(value) => Value::Bool(*value),
        Kind::Number(number) => Value::Number(Decimal::read(&number.to_string()).ok_or_else(no_number)?),
        Kind::NoNumber => return Err(no_number()),
    })
}

fn event_patterns(at: &str, patterns: &Patterns) -> Result<Vec<Pattern>, String> {
    let patterns = patterns.each();
    if patterns.is_empty() {
        return Err(format!("`{at}.event` is an empty list, so no event could match: write a pattern"));
    }
    if patterns.len() > MOST_VALUES {
        return Err(format!("`{at}.event` has {} patterns: at most {MOST_VALUES}", patterns.len()));
    }
    patterns.iter().map(|pattern| pattern.parse().map_err(|why| format!("`{at}.event`: {why}"))).collect()
}

fn short<'t>(at: &str, key: &str, text: &'t str) -> Result<&'t str, String> {
    if text.len() > LONGEST {
        return Err(format!("`{at}.{key}` has {} bytes: at most {LONGEST}", text.len()));
    }
    if text.contains('\0') {
        return Err(format!("`{at}.{key}` holds a NUL character, which can't be stored: remove it"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests;
