//! What every entry of the catalogue has.

use hookgate_providers::locate::refuse_as_dedup_key;
use hookgate_providers::{ALL, Warning, find};

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

#[test]
fn whose_body_is_not_signed_warns_of_it_and_says_so_in_its_quirks_and_its_module() {
    for provider in ALL {
        let warns = provider.warnings().contains(&Warning::BodyNotSigned);
        assert_eq!(warns, !provider.covers.body, "{}", provider.name);
        if warns {
            let (quirks, module) = (provider.quirks.to_lowercase(), module_doc(provider.name).to_lowercase());
            assert!(says_unsigned(&quirks), "{}: quirks: {quirks}", provider.name);
            assert!(says_unsigned(&module), "{}: module: {module}", provider.name);
        }
    }
}

fn says_unsigned(text: &str) -> bool {
    ["not signed", "nothing is signed", "no signature", "no authentication", "unsigned", "says nothing about the body"]
        .iter()
        .any(|said| text.contains(said))
}

#[test]
fn a_provider_that_says_its_secret_travels_is_one_whose_scheme_lets_it() {
    let travels = |warning: &Warning| matches!(warning, Warning::SecretInRequest | Warning::SecretInUrl);
    let warns = |name: &str| find(name).map(|provider| provider.warnings().iter().any(travels));
    for name in ["gitlab", "telegram", "okta", "strava", "postmark", "buildkite"] {
        assert_eq!(warns(name), Some(true), "{name}");
    }
    for name in ["github", "stripe", "mailgun", "sendgrid", "clerk"] {
        assert_eq!(warns(name), Some(false), "{name}");
    }
}

/// The module documentation of the file that holds this provider.
fn module_doc(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/catalogue");
    let sources = std::fs::read_dir(folder).unwrap().map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
    let is_its = |source: &String| source.contains(&format!("\n    name: \"{name}\",\n"));
    let source = sources.into_iter().find(is_its).unwrap_or_else(|| panic!("no module holds {name}"));
    let lines = source.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim);
    lines.collect::<Vec<_>>().join(" ")
}

#[test]
fn the_page_of_all_providers_is_what_the_catalogue_says() {
    let written = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/PROVIDERS.md")).unwrap();
    let page = crate::page::page(ALL);
    let differs = written.lines().zip(page.lines()).find(|(written, now)| written != now);
    assert!(
        written == page,
        "docs/PROVIDERS.md is stale ({differs:?}): run `cargo run -p hookgate-providers --example catalogue > docs/PROVIDERS.md`"
    );
}

#[test]
fn every_module_of_the_catalogue_is_in_it() {
    let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src/catalogue")).unwrap();
    let modules = folder.filter(|file| file.as_ref().is_ok_and(|file| file.file_name() != "mod.rs")).count();
    assert_eq!(modules, ALL.len(), "a module without its two lines in src/catalogue/mod.rs, or one with two providers");
}

#[test]
fn what_is_taken_is_answered_with_success_and_what_is_refused_is_not() {
    for provider in ALL {
        assert!((200..300).contains(&provider.reply.status), "{}", provider.name);
        assert!((400..500).contains(&provider.refusal.status), "{}", provider.name);
    }
}
