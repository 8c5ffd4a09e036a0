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

    /// Whether some text matches both.
    pub fn overlaps(&self, other: &Self) -> bool {
        let (one, other) = (self.0.as_bytes(), other.0.as_bytes());
        // `fits[o]`: whether the rest of `one`, from where the loop stands, and `other[o..]` have a text in common.
        let mut fits = vec![false; other.len() + 1];
        for o in (0..=other.len()).rev() {
            fits[o] = other[o..].iter().all(|byte| *byte == b'*');
        }
        for byte in one.iter().rev() {
            let below = std::mem::replace(&mut fits, vec![false; other.len() + 1]);
            for o in (0..=other.len()).rev() {
                fits[o] = match other.get(o) {
                    // A star takes nothing, or one more byte of the other.
                    _ if *byte == b'*' => below[o] || (o < other.len() && fits[o + 1]),
                    Some(b'*') => below[o] || fits[o + 1],
                    Some(there) => there == byte && below[o + 1],
                    None => false,
                };
            }
        }
        fits[0]
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
    fn overlap_finds_a_common_text_where_there_is_one() {
        let table = [
            ("a", "a", true),
            ("a", "b", false),
            ("*", "anything", true),
            ("invoice.*", "*.paid", true),
            ("invoice.*", "charge.*", false),
            ("a*b", "*c", false),
            ("a*b*", "*c", true),
            ("a", "a*", true),
            ("a", "*aa", false),
        ];
        for (one, other, expected) in table {
            assert_eq!(pattern(one).overlaps(&pattern(other)), expected, "{one} {other}");
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
        fn patterns_overlap_if_some_text_matches_both(
            one in "[ab*]{1,5}", other in "[ab*]{1,5}", texts in proptest::collection::vec("[ab]{0,6}", 40)
        ) {
            let (one, other) = (pattern(&one), pattern(&other));
            let overlap = one.overlaps(&other);
            prop_assert_eq!(overlap, other.overlaps(&one));
            if texts.iter().any(|text| one.matches(text) && other.matches(text)) {
                prop_assert!(overlap);
            }
            // Ten bytes hold whatever two patterns of five have in common.
            if !overlap {
                for number in 0..2_048_u32 {
                    let length = 31 - (number + 1).leading_zeros();
                    let text: String = (0..length).map(|bit| if (number + 1) >> bit & 1 == 1 { 'a' } else { 'b' }).collect();
                    prop_assert!(!(one.matches(&text) && other.matches(&text)), "{}", text);
                }
            }
        }

        #[test]
        fn a_pattern_without_a_star_matches_only_itself(text in "[a-z.]{1,12}", event in "[a-z.]{0,12}") {
            prop_assert!(pattern(&text).matches(&text));
            prop_assert_eq!(pattern(&text).matches(&event), text == event);
        }
    }
}
