//! Tells a copy from a conflict: two events with one id are the same if their fingerprints are.
//!
//! Where a provider's honest retries differ in a counter, the document is hashed without it, and so that neither white
//! space nor the order of keys counts. Numbers count as they are written: `1.0` is not `1`, and no digit is lost. Of a
//! repeated key the last occurrence counts, as everywhere.

use sha2::{Digest, Sha256};

use crate::json;
use crate::json::document::{Document, Keys, Token, unescaped};

/// SHA-256 of the bytes or, where members are volatile, of the JSON document without them. What is not JSON, or longer
/// than four gigabytes, is hashed as bytes.
///
/// Takes no more memory than a few times the text, however deeply that is nested.
pub(crate) fn of(text: &[u8], volatile: &[&str]) -> [u8; 32] {
    if volatile.is_empty() {
        return Sha256::digest(text).into();
    }
    let document = std::str::from_utf8(json::without_bom(text)).ok();
    match document.and_then(|text| Document::read(text, Keys::Sorted, volatile)) {
        Some(document) => hash(&document),
        None => Sha256::digest(text).into(),
    }
}

/// Every token is written with its kind, texts with their length too, so that no two documents are written alike.
fn hash(document: &Document<'_>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    let mut absorb = |kind: u8, text: &[u8]| {
        hasher.update([kind]);
        hasher.update((text.len() as u64).to_be_bytes());
        hasher.update(text);
    };
    document.walk(&mut |token| {
        match token {
            Token::Open(bracket) | Token::Close(bracket) => absorb(bracket, b""),
            Token::Key(text) | Token::Text(text) => absorb(b's', &unescaped(text)),
            Token::Plain(text) => absorb(b'n', text.as_bytes()),
        }
        true
    });
    hasher.finalize().into()
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
