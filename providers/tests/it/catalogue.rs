//! What every entry of the catalogue has.

use hookgate_providers::locate::refuse_as_dedup_key;
use hookgate_providers::{ALL, find};

#[test]
fn names_are_unique_sorted_and_plain_and_every_provider_cites_its_documentation() {
    assert!(ALL.is_sorted_by(|one, other| one.name < other.name));
    for provider in ALL {
        assert!(
            provider.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'),
            "{}",
            provider.name
        );
        assert!(
            provider.docs.starts_with("https://") && !provider.title.is_empty() && !provider.quirks.is_empty(),
            "{}",
            provider.name
        );
        assert!(!provider.samples.is_empty(), "{} has no sample", provider.name);
        assert_eq!(find(provider.name).map(|found| found.name), Some(provider.name));
    }
}

#[test]
fn no_provider_takes_a_request_id_an_attempt_or_a_time_for_its_delivery_id() {
    for provider in ALL {
        for locate in provider.delivery_id {
            assert_eq!(refuse_as_dedup_key(locate), None, "{}: {locate}", provider.name);
        }
    }
}
