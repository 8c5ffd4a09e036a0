//! Damage that can be seen, though not undone.

use super::Refused;
use super::finding::Finding;
use crate::json;

pub(super) fn visible(refused: &Refused<'_>) -> Option<Finding> {
    let request = &refused.request;
    if !refused.provider.covers.body {
        return None;
    }
    let header = |wanted: &str| request.headers.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value);
    let claimed =
        header("content-length").and_then(|value| std::str::from_utf8(value).ok()?.trim().parse::<usize>().ok());
    let is_packed = request.body.starts_with(b"\x1f\x8b") || request.body.starts_with(b"\x78");
    let was_packed = header("content-encoding").is_some_and(|value| !value.is_empty() && value != b"identity");
    if request.body.is_empty() {
        Some(Finding::EmptyBody)
    } else if let Some(claimed) = claimed.filter(|claimed| *claimed != request.body.len()) {
        Some(Finding::Length { claimed, received: request.body.len() })
    } else if was_packed && !is_packed {
        Some(Finding::Decompressed)
    } else if request.body.windows(3).any(|bytes| bytes == "\u{fffd}".as_bytes()) {
        Some(Finding::LostCharacters)
    } else {
        None
    }
}

/// Whether the event says it is of live mode; secrets of test and live mode differ.
pub(super) fn live_mode(refused: &Refused<'_>) -> Option<bool> {
    const LIVE: [&str; 4] = ["/livemode", "/live_mode", "/liveMode", "/live"];
    const TEST: [&str; 4] = ["/testmode", "/test_mode", "/meta/test_mode", "/test"];
    let is = |pointers: &[&str], value: &str| {
        json::scan(refused.request.body, pointers).into_iter().flatten().any(|found| found.trim_matches('"') == value)
    };
    if is(&LIVE, "true") || is(&TEST, "false") {
        Some(true)
    } else if is(&LIVE, "false") || is(&TEST, "true") {
        Some(false)
    } else {
        None
    }
}
