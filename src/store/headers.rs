//! `deliveries.headers`: header lines as received, in order, repeats included, as length-prefixed pairs.
//!
//! A pair is the name's length, the name, the value's length, the value; lengths are big-endian u32. Not JSON: values
//! are bytes.

/// The column's bytes for these lines.
pub(crate) fn encode<'a>(lines: impl IntoIterator<Item = (&'a [u8], &'a [u8])>) -> Vec<u8> {
    let mut column = Vec::new();
    for part in lines.into_iter().flat_map(|(name, value)| [name, value]) {
        // A header line longer than 4 GB can't be received.
        column.extend_from_slice(&(part.len() as u32).to_be_bytes());
        column.extend_from_slice(part);
    }
    column
}

/// The lines in the column. Ends early if the column was damaged.
pub(crate) fn decode(column: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = column;
    std::iter::from_fn(move || Some((part(&mut rest)?, part(&mut rest)?)))
}

fn part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (part, after) = after.split_at_checked(u32::from_be_bytes(*length) as usize)?;
    *rest = after;
    Some(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_back_in_order_with_repeats_and_any_bytes() {
        let lines: [(&[u8], &[u8]); 3] = [(b"a", b"1"), (b"a", b""), (b"b", b"\xff\0")];
        let column = encode(lines);
        assert_eq!(decode(&column).collect::<Vec<_>>(), lines);
        assert_eq!(
            decode(&column[..column.len() - 1]).count(),
            2,
            "a cut column ends early"
        );
        assert_eq!(decode(&[]).count(), 0);
    }
}
