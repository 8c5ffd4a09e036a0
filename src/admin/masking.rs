//! What of a request must not be shown: credentials and signatures. Names stay, so that one sees what was sent.

use hookgate_providers::Headers;
use serde::Serialize;

const MASK: &str = "***";

/// Any header or query parameter with one of these in its name.
const SENSITIVE: [&str; 10] =
    ["authoriz", "cookie", "secret", "token", "key", "signature", "hmac", "passw", "credential", "auth"];

/// A header line as shown. A value that is no UTF-8 comes as base64.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct HeaderLine {
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value_base64: Option<String>,
}

/// The lines in their order, sensitive values masked.
pub(super) fn headers(received: &Headers) -> Vec<HeaderLine> {
    received.iter().map(|(name, value)| header(name, value)).collect()
}

fn header(name: &str, value: &[u8]) -> HeaderLine {
    let (value, value_base64) = if is_sensitive(name) {
        (Some(MASK.to_owned()), None)
    } else {
        match std::str::from_utf8(value) {
            Ok(text) => (Some(text.to_owned()), None),
            Err(_) => (None, Some(super::deliveries::base64(value))),
        }
    };
    HeaderLine { name: name.to_owned(), value, value_base64 }
}

/// The path and query with the values of sensitive parameters masked: some providers put a shared token there.
pub(super) fn target(target: &str) -> String {
    let Some((path, query)) = target.split_once('?') else {
        return target.to_owned();
    };
    let shown: Vec<String> = query
        .split('&')
        .map(|pair| match pair.split_once('=') {
            // An escaped name could hide what it is.
            Some((name, _)) if is_sensitive(name) || name.contains('%') => format!("{name}={MASK}"),
            _ => pair.to_owned(),
        })
        .collect();
    format!("{path}?{}", shown.join("&"))
}

fn is_sensitive(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name == "sig" || name.ends_with("-sig") || SENSITIVE.iter().any(|part| name.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_masked_and_their_names_kept() {
        for name in [
            "Authorization",
            "Proxy-Authorization",
            "Cookie",
            "Stripe-Signature",
            "X-Hub-Signature-256",
            "X-Shopify-Hmac-SHA256",
            "X-Gitlab-Token",
            "X-Api-Key",
            "webhook-signature",
            "X-Vendor-Secret",
        ] {
            let line = header(name, b"s3cr3t");
            assert_eq!((line.name.as_str(), line.value.as_deref()), (name, Some("***")));
        }
        let line = header("X-GitHub-Event", b"push");
        assert_eq!(line.value.as_deref(), Some("push"));
        assert_eq!(header("x", b"\xff").value_base64.as_deref(), Some("/w=="));
    }

    #[test]
    fn a_token_in_the_query_is_masked() {
        assert_eq!(target("/in/a?x=1&token=abc"), "/in/a?x=1&token=***");
        assert_eq!(target("/in/a?t%6fken=abc"), "/in/a?t%6fken=***");
        assert_eq!(target("/in/a"), "/in/a");
    }
}
