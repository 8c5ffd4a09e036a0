//! Headers that are missing, repeated, or under another name.

use super::finding::Finding;
use super::place::Places;
use super::trial::Trial;
use super::{Refused, place};
use crate::{ALL, Headers, Reject, Request};

/// Names longer than this are not repeated in findings.
const LONGEST_NAME: usize = 64;
/// And no more than this many.
const MOST_NAMES: usize = 12;

/// What, undone, makes the signature right.
pub(super) fn changed(trial: &Trial<'_>) -> Option<Finding> {
    family(trial).or_else(|| renamed(trial)).or_else(|| repeated(trial))
}

/// The headers of another family, such as `svix-` for `webhook-`.
fn family(trial: &Trial<'_>) -> Option<Finding> {
    let wanted = trial.refused.provider.families.last()?;
    let mut families: Vec<&'static str> = ALL.iter().flat_map(|provider| provider.families).copied().collect();
    families.sort_unstable();
    families.dedup();
    families.into_iter().filter(|family| !trial.refused.provider.families.contains(family)).find_map(|carried| {
        let rename = |name: &str| name.strip_prefix(carried).map(|rest| format!("{wanted}{rest}"));
        let headers: Headers = trial
            .refused
            .request
            .headers
            .iter()
            .map(|(name, value)| (rename(name).unwrap_or_else(|| name.to_owned()), value))
            .collect();
        trial.proves_headers(&headers).then_some(Finding::Family { carried, wanted })
    })
}

/// A header whose name was changed by a proxy or a framework.
fn renamed(trial: &Trial<'_>) -> Option<Finding> {
    let request = trial.refused.request;
    place::of(trial.refused.provider, &request).into_iter().find_map(|places| {
        let rename = |name: &str| {
            let is_it = |wanted: &&String| name != **wanted && is_likely(name, wanted);
            places.missing(&request).find(is_it).cloned()
        };
        let headers: Headers = request
            .headers
            .iter()
            .map(|(name, value)| (rename(name).unwrap_or_else(|| name.to_owned()), value))
            .collect();
        let (from, to) = request.headers.iter().find_map(|(name, _)| Some((name.to_owned(), rename(name)?)))?;
        (is_printable(&from) && trial.proves_headers(&headers)).then_some(Finding::Renamed { from, to })
    })
}

/// `x_hub_signature`, `http-x-hub-signature` and `x-original-hub-signature` for `x-hub-signature`.
fn is_likely(name: &str, wanted: &str) -> bool {
    let plain = |name: &str| name.replace('_', "-");
    let core = |name: &str| name.trim_start_matches("http-").trim_start_matches("x-").to_owned();
    let (name, wanted) = (plain(name), plain(wanted));
    let (name, wanted) = (core(&name), core(&wanted));
    name == wanted || name.strip_suffix(wanted.as_str()).is_some_and(|before| before.ends_with('-'))
}

/// The first or the last of several lines alone.
fn repeated(trial: &Trial<'_>) -> Option<Finding> {
    let request = trial.refused.request;
    let name = several(trial.refused)?;
    let lines = || request.headers.iter().enumerate().filter(|(_, (header, _))| *header == name);
    let right = lines().any(|(kept, _)| {
        let headers: Headers = request
            .headers
            .iter()
            .enumerate()
            .filter(|(index, (header, _))| *header != name || *index == kept)
            .map(|(_, line)| line)
            .collect();
        trial.proves_headers(&headers)
    });
    right.then_some(Finding::Repeated { name: Some(name), one_is_right: true })
}

fn several(refused: &Refused<'_>) -> Option<String> {
    let request = &refused.request;
    let places = place::of(refused.provider, request);
    let mut names = places.iter().flat_map(|places| &places.headers);
    names.find(|name| request.headers.iter().filter(|(header, _)| header == name).count() > 1).cloned()
}

/// What can be seen without trying anything out.
pub(super) fn facts(refused: &Refused<'_>, reject: Reject) -> Option<Finding> {
    let request = &refused.request;
    match reject {
        Reject::HeaderRepeated => Some(Finding::Repeated { name: several(refused), one_is_right: false }),
        Reject::SignatureMissing | Reject::SignedHeaderMissing | Reject::TimestampMissing | Reject::IdMissing => {
            let ways = place::of(refused.provider, request);
            let names = |places: &Places| -> Vec<String> {
                places.missing(request).chain(&places.elsewhere).cloned().collect()
            };
            let lacks = |places: &Places| places.missing(request).count() + places.elsewhere.len();
            let fewest = ways.iter().map(lacks).min();
            let ways = ways.iter().filter(|places| Some(lacks(places)) == fewest);
            Some(Finding::Missing { wanted: ways.map(names).collect(), carried: carried(request) })
        }
        Reject::SignatureMalformed | Reject::TimestampMalformed | Reject::IdMalformed | Reject::TooManySignatures => {
            let places = place::of(refused.provider, request).into_iter().next().unwrap_or_default();
            Some(Finding::Malformed { reject, headers: places.headers })
        }
        _ => None,
    }
}

/// Headers that look as if they authenticated something.
fn carried(request: &Request<'_>) -> Vec<String> {
    const WORDS: [&str; 8] =
        ["signature", "hmac", "token", "secret", "authorization", "timestamp", "webhook", "digest"];
    let names = request.headers.iter().map(|(name, _)| name);
    let mut names: Vec<_> = names
        .filter(|name| WORDS.iter().any(|word| name.contains(word)) && is_printable(name))
        .map(str::to_owned)
        .collect();
    names.dedup();
    names.truncate(MOST_NAMES);
    names
}

fn is_printable(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}
