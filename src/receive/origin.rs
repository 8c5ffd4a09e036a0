//! Who called, and which URL they called, when proxies stand between: a pure reading of their headers.
//!
//! Anybody can write these headers, so they count from trusted peers only, and only as far back as the chain of
//! trusted hops goes: from the right, where the last proxy wrote, to the first hop that is not ours.

use std::net::{IpAddr, SocketAddr};

use hookgate_providers::Headers;

use crate::config::Network;

/// What is known of where a request came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The sender, or the last hop before it that could be told.
    pub(crate) client: IpAddr,
    /// `scheme://host` as the sender called it, if a trusted proxy says so.
    pub(crate) base: Option<String>,
}

/// What one family of headers says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    client: Option<IpAddr>,
    scheme: Option<String>,
    host: Option<String>,
}

/// One hop, as the proxy that received from it wrote it down.
#[derive(Debug, Default)]
struct Hop<'h> {
    address: Option<IpAddr>,
    scheme: Option<&'h str>,
    host: Option<&'h str>,
}

/// Reads the headers of a request that came from `peer`. `host` is the request's own authority: proxies that pass it on
/// unchanged say only the scheme.
pub(crate) fn origin(peer: SocketAddr, headers: &Headers, host: Option<&str>, trusted: &[Network]) -> Origin {
    let is_trusted = |address: IpAddr| trusted.iter().any(|network| network.contains(address));
    let peer = peer.ip().to_canonical();
    if !is_trusted(peer) {
        return Origin { client: peer, base: None };
    }
    let standard = list(headers, "forwarded")
        .map(|hops| told(&hops.iter().map(|h| forwarded(h)).collect::<Vec<_>>(), &is_trusted));
    let by_custom = x_forwarded(headers, &is_trusted);
    let told = match (standard, by_custom) {
        // A proxy that writes one family passes on whatever a sender wrote in the other: where they disagree there is
        // no telling which is whose.
        (Some(one), Some(other)) if one != other => Told::default(),
        (Some(told), _) | (None, Some(told)) => told,
        (None, None) => Told::default(),
    };
    let scheme = told.scheme.unwrap_or_else(|| "http".to_owned());
    let host = told.host.or_else(|| host.map(str::to_owned)).filter(|host| is_authority(host));
    Origin { client: told.client.unwrap_or(peer), base: host.map(|host| format!("{scheme}://{host}")) }
}

/// The hop that called our first proxy: the rightmost that is not ours, or the leftmost if all are.
fn told(hops: &[Hop<'_>], is_trusted: &impl Fn(IpAddr) -> bool) -> Told {
    let mut caller = None;
    for hop in hops.iter().rev() {
        // Behind a hop that hides itself nothing can be told.
        let Some(address) = hop.address else { break };
        caller = Some(hop);
        if !is_trusted(address) {
            break;
        }
    }
    // A single entry may name no address and still say what was called.
    let caller = caller.or(if hops.len() == 1 { hops.first() } else { None });
    caller.map_or_else(Told::default, |hop| Told {
        client: hop.address,
        scheme: hop.scheme.map(str::to_ascii_lowercase).filter(|scheme| matches!(&**scheme, "http" | "https")),
        host: hop.host.map(str::to_owned),
    })
}

fn x_forwarded(headers: &Headers, is_trusted: &impl Fn(IpAddr) -> bool) -> Option<Told> {
    let addresses = list(headers, "x-forwarded-for");
    let schemes = list(headers, "x-forwarded-proto");
    let hosts = list(headers, "x-forwarded-host");
    if addresses.is_none() && schemes.is_none() && hosts.is_none() {
        return None;
    }
    let addresses = addresses.unwrap_or_else(|| vec![""]);
    let (schemes, hosts) = (one_each(schemes, addresses.len()), one_each(hosts, addresses.len()));
    let hops: Vec<_> = (addresses.iter().zip(schemes).zip(hosts))
        .map(|((text, scheme), host)| Hop { address: address(text), scheme, host })
        .collect();
    Some(told(&hops, is_trusted))
}

/// A value for each hop: one alone was written by the outermost proxy for all; of as many as there are hops each proxy
/// added its own; of any other number there is no telling which is whose.
fn one_each(values: Option<Vec<&str>>, hops: usize) -> Vec<Option<&str>> {
    match values.as_deref() {
        Some([one]) => vec![Some(*one); hops],
        Some(values) if values.len() == hops => values.iter().copied().map(Some).collect(),
        _ => vec![None; hops],
    }
}

/// The entries of a header that each proxy adds to, over all its lines; `None` without one, or if it is not text.
fn list<'h>(headers: &'h Headers, name: &str) -> Option<Vec<&'h str>> {
    let lines: Vec<&str> = headers
        .iter()
        .filter(|(known, _)| *known == name)
        .filter_map(|(_, value)| std::str::from_utf8(value).ok())
        .collect();
    let entries: Vec<&str> = lines.iter().flat_map(|line| line.split(',')).map(str::trim).collect();
    (!entries.is_empty()).then_some(entries)
}

/// One element of `Forwarded`, <https://www.rfc-editor.org/rfc/rfc7239#section-4>.
fn forwarded(element: &str) -> Hop<'_> {
    let mut hop = Hop::default();
    for (name, value) in element.split(';').filter_map(|pair| pair.trim().split_once('=')) {
        let value = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
        match name.to_ascii_lowercase().as_str() {
            "for" => hop.address = address(value),
            "proto" => hop.scheme = Some(value),
            "host" => hop.host = Some(value),
            _ => {}
        }
    }
    hop
}

/// An address, alone or with a port.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse::<IpAddr>().ok().or_else(|| text.parse::<SocketAddr>().ok().map(|socket| socket.ip()));
    address.map(|address| address.to_canonical())
}

/// A host with or without a port, and nothing that would move the end of it.
fn is_authority(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 255
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b':' | b'[' | b']'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(peer: &str, headers: &[(&str, &str)]) -> (String, Option<String>) {
        let trusted: Vec<Network> = ["10.0.0.0/8", "fd00::/8"].map(|text| text.parse().unwrap()).into();
        let peer = SocketAddr::new(peer.parse().unwrap(), 4711);
        let origin = origin(peer, &headers.iter().copied().collect(), Some("own.test"), &trusted);
        (origin.client.to_string(), origin.base)
    }

    fn told(client: &str, base: &str) -> (String, Option<String>) {
        (client.to_owned(), Some(base.to_owned()))
    }

    #[test]
    fn a_stranger_is_who_it_is_whatever_it_writes() {
        let lies = [
            ("x-forwarded-for", "1.1.1.1"),
            ("x-forwarded-proto", "https"),
            ("forwarded", "for=2.2.2.2;host=evil.test"),
        ];
        assert_eq!(of("9.9.9.9", &lies), ("9.9.9.9".to_owned(), None));
        assert_eq!(of("::ffff:9.9.9.9", &lies), ("9.9.9.9".to_owned(), None));
    }

    #[test]
    fn the_client_is_the_rightmost_hop_that_is_not_ours() {
        let table = [
            ("1.1.1.1", "1.1.1.1"),
            // What the sender itself wrote stands to the left of what our proxy wrote.
            ("6.6.6.6, 1.1.1.1", "1.1.1.1"),
            ("6.6.6.6, 1.1.1.1, 10.0.0.2", "1.1.1.1"),
            ("10.0.0.3, 10.0.0.2", "10.0.0.3"),
            ("6.6.6.6, unknown, 10.0.0.2", "10.0.0.2"),
            ("6.6.6.6, unknown", "10.0.0.1"),
            ("1.1.1.1:4711", "1.1.1.1"),
            ("[2001:db8::1]:4711", "2001:db8::1"),
            ("2001:db8::1, fd00::7", "2001:db8::1"),
            ("::ffff:1.1.1.1", "1.1.1.1"),
            ("", "10.0.0.1"),
        ];
        for (written, client) in table {
            assert_eq!(of("10.0.0.1", &[("x-forwarded-for", written)]).0, client, "{written}");
        }
        let lines = [("x-forwarded-for", "6.6.6.6"), ("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "10.0.0.2")];
        assert_eq!(of("10.0.0.1", &lines).0, "1.1.1.1", "several lines are one list");
    }

    #[test]
    fn the_url_is_the_one_that_hop_called() {
        let proto = ("x-forwarded-proto", "https");
        let host = ("x-forwarded-host", "hooks.test");
        assert_eq!(of("10.0.0.1", &[]), told("10.0.0.1", "http://own.test"));
        assert_eq!(of("10.0.0.1", &[proto]), told("10.0.0.1", "https://own.test"));
        assert_eq!(
            of("10.0.0.1", &[proto, host, ("x-forwarded-for", "1.1.1.1")]),
            told("1.1.1.1", "https://hooks.test")
        );
        // Each proxy added to each list: what counts stands at the place of the hop that counts.
        let lists = [
            ("x-forwarded-for", "6.6.6.6, 1.1.1.1, 10.0.0.2"),
            ("x-forwarded-proto", "http, https, http"),
            ("x-forwarded-host", "evil.test, hooks.test, inner.test"),
        ];
        assert_eq!(of("10.0.0.1", &lists), told("1.1.1.1", "https://hooks.test"));
        let prepended = [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-host", "evil.test, hooks.test")];
        assert_eq!(
            of("10.0.0.1", &prepended),
            told("1.1.1.1", "http://own.test"),
            "there is no telling which is whose"
        );
        for odd in ["evil.test/x", "a@b", "", "ho st"] {
            assert_eq!(of("10.0.0.1", &[("x-forwarded-host", odd)]).1, None, "{odd}");
        }
        assert_eq!(of("10.0.0.1", &[("x-forwarded-proto", "gopher")]), told("10.0.0.1", "http://own.test"));
    }

    #[test]
    fn the_standard_header_says_the_same() {
        let one = "for=\"[2001:db8::1]:4711\";Proto=https;host=\"hooks.test:8443\";by=_secret";
        assert_eq!(of("10.0.0.1", &[("forwarded", one)]), told("2001:db8::1", "https://hooks.test:8443"));
        let chain = "for=6.6.6.6;host=evil.test, for=1.1.1.1;host=hooks.test;proto=https, for=10.0.0.2";
        assert_eq!(of("10.0.0.1", &[("forwarded", chain)]), told("1.1.1.1", "https://hooks.test"));
    }

    #[test]
    fn two_families_that_disagree_count_for_nothing() {
        let custom =
            [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-proto", "https"), ("x-forwarded-host", "hooks.test")];
        let with = |forwarded| [&custom[..], &[("forwarded", forwarded)]].concat();
        let same = with("for=1.1.1.1;proto=https;host=hooks.test");
        assert_eq!(of("10.0.0.1", &same), told("1.1.1.1", "https://hooks.test"));
        let other = with("for=1.1.1.1;proto=https;host=evil.test");
        assert_eq!(of("10.0.0.1", &other), told("10.0.0.1", "http://own.test"));
    }
}
