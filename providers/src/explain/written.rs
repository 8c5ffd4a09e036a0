//! Signatures that are right, but cut short or written another way.

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::finding::Finding;
use super::place;
use super::trial::Trial;
use crate::{Headers, Secret, Unsigned, sign};

/// Shorter pieces are no proof of anything.
const SHORTEST: usize = 12;

/// What the right signature would look like is computed here, compared, and forgotten.
pub(super) fn otherwise(trial: &Trial<'_>) -> Option<Finding> {
    let request = trial.refused.request;
    let names: Vec<String> =
        place::of(trial.refused.provider, &request).into_iter().flat_map(|places| places.headers).collect();
    let carried: Vec<(&str, &[u8])> =
        request.headers.iter().filter(|(name, _)| names.iter().any(|known| known == name)).collect();
    if carried.is_empty() {
        return None;
    }
    let times = times(&carried, trial.refused.now);
    let id = carried.iter().find(|(name, _)| name.ends_with("id"));
    let id = id.and_then(|(_, value)| std::str::from_utf8(value).ok()).unwrap_or_default();
    let tries = times.iter().flat_map(|now| trial.refused.secrets.iter().map(move |secret| (*now, secret)));
    tries.flat_map(|(now, secret)| carried.iter().map(move |line| (now, secret, *line))).find_map(
        |(now, secret, line)| {
            let (name, value) = line;
            let right = right(trial, line, id, secret, now)?;
            let right = right.single(name).ok().flatten()?;
            let header = name.to_owned();
            let is_start = value.len() >= SHORTEST && value.len() < right.len() && right.starts_with(value);
            if is_start {
                Some(Finding::Truncated { header })
            } else if value != right && is_same(value, right) {
                Some(Finding::WrittenOtherwise { header })
            } else {
                None
            }
        },
    )
}

/// The headers this request should have, made again without one of them.
fn right(trial: &Trial<'_>, without: (&str, &[u8]), id: &str, secret: &Secret, now: i64) -> Option<Headers> {
    let request = trial.refused.request;
    let headers: Headers = request.headers.iter().filter(|line| *line != without).collect();
    let unsigned =
        Unsigned { method: request.method, url: request.url, headers: &headers, body: request.body, id, now };
    sign(trial.refused.provider, &unsigned, secret).ok()
}

/// Times the request may have been signed at, as Unix seconds.
fn times(carried: &[(&str, &[u8])], now: i64) -> Vec<i64> {
    let runs = carried.iter().flat_map(|(_, value)| value.split(|byte| !byte.is_ascii_digit()));
    let time = |digits: &[u8]| {
        let number: i64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
        match digits.len() {
            10 => Some(number),
            13 => Some(number / 1000),
            _ => None,
        }
    };
    runs.filter_map(time).take(3).chain([now]).collect()
}

/// Whether both are the same bytes in some encoding, with or without a prefix and white space.
fn is_same(value: &[u8], right: &[u8]) -> bool {
    let (Ok(value), Ok(right)) = (std::str::from_utf8(value), std::str::from_utf8(right)) else { return false };
    let decoded = decoded(right);
    self::decoded(value).into_iter().any(|bytes| decoded.contains(&bytes))
}

fn decoded(text: &str) -> Vec<Vec<u8>> {
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let text = text.trim().trim_matches(['"', '\'']);
    let behind = |mark: char| text.split_once(mark).map(|(_, rest)| rest.trim());
    let texts = [Some(text), behind('='), behind(','), behind(' ')];
    let decoded = texts.into_iter().flatten().flat_map(|text| {
        let base64 = [&STANDARD, &URL_SAFE].map(|alphabet| GeneralPurpose::new(alphabet, config).decode(text).ok());
        base64.into_iter().chain([hex::decode(text).ok()]).flatten()
    });
    decoded.filter(|bytes| bytes.len() >= SHORTEST).collect()
}
