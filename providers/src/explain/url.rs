//! What a proxy may have done to the URL or the method, for those who sign them.

use std::fmt;

use super::finding::Finding;
use super::trial::Trial;
use crate::scheme::{Part, Scheme};
use crate::{Headers, Request};

/// The part of the URL that is not what the sender signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum UrlPart {
    /// `http` or `https`.
    Scheme,
    /// The host.
    Host,
    /// The port.
    Port,
    /// The path: a part of it, or all, was put in or taken away.
    Path,
    /// The slash at the end of the path.
    TrailingSlash,
    /// The query, which the sender did not sign or which was lost.
    Query,
    /// How the query is encoded.
    QueryEncoding,
    /// The order of the query's parameters.
    QueryOrder,
}

/// Headers in which proxies keep the target as it was.
const ORIGINAL_TARGETS: [&str; 5] =
    ["x-original-uri", "x-original-url", "x-forwarded-uri", "x-rewrite-url", "x-envoy-original-path"];
const ORIGINAL_HOSTS: [&str; 3] = ["x-forwarded-host", "x-original-host", "host"];
/// Prefixes that proxies like to take away.
const PREFIXES: [&str; 4] = ["/api", "/hooks", "/webhooks", "/webhook"];

/// Whether a signature covers the URL.
pub(super) fn is_signed(scheme: &Scheme) -> bool {
    match scheme {
        Scheme::Signed(signed) => signed.signs.iter().any(|part| {
            matches!(part, Part::Url | Part::UrlUnescaped(_) | Part::UrlWithoutQuery | Part::TargetEscapedTwice)
        }),
        Scheme::Jwt(jwt) => jwt.url.is_some(),
        Scheme::Twilio => true,
        Scheme::FirstCarried(schemes) | Scheme::OnlyCarried(schemes) => schemes.iter().any(is_signed),
        _ => false,
    }
}

/// The first change that, undone, makes the signature right.
pub(super) fn changed(trial: &Trial<'_>) -> Option<Finding> {
    let request = trial.refused.request;
    let signs_method = |method: &&&str| **method != request.method && trial.proves(&Request { method, ..request });
    if ["POST", "GET", "PUT"].iter().find(signs_method).is_some() {
        return Some(Finding::Method);
    }
    if !is_signed(&trial.refused.provider.scheme) {
        return None;
    }
    let signed = one_change(request.url, request.headers);
    let found = signed.iter().find(|(_, url)| trial.proves(&Request { url, ..request }));
    // Proxies that end TLS often change the port or the path too.
    let found = found.map(|(part, _)| *part).or_else(|| {
        let other = other_scheme(request.url)?;
        let both = one_change(&other, request.headers);
        both.into_iter().find(|(_, url)| trial.proves(&Request { url, ..request })).map(|(part, _)| part)
    });
    found.map(Finding::Url)
}

fn other_scheme(url: &str) -> Option<String> {
    match url.split_once("://")? {
        ("http", rest) => Some(format!("https://{rest}")),
        ("https", rest) => Some(format!("http://{rest}")),
        _ => None,
    }
}

fn one_change(url: &str, headers: &Headers) -> Vec<(UrlPart, String)> {
    let Some((scheme, rest)) = url.split_once("://") else { return Vec::new() };
    let (authority, target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let header = |name: &&str| {
        headers.iter().find(|(known, _)| known == name).and_then(|(_, value)| std::str::from_utf8(value).ok())
    };
    let with_target = |target: &str| format!("{scheme}://{authority}{target}");
    let with_path = |path: &str| with_target(&query.map_or(path.to_owned(), |query| format!("{path}?{query}")));

    let mut urls: Vec<(UrlPart, String)> = other_scheme(url).into_iter().map(|url| (UrlPart::Scheme, url)).collect();
    for other in ORIGINAL_HOSTS.iter().filter_map(header) {
        let same_host = other.rsplit_once(':').map_or(other, |(host, _)| host) == host;
        let part = if same_host { UrlPart::Port } else { UrlPart::Host };
        urls.push((part, format!("{scheme}://{other}{target}")));
    }
    urls.push((UrlPart::Port, format!("{scheme}://{host}{target}")));
    for port in [80, 443, 8080, 3000]
        .map(|port: u16| port.to_string())
        .iter()
        .map(String::as_str)
        .chain(header(&"x-forwarded-port"))
    {
        urls.push((UrlPart::Port, format!("{scheme}://{host}:{port}{target}")));
    }
    let slash = path.strip_suffix('/').map_or_else(|| format!("{path}/"), str::to_owned);
    urls.push((UrlPart::TrailingSlash, with_path(&slash)));
    for prefix in PREFIXES.into_iter().chain(header(&"x-forwarded-prefix")) {
        urls.push((UrlPart::Path, with_path(&format!("{prefix}{path}"))));
    }
    for (index, _) in path.match_indices('/').skip(1).take(3) {
        urls.push((UrlPart::Path, with_path(&path[index..])));
    }
    urls.push((UrlPart::Query, with_target(path)));
    if let Some(query) = query {
        urls.extend(queries(query).into_iter().map(|(part, query)| (part, with_target(&format!("{path}?{query}")))));
    }
    for original in ORIGINAL_TARGETS.iter().filter_map(header) {
        let same_path = original.split('?').next() == Some(path);
        let part = if same_path { UrlPart::Query } else { UrlPart::Path };
        urls.push((part, original.split_once("://").map_or_else(|| with_target(original), |_| original.to_owned())));
    }
    urls.retain(|(_, changed)| changed != url);
    urls
}

fn queries(query: &str) -> Vec<(UrlPart, String)> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    let encoded: String = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    let decoded: Vec<_> = pairs.map(|(name, value)| format!("{name}={value}")).collect();
    let mut sorted: Vec<_> = query.split('&').collect();
    let reversed = sorted.iter().rev().copied().collect::<Vec<_>>().join("&");
    sorted.sort_unstable();
    vec![
        (UrlPart::QueryEncoding, encoded.replace('+', "%20")),
        (UrlPart::QueryEncoding, encoded),
        (UrlPart::QueryEncoding, decoded.join("&")),
        (UrlPart::QueryOrder, sorted.join("&")),
        (UrlPart::QueryOrder, reversed),
    ]
}

impl fmt::Display for UrlPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Scheme => "scheme (http or https)",
            Self::Host => "host",
            Self::Port => "port",
            Self::Path => "path",
            Self::TrailingSlash => "slash at the end of the path",
            Self::Query => "query",
            Self::QueryEncoding => "encoding of the query",
            Self::QueryOrder => "order of the query's parameters",
        })
    }
}
