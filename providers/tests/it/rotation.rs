//! While a secret rolls, requests carry a signature of the old and one of the new: either is enough.

use hookgate_providers::scheme::{Listing, Scheme};
use hookgate_providers::{Headers, Locate, Provider, Reject, Secret, Unsigned, sign};

use crate::signed::{ID, NOW, Signed, secret};

/// How a second signature is added.
enum Second {
    /// Behind the first, after this text.
    Joined(&'static str),
    /// The value of this key, after this text.
    Pair(&'static str, &'static str),
    /// What is behind the first comma, after a comma.
    BehindTime,
    /// In a line of its own.
    Line,
    /// Under the next number.
    Numbered,
    /// In another header.
    In(&'static str),
}

fn second(scheme: &Scheme) -> Option<Second> {
    match scheme {
        Scheme::StandardWebhooks(_) => Some(Second::Joined(" ")),
        Scheme::Signed(signed) => match (signed.listing, signed.signature) {
            (Listing::Groups, _) => Some(Second::Joined(" ")),
            (Listing::Pairs(separator) | Listing::TrimmedPairs(separator), Locate::Pair(_, key)) => {
                Some(Second::Pair(separator, key))
            }
            (Listing::Plain, Locate::Pair(_, key)) => Some(Second::Pair(",", key)),
            (Listing::Separated(separator) | Listing::Named(separator, _), _) => Some(Second::Joined(separator)),
            (Listing::AfterTimestamp, _) => Some(Second::BehindTime),
            (Listing::Repeated, _) => Some(Second::Line),
            (Listing::Numbered, _) => Some(Second::Numbered),
            (Listing::AlsoIn(other), _) => Some(Second::In(other)),
            _ => None,
        },
        // Signed in the first way for which there is a secret: an older one, where the newer needs more headers.
        Scheme::FirstCarried(schemes) | Scheme::OnlyCarried(schemes) => schemes.iter().filter_map(second).next_back(),
        _ => None,
    }
}

/// The URL of a signed sample holds its secret, and some sign the URL: what rolls is the secret, not the request.
fn same_request_under_another_secret(old: &Signed) -> Signed {
    let new = Signed::new(old.provider, old.sample, "other").unwrap();
    let (headers, _) = old.sample.render(ID, NOW);
    let unsigned = Unsigned { method: "POST", url: &old.url, headers: &headers, body: &old.body, id: ID, now: NOW };
    Signed { added: sign(old.provider, &unsigned, &new.secret).unwrap(), ..new }
}

/// The header with the signature, which alone differs between secrets.
fn signature(one: &Signed, other: &Signed) -> (String, Vec<u8>, Vec<u8>) {
    let differs =
        |(name, value): &(&str, &[u8])| other.added.iter().any(|(known, now)| known == *name && now != *value);
    let (name, value) = one.added.iter().find(differs).unwrap();
    let new = other.added.iter().find(|(known, _)| *known == name).unwrap().1;
    (name.to_owned(), value.to_vec(), new.to_vec())
}

impl Second {
    fn add(&self, to: &Signed, from: &Signed) -> Headers {
        let (name, old, new) = signature(to, from);
        let text = String::from_utf8(new.clone()).unwrap();
        let joined = |separator: &str, added: &str| {
            to.with(&name, Some(&[&old, separator.as_bytes(), added.as_bytes()].concat()))
        };
        let mut headers = to.headers.clone();
        match self {
            Self::Joined(separator) => return joined(separator, &text),
            Self::Pair(separator, key) => {
                let start = format!("{key}=");
                let pair = text
                    .split(separator)
                    .find(|pair| pair.trim().starts_with(&start))
                    .unwrap_or_else(|| panic!("{}: {name}", to.name()));
                return joined(separator, pair);
            }
            Self::BehindTime => return joined(",", text.split_once(',').unwrap().1),
            Self::Line => headers.push(&name, new),
            Self::Numbered => headers.push(&name.replace('1', "2"), new),
            Self::In(other) => headers.push(other, new),
        }
        headers
    }
}

#[test]
fn where_a_sender_lists_several_signatures_the_old_and_the_new_secret_are_both_enough() {
    let mut tried: Vec<&str> = Vec::new();
    for old in Signed::every() {
        let Some(second) = second(&old.provider.scheme) else { continue };
        let new = same_request_under_another_secret(old);
        let headers = second.add(old, &new);
        let stranger = secret(old.provider, "another");
        let accepts = |secrets: &[Secret]| old.judge(&headers, &old.body, secrets, NOW);
        let (one, other) = (old.secret.clone(), new.secret.clone());
        for secrets in [vec![one], vec![other.clone()], vec![stranger.clone(), other]] {
            let secrets = &secrets[..];
            assert!(accepts(secrets).is_ok(), "{}: {:?}", old.name(), accepts(secrets));
        }
        assert_eq!(accepts(&[stranger]), Err(Reject::SignatureMismatch), "{}", old.name());
        tried.push(old.provider.name);
    }
    tried.dedup();
    assert!(tried.len() >= 20, "only {tried:?} list several signatures");
}

#[test]
fn more_signatures_than_any_honest_sender_lists_are_refused_before_any_is_computed() {
    for signed in Signed::every() {
        let Some(Second::Joined(separator)) = second(&signed.provider.scheme) else { continue };
        let (name, value) = signed.authenticating().into_iter().max_by_key(|(_, value)| value.len()).unwrap();
        let many = vec![value; 21].join(separator.as_bytes());
        let verdict = signed.judge_headers(&signed.with(name, Some(&many)));
        assert_eq!(verdict, Err(Reject::TooManySignatures), "{}", signed.name());
    }
}

#[test]
fn where_a_sender_writes_one_signature_two_are_none() {
    let one = |provider: &Provider| matches!(provider.scheme, Scheme::Signed(_)) && second(&provider.scheme).is_none();
    for signed in Signed::every().iter().filter(|signed| one(signed.provider) && signed.stride() == 1) {
        let other = Signed::new(signed.provider, signed.sample, "other").unwrap();
        let (name, value, new) = signature(signed, &other);
        for separator in [",", " ", ", ", ";"] {
            let both = [&value, separator.as_bytes(), &new[..]].concat();
            assert!(signed.judge_headers(&signed.with(&name, Some(&both))).is_err(), "{}", signed.name());
        }
    }
}
