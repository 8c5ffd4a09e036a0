//! Which events of a request with many a forward is to act on, as a header's value. Pure.

/// Positions from 0 in ascending order, runs of them as `first-last`: `0-2,5`. A batch that is all new stays short however
/// long it is.
pub(super) fn ranges(indexes: &[i32]) -> String {
    let mut runs: Vec<(i32, i32)> = Vec::new();
    for &index in indexes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => runs.push((index, index)),
        }
    }
    let text = |(first, last)| if first == last { format!("{first}") } else { format!("{first}-{last}") };
    runs.into_iter().map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// As docs/HANDLERS.md tells destinations to read it.
    fn read(text: &str) -> Vec<i32> {
        let run = |run: &str| {
            let (first, last) = run.split_once('-').unwrap_or((run, run));
            first.parse::<i32>().unwrap()..=last.parse().unwrap()
        };
        text.split(',').filter(|run| !run.is_empty()).flat_map(run).collect()
    }

    #[test]
    fn runs_are_joined() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2,5,7-8");
        assert_eq!(ranges(&(0..10_000).collect::<Vec<_>>()), "0-9999");
    }

    proptest! {
        #[test]
        fn every_set_of_indexes_reads_back(indexes in proptest::collection::btree_set(0..300i32, 0..100)) {
            let listed: Vec<i32> = indexes.iter().copied().collect();
            prop_assert_eq!(read(&ranges(&listed)).into_iter().collect::<BTreeSet<_>>(), indexes);
        }
    }
}
