//! Vectors whose verdicts come from implementations independent of this one.

#[path = "../examples/vectors/runner.rs"]
#[allow(dead_code, missing_docs)]
mod runner;

use std::path::Path;

fn folder(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn every_vector_of_ours_gives_its_stated_verdict() {
    let outcome =
        runner::run(&folder("tests/vectors")).expect("the vectors are part of the repository");
    assert!(
        outcome.vectors >= 134,
        "only {} vectors were found",
        outcome.vectors
    );
    assert!(
        outcome.is_clean(),
        "{outcome}\n{}",
        outcome.differing.join("\n")
    );
}

/// Values printed in providers' documentation are not ours to copy: they run where somebody has them.
#[test]
fn every_published_vector_of_a_known_provider_gives_its_stated_verdict() {
    let published = std::env::var_os("HOOKGATE_PUBLISHED_VECTORS")
        .map_or_else(|| folder("../../shared/vectors/published"), Into::into);
    if !published.is_dir() {
        eprintln!(
            "no published vectors at {}: set HOOKGATE_PUBLISHED_VECTORS to run them",
            published.display()
        );
        return;
    }
    let outcome = runner::run(&published).expect("the folder is readable");
    assert!(
        outcome.differing.is_empty(),
        "{outcome}\n{}",
        outcome.differing.join("\n")
    );
}
