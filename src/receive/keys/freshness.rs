//! How long a fetched key is fresh: what its host says, within bounds of ours.

use std::time::Duration;

const SHORTEST: Duration = Duration::from_secs(5 * 60);
const LONGEST: Duration = Duration::from_secs(24 * 3600);
const UNSAID: Duration = Duration::from_secs(3600);

/// Reads `Cache-Control`. A host that says "never keep this" would otherwise be asked for every webhook.
pub(super) fn fresh_for(cache_control: Option<&str>) -> Duration {
    let Some(said) = cache_control else { return UNSAID };
    let mut age = None;
    for directive in said.split(',').map(|directive| directive.trim().to_ascii_lowercase()) {
        match directive.split_once('=') {
            Some(("max-age", seconds)) => age = seconds.trim_matches('"').parse().ok().or(age),
            None if matches!(&*directive, "no-store" | "no-cache") => return SHORTEST,
            _ => {}
        }
    }
    age.map_or(UNSAID, Duration::from_secs).clamp(SHORTEST, LONGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_host_says_counts_within_bounds() {
        let table = [
            (None, 3600),
            (Some("public"), 3600),
            (Some("public, max-age=7200, must-revalidate"), 7200),
            (Some("Max-Age=\"600\""), 600),
            (Some("max-age=0"), 300),
            (Some("no-store, max-age=7200"), 300),
            (Some("max-age=31536000"), 86_400),
            (Some("max-age=99999999999999999999999"), 3600),
            (Some("s-maxage=600"), 3600),
        ];
        for (said, seconds) in table {
            assert_eq!(fresh_for(said).as_secs(), seconds, "{said:?}");
        }
    }
}
