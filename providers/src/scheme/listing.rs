//! How signatures and their timestamps are laid out in a request.

use std::borrow::Cow;

use smallvec::{SmallVec, smallvec};

use super::message::{at, text};
use super::{MAX_SIGNATURES, Signed};
use crate::view::family_header;
use crate::{Headers, Locate, Reject, Repeated, Request};

/// How several signatures, or a signature and its timestamp, share a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Listing {
    /// They do not: the value is one signature. With [`Locate::Pair`], comma-separated `key=value` pairs.
    Plain,
    /// Signatures separated by this text.
    Separated(&'static str),
    /// Signatures separated by the first text, each behind the name of its key and the second.
    Named(&'static str, &'static str),
    /// One signature, behind the first text, the name of its key and the second.
    NamedBehind(&'static str, &'static str),
    /// `key=value` pairs separated by this text; a key may come several times.
    Pairs(&'static str),
    /// The same, written with this text between the pairs, and read with any white space around each.
    TrimmedPairs(&'static str),
    /// Groups of comma-separated pairs, separated by spaces, each with its own timestamp.
    Groups,
    /// The timestamp, then signatures, separated by commas.
    AfterTimestamp,
    /// One signature a header line, and as many lines as there are signatures.
    Repeated,
    /// One signature a header, numbered: the header's name followed by 1, 2, …
    Numbered,
    /// This header as well, each with its own signature.
    AlsoIn(&'static str),
}

/// Signatures as written, and the time they were made.
pub(super) struct Group<'r> {
    pub(super) timestamp: Option<Cow<'r, str>>,
    pub(super) signatures: Few<&'r str>,
}

/// Most requests have one of each, for which no memory is asked.
pub(super) type Few<T> = SmallVec<[T; 2]>;

impl Signed {
    /// The signatures a request carries, in groups of one timestamp each.
    pub(super) fn groups<'r>(
        &self,
        request: &Request<'r>,
        family: &str,
        place: &'r mut Option<Cow<'r, str>>,
    ) -> Result<Few<Group<'r>>, Reject> {
        let lines = self.lines(request, family, place)?;
        let mut groups = Few::new();
        for line in lines {
            match self.listing {
                Listing::Groups => {
                    for pairs in line.split(' ').filter(|pairs| !pairs.is_empty()).take(MAX_SIGNATURES + 1) {
                        groups.push(self.group(pairs, request)?);
                    }
                }
                Listing::AfterTimestamp => {
                    let (time, signatures) = line.split_once(',').ok_or(Reject::SignatureMalformed)?;
                    groups.push(Group { timestamp: Some(time.into()), signatures: split(signatures, ",") });
                }
                _ => groups.push(self.group(line, request)?),
            }
        }
        let listed: usize = groups.iter().map(|group| group.signatures.len()).sum();
        match listed {
            0 => Err(Reject::SignatureMissing),
            _ if listed > MAX_SIGNATURES => Err(Reject::TooManySignatures),
            _ => Ok(groups),
        }
    }

    /// The values that hold signatures.
    fn lines<'r>(
        &self,
        request: &Request<'r>,
        family: &str,
        place: &'r mut Option<Cow<'r, str>>,
    ) -> Result<Few<&'r str>, Reject> {
        let name = match self.signature {
            Locate::Header(name) | Locate::Pair(name, _) => name,
            Locate::Family(name) => {
                return Ok(smallvec![
                    text(family_header(request.headers, family, name)?)?.ok_or(Reject::SignatureMissing)?
                ]);
            }
            ref elsewhere => {
                *place = at(elsewhere, request)?;
                return Ok(smallvec![place.as_deref().ok_or(Reject::SignatureMissing)?]);
            }
        };
        let lines = match self.listing {
            Listing::Repeated => all(request.headers, |header| header == name)?,
            Listing::Numbered => all(request.headers, |header| {
                header.strip_prefix(name).is_some_and(|number| number.parse::<u16>().is_ok())
            })?,
            Listing::AlsoIn(other) => {
                let values = [request.headers.single(name)?, request.headers.single(other)?];
                values.into_iter().filter_map(|value| text(value).transpose()).collect::<Result<_, _>>()?
            }
            _ => text(request.headers.single(name)?)?.into_iter().collect(),
        };
        if lines.is_empty() { Err(Reject::SignatureMissing) } else { Ok(lines) }
    }

    fn group<'r>(&self, line: &'r str, request: &Request<'r>) -> Result<Group<'r>, Reject> {
        if let (Locate::Pair(_, key), Some(Locate::Pair(_, time))) =
            (self.signature, self.timestamp.map(|time| time.at))
        {
            return self.group_of_pairs(line, key, time);
        }
        let signatures = match (self.signature, self.listing) {
            (Locate::Pair(_, key), _) => self.pairs(line, key).take(MAX_SIGNATURES + 1).collect(),
            (_, Listing::Separated(separator) | Listing::Named(separator, _)) => split(line, separator),
            _ => smallvec![line],
        };
        let timestamp = match self.timestamp.map(|timestamp| timestamp.at) {
            None => None,
            Some(Locate::Pair(_, key)) => self.only(line, key)?.map(Cow::Borrowed),
            Some(elsewhere) => at(&elsewhere, request).map_err(|reject| match reject {
                Reject::SignatureMalformed => Reject::TimestampMalformed,
                other => other,
            })?,
        };
        Ok(Group { timestamp, signatures })
    }

    /// Signatures and their time from one line of pairs, read once.
    fn group_of_pairs<'r>(&self, line: &'r str, key: &str, time: &str) -> Result<Group<'r>, Reject> {
        let mut group = Group { timestamp: None, signatures: Few::new() };
        for (name, value) in self.all_pairs(line) {
            if name == key && group.signatures.len() <= MAX_SIGNATURES {
                group.signatures.push(value);
            } else if name == time && group.timestamp.replace(Cow::Borrowed(value)).is_some() {
                return Err(Repeated.into());
            }
        }
        Ok(group)
    }

    /// Every value of a key.
    fn pairs<'p>(&self, line: &'p str, key: &'static str) -> impl Iterator<Item = &'p str> {
        self.all_pairs(line).filter(move |(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Every key and its value. No trimming unless the provider's own library does: others do not recognise a key with a
    /// space before it.
    fn all_pairs<'p>(&self, line: &'p str) -> impl Iterator<Item = (&'p str, &'p str)> {
        let (separator, trims) = match self.listing {
            Listing::Pairs(separator) => (separator, false),
            Listing::TrimmedPairs(separator) => (separator.trim_end(), true),
            _ => (",", false),
        };
        pieces(line, separator)
            .map(move |pair| if trims { pair.trim_matches(' ') } else { pair })
            .filter_map(|pair| pair.split_once('='))
    }

    /// The value of a key that must not be repeated: libraries disagree on which one counts.
    fn only<'p>(&self, line: &'p str, key: &'static str) -> Result<Option<&'p str>, Repeated> {
        let mut values = self.pairs(line, key);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(Repeated),
            (value, None) => Ok(value),
        }
    }

    /// The headers that carry this signature and time.
    pub(super) fn write(&self, family: &str, signature: String, time: Option<String>) -> Option<Headers> {
        let mut headers = Headers::new();
        let mut shared = String::new();
        match (self.timestamp.map(|timestamp| timestamp.at), time) {
            (_, Some(time)) if self.listing == Listing::AfterTimestamp => shared = time,
            (Some(Locate::Header(name)), Some(time)) => headers.push(name, time),
            (Some(Locate::Pair(_, key)), Some(time)) => shared = format!("{key}={time}"),
            (Some(Locate::Form(_) | Locate::Query(_)), Some(_)) => return None,
            // In the body, where it was before signing.
            _ => {}
        }
        let separator = match self.listing {
            Listing::Pairs(separator) | Listing::TrimmedPairs(separator) => separator,
            _ => ",",
        };
        let joint = if shared.is_empty() { "" } else { separator };
        match self.signature {
            Locate::Pair(name, key) => headers.push(name, format!("{shared}{joint}{key}={signature}")),
            Locate::Header(name) if self.listing == Listing::Numbered => headers.push(&format!("{name}1"), signature),
            Locate::Header(name) => headers.push(name, format!("{shared}{joint}{signature}")),
            Locate::Family(name) => headers.push(&format!("{family}{name}"), signature),
            _ => return None,
        }
        Some(headers)
    }
}

fn split<'t>(text: &'t str, separator: &'static str) -> Few<&'t str> {
    pieces(text, separator).take(MAX_SIGNATURES + 1).collect()
}

/// The same as `text.split(separator)`, but for a separator of one byte, as most are, without setting up a search for longer
/// ones: that costs as much as hashing half a kilobyte.
fn pieces<'t>(text: &'t str, separator: &'static str) -> impl Iterator<Item = &'t str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = match separator.as_bytes() {
            [byte] => text.find(char::from(*byte)),
            _ => text.find(separator),
        };
        rest = end.map(|end| &text[end + separator.len()..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

fn all(headers: &Headers, is: impl Fn(&str) -> bool) -> Result<Few<&str>, Reject> {
    let values = headers.iter().filter(|(name, _)| is(name)).map(|(_, value)| value);
    values.filter_map(|value| text(Some(value)).transpose()).take(MAX_SIGNATURES + 1).collect()
}
