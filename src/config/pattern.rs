//! The one pattern grammar: `*` matches any run of characters, dots included; everything else matches itself.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Matches event types (`invoice.*`) and, in `from`, source names (`github-*`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern(String);

impl Pattern {
    /// The pattern as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it matches only itself.
    pub fn is_exact(&self) -> bool {
        !self.0.contains('*')
    }

    /// Whether the whole of `text` matches. Case counts.
    pub fn matches(&self, text: &str) -> bool {
        let (pattern, text) = (self.0.as_bytes(), text.as_bytes());
        let (mut p, mut t) = (0, 0);
        // Where to go on after a mismatch: behind the last star, one byte of text further on. Trying only the last
        // star is enough (an earlier one gains nothing by taking more), which keeps a hostile event type from
        // costing more than pattern × text.
        let mut retry: Option<(usize, usize)> = None;
        while t < text.len() {
            if pattern.get(p) == Some(&b'*') {
                p += 1;
                retry = Some((p, t));
            } else if pattern.get(p) == Some(&text[t]) {
                p += 1;
                t += 1;
            } else if let Some((after_star, from)) = retry {
                p = after_star;
                t = from + 1;
                retry = Some((p, t));
            } else {
                return false;
            }
        }
        pattern[p..].iter().all(|byte| *byte == b'*')
    }
}

impl FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.is_empty() {
            return Err("a pattern is empty: write \"*\" to match everything".into());
        }
        if text.len() > 256 || text.chars().any(|c| c.is_control() || c.is_whitespace()) {
            return Err(format!(
                "`{}` is not a pattern: at most 256 bytes, without spaces or control characters",
                text.escape_debug()
            ));
        }
        Ok(Self(text.to_owned()))
    }
}

impl TryFrom<String> for Pattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.0
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pattern(text: &str) -> Pattern {
        text.parse().unwrap()
    }

    #[test]
    fn a_star_matches_any_run_and_the_rest_matches_itself() {
        let table = [
            ("*", "", true),
            ("*", "invoice.paid", true),
            ("invoice.*", "invoice.paid", true),
            ("invoice.*", "invoice.payment.failed", true),
            ("invoice.*", "invoice.", true),
            ("invoice.*", "invoice", false),
            ("invoice.*", "my.invoice.paid", false),
            ("*.paid", "invoice.paid", true),
            ("*.paid", "invoice.paid.late", false),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXcYb", false),
            ("**", "x", true),
            ("issues", "issues", true),
            ("issues", "issues.opened", false),
            ("Issues", "issues", false),
            ("a.c", "abc", false),
            ("ü*", "über", true),
        ];
        for (text, event, expected) in table {
            assert_eq!(pattern(text).matches(event), expected, "{text} on {event}");
        }
    }

    #[test]
    fn empty_and_spaced_patterns_are_refused() {
        for bad in ["", "a b", "a\n", &"x".repeat(257)] {
            assert!(bad.parse::<Pattern>().is_err(), "{bad:?}");
        }
    }

    /// The definition, exponential and obvious, to hold the fast one against.
    fn by_definition(pattern: &[u8], text: &[u8]) -> bool {
        match pattern.split_first() {
            None => text.is_empty(),
            Some((b'*', rest)) => (0..=text.len()).any(|n| by_definition(rest, &text[n..])),
            Some((byte, rest)) => text.first() == Some(byte) && by_definition(rest, &text[1..]),
        }
    }

    proptest! {
        #[test]
        fn matching_agrees_with_its_definition(text in "[ab.*]{1,8}", event in "[ab.]{0,10}") {
            prop_assert_eq!(
                pattern(&text).matches(&event),
                by_definition(text.as_bytes(), event.as_bytes())
            );
        }

        #[test]
        fn a_pattern_without_a_star_matches_only_itself(text in "[a-z.]{1,12}", event in "[a-z.]{0,12}") {
            prop_assert!(pattern(&text).matches(&text));
            prop_assert_eq!(pattern(&text).matches(&event), text == event);
        }
    }
}
