//! What an event must fulfil for a handler to get it: conditions on its type, its request's headers and its JSON. Pure.
//!
//! A [`Condition`] is as an operator writes it, in the configuration, in Rust and in the database. A [`Filter`] is what
//! several of them mean together: checked once, and then only asked.

mod decimal;
mod filter;
mod scalar;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

pub(crate) use filter::{Filter, Subject};
pub use scalar::Scalar;

/// One condition on an event, for `Named::when`. The same as a table of `when` in the configuration.
///
/// ```
/// use hookgate::Condition;
///
/// let condition = Condition::any([
///     Condition::json("/data/object/amount").is_in([1000, 2000]),
///     Condition::not(Condition::header("x-shop").starts_with("test-")),
/// ]);
/// ```
///
/// What it may not be (a pointer without its slash, an empty list) is refused when the gateway starts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a condition such as { json = \"/type\", equals = \"paid\" }")]
pub struct Condition {
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<Patterns>,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    json: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    equals: Option<Scalar>,
    #[serde(rename = "in", skip_serializing_if = "Option::is_none")]
    one_of: Option<Vec<Scalar>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    prefix: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exists: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    null: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    not: Option<Box<Condition>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    any: Option<Vec<Condition>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    all: Option<Vec<Condition>>,
}

/// What a condition is about, still without what is asked of it.
#[derive(Debug, Clone)]
#[must_use = "a condition needs something to ask for"]
pub struct About(Condition);

impl Condition {
    /// The event type matches this pattern; `*` matches any run of characters. One without a type meets only `*`.
    pub fn event(pattern: impl Into<String>) -> Self {
        Self { event: Some(Patterns::One(pattern.into())), ..Self::default() }
    }

    /// About a header of the request; case of the name does not count. Of a repeated header any value may fulfil it.
    pub fn header(name: impl Into<String>) -> About {
        About(Self { header: Some(name.into()), ..Self::default() })
    }

    /// About the value at a JSON pointer (RFC 6901) in the event: in the request's JSON or, in a batch, in the event's
    /// element. Of a repeated key the last occurrence counts. What is not JSON has nothing anywhere.
    pub fn json(pointer: impl Into<String>) -> About {
        About(Self { json: Some(pointer.into()), ..Self::default() })
    }

    /// The condition does not hold.
    #[expect(clippy::should_implement_trait, reason = "it stands beside `any` and `all`, which no operator writes")]
    pub fn not(condition: Self) -> Self {
        Self { not: Some(Box::new(condition)), ..Self::default() }
    }

    /// At least one of these holds.
    pub fn any(conditions: impl IntoIterator<Item = Self>) -> Self {
        Self { any: Some(conditions.into_iter().collect()), ..Self::default() }
    }

    /// All of these hold.
    pub fn all(conditions: impl IntoIterator<Item = Self>) -> Self {
        Self { all: Some(conditions.into_iter().collect()), ..Self::default() }
    }
}

impl About {
    /// It is this: a text, a number or a boolean. Texts are compared exactly, numbers by value: 1, 1.0 and 1e0 are equal,
    /// the text "1" is another thing.
    pub fn equals(self, value: impl Into<Scalar>) -> Condition {
        Condition { equals: Some(value.into()), ..self.0 }
    }

    /// It is one of these.
    pub fn is_in<V: Into<Scalar>>(self, values: impl IntoIterator<Item = V>) -> Condition {
        Condition { one_of: Some(values.into_iter().map(Into::into).collect()), ..self.0 }
    }

    /// It is a text that begins so.
    pub fn starts_with(self, prefix: impl Into<String>) -> Condition {
        Condition { prefix: Some(prefix.into()), ..self.0 }
    }

    /// It is there; a JSON null is.
    pub fn exists(self) -> Condition {
        Condition { exists: Some(true), ..self.0 }
    }

    /// It is there, and null. Only of JSON.
    pub fn is_null(self) -> Condition {
        Condition { null: Some(true), ..self.0 }
    }
}

/// One event pattern, or several of which one must match.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum Patterns {
    One(String),
    Several(Vec<String>),
}

impl Patterns {
    fn each(&self) -> &[String] {
        match self {
            Self::One(pattern) => std::slice::from_ref(pattern),
            Self::Several(patterns) => patterns,
        }
    }
}

/// Written out, since an untagged enum's refusal would not say what belongs there.
impl<'de> Deserialize<'de> for Patterns {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct OneOrSeveral;
        impl<'de> Visitor<'de> for OneOrSeveral {
            type Value = Patterns;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an event pattern or a list of them")
            }
            fn visit_str<E>(self, text: &str) -> Result<Patterns, E> {
                Ok(Patterns::One(text.to_owned()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Patterns, A::Error> {
                let mut patterns = Vec::new();
                while let Some(pattern) = list.next_element()? {
                    patterns.push(pattern);
                }
                Ok(Patterns::Several(patterns))
            }
        }
        input.deserialize_any(OneOrSeveral)
    }
}

/// `when`, as it may be written: a list of conditions that must all hold, or a single one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub(crate) struct When(pub(crate) Vec<Condition>);

impl<'de> Deserialize<'de> for When {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct OneOrAll;
        impl<'de> Visitor<'de> for OneOrAll {
            type Value = When;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of conditions such as [{ json = \"/type\", equals = \"paid\" }]")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<When, A::Error> {
                Condition::deserialize(MapAccessDeserializer::new(map)).map(|condition| When(vec![condition]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<When, A::Error> {
                let mut conditions = Vec::new();
                while let Some(condition) = list.next_element()? {
                    conditions.push(condition);
                }
                Ok(When(conditions))
            }
        }
        input.deserialize_any(OneOrAll)
    }
}
