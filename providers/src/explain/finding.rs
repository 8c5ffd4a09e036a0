//! What was found, in words.

use std::fmt;

use super::{BodyChange, SecretReading, UrlPart};
use crate::{Reject, SecretError};

/// A reason why a request was refused. `Display` says what to change.
///
/// Those up to [`Finding::AnotherProvider`] are certain: with what they name undone, the signature is right.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// It is not refused: secrets, provider or clock have changed since it was.
    Accepted,
    /// The signature is right; the time is not.
    Clock {
        /// How many seconds before our time it was signed; negative: after.
        age_s: i64,
    },
    /// It is signed with a secret that was live once.
    RetiredSecret {
        /// Which: its position among them.
        index: usize,
    },
    /// A live secret is right if it is read another way.
    Secret {
        /// Which: its position among them.
        index: usize,
        /// How.
        reading: SecretReading,
    },
    /// The body was changed on its way.
    Body(BodyChange),
    /// The URL is not the one that was signed.
    Url(UrlPart),
    /// The method is not the one that was signed.
    Method,
    /// The headers are of another family.
    Family {
        /// What the names start with.
        carried: &'static str,
        /// What they should start with.
        wanted: &'static str,
    },
    /// A header has another name.
    Renamed {
        /// The name it has.
        from: String,
        /// The name it should have.
        to: String,
    },
    /// A header was cut short.
    Truncated {
        /// Its name.
        header: String,
    },
    /// A header holds the right signature, written another way.
    WrittenOtherwise {
        /// Its name.
        header: String,
    },
    /// A header came several times.
    Repeated {
        /// Its name, where it authenticates.
        name: Option<String>,
        /// Whether the request would be accepted with one of them.
        one_is_right: bool,
    },
    /// It is another provider's, signed with this source's secret.
    AnotherProvider {
        /// Whose it may be.
        names: Vec<&'static str>,
    },
    /// It carries the headers of another provider.
    HeadersOfAnother {
        /// Whose it may be.
        names: Vec<&'static str>,
    },
    /// What authenticates the request is not there.
    Missing {
        /// What is wanted, once for each way to sign.
        wanted: Vec<Vec<String>>,
        /// Headers that are there and look alike.
        carried: Vec<String>,
    },
    /// What authenticates the request is not written as this provider writes it.
    Malformed {
        /// What is wrong.
        reject: Reject,
        /// The headers to look at.
        headers: Vec<String>,
    },
    /// The body is empty.
    EmptyBody,
    /// The body is not as long as `content-length` says.
    Length {
        /// What the header says.
        claimed: usize,
        /// What was received.
        received: usize,
    },
    /// The body was decompressed on the way.
    Decompressed,
    /// Characters of the body were replaced.
    LostCharacters,
    /// No secret made this signature.
    WrongSecret {
        /// How many were tried.
        tried: usize,
        /// Whether the event says it is of live mode, where it says so.
        live: Option<bool>,
    },
    /// The URL is signed and may not be the one that was.
    UrlMayDiffer,
    /// A secret is not of this provider's kind.
    UnusableSecret {
        /// Which.
        index: usize,
        /// Why.
        error: SecretError,
    },
    /// The token is authentic and not about this request.
    Claims,
    /// The source has no secret.
    NoSecret,
    /// The source has too many secrets.
    TooManySecrets,
    /// A key has to be fetched first.
    KeyNotFetched,
    /// A handshake with a wrong token.
    HandshakeRefused,
    /// A handshake without what has to be answered.
    HandshakeIncomplete,
    /// Nothing more is known than this.
    Other(Reject),
}

impl Finding {
    /// Whether it was proven, by a signature that is right once it is undone.
    pub fn is_certain(&self) -> bool {
        match self {
            Self::Accepted
            | Self::Clock { .. }
            | Self::RetiredSecret { .. }
            | Self::Secret { .. }
            | Self::Body(_)
            | Self::Url(_)
            | Self::Method
            | Self::Family { .. }
            | Self::Renamed { .. }
            | Self::Truncated { .. }
            | Self::WrittenOtherwise { .. }
            | Self::AnotherProvider { .. } => true,
            Self::Repeated { one_is_right, .. } => *one_is_right,
            _ => false,
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => f.write_str("the request is accepted now: secrets, provider or clock have changed since it was refused"),
            Self::Clock { age_s } if *age_s >= 0 => write!(
                f,
                "the signature is right, but it was made {} ago: check this machine's clock; if it is right, the request is \
                 a replay or was held up, so send it again",
                Span(*age_s)
            ),
            Self::Clock { age_s } => write!(
                f,
                "the signature is right, but it is dated {} in the future: set this machine's clock (NTP), or the sender's",
                Span(age_s.saturating_neg())
            ),
            Self::RetiredSecret { index } => write!(
                f,
                "it is signed with retired secret {}: make that one live again until the sender has the new one",
                index + 1
            ),
            Self::Secret { index, reading } => write!(f, "secret {} is right if it is read {reading}", index + 1),
            Self::Body(change) => write!(f, "the body was changed on its way: {change}"),
            Self::Url(part) => write!(
                f,
                "the {part} of the URL is not what the sender signed: set the source's public_url to the address the sender \
                 calls, and let proxies pass the request target on unchanged"
            ),
            Self::Method => f.write_str("the method is not the one the sender signed: let proxies and redirects keep it"),
            Self::Family { carried, wanted } => write!(
                f,
                "the headers start with {carried}, not {wanted}, and are right otherwise: choose the provider that sends those"
            ),
            Self::Renamed { from, to } => {
                write!(f, "the header {to} arrives as {from} and is right otherwise: let proxies keep its name")
            }
            Self::Truncated { header } => write!(f, "the header {header} is cut short: raise the proxy's limit for headers"),
            Self::WrittenOtherwise { header } => write!(
                f,
                "the signature in {header} is right, but not written as the provider writes it (case, encoding, prefix or \
                 quotes): let proxies pass the header on unchanged, or choose the provider that writes it so"
            ),
            Self::Repeated { name: Some(name), one_is_right: true } => {
                write!(f, "the header {name} comes several times and one is right: keep proxies from adding it again")
            }
            Self::Repeated { name: Some(name), .. } => {
                write!(f, "the header {name} comes several times: somebody on the way adds it, or tries something")
            }
            Self::Repeated { name: None, .. } => {
                f.write_str("a header, or a value in one, that the sender writes once comes several times: look for a proxy that adds it")
            }
            Self::AnotherProvider { names } => write!(
                f,
                "it is signed with this source's secret the way of {}: change the source's provider to that",
                List(names, " or ")
            ),
            Self::HeadersOfAnother { names } => write!(
                f,
                "it carries the headers of {}: give the sender the URL of a source with that provider",
                List(names, " or ")
            ),
            Self::Missing { wanted, carried } => missing(f, wanted, carried),
            Self::Malformed { reject, headers } => {
                write!(f, "what authenticates it is not written as this provider writes it ({reject})")?;
                if !headers.is_empty() {
                    write!(f, ": look at {}", List(headers, ", "))?;
                }
                Ok(())
            }
            Self::EmptyBody => f.write_str("the body is empty: something before this has read it, or a redirect dropped it"),
            Self::Length { claimed, received } => write!(
                f,
                "content-length is {claimed} but {received} bytes arrived: the body was cut or changed on its way"
            ),
            Self::Decompressed => f.write_str(
                "the body was decompressed on its way, and the sender signed it compressed: pass it on as received",
            ),
            Self::LostCharacters => {
                f.write_str("characters of the body were replaced because something took it for text: pass on the raw bytes")
            }
            Self::WrongSecret { tried, live } => {
                match tried {
                    1 => f.write_str("the secret did not make this signature")?,
                    tried => write!(f, "none of the {tried} secrets made this signature")?,
                }
                f.write_str(", and no usual change to the request explains it: copy the secret of this very endpoint again")?;
                f.write_str(match live {
                    Some(true) => ", of live mode, which the event says it is of",
                    Some(false) => ", of test mode, which the event says it is of",
                    None => " (each endpoint has its own, as have test and live mode)",
                })
            }
            Self::UrlMayDiffer => f.write_str(
                "the URL is signed too: check that the source's public_url is, letter for letter, what the sender was given",
            ),
            Self::UnusableSecret { index, error } => write!(f, "secret {}: {error}", index + 1),
            Self::Claims => f.write_str(
                "the token is authentic, but about another body, URL or issuer: check public_url and that the body is passed on unchanged",
            ),
            Self::NoSecret => f.write_str("the source has no secret: add the one the provider shows"),
            Self::TooManySecrets => f.write_str("the source has too many secrets: remove those no longer in use"),
            Self::KeyNotFetched => f.write_str("the provider's key has to be fetched before it can be judged: allow that and send it again"),
            Self::HandshakeRefused => {
                f.write_str("a handshake with a wrong verify token: set the source's secret verify:TOKEN to what the provider was given")
            }
            Self::HandshakeIncomplete => f.write_str("a handshake without the value to answer: let proxies pass query and body on"),
            Self::Other(reject) => write!(f, "refused ({reject}); nothing more is known"),
        }
    }
}

fn missing(f: &mut fmt::Formatter<'_>, wanted: &[Vec<String>], carried: &[String]) -> fmt::Result {
    if wanted.is_empty() {
        f.write_str("nothing in it is a signature of this provider")?;
    } else {
        let ways: Vec<_> = wanted.iter().map(|names| List(names, ", ")).collect();
        write!(f, "it lacks {}", List(&ways, "; or "))?;
    }
    f.write_str(": let proxies pass everything on, and check that signing is switched on at the sender")?;
    if !carried.is_empty() {
        write!(f, "; it has {}", List(carried, ", "))?;
    }
    Ok(())
}

struct List<'l, T>(&'l [T], &'static str);

impl<T: fmt::Display> fmt::Display for List<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.iter().enumerate() {
            write!(f, "{}{item}", if index == 0 { "" } else { self.1 })?;
        }
        Ok(())
    }
}

/// Seconds, in the largest unit that says enough.
struct Span(i64);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            seconds @ ..120 => write!(f, "{seconds} s"),
            seconds @ ..7_200 => write!(f, "{} min", seconds / 60),
            seconds @ ..172_800 => write!(f, "{} h", seconds / 3_600),
            seconds => write!(f, "{} days", seconds / 86_400),
        }
    }
}
