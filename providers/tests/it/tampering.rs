//! What is signed beside headers and body: the URL, the method. And what signs it.

use hookgate_providers::scheme::{Part, Scheme};
use hookgate_providers::{Request, Secret, verify};

use crate::signed::{NOW, Signed};

fn signs(scheme: &Scheme, is_it: fn(&Part) -> bool) -> bool {
    match scheme {
        Scheme::Signed(signed) => signed.signs.iter().any(is_it),
        Scheme::FirstCarried(schemes) | Scheme::OnlyCarried(schemes) => {
            schemes.first().is_some_and(|scheme| signs(scheme, is_it))
        }
        _ => false,
    }
}

fn is_url(part: &Part) -> bool {
    matches!(part, Part::Url | Part::UrlUnescaped(_) | Part::UrlWithoutQuery | Part::TargetEscapedTwice)
}

#[test]
fn any_changed_or_missing_byte_of_a_signed_url_or_method_is_refused() {
    let mut tried = 0;
    for signed in Signed::every() {
        let scheme = &signed.provider.scheme;
        let judge = |method: &str, url: &str| {
            let request = Request { method, url, headers: &signed.headers, body: &signed.body };
            verify(signed.provider, &request, std::slice::from_ref(&signed.secret), NOW)
        };
        if signs(scheme, |part| *part == Part::Method) {
            assert!(judge("PUT", &signed.url).is_err(), "{}", signed.name());
        }
        let is_twilio = matches!(scheme, Scheme::Twilio);
        if !is_twilio && !signs(scheme, is_url) {
            continue;
        }
        tried += 1;
        let origin_counts = !signs(scheme, |part| *part == Part::TargetEscapedTwice);
        let query_counts = is_twilio || !signs(scheme, |part| *part == Part::UrlWithoutQuery);
        let path = signed.url.match_indices('/').nth(2).unwrap().0;
        let end = if query_counts { signed.url.len() } else { signed.url.find('?').unwrap() };
        for index in (if origin_counts { 0 } else { path })..end {
            let mut url = signed.url.clone().into_bytes();
            url[index] ^= 1;
            let url = String::from_utf8(url).unwrap();
            assert!(judge("POST", &url).is_err(), "{}: {url}", signed.name());
            if index > path {
                assert!(judge("POST", &signed.url[..index]).is_err(), "{}: cut to {index}", signed.name());
            }
        }
    }
    assert!(tried >= 7, "only {tried} samples are of providers that sign the URL");
}

/// Providers of whose secret the name before the colon is not in the request, and why.
const NAMES_UNUSED: &[(&str, &str)] = &[];

#[test]
fn any_changed_byte_of_a_shared_secret_makes_it_another() {
    for signed in Signed::every().iter().filter(|signed| signed.stride() == 1) {
        let text = crate::secrets::secret_for(signed.provider, "right").unwrap().into_bytes();
        let name_unused = NAMES_UNUSED.iter().any(|(name, _)| *name == signed.provider.name);
        let start = text.iter().position(|byte| *byte == b':' && name_unused).map_or(0, |colon| colon + 1);
        for index in start..text.len() {
            for bit in [0x01, 0x80] {
                let mut changed = text.clone();
                changed[index] ^= bit;
                let secrets = [Secret::new(changed).unwrap()];
                let verdict = signed.judge(&signed.headers, &signed.body, &secrets, NOW);
                assert!(verdict.is_err(), "{}: byte {index} of the secret", signed.name());
            }
        }
    }
}
