//! Comparing signatures so that the time it takes tells nothing of them but their length.

use subtle::{Choice, ConstantTimeEq};

/// In constant time, eight bytes a step: `ct_eq` of slices takes a barrier against the optimiser for every byte, which for 32
/// bytes costs as much as hashing half a kilobyte.
pub(super) fn same(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let (words, rest) = one.as_chunks();
    let (other_words, other_rest) = other.as_chunks();
    let mut same = rest.ct_eq(other_rest);
    for (word, other) in words.iter().zip(other_words) {
        same &= equal(word, other);
    }
    same.into()
}

fn equal(one: &[u8; 8], other: &[u8; 8]) -> Choice {
    u64::from_ne_bytes(*one).ct_eq(&u64::from_ne_bytes(*other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_texts_are_the_same_only_if_every_byte_is() {
        let text: Vec<u8> = (0..71).collect();
        for length in 0..text.len() {
            let one = &text[..length];
            assert!(same(one, one));
            assert!(!same(one, &text[..length + 1]));
            for changed in 0..length {
                for bit in 0..8 {
                    let mut other = one.to_vec();
                    other[changed] ^= 1 << bit;
                    assert!(!same(one, &other), "{length} bytes, bit {bit} of byte {changed}");
                }
            }
        }
    }
}
