//! Networks by address and prefix length, as `server.trusted_proxies` lists them.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use serde::de::{self, Deserializer};
use serde::{Deserialize, Serialize, Serializer};

/// A network such as `10.0.0.0/8`, or one address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network(IpNet);

impl Network {
    /// Whether the address is in it. An IPv4 address that arrived on an IPv6 socket counts as what it is.
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }

    /// Whether every address of its family is in it.
    pub(super) fn is_everybody(&self) -> bool {
        self.0.prefix_len() == 0
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let network = match text.parse::<IpAddr>() {
            Ok(address) => IpNet::from(address.to_canonical()),
            Err(_) => text.parse().map_err(|_| {
                format!("`{text}` is not a network: write an address and a prefix length, as in \"10.0.0.0/8\" or \"fd00::/8\"")
            })?,
        };
        // `10.1.2.3/8` is `10.0.0.0/8` written carelessly.
        Ok(Self(network.trunc()))
    }
}

impl<'de> Deserialize<'de> for Network {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        String::deserialize(input)?.parse().map_err(de::Error::custom)
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_holds_its_addresses_however_they_arrive() {
        let network: Network = "10.1.2.3/8".parse().unwrap();
        assert_eq!(network.to_string(), "10.0.0.0/8");
        for inside in ["10.0.0.0", "10.255.255.255", "::ffff:10.1.1.1"] {
            assert!(network.contains(inside.parse().unwrap()), "{inside}");
        }
        for outside in ["11.0.0.0", "::1", "::ffff:11.1.1.1"] {
            assert!(!network.contains(outside.parse().unwrap()), "{outside}");
        }
        let one: Network = "fd00::1".parse().unwrap();
        assert!(one.contains("fd00::1".parse().unwrap()) && !one.contains("fd00::2".parse().unwrap()));
    }

    #[test]
    fn what_is_no_network_is_refused_with_an_example() {
        for text in ["", "10.0.0.0/33", "10.0.0/8", "proxy.internal", "*"] {
            assert!(text.parse::<Network>().unwrap_err().contains("as in \"10.0.0.0/8\""), "{text}");
        }
    }
}
