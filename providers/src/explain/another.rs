//! Another provider's request.

use super::finding::Finding;
use super::trial::Trial;
use super::{Refused, place};
use crate::{Provider, Request};

/// More names than this help nobody.
const MOST: usize = 5;
/// Headers that say nothing about who sends.
const COMMON: [&str; 6] =
    ["authorization", "signature", "x-signature", "x-webhook-signature", "webhook-signature", "x-timestamp"];

/// The providers for which the request is authentic, with the secrets of this source.
pub(super) fn signed(trial: &Trial<'_>) -> Option<Finding> {
    let request = &trial.refused.request;
    // A shared token proves nothing about who sent it.
    let is_proof = |provider: &Provider| provider.covers.body && trial.proves_of(provider, request);
    let names = named(trial.refused, is_proof);
    (!names.is_empty()).then_some(Finding::AnotherProvider { names })
}

/// The providers whose headers the request carries, all of them.
pub(super) fn carried(refused: &Refused<'_>) -> Option<Finding> {
    let request = &refused.request;
    let own = place::of(refused.provider, request);
    let is_own = |name: &String| own.iter().any(|places| places.headers.contains(name));
    let is_carried = |provider: &Provider| {
        place::of(provider, request).iter().any(|places| {
            let tells = |name: &String| !COMMON.contains(&name.as_str()) && !is_own(name) && tells_of(request, name);
            !places.headers.is_empty() && places.missing(request).next().is_none() && places.headers.iter().any(tells)
        })
    };
    let names = named(refused, is_carried);
    (!names.is_empty()).then_some(Finding::HeadersOfAnother { names })
}

fn tells_of(request: &Request<'_>, name: &str) -> bool {
    place::carries(request, name)
}

fn named(refused: &Refused<'_>, is_it: impl Fn(&Provider) -> bool) -> Vec<&'static str> {
    let others = refused.others.iter().filter(|other| other.name != refused.provider.name);
    others.filter(|other| is_it(other)).map(|other| other.name).take(MOST).collect()
}
