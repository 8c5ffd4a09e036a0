//! Why was this request refused?
//!
//! Each guess is tried out: the request is changed back the way something may have changed it, and verified again. What
//! is reported as certain made the signature right; where nothing does, the findings say what is known.
//!
//! For operators, never for senders. Findings hold no part of a secret, a signature or a body, only names of headers and
//! numbers. Work is bounded: some hundreds of hypotheses, each a hash of the body.

mod another;
mod body;
mod clock;
mod damage;
mod finding;
mod header;
mod place;
mod rewrite;
mod secret;
mod trial;
mod unpack;
mod url;
mod written;

pub use body::BodyChange;
pub use finding::Finding;
pub use rewrite::Style as JsonStyle;
pub use secret::SecretReading;
pub use url::UrlPart;

use trial::Trial;

use crate::{Keys, Provider, Reject, Request, Secret, Verdict, verify_with_keys};

/// A refused request, and what its receiver knows.
#[derive(Clone, Copy)]
pub struct Refused<'a> {
    /// Whose request it should be.
    pub provider: &'a Provider,
    /// The request, as received.
    pub request: Request<'a>,
    /// The live secrets.
    pub secrets: &'a [Secret],
    /// Secrets that were live once.
    pub retired: &'a [Secret],
    /// Keys that were fetched, for providers whose keys are.
    pub keys: &'a Keys,
    /// Providers whose request it may be instead: [`crate::ALL`], or none.
    pub others: &'a [&'a Provider],
    /// When it was received, Unix seconds.
    pub now: i64,
}

/// The provider by its name, the request as [`Request`] shows itself, secrets by their number.
impl std::fmt::Debug for Refused<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Refused")
            .field("provider", &self.provider.name)
            .field("request", &self.request)
            .field("secrets", &self.secrets.len())
            .field("retired", &self.retired.len())
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

/// The likely reasons, likeliest first. Never empty.
pub fn explain(refused: &Refused<'_>) -> Vec<Finding> {
    let reject = match verify_with_keys(refused.provider, &refused.request, refused.secrets, refused.keys, refused.now)
    {
        Ok(Verdict::Delivery(_) | Verdict::Handshake(_)) => return vec![Finding::Accepted],
        Ok(Verdict::NeedKey(_)) => return vec![Finding::KeyNotFetched],
        Err(reject) => reject,
    };
    let trial = Trial::new(refused);
    match reject {
        Reject::NoSecret => return vec![Finding::NoSecret],
        Reject::TooManySecrets => return vec![Finding::TooManySecrets],
        Reject::TimestampTooOld | Reject::TimestampInFuture => return vec![clock::finding(refused)],
        Reject::HandshakeRefused => return vec![Finding::HandshakeRefused],
        Reject::HandshakeIncomplete => return vec![Finding::HandshakeIncomplete],
        _ => {}
    }
    let mut findings = Vec::new();
    findings.extend(secret::retired(&trial));
    findings.extend(secret::readings(&trial));
    findings.extend(body::changed(&trial));
    findings.extend(url::changed(&trial));
    findings.extend(header::changed(&trial));
    findings.extend(written::otherwise(&trial));
    findings.extend(another::signed(&trial));
    let is_proven = !findings.is_empty();
    if !is_proven {
        findings.extend(damage::visible(refused));
    }
    findings.extend(header::facts(refused, reject));
    if !is_proven {
        findings.extend(another::carried(refused));
        findings.extend(rest(refused, reject));
    }
    if findings.is_empty() {
        findings.push(Finding::Other(reject));
    }
    findings
}

/// What is left when nothing could be proven.
fn rest(refused: &Refused<'_>, reject: Reject) -> Vec<Finding> {
    match reject {
        Reject::SecretUnusable => {
            let checked = refused.secrets.iter().enumerate();
            let unusable = checked.filter_map(|(index, secret)| {
                let error = refused.provider.scheme.check_secret(secret).err()?;
                Some(Finding::UnusableSecret { index, error })
            });
            unusable.collect()
        }
        Reject::SignatureMismatch => {
            let url = url::is_signed(&refused.provider.scheme).then_some(Finding::UrlMayDiffer);
            let secrets = Finding::WrongSecret { tried: refused.secrets.len(), live: damage::live_mode(refused) };
            std::iter::once(secrets).chain(url).collect()
        }
        Reject::ClaimMismatch => vec![Finding::Claims],
        Reject::EmptyBody | Reject::SignatureMissing | Reject::HeaderRepeated => Vec::new(),
        other => vec![Finding::Other(other)],
    }
}
