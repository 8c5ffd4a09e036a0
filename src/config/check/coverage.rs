//! What a source's provider leaves open to somebody who has seen one of its requests.

use hookgate_providers::Warning;

use super::Findings;
use crate::config::Config;

pub(super) fn check(config: &Config, found: &mut Findings) {
    for source in config.sources.values().filter(|source| source.enabled) {
        let warnings = source.provider.warnings();
        if !warnings.contains(&Warning::BodyNotSigned) {
            continue;
        }
        // The worst says the most; the body is why it is said here.
        let Some(worst) = warnings.first() else { continue };
        found.warning(format!(
            "`source.{}`: {} does not sign the body (body_not_signed). {worst} `hookgate providers show {}` says what is \
             protected",
            source.name, source.provider.title, source.provider.name
        ));
    }
}
