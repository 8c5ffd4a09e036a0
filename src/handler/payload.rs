//! From a delivery's bytes to what the handler's function takes.

use std::any::type_name;
use std::borrow::Cow;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use super::{Delivery, HandlerError, json_path};

/// What a handler's function may take as its first argument: any type serde decodes from JSON, or [`Raw`].
///
/// `Via` tells the two apart for the compiler; nobody writes it.
pub trait FromDelivery<Via>: Sized {
    /// Decodes the event. An error makes the job dead: the same bytes never decode differently.
    fn from_delivery(delivery: &Delivery) -> Result<Self, HandlerError>;
}

/// The event's bytes exactly as received, for handlers that decode themselves: the request's body, or of a request with
/// many events this one's element. [`Delivery::body`] has the whole request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raw(pub Bytes);

/// Markers that keep the implementations of [`FromDelivery`] apart.
#[doc(hidden)]
#[allow(unreachable_pub, reason = "user code infers these types, and privacy is checked there too")]
pub mod via {
    #[derive(Debug)]
    pub enum Json {}
    #[derive(Debug)]
    pub enum Bytes {}
}

impl FromDelivery<via::Bytes> for Raw {
    fn from_delivery(delivery: &Delivery) -> Result<Self, HandlerError> {
        let Some(pointer) = &delivery.element else {
            return Ok(Self(delivery.body.clone()));
        };
        let document = document(delivery).map_err(HandlerError::undecodable)?;
        let element = element(&document, pointer).map_err(HandlerError::undecodable)?.as_bytes();
        Ok(Self(match &document {
            Cow::Borrowed(_) => delivery.body.slice_ref(element),
            Cow::Owned(_) => Bytes::copy_from_slice(element),
        }))
    }
}

impl<E: DeserializeOwned> FromDelivery<via::Json> for E {
    fn from_delivery(delivery: &Delivery) -> Result<Self, HandlerError> {
        decode(delivery).map_err(|why| {
            let expected = type_name::<E>();
            HandlerError::undecodable(format!("the payload does not fit `{expected}`: {why}"))
        })
    }
}

fn decode<E: DeserializeOwned>(delivery: &Delivery) -> Result<E, String> {
    let document = document(delivery)?;
    match &delivery.element {
        None => from_json(&document, ""),
        Some(pointer) => from_json(element(&document, pointer)?.as_bytes(), pointer),
    }
}

/// The element's own text, found as the provider's locators found it when the request was recorded.
fn element<'d>(document: &'d [u8], pointer: &str) -> Result<&'d str, String> {
    hookgate_providers::element(document, pointer).ok_or_else(|| format!("there is nothing at {pointer}"))
}

/// The event's JSON: the body, or the `payload` field of a form, which is how GitHub and Slack send JSON in forms
/// (<https://docs.github.com/en/webhooks/using-webhooks/creating-webhooks>).
fn document(delivery: &Delivery) -> Result<Cow<'_, [u8]>, String> {
    let is_form = delivery.content_type.as_deref().is_some_and(|content_type| {
        let essence = content_type.split(';').next().unwrap_or_default();
        essence.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded")
    });
    if !is_form {
        return Ok(Cow::Borrowed(&delivery.body));
    }
    form_field(&delivery.body, b"payload").map(Cow::Owned).ok_or_else(|| "the form has no field `payload`".to_owned())
}

fn form_field(form: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    form.split(|&byte| byte == b'&').find_map(|pair| {
        let (key, value) = pair.split_at_checked(pair.iter().position(|&byte| byte == b'=')?)?;
        (unescaped(key) == name).then(|| unescaped(&value[1..]))
    })
}

fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let [first, tail @ ..] = rest {
        let escaped = match rest {
            [b'%', high, low, ..] => hex::decode([*high, *low]).ok().and_then(|bytes| bytes.first().copied()),
            _ => None,
        };
        out.push(match (escaped, first) {
            (Some(byte), _) => byte,
            (None, b'+') => b' ',
            (None, byte) => *byte,
        });
        rest = if escaped.is_some() { &rest[3..] } else { tail };
    }
    out
}

/// Tells where and of what kind the misfit is. serde_json's own text quotes the offending value, and a payload must not
/// get into attempts and logs; a missing field's name comes from the handler's type, so it may be told.
fn from_json<E: DeserializeOwned>(json: &[u8], root: &str) -> Result<E, String> {
    serde_json::from_slice(json).map_err(|error| {
        let position = format!("line {}, column {}", error.line(), error.column());
        match error.classify() {
            Category::Data => {
                let text = error.to_string();
                let what = text
                    .split_inclusive('`')
                    .take(2)
                    .collect::<String>()
                    .strip_prefix("missing field `")
                    .map_or_else(|| "wrong type or value".to_owned(), |field| format!("missing field `{field}"));
                let path = json_path::at(json, error.line(), error.column());
                let path = format!("{root}{path}");
                let path = if path.is_empty() { "the top" } else { &path };
                format!("{what} at {path} ({position})")
            }
            Category::Eof => format!("the JSON ends too early ({position})"),
            Category::Syntax | Category::Io => format!("not JSON ({position})"),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handler::delivery::sample;
    use crate::job::Outcome;
    use proptest::prelude::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Invoice {
        id: String,
        amount: u64,
    }

    fn delivery(content_type: &str, body: &'static str) -> Delivery {
        Delivery { content_type: Some(content_type.to_owned()), body: Bytes::from_static(body.as_bytes()), ..sample() }
    }

    fn misfit(delivery: &Delivery) -> String {
        let error = Invoice::from_delivery(delivery).expect_err("must not decode");
        assert_eq!(error.outcome(), Outcome::Undecodable);
        error.describe()
    }

    #[test]
    fn json_comes_from_the_body_or_from_the_payload_field_of_a_form() {
        let expected = Invoice { id: "a b".to_owned(), amount: 7 };
        let plain = delivery("application/json; charset=utf-8", r#"{"id": "a b", "amount": 7}"#);
        assert_eq!(Invoice::from_delivery(&plain).ok(), Some(expected));
        let form = delivery(
            "Application/X-WWW-Form-Urlencoded",
            "x=1&payload=%7B%22id%22%3A%22a+b%22%2c%22amount%22%3A7%7D&payload=no",
        );
        assert_eq!(Invoice::from_delivery(&form).ok().map(|invoice| invoice.id), Some("a b".to_owned()));
    }

    #[test]
    fn an_event_of_a_batch_is_its_own_element() {
        let mut batch = delivery("application/json", r#"[{"id":"a","amount":1},{"id":"b","amount":2}]"#);
        batch.element = Some("/1".to_owned());
        assert_eq!(Invoice::from_delivery(&batch).ok().map(|invoice| invoice.amount), Some(2));
        batch.element = Some("/2".to_owned());
        assert!(misfit(&batch).contains("nothing at /2"));
    }

    #[test]
    fn raw_takes_the_bytes_whatever_they_are() {
        let odd = Delivery { body: Bytes::from_static(b"\0\xff{"), ..sample() };
        assert_eq!(Raw::from_delivery(&odd).ok(), Some(Raw(Bytes::from_static(b"\0\xff{"))));
    }

    #[test]
    fn a_misfit_names_its_place_and_never_the_content() {
        let wrong = misfit(&delivery("application/json", r#"{"id": "x", "amount": "s3cret"}"#));
        assert!(wrong.contains("Invoice`: wrong type or value at /amount (line 1, column"), "{wrong}");
        assert!(!wrong.contains("s3cret"), "{wrong}");
        let missing = misfit(&delivery("application/json", r#"{"id": "s3cret"}"#));
        assert!(missing.contains("missing field `amount` at the top"), "{missing}");
        let broken = misfit(&delivery("application/json", r#"{"id": s3cret}"#));
        assert!(broken.contains("not JSON (line 1, column"), "{broken}");
        let cut = misfit(&delivery("application/json", r#"{"id": "x""#));
        assert!(cut.contains("ends too early"), "{cut}");
        let form = misfit(&delivery("application/x-www-form-urlencoded", "a=1"));
        assert!(form.contains("no field `payload`"), "{form}");
    }

    proptest! {
        #[test]
        fn an_escaped_field_comes_back_as_it_was(value in proptest::collection::vec(any::<u8>(), 0..40)) {
            let escaped: String = value.iter().map(|byte| format!("%{byte:02X}")).collect();
            let form = format!("a=b&payload={escaped}&c");
            prop_assert_eq!(form_field(form.as_bytes(), b"payload"), Some(value));
        }

        #[test]
        fn no_bytes_make_decoding_panic(body in proptest::collection::vec(any::<u8>(), 0..60), form in any::<bool>()) {
            let content_type = form.then(|| "application/x-www-form-urlencoded".to_owned());
            let delivery = Delivery { body: body.into(), content_type, ..sample() };
            let _ = Invoice::from_delivery(&delivery);
        }
    }
}
