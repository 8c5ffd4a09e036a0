//! URLs that a request names and somebody then fetches: only on hosts that are written here.
//!
//! Whoever sends a request chooses such a URL, so the text is compared as it stands. Nothing is normalised first: URL
//! parsers disagree about userinfo, backslashes, escapes, ports, trailing dots and other alphabets, and a URL with any
//! of these is not the provider's.

/// The longest URL that is looked at.
const LONGEST: usize = 2_048;

/// The hosts of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hosts {
    /// Each of these, exactly.
    Named(&'static [&'static str]),
    /// `sns.REGION.amazonaws.com`, in China with `.cn` behind it.
    Sns,
}

impl Hosts {
    /// The path and query of an `https` URL on one of these hosts; `None`: not to be fetched.
    pub(crate) fn target(self, url: &str) -> Option<&str> {
        let rest = url.strip_prefix("https://").filter(|_| url.len() <= LONGEST)?;
        let (host, target) = rest.split_at(rest.find('/')?);
        let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'#' | b'@' | b'"' | b'<' | b'>');
        (self.has(host) && target.bytes().all(plain)).then_some(target)
    }

    fn has(self, host: &str) -> bool {
        match self {
            Self::Named(hosts) => hosts.contains(&host),
            Self::Sns => {
                let region = host.strip_prefix("sns.").and_then(|rest| {
                    rest.strip_suffix(".amazonaws.com").or_else(|| rest.strip_suffix(".amazonaws.com.cn"))
                });
                region.is_some_and(|region| {
                    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
                    (3..=32).contains(&region.len()) && region.bytes().all(plain)
                })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_host_is_that_host_and_nothing_that_looks_like_it() {
        let target = |url| Hosts::Sns.target(url);
        assert_eq!(target("https://sns.us-east-1.amazonaws.com/a.pem"), Some("/a.pem"));
        assert_eq!(target("https://sns.cn-north-1.amazonaws.com.cn/?a=b"), Some("/?a=b"));
        for url in [
            "http://sns.us-east-1.amazonaws.com/a.pem",
            "HTTPS://sns.us-east-1.amazonaws.com/a.pem",
            "https:/sns.us-east-1.amazonaws.com/a.pem",
            "//sns.us-east-1.amazonaws.com/a.pem",
            "https://sns.us-east-1.amazonaws.com",
            "https://SNS.us-east-1.amazonaws.com/a.pem",
            "https://sns.us-east-1.amazonaws.com./a.pem",
            "https://sns.us-east-1.amazonaws.com:443/a.pem",
            "https://sns.us-east-1.amazonaws.com.evil.com/a.pem",
            "https://evil.com/sns.us-east-1.amazonaws.com/a.pem",
            "https://sns.evil.com.amazonaws.com/a.pem",
            "https://sns.us-east-1.amazonaws.com.cn.cn/a.pem",
            "https://sns.us.amazonaws.com/a.pem",
            "https://sns..amazonaws.com/a.pem",
            "https://evilsns.us-east-1.amazonaws.com/a.pem",
            "https://sns.us-east-1.amazonaws.com@evil.com/a.pem",
            "https://u:p@sns.us-east-1.amazonaws.com/a.pem",
            "https://evil.com\\@sns.us-east-1.amazonaws.com/a.pem",
            "https://evil.com\\.sns.us-east-1.amazonaws.com/a.pem",
            "https://evil.com#.sns.us-east-1.amazonaws.com/a.pem",
            "https://evil.com?.sns.us-east-1.amazonaws.com/a.pem",
            "https://sns.us-east-1.amazonaws.com/a.pem#b",
            "https://sns.us-east-1.amazonaws.com/a b.pem",
            "https://sns.us-east-1.amazonaws.com/a\r\nb.pem",
            "https://sns.us-east-1.amazonaws.com/\u{e4}.pem",
            "https://sns.us-e\u{e4}st-1.amazonaws.com/a.pem",
            "https://sns.us-east-1.ama\u{437}onaws.com/a.pem",
            "https://sns.us-east-1%2eamazonaws.com/a.pem",
            "https://sns.us-east-1。amazonaws.com/a.pem",
            "https://[sns.us-east-1.amazonaws.com]/a.pem",
            "",
        ] {
            assert_eq!(target(url), None, "{url}");
        }
        assert_eq!(target(&format!("https://sns.us-east-1.amazonaws.com/{}", "a".repeat(LONGEST))), None);
    }

    #[test]
    fn named_hosts_are_compared_whole() {
        let hosts = Hosts::Named(&["api.paypal.com"]);
        assert_eq!(hosts.target("https://api.paypal.com/v1/certs/C"), Some("/v1/certs/C"));
        for url in ["https://xapi.paypal.com/", "https://api.paypal.com.evil.example/", "https://paypal.com/"] {
            assert_eq!(hosts.target(url), None, "{url}");
        }
    }
}
