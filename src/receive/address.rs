//! Which source a request's path means: a pure reading of the path as it was received.
//!
//! Nothing is decoded: names and keys are written in characters that need no escaping, so what is escaped is no name of
//! ours, and no two readers of one path can disagree.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// What stands in a kept target where the key stood. A brace cannot be part of a path as senders write it.
const KEY_REMOVED: &str = "{url_key}";

/// `/in/NAME`, and what stands behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Address<'p> {
    pub(crate) name: &'p str,
    /// Behind the slash after the name; `None` without one.
    behind: Option<&'p str>,
}

/// What a source wants to see behind its name.
#[derive(Debug)]
pub(crate) struct Door {
    key: Option<UrlKey>,
    subpaths: bool,
}

/// An unguessable part of the URL, as its hash: hashes are of one length, and comparing them tells nothing of the key.
struct UrlKey([u8; 32]);

/// Why a path under a known source is nobody's. To the sender it is the same as an unknown source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missed {
    /// The key is wrong or not there.
    WrongKey,
    /// There is more than the source takes.
    NoSuchPath,
}

impl Missed {
    /// The word for metrics and operators.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::WrongKey => "wrong_url_key",
            Self::NoSuchPath => "unknown_path",
        }
    }
}

impl<'p> Address<'p> {
    /// Reads a path; `None`: it is not below `/in/`.
    pub(crate) fn of(path: &'p str) -> Option<Self> {
        let below = path.strip_prefix("/in/")?;
        match below.split_once('/') {
            Some((name, behind)) => Some(Self { name, behind: Some(behind) }),
            None => Some(Self { name: below, behind: None }),
        }
    }
}

impl Door {
    pub(crate) fn new(key: Option<&str>, subpaths: bool) -> Self {
        Self { key: key.map(|key| UrlKey(Sha256::digest(key).into())), subpaths }
    }

    /// The request target to keep, if the address is this source's: without the key, else as received.
    pub(crate) fn admit(&self, address: Address<'_>, target: &str) -> Result<String, Missed> {
        let Some(expected) = &self.key else {
            self.admit_rest(address.behind)?;
            return Ok(target.to_owned());
        };
        let behind = address.behind.unwrap_or_default();
        let (key, rest) = match behind.split_once('/') {
            Some((key, rest)) => (key, Some(rest)),
            None => (behind, None),
        };
        if !expected.is(key) {
            return Err(Missed::WrongKey);
        }
        self.admit_rest(rest)?;
        let from = "/in/".len() + address.name.len() + 1;
        let kept = (target.get(..from), target.get(from + key.len()..));
        let (Some(before), Some(after)) = kept else { return Err(Missed::NoSuchPath) };
        Ok(format!("{before}{KEY_REMOVED}{after}"))
    }

    fn admit_rest(&self, rest: Option<&str>) -> Result<(), Missed> {
        match rest {
            None => Ok(()),
            Some(rest) if self.subpaths && !rest.is_empty() && !climbs(rest) => Ok(()),
            Some(_) => Err(Missed::NoSuchPath),
        }
    }
}

impl UrlKey {
    fn is(&self, offered: &str) -> bool {
        let offered: [u8; 32] = Sha256::digest(offered).into();
        self.0.ct_eq(&offered).into()
    }
}

impl std::fmt::Debug for UrlKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UrlKey")
    }
}

/// Whether some reader of this path would leave the source by it: a dot segment, however it is escaped or separated.
/// Proxies resolve those, and then the path that was signed, the one we see and the one that was meant are three.
fn climbs(rest: &str) -> bool {
    let mut plain = rest.to_ascii_lowercase();
    // Escapes of escapes come apart one layer a round; more than a few are nobody's honest path.
    for _ in 0..4 {
        plain = plain.replace("%2e", ".").replace("%2f", "/").replace("%5c", "/").replace('\\', "/");
        if plain.contains("%00")
            || plain.split('/').any(|segment| matches!(segment.split(';').next(), Some("." | "..")))
        {
            return true;
        }
        if !plain.contains("%25") {
            return false;
        }
        plain = plain.replace("%25", "%");
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "0123456789abcdef";

    fn admit(door: &Door, target: &str) -> Result<String, Missed> {
        let path = target.split('?').next().unwrap_or_default();
        door.admit(Address::of(path).expect("below /in/"), target)
    }

    #[test]
    fn a_path_is_read_as_it_is_written() {
        let read = |path| Address::of(path).map(|address| (address.name, address.behind));
        assert_eq!(read("/in/a"), Some(("a", None)));
        assert_eq!(read("/in/a/"), Some(("a", Some(""))));
        assert_eq!(read("/in/a/b//c"), Some(("a", Some("b//c"))));
        assert_eq!(read("/in/%61"), Some(("%61", None)), "no name of ours is written so");
        assert_eq!(read("/in//a"), Some(("", Some("a"))));
        for elsewhere in ["/in", "/", "", "/IN/a", "/inn/a", "//in/a", "in/a", "*"] {
            assert_eq!(read(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn a_key_is_wanted_where_there_is_one_and_never_kept() {
        let door = Door::new(Some(KEY), false);
        assert_eq!(admit(&door, "/in/a/0123456789abcdef?b=1").unwrap(), "/in/a/{url_key}?b=1");
        let wrong = [
            "/in/a",
            "/in/a/",
            "/in/a?0123456789abcdef",
            "/in/a/0123456789abcde",
            "/in/a/0123456789abcdeF",
            "/in/a/0123456789abcde%66",
            "/in/a//0123456789abcdef",
            "/in/a/x/../0123456789abcdef",
        ];
        for target in wrong {
            assert_eq!(admit(&door, target), Err(Missed::WrongKey), "{target}");
        }
        for target in ["/in/a/0123456789abcdef/", "/in/a/0123456789abcdef/b"] {
            assert_eq!(admit(&door, target), Err(Missed::NoSuchPath), "{target}");
        }
        assert!(!format!("{door:?}").contains("0123"));
    }

    #[test]
    fn what_follows_is_taken_where_subpaths_are() {
        let (closed, open) = (Door::new(None, false), Door::new(None, true));
        for target in
            ["/in/a/b", "/in/a/b/c?d=..", "/in/a/b%20c/", "/in/a/..b", "/in/a/b%2fc", "/in/a/...", "/in/a/b//c"]
        {
            assert_eq!(admit(&closed, target), Err(Missed::NoSuchPath), "{target}");
            assert_eq!(admit(&open, target).as_deref(), Ok(target));
        }
        assert_eq!(admit(&open, "/in/a").as_deref(), Ok("/in/a"));
        let both = Door::new(Some(KEY), true);
        assert_eq!(admit(&both, "/in/a/0123456789abcdef/b?c").unwrap(), "/in/a/{url_key}/b?c");
        assert_eq!(admit(&both, "/in/a/b/0123456789abcdef"), Err(Missed::WrongKey));
    }

    #[test]
    fn a_path_that_leaves_its_source_is_nobodys() {
        let open = Door::new(None, true);
        let climbing = [
            "/in/a/",
            "/in/a/.",
            "/in/a/..",
            "/in/a/b/../../c",
            "/in/a/%2e%2E/c",
            "/in/a/.%2e/c",
            "/in/a/b%2f..%2fc",
            "/in/a/b%5C..%5cc",
            "/in/a/b\\..\\c",
            "/in/a/%252e%252e/c",
            "/in/a/%25252525252e%2e/c",
            "/in/a/..;/c",
            "/in/a/b%00",
        ];
        for target in climbing {
            assert_eq!(admit(&open, target), Err(Missed::NoSuchPath), "{target}");
        }
    }
}
