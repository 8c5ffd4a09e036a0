use std::collections::BTreeMap;

use super::*;

/// What waits where; claims take from it in the order asked, as the database does.
type Work = BTreeMap<(i32, i16, bool), i64>;

const LIVE: [u32; 3] = [6, 3, 1];

fn work(waiting: &[((i32, i16, bool), i64)]) -> Work {
    waiting.iter().copied().collect()
}

fn key(queue: Queue) -> (i32, i16, bool) {
    (queue.subscription, queue.class, queue.in_lanes)
}

/// One claim; what it took.
fn claim(shares: &mut Shares, sources: &[(i32, u16)], places: i64, work: &mut Work) -> Work {
    let grabs = shares.ask(sources, places as usize);
    let mut left = places;
    let got: Vec<i64> = grabs
        .iter()
        .map(|grab| {
            let there = work.get(&key(grab.queue)).copied().unwrap_or_default();
            let got = there.min(grab.at_most).min(left);
            left -= got;
            got
        })
        .collect();
    shares.got(sources, &grabs, &got, left == 0);
    let mut taken = Work::new();
    for (grab, got) in grabs.iter().zip(&got).filter(|(_, got)| **got > 0) {
        *work.get_mut(&key(grab.queue)).unwrap() -= got;
        *taken.entry(key(grab.queue)).or_default() += got;
    }
    taken
}

/// Claims of these sizes, over and over, until so much was taken.
fn taken(sources: &[(i32, u16)], sizes: &[i64], until: i64, work: &mut Work) -> Work {
    let mut shares = Shares::new(LIVE);
    let mut taken = Work::new();
    for size in sizes.iter().cycle() {
        let left = until - taken.values().sum::<i64>();
        if left <= 0 {
            break;
        }
        let now = claim(&mut shares, sources, (*size).min(left), work);
        assert!(!now.is_empty(), "there is work, and a place for it: {work:?}");
        for (queue, n) in now {
            *taken.entry(queue).or_default() += n;
        }
    }
    taken
}

#[test]
fn each_class_gets_its_share_while_all_have_work() {
    for sizes in [&[1][..], &[10], &[3, 1, 7]] {
        let mut work = work(&[((1, 0, false), 9_999), ((1, 1, false), 9_999), ((1, 2, false), 9_999)]);
        let taken = taken(&[(1, 1)], sizes, 1_000, &mut work);
        for (class, share) in [(0, 600), (1, 300), (2, 100)] {
            let got = taken[&(1, class, false)];
            assert!((got - share).abs() <= 10, "class {class} of claims of {sizes:?}: {got} of {share}");
        }
    }
}

#[test]
fn what_one_class_does_not_use_the_others_get_in_proportion() {
    let mut work = work(&[((1, 1, true), 9_999), ((1, 2, true), 9_999)]);
    let taken = taken(&[(1, 1)], &[4], 1_000, &mut work);
    assert!((taken[&(1, 1, true)] - 750).abs() <= 8, "{taken:?}");
}

#[test]
fn an_idle_class_costs_a_full_claim_nothing() {
    let mut shares = Shares::new(LIVE);
    let mut work = work(&[((1, 0, true), 100)]);
    for _ in 0..10 {
        assert_eq!(claim(&mut shares, &[(1, 1)], 10, &mut work).values().sum::<i64>(), 10);
    }
}

#[test]
fn sources_are_served_by_weight_in_lanes_and_outside() {
    let sources = [(1, 3), (2, 1)];
    for sizes in [&[1][..], &[8], &[5, 2]] {
        let mut work = work(&[((1, 0, true), 9_999), ((2, 0, false), 9_999)]);
        let taken = taken(&sources, sizes, 1_000, &mut work);
        assert!((taken[&(1, 0, true)] - 750).abs() <= 8, "{sizes:?}: {taken:?}");
    }
}

#[test]
fn a_source_does_not_get_more_for_having_work_of_more_kinds() {
    let sources = [(1, 1), (2, 1)];
    let all = [0, 1, 2].map(|class| [((1, class, true), 9_999), ((1, class, false), 9_999)]);
    let mut work = work(&all.concat());
    work.insert((2, 0, true), 9_999);
    let taken = taken(&sources, &[10, 1, 1], 1_000, &mut work);
    assert!((taken[&(2, 0, true)] - 500).abs() <= 10, "{taken:?}");
}

#[test]
fn a_few_jobs_beside_a_great_backlog_are_next() {
    let sources = [(1, 1), (2, 1)];
    let mut shares = Shares::new(LIVE);
    let mut work = work(&[((1, 0, false), 200_000)]);
    for _ in 0..500 {
        claim(&mut shares, &sources, 4, &mut work);
    }
    work.insert((2, 0, false), 10);
    let mut claims = 0;
    while work[&(2, 0, false)] > 0 {
        claim(&mut shares, &sources, 4, &mut work);
        claims += 1;
    }
    assert!(claims <= 6, "10 jobs took {claims} claims of 4");
}

#[test]
fn who_had_nothing_for_long_is_owed_nothing_for_it() {
    let sources = [(1, 1), (2, 1)];
    let mut shares = Shares::new(LIVE);
    let mut work = work(&[((1, 0, false), 99_999)]);
    for _ in 0..5_000 {
        claim(&mut shares, &sources, 1, &mut work);
    }
    work.insert((2, 0, false), 99_999);
    let mut first = 0;
    for _ in 0..100 {
        first += claim(&mut shares, &sources, 1, &mut work).get(&(1, 0, false)).copied().unwrap_or_default();
    }
    assert!((first - 50).abs() <= 2, "the first got {first} of 100");
}

#[test]
fn fewer_places_than_sources_leave_nobody_out() {
    let sources: Vec<(i32, u16)> = (1..=7).map(|id| (id, 1)).collect();
    let mut work: Work = sources.iter().map(|(id, _)| ((*id, 0, true), 9_999)).collect();
    let taken = taken(&sources, &[2], 700, &mut work);
    assert!(taken.values().all(|got| (98..=102).contains(got)), "{taken:?}");
}

#[test]
fn everything_is_asked_for_so_a_claim_that_gets_nothing_has_seen_all() {
    let mut shares = Shares::new(LIVE);
    let sources = [(1, 1), (2, 100)];
    for places in [1, 2, 50] {
        let grabs = shares.ask(&sources, places);
        assert_eq!(grabs.len(), 12);
        assert!(grabs.iter().all(|grab| grab.at_most >= 1));
        let got: Vec<i64> = grabs.iter().map(|grab| grab.at_most.min(1)).collect();
        shares.got(&sources, &grabs, &got, true);
    }
}

#[test]
fn a_new_weight_counts_from_the_next_claim() {
    let mut shares = Shares::new(LIVE);
    let mut work = work(&[((1, 0, true), 9_999), ((2, 0, true), 9_999)]);
    for _ in 0..200 {
        claim(&mut shares, &[(1, 1), (2, 1)], 2, &mut work);
    }
    let mut first = 0;
    for _ in 0..200 {
        first += claim(&mut shares, &[(1, 9), (2, 1)], 2, &mut work).get(&(1, 0, true)).copied().unwrap_or_default();
    }
    assert!((first - 360).abs() <= 6, "the first got {first} of 400");
}
