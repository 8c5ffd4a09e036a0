//! A signature over parts of the request: most providers.

use smallvec::SmallVec;

use super::algorithm::{Algorithm, Candidate};
use super::compare::same;
use super::hash::Bytes;
use super::key::Key;
use super::listing::Few;
use super::message::message;
use super::timestamp::Micros;
use super::{Clock, Encoding, Hash, KeyForm, Listing, Part, PublicKey, Timestamp};
use crate::{Headers, Locate, Reject, Request, Secret, SecretError, SignError, Unsigned};

/// A signature over parts of the request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signed {
    /// How the signature is made.
    pub algorithm: Algorithm,
    /// How the secret becomes a key.
    pub key: KeyForm,
    /// Where the request names its key, which must be the secret's name.
    pub key_name: Option<Locate>,
    /// How the signature is written.
    pub encoding: Encoding,
    /// Where the signature is: a header, a key in one, or rarely the query or the body.
    pub signature: Locate,
    /// How several signatures share that place.
    pub listing: Listing,
    /// What stands before the signature.
    pub prefix: &'static str,
    /// Whether the prefix may be missing.
    pub prefix_optional: bool,
    /// What is signed, in order.
    pub signs: &'static [Part],
    /// What may be signed instead, where senders disagree; empty: nothing.
    pub or_signs: &'static [Part],
    /// The time of sending, where it is signed.
    pub timestamp: Option<Timestamp>,
    /// Headers that, if they are there, must have this value: the version or algorithm of the signature.
    pub only_if: &'static [(&'static str, &'static str)],
    /// Headers that must be there with this value: where they tell one scheme from another.
    pub only_with: &'static [(&'static str, &'static str)],
    /// Whether the provider sends requests without a body.
    pub empty_body: EmptyBody,
}

/// Whether a request without a body can be real.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmptyBody {
    /// It can.
    Accepted,
    /// The provider always sends one, and its own library refuses an empty one.
    Refused,
}

impl Signed {
    /// HMAC-SHA256 of the body in lower-case hex.
    pub const fn hex(signature: Locate) -> Self {
        Self {
            algorithm: Algorithm::Hmac(Hash::Sha256),
            key: KeyForm::Text,
            key_name: None,
            encoding: Encoding::Hex,
            signature,
            listing: Listing::Plain,
            prefix: "",
            prefix_optional: false,
            signs: &[Part::Body],
            or_signs: &[],
            timestamp: None,
            only_if: &[],
            only_with: &[],
            empty_body: EmptyBody::Accepted,
        }
    }

    /// HMAC-SHA256 of the body in base64.
    pub const fn base64(signature: Locate) -> Self {
        Self::hex(signature).encoding(Encoding::Base64)
    }

    /// Written this way.
    pub const fn encoding(self, encoding: Encoding) -> Self {
        Self { encoding, ..self }
    }

    /// An HMAC with this hash function.
    pub const fn hash(self, hash: Hash) -> Self {
        Self { algorithm: Algorithm::Hmac(hash), ..self }
    }

    /// Made this way.
    pub const fn algorithm(self, algorithm: Algorithm) -> Self {
        Self { algorithm, ..self }
    }

    /// A public-key signature.
    pub const fn public_key(self, kind: PublicKey) -> Self {
        Self { algorithm: Algorithm::PublicKey(kind), ..self }
    }

    /// With a key that is more than the secret's bytes.
    pub const fn key(self, key: KeyForm) -> Self {
        Self { key, ..self }
    }

    /// With a key whose name is in the request.
    pub const fn named_in(self, name: Locate) -> Self {
        Self { key_name: Some(name), ..self }
    }

    /// Laid out this way.
    pub const fn listing(self, listing: Listing) -> Self {
        Self { listing, ..self }
    }

    /// With this text before the signature.
    pub const fn prefix(self, prefix: &'static str) -> Self {
        Self { prefix, ..self }
    }

    /// With this text before the signature, which may be missing.
    pub const fn optional_prefix(self, prefix: &'static str) -> Self {
        Self { prefix, prefix_optional: true, ..self }
    }

    /// Over these parts.
    pub const fn signs(self, signs: &'static [Part]) -> Self {
        Self { signs, ..self }
    }

    /// Or over these, where senders disagree.
    pub const fn or_signs(self, parts: &'static [Part]) -> Self {
        Self { or_signs: parts, ..self }
    }

    /// With this time of sending.
    pub const fn timestamp(self, timestamp: Timestamp) -> Self {
        Self { timestamp: Some(timestamp), ..self }
    }

    /// Only with these headers, where they are sent.
    pub const fn only_if(self, headers: &'static [(&'static str, &'static str)]) -> Self {
        Self { only_if: headers, ..self }
    }

    /// Only with these headers.
    pub const fn only_with(self, headers: &'static [(&'static str, &'static str)]) -> Self {
        Self { only_with: headers, ..self }
    }

    /// From a provider that never sends an empty body.
    pub const fn refuse_empty_body(self) -> Self {
        Self { empty_body: EmptyBody::Refused, ..self }
    }

    pub(super) fn check(
        &self,
        request: &Request<'_>,
        family: &str,
        secrets: &[Secret],
        clock: Clock,
    ) -> Result<usize, Reject> {
        let mut place = None;
        let groups = self.groups(request, family, &mut place)?;
        if self.empty_body == EmptyBody::Refused && request.body.is_empty() {
            return Err(Reject::EmptyBody);
        }
        for (name, value) in self.only_if {
            if request.headers.single(name)?.is_some_and(|found| found != value.as_bytes()) {
                return Err(Reject::SignatureMalformed);
            }
        }
        for (name, value) in self.only_with {
            if request.headers.single(name)? != Some(value.as_bytes()) {
                return Err(Reject::SignatureMalformed);
            }
        }
        let named = self.algorithm.named(request.headers)?;
        let mut refused = Reject::SignatureMalformed;
        for group in &groups {
            let (time, sent) = self.time(group.timestamp.as_deref())?;
            let candidates: Few<_> = group.signatures.iter().filter_map(|text| self.decode(text, named)).collect();
            if candidates.is_empty() {
                continue;
            }
            match self.matching(request, time, &candidates, secrets) {
                Ok(secret) => {
                    return match self.timestamp {
                        Some(timestamp) => timestamp.fresh(sent, clock).map(|()| secret),
                        None => Ok(secret),
                    };
                }
                Err(reject) => refused = reject,
            }
        }
        Err(refused)
    }

    /// The time as written and what it means; an error if it should be there and is not a time.
    fn time<'t>(&self, text: Option<&'t str>) -> Result<(&'t str, Micros), Reject> {
        match (self.timestamp, text) {
            (None, _) => Ok(("", 0)),
            (Some(_), None) => Err(Reject::TimestampMissing),
            (Some(timestamp), Some(text)) => {
                timestamp.unit.microseconds(text).map(|sent| (text, sent)).ok_or(Reject::TimestampMalformed)
            }
        }
    }

    /// Signatures that do not decode are passed over: lists grow new forms.
    fn decode(&self, text: &str, named: Option<Hash>) -> Option<Candidate> {
        let (key_name, text) = match self.listing {
            Listing::Named(_, separator) => {
                let (name, text) = text.split_once(separator)?;
                (Some(name.to_owned()), text)
            }
            Listing::NamedBehind(scheme, separator) => {
                let (name, text) = text.strip_prefix(scheme)?.split_once(separator)?;
                (Some(name.to_owned()), text)
            }
            _ => (None, text),
        };
        let (hash, text) = match self.algorithm {
            Algorithm::HmacLabelled(hashes) => {
                let (label, text) = text.split_once('=')?;
                (Some(hashes.iter().find(|(name, _)| *name == label)?.1), text)
            }
            _ => (named, text),
        };
        let text = match text.strip_prefix(self.prefix) {
            Some(text) => text,
            None if self.prefix_optional => text,
            None => return None,
        };
        Some(Candidate { key_name, hash, bytes: self.encoding.decode(text)? })
    }

    fn matching(
        &self,
        request: &Request<'_>,
        time: &str,
        candidates: &[Candidate],
        secrets: &[Secret],
    ) -> Result<usize, Reject> {
        let called = match &self.key_name {
            Some(locate) => Some(super::message::at(locate, request)?.ok_or(Reject::SignatureMissing)?),
            None => None,
        };
        let mut refused = Reject::SecretUnusable;
        for (index, secret) in secrets.iter().enumerate() {
            let Ok(key) = self.key.held(secret, time) else { continue };
            let mut matches = self.matches(self.signs, request, time, candidates, secret, &key)?;
            if matches == Some(false) && !self.or_signs.is_empty() {
                matches = self.matches(self.or_signs, request, time, candidates, secret, &key)?;
            }
            let Some(matches) = matches else { continue };
            refused = Reject::SignatureMismatch;
            if matches && called.as_deref().is_none_or(|called| Some(called) == key.name.as_deref()) {
                return Ok(index);
            }
        }
        Err(refused)
    }

    /// Whether a signature is of these parts; `None`: the secret is no key.
    fn matches(
        &self,
        parts: &'static [Part],
        request: &Request<'_>,
        time: &str,
        candidates: &[Candidate],
        secret: &Secret,
        key: &Key,
    ) -> Result<Option<bool>, Reject> {
        let message = message(parts, request, time, key)?;
        Ok(match self.algorithm {
            Algorithm::PublicKey(kind) => {
                let signatures = candidates.iter().map(|candidate| &candidate.bytes[..]);
                kind.verifies(secret, &message.concat(), signatures).ok()
            }
            algorithm => {
                // The body is hashed once for each hash function, however many signatures are listed.
                let mut made: SmallVec<[(Option<Hash>, Bytes); 1]> = SmallVec::new();
                let matches = candidates.iter().any(|candidate| {
                    let is_of_key = candidate.key_name.is_none() || candidate.key_name == key.name;
                    let Some(hash) = algorithm.hash_of(candidate).filter(|_| is_of_key) else { return false };
                    let index = made.iter().position(|(known, _)| *known == hash).unwrap_or_else(|| {
                        made.push((hash, algorithm.expected(hash, key, &message)));
                        made.len() - 1
                    });
                    same(&candidate.bytes, &made[index].1)
                });
                Some(matches)
            }
        })
    }

    pub(super) fn sign(&self, unsigned: &Unsigned<'_>, family: &str, secret: &Secret) -> Result<Headers, SignError> {
        let time = self.timestamp.map(|timestamp| timestamp.unit.write(unsigned.now));
        let key = self.key.held(secret, time.as_deref().unwrap_or_default())?;
        let request = unsigned.request();
        let message = message(self.signs, &request, time.as_deref().unwrap_or_default(), &key)
            .map_err(|_| SignError::SignedHeaderMissing)?;
        let (label, bytes) = self.algorithm.sign(secret, &key.bytes, &message)?;
        drop(message);
        let name = match (self.listing, &key.name) {
            (Listing::Named(_, separator), Some(name)) => format!("{name}{separator}"),
            (Listing::NamedBehind(before, separator), Some(name)) => format!("{before}{name}{separator}"),
            _ => String::new(),
        };
        let signature = format!("{name}{label}{}{}", self.prefix, self.encoding.encode(&bytes));
        let mut headers = self.write(family, signature, time).ok_or(SignError::NotSignable)?;
        headers.extend(self.only_with.iter().copied());
        if let (Some(Locate::Header(header)), Some(name)) = (self.key_name, &key.name) {
            headers.push(header, name.as_str());
        }
        if let Algorithm::HmacNamedIn(header, [(name, _), ..]) = self.algorithm {
            headers.push(header, *name);
        }
        Ok(headers)
    }

    pub(super) fn check_secret(&self, secret: &Secret) -> Result<(), SecretError> {
        match self.algorithm {
            _ if secret.verify_token().is_some() => Ok(()),
            Algorithm::PublicKey(kind) => kind.check(secret),
            _ => self.key.of(secret).map(|_| ()),
        }
    }
}
