//! JSON numbers by their value and to their last digit: a float would take two large ids for one.

/// A number as its digits times a power of ten, in the one form that each value has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    /// From the first to the last that is not zero; empty for zero.
    digits: Vec<u8>,
    /// Where the point stands behind the last digit.
    exponent: i64,
}

impl Decimal {
    /// Reads a number as JSON writes it. `None`: it is none, or its exponent is beyond any use.
    pub(super) fn read(text: &str) -> Option<Self> {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).skip_while(|digit| *digit == b'0').collect();
        let significant = digits.iter().rposition(|digit| *digit != b'0').map_or(0, |last| last + 1);
        if significant == 0 {
            return Some(Self { negative: false, digits: Vec::new(), exponent: 0 });
        }
        let trailing = i64::try_from(digits.len() - significant).ok()?;
        let places = i64::try_from(fraction.len()).ok()?;
        let exponent = exponent.checked_sub(places)?.checked_add(trailing)?;
        Some(Self { negative, digits: digits[..significant].to_vec(), exponent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_are_equal_by_value_and_to_the_last_digit() {
        let equal = [
            ("1", "1.0"),
            ("1", "1e0"),
            ("100", "1E+2"),
            ("0.1", "0.10"),
            ("-0", "0"),
            ("0.0e9", "0"),
            ("12.5e-1", "1.25"),
            ("123456789012345678901234567890", "1.2345678901234567890123456789e29"),
        ];
        for (one, other) in equal {
            assert!(Decimal::read(one).is_some());
            assert_eq!(Decimal::read(one), Decimal::read(other), "{one} {other}");
        }
        let different = [
            ("1", "-1"),
            ("1", "10"),
            ("1", "0.1"),
            ("9007199254740993", "9007199254740992"),
            ("0.1", "0.10000000000000001"),
            ("1e400", "1e401"),
        ];
        for (one, other) in different {
            assert_ne!(Decimal::read(one), Decimal::read(other), "{one} {other}");
        }
        for none in ["", "-", "true", "\"1\"", "1e", "1e99999999999999999999", "1x", "{}", ".5"] {
            assert_eq!(Decimal::read(none), None, "{none}");
        }
    }

    proptest! {
        #[test]
        fn what_moves_the_point_and_the_exponent_alike_changes_nothing(number in any::<i64>(), zeros in 0_usize..20) {
            let written = format!("{number}{}e-{zeros}", "0".repeat(zeros));
            prop_assert_eq!(Decimal::read(&written), Decimal::read(&number.to_string()));
        }

        #[test]
        fn no_text_panics(text in "[-0-9.eE+]{0,12}") {
            Decimal::read(&text);
        }
    }
}
