//! A right signature at a wrong time: by how much?

use super::{Finding, Refused};
use crate::{Provider, Reject, authenticate};

/// Beyond any time that is written in seconds, and in milliseconds by mistake.
const LAST: i64 = 1 << 44;

/// The time of signing is where, without any tolerance, "in the future" turns into "too old": found by halving, so that no
/// scheme has to say where it keeps its time.
pub(super) fn finding(refused: &Refused<'_>) -> Finding {
    let provider = Provider { tolerance_s: Some(0), ..*refused.provider };
    let is_old = |now: i64| {
        authenticate(&provider, &refused.request, refused.secrets, refused.keys, now) == Err(Reject::TimestampTooOld)
    };
    let (mut not_old, mut old) = (-1, LAST);
    while old - not_old > 1 {
        let middle = not_old + (old - not_old) / 2;
        if is_old(middle) {
            old = middle;
        } else {
            not_old = middle;
        }
    }
    Finding::Clock { age_s: refused.now.saturating_sub(not_old) }
}
