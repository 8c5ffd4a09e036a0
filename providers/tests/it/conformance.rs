//! Every provider keeps the same promises: its samples, signed, are accepted; anything else is not.

use hookgate_providers::{ALL, Locate, Provider, Reject, Verdict};

use crate::signed::{ID, NOW, Signed, event, secret};

#[test]
fn a_signed_sample_is_accepted_and_its_id_type_key_and_version_are_found() {
    for signed in Signed::every() {
        let event =
            event(signed.judge_headers(&signed.headers)).unwrap_or_else(|| panic!("{} was refused", signed.name()));
        let provider = signed.provider;
        if !provider.delivery_id.is_empty() && signed.shows_id() {
            assert!(event.delivery_id.is_some_and(|id| id.contains(ID)), "{}", signed.name());
            assert!(event.dedup_key.is_some_and(|key| key.contains(ID)), "{}", signed.name());
        }
        if !provider.event_type.is_empty() {
            assert_eq!(event.event_type.as_deref(), Some(signed.sample.event), "{}", signed.name());
        }
        if !provider.ordering_key.is_empty() {
            let key = event.ordering_key.unwrap_or_default();
            assert!(key.contains(signed.sample.object), "{}: {key:?}", signed.name());
        }
        assert!(signed.provider.sample(signed.sample.event).is_some());
    }
}

#[test]
fn each_provider_with_delivery_ids_has_a_sample_that_shows_one() {
    let is_made = |provider: &&&Provider| !UNSIGNABLE.iter().any(|(name, _)| *name == provider.name);
    for provider in ALL.iter().filter(|provider| !provider.delivery_id.is_empty()).filter(is_made) {
        let mut samples = Signed::every().iter().filter(|signed| signed.provider.name == provider.name);
        let shows = |signed: &Signed| {
            event(signed.judge_headers(&signed.headers)).is_some_and(|event| event.delivery_id.is_some())
        };
        assert!(samples.any(shows), "{}", provider.name);
    }
}

#[test]
fn each_provider_with_versions_has_a_sample_that_shows_one() {
    let is_made = |provider: &&&Provider| !UNSIGNABLE.iter().any(|(name, _)| *name == provider.name);
    for provider in ALL.iter().filter(|provider| !provider.version.is_empty()).filter(is_made) {
        let versions = Signed::every().iter().filter(|signed| signed.provider.name == provider.name);
        assert!(
            versions.filter_map(|signed| event(signed.judge_headers(&signed.headers))?.version).next().is_some(),
            "{}",
            provider.name
        );
    }
}

#[test]
fn any_changed_missing_or_extra_byte_of_the_body_is_refused() {
    for signed in Signed::every().iter().filter(|signed| signed.provider.covers.body) {
        for index in (0..signed.body.len()).step_by(signed.stride()) {
            let mut body = signed.body.clone();
            body[index] ^= 1;
            assert!(signed.judge_body(&body).is_err(), "{}: byte {index}", signed.name());
            assert!(signed.judge_body(&signed.body[..index]).is_err(), "{}: cut to {index}", signed.name());
        }
        for extra in [" ", "\n", "\0"] {
            assert!(signed.judge_body(&[&signed.body, extra.as_bytes()].concat()).is_err(), "{}", signed.name());
        }
    }
}

#[test]
fn any_changed_or_missing_byte_of_an_authenticating_header_is_refused() {
    for signed in Signed::every() {
        for (name, value) in signed.authenticating() {
            for index in (0..value.len()).step_by(signed.stride()) {
                for bit in [0x01, 0x20, 0x80] {
                    let mut changed = value.to_vec();
                    changed[index] ^= bit;
                    if signed.takes_any_case() && changed.eq_ignore_ascii_case(value) {
                        continue;
                    }
                    assert!(
                        signed.judge_headers(&signed.with(name, Some(&changed))).is_err(),
                        "{}: {name} byte {index}",
                        signed.name()
                    );
                }
                assert!(
                    signed.judge_headers(&signed.with(name, Some(&value[..index]))).is_err(),
                    "{}: {name} cut to {index}",
                    signed.name()
                );
            }
            assert!(signed.judge_headers(&signed.with(name, None)).is_err(), "{}: without {name}", signed.name());
        }
    }
}

#[test]
fn a_repeated_authenticating_header_is_refused() {
    for signed in Signed::every().iter().filter(|signed| !signed.is_one_of_many_lines()) {
        for (name, value) in signed.authenticating() {
            let mut headers = signed.headers.clone();
            headers.push(name, value);
            assert_eq!(signed.judge_headers(&headers), Err(Reject::HeaderRepeated), "{}: {name}", signed.name());
        }
    }
}

#[test]
fn a_repeated_id_or_type_header_is_refused() {
    for signed in Signed::every() {
        for locators in [signed.provider.delivery_id, signed.provider.event_type] {
            let Some(Locate::Header(name)) = locators.first() else {
                continue;
            };
            // Providers that send in several forms have it in the body in some.
            if signed.headers.single(name) == Ok(None) {
                continue;
            }
            let mut headers = signed.headers.clone();
            headers.push(name, "another");
            assert_eq!(signed.judge_headers(&headers), Err(Reject::HeaderRepeated), "{}: {name}", signed.name());
        }
    }
}

#[test]
fn any_live_secret_may_match_and_which_one_did_is_known() {
    for signed in Signed::every() {
        let others = [secret(signed.provider, "other"), secret(signed.provider, "another")];
        assert_eq!(
            signed.judge(&signed.headers, &signed.body, &others, NOW),
            Err(Reject::SignatureMismatch),
            "{}",
            signed.name()
        );
        let secrets = [others[0].clone(), others[1].clone(), signed.secret.clone()];
        match signed.judge(&signed.headers, &signed.body, &secrets, NOW) {
            Ok(Verdict::Delivery(verified)) => {
                assert_eq!(verified.secret_index(), 2, "{}", signed.name())
            }
            other => panic!("{}: {other:?}", signed.name()),
        }
        assert_eq!(signed.judge(&signed.headers, &signed.body, &[], NOW), Err(Reject::NoSecret));
        assert_eq!(
            signed.judge(&signed.headers, &signed.body, &vec![others[0].clone(); 17], NOW),
            Err(Reject::TooManySecrets)
        );
    }
}

#[test]
fn a_signed_time_is_accepted_up_to_the_tolerance_and_refused_beyond_it_on_both_sides() {
    for signed in Signed::every().iter().filter(|signed| signed.provider.covers.time) {
        let at = |now| signed.judge(&signed.headers, &signed.body, std::slice::from_ref(&signed.secret), now);
        let (old, ahead) = signed.tolerance().unwrap_or_else(|| panic!("{} signs no time", signed.name()));
        assert!(at(NOW + old).is_ok() && at(NOW - ahead).is_ok(), "{}", signed.name());
        assert_eq!(at(NOW + old + 1), Err(Reject::TimestampTooOld), "{}", signed.name());
        assert_eq!(at(NOW - ahead - 1), Err(Reject::TimestampInFuture), "{}", signed.name());
        assert!(at(i64::MAX).is_err() && at(i64::MIN).is_err());
    }
}

#[test]
fn a_provider_says_it_covers_the_time_exactly_when_a_time_is_signed() {
    let differing = Signed::every().iter().filter(|signed| signed.provider.covers.time != signed.tolerance().is_some());
    let mut differing: Vec<_> = differing.map(|signed| signed.provider.name).collect();
    differing.dedup();
    assert_eq!(differing, [""; 0]);
}

#[test]
fn each_provider_covers_the_id_and_type_it_says_it_covers_and_no_more() {
    for signed in Signed::every() {
        let covers = signed.provider.covers;
        for (locators, covered) in
            [(signed.provider.delivery_id, covers.id), (signed.provider.event_type, covers.event_type)]
        {
            for (name, _) in signed
                .headers
                .iter()
                .filter(|(name, _)| locators.iter().any(|locate| reads(signed.provider, locate, name)))
            {
                let accepted = signed.judge_headers(&signed.with(name, Some(b"forged"))).is_ok();
                assert_eq!(accepted, !covered, "{}: {name}", signed.name());
            }
        }
    }
}

fn reads(provider: &Provider, locate: &Locate, header: &str) -> bool {
    match *locate {
        Locate::Header(name) => name == header,
        Locate::Family(name) => provider.families.iter().any(|family| header == format!("{family}{name}")),
        Locate::Join(_, parts) => parts.iter().any(|part| reads(provider, part, header)),
        _ => false,
    }
}

#[test]
fn the_same_event_sent_again_is_a_copy_and_a_changed_one_is_not() {
    for signed in Signed::every() {
        let first = event(signed.judge_headers(&signed.headers)).unwrap();
        let again = Signed::new(signed.provider, signed.sample, "right").unwrap();
        let again = event(again.judge_headers(&again.headers)).unwrap();
        assert_eq!((&first.dedup_key, first.fingerprint), (&again.dedup_key, again.fingerprint), "{}", signed.name());
        let (headers, body) = signed.sample.render_for(signed.sample.object, ID, NOW + 1);
        let changed = Signed::of(signed.provider, signed.sample, "right", headers, body).unwrap();
        if changed.body != signed.body && signed.provider.volatile.is_empty() {
            let changed = event(changed.judge_headers(&changed.headers)).unwrap();
            assert_eq!(changed.dedup_key, first.dedup_key, "{}", signed.name());
            assert_ne!(changed.fingerprint, first.fingerprint, "{}", signed.name());
        }
    }
}

/// Providers that sign the body or the URL so that no header can be added to make a request theirs: vectors cover them.
#[test]
fn every_provider_can_be_signed_but_those_that_sign_inside_the_body_or_url() {
    let made: Vec<_> = Signed::every().iter().map(|signed| signed.provider.name).collect();
    let unsignable: Vec<_> = ALL.iter().map(|provider| provider.name).filter(|name| !made.contains(name)).collect();
    assert_eq!(unsignable, UNSIGNABLE.map(|(name, _)| name));
}

const UNSIGNABLE: [(&str, &str); 10] = [
    ("aws-sns", "the signature is a member of the JSON document, made with a key only Amazon has"),
    ("braintree", "the signature is a field of the form"),
    ("dialpad", "the body is the token"),
    ("dropbox-sign", "the signature is in the JSON of a multipart field"),
    ("exact-online", "the signature is a member of the JSON document"),
    ("mailgun", "the signature is a member of the JSON document or a field of the form"),
    ("paddle-classic", "the signature is a field of the form, made with a key only Paddle has"),
    ("pandadoc", "the signature is in the URL"),
    ("vonage-sms", "the signature is one of the parameters it signs"),
    ("wix", "the body is the token"),
];
