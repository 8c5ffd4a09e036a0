//! What a value is compared with: a text, a number or a boolean.

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};
use serde_json::Number;

/// A text, a number or a boolean that a value may equal. Made with `into()` from each of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar(pub(super) Kind);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Text(String),
    Number(Number),
    Bool(bool),
    /// A number that JSON has not, such as infinity: refused at start.
    NoNumber,
}

impl From<&str> for Scalar {
    fn from(text: &str) -> Self {
        Self(Kind::Text(text.to_owned()))
    }
}

impl From<String> for Scalar {
    fn from(text: String) -> Self {
        Self(Kind::Text(text))
    }
}

impl From<bool> for Scalar {
    fn from(value: bool) -> Self {
        Self(Kind::Bool(value))
    }
}

impl From<i32> for Scalar {
    fn from(number: i32) -> Self {
        Self(Kind::Number(number.into()))
    }
}

impl From<i64> for Scalar {
    fn from(number: i64) -> Self {
        Self(Kind::Number(number.into()))
    }
}

impl From<u64> for Scalar {
    fn from(number: u64) -> Self {
        Self(Kind::Number(number.into()))
    }
}

impl From<f64> for Scalar {
    fn from(number: f64) -> Self {
        Self(Number::from_f64(number).map_or(Kind::NoNumber, Kind::Number))
    }
}

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Kind::Text(text) => out.serialize_str(text),
            Kind::Number(number) => number.serialize(out),
            Kind::Bool(value) => out.serialize_bool(*value),
            Kind::NoNumber => out.serialize_f64(f64::NAN),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Any;
        impl Visitor<'_> for Any {
            type Value = Scalar;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a text, a number, true or false")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Scalar, E> {
                Ok(text.into())
            }
            fn visit_bool<E: Error>(self, value: bool) -> Result<Scalar, E> {
                Ok(value.into())
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<Scalar, E> {
                Ok(number.into())
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<Scalar, E> {
                Ok(number.into())
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<Scalar, E> {
                Ok(number.into())
            }
        }
        input.deserialize_any(Any)
    }
}
