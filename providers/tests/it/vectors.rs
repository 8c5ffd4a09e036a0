//! Vectors whose verdicts come from implementations independent of this one.

use std::path::Path;

use crate::runner::Outcome;

fn folder(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn every_vector_of_ours_gives_its_stated_verdict() {
    let mut outcome = Outcome::default();
    outcome.run(&folder("tests/vectors")).unwrap();
    assert!(outcome.vectors >= 2_570, "only {} vectors were found", outcome.vectors);
    assert!(outcome.is_clean(), "{outcome}\n{}", outcome.differing.join("\n"));
}

/// Values printed in providers' documentation are not ours to copy: they run where somebody has them.
#[test]
fn every_published_vector_of_a_known_provider_gives_its_stated_verdict() {
    let published = std::env::var_os("HOOKGATE_PUBLISHED_VECTORS")
        .map_or_else(|| folder("../../shared/vectors/published"), Into::into);
    if !published.is_dir() {
        eprintln!("no published vectors at {}: set HOOKGATE_PUBLISHED_VECTORS to run them", published.display());
        return;
    }
    let mut outcome = Outcome::default();
    outcome.run(&published).unwrap();
    assert!(outcome.differing.is_empty(), "{outcome}\n{}", outcome.differing.join("\n"));
}
