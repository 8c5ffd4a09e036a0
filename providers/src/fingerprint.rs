//! Tells a copy from a conflict: two events with one id are the same if their fingerprints are.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// SHA-256 of the bytes or, where parts are volatile, of the parsed value without them.
///
/// What does not parse (nested deeper than 128 included) is hashed as bytes.
pub(crate) fn of(text: &[u8], volatile: &[&str]) -> [u8; 32] {
    if volatile.is_empty() {
        return Sha256::digest(text).into();
    }
    match serde_json::from_slice::<Value>(crate::json::without_bom(text)) {
        Ok(mut value) => {
            volatile.iter().for_each(|pointer| remove(&mut value, pointer));
            let mut hasher = Sha256::new();
            absorb(&mut hasher, &value);
            hasher.finalize().into()
        }
        Err(_) => Sha256::digest(text).into(),
    }
}

fn remove(value: &mut Value, pointer: &str) {
    let Some((parent, name)) = pointer.rsplit_once('/') else {
        return;
    };
    if let Some(Value::Object(members)) = value.pointer_mut(parent) {
        members.remove(&name.replace("~1", "/").replace("~0", "~"));
    }
}

/// Every value is written with its kind and length, so that no two values are written alike. Members are sorted here:
/// whether `serde_json` keeps them sorted depends on features other crates turn on.
fn absorb(hasher: &mut Sha256, value: &Value) {
    match value {
        Value::Null => hasher.update(b"z"),
        Value::Bool(value) => hasher.update(if *value { b"t" } else { b"f" }),
        Value::Number(number) => absorb_text(hasher, b'n', &number.to_string()),
        Value::String(text) => absorb_text(hasher, b's', text),
        Value::Array(items) => {
            absorb_length(hasher, b'a', items.len());
            items.iter().for_each(|item| absorb(hasher, item));
        }
        Value::Object(members) => {
            absorb_length(hasher, b'o', members.len());
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            for (name, member) in members {
                absorb_text(hasher, b's', name);
                absorb(hasher, member);
            }
        }
    }
}

fn absorb_text(hasher: &mut Sha256, kind: u8, text: &str) {
    absorb_length(hasher, kind, text.len());
    hasher.update(text);
}

fn absorb_length(hasher: &mut Sha256, kind: u8, length: usize) {
    hasher.update([kind]);
    hasher.update((length as u64).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn retries_that_differ_in_a_declared_counter_are_copies() {
        let first = br#"{"id":"1","attempt":1,"data":{"a":[1,2]}}"#;
        let retry = br#"{"attempt": 2, "data":{"a":[1,2]}, "id":"1"}"#;
        assert_eq!(of(first, &["/attempt"]), of(retry, &["/attempt"]));
        assert_ne!(of(first, &[]), of(retry, &[]));
    }

    #[test]
    fn anything_else_that_differs_makes_a_conflict() {
        let volatile = &["/attempt"][..];
        let bodies: [&[u8]; 7] =
            [b"{\"a\":1}", b"{\"a\":\"1\"}", b"{\"a\":[1]}", b"{\"a\":[[1]]}", b"{\"b\":1}", b"[]", b"[{}]"];
        for (index, one) in bodies.iter().enumerate() {
            for other in &bodies[index + 1..] {
                assert_ne!(of(one, volatile), of(other, volatile));
            }
        }
    }
}
