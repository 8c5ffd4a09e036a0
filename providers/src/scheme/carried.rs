//! Where a scheme writes what authenticates a request, and whether a request that is sent on can be signed anew.

use super::jwt::TokenPlace;
use super::{Algorithm, Jwt, Listing, Scheme, Signed, Token, ebay, paypal, twilio};
use crate::{Headers, Locate, Request, Secret, SignError, Unsigned};

impl Scheme {
    /// Whether a header of this name holds the signature, what tells how it was made, or the time of it.
    pub(crate) fn writes(&self, families: &[&str], name: &str) -> bool {
        match self {
            Self::Undeclared | Self::AdyenItems | Self::Sns | Self::DropboxSign | Self::VonageSms => false,
            Self::Signed(signed) => signed.writes(families, name),
            Self::StandardWebhooks(_) => {
                let of_family = families.iter().filter_map(|family| name.strip_prefix(family));
                of_family.into_iter().any(|rest| matches!(rest, "signature" | "timestamp"))
            }
            Self::Jwt(Jwt { at: TokenPlace::Header(known, _) | TokenPlace::HeaderOptional(known, _), .. }) => {
                name == *known
            }
            Self::Jwt(_) => false,
            Self::Token(token) => is_at(&token.at, families, name),
            Self::Basic => name == "authorization",
            Self::Twilio => matches!(name, twilio::SIGNATURE | twilio::SETTINGS),
            Self::PayPal => paypal::WRITTEN.contains(&name),
            Self::Ebay => name == ebay::HEADER,
            Self::FirstCarried(schemes) | Self::OnlyCarried(schemes) => {
                schemes.iter().any(|scheme| scheme.writes(families, name))
            }
        }
    }

    /// Whether a request of this scheme that was received can be signed with this secret without touching its body.
    pub(crate) fn check_resigning(&self, secret: &Secret) -> Result<(), SignError> {
        match self {
            Self::Undeclared => Err(SignError::NotSignable),
            Self::AdyenItems | Self::Sns | Self::DropboxSign | Self::VonageSms => Err(SignError::InBody),
            Self::Jwt(Jwt { at: TokenPlace::Body, .. }) => Err(SignError::InBody),
            Self::Signed(signed) => signed.check_resigning(secret),
            Self::Token(Token { at: Locate::Header(_), .. }) | Self::Basic | Self::Twilio => {
                self.check_secret(secret).map_err(SignError::from)
            }
            Self::Token(Token { at: Locate::Query(_), .. }) => Err(SignError::InUrl),
            Self::Token(_) => Err(SignError::InBody),
            // What they sign is text of ours: whether it can be signed is a matter of the secret alone.
            Self::Jwt(_) | Self::StandardWebhooks(_) | Self::PayPal | Self::Ebay => {
                let headers = Headers::new();
                let probe = Unsigned { method: "POST", url: "", headers: &headers, body: b"", id: "id", now: 0 };
                self.sign(&probe, "", secret).map(|_| ())
            }
            Self::FirstCarried(schemes) | Self::OnlyCarried(schemes) => {
                let checked: Vec<_> = schemes.iter().map(|scheme| scheme.check_resigning(secret)).collect();
                // One of them in the body is enough: signed in another way, the old signature would still be there, and may
                // be the one that counts.
                let stuck =
                    |result: &&Result<(), SignError>| matches!(result, Err(SignError::InBody | SignError::InUrl));
                let verdict = checked.iter().find(stuck).or_else(|| checked.iter().find(|result| result.is_ok()));
                verdict.or(checked.first()).copied().unwrap_or(Err(SignError::NotSignable))
            }
        }
    }

    /// [`Scheme::sign`], in the same one of several schemes as the request was received with, where the secret fits it.
    pub(crate) fn sign_as_received(
        &self,
        received: &Request<'_>,
        unsigned: &Unsigned<'_>,
        family: &str,
        secret: &Secret,
    ) -> Result<Headers, SignError> {
        let (Self::FirstCarried(schemes) | Self::OnlyCarried(schemes)) = self else {
            return self.sign(unsigned, family, secret);
        };
        let carried = schemes.iter().find(|scheme| scheme.is_carried(received, family));
        let fits = carried.into_iter().chain(*schemes).filter(|scheme| scheme.check_resigning(secret).is_ok());
        let mut signed = fits.map(|scheme| scheme.sign(unsigned, family, secret));
        let first = signed.next().unwrap_or(Err(SignError::NotSignable));
        first.or_else(|refused| signed.find(Result::is_ok).unwrap_or(Err(refused)))
    }
}

impl Signed {
    fn writes(&self, families: &[&str], name: &str) -> bool {
        let in_listing = match (self.listing, self.signature) {
            (Listing::AlsoIn(other), _) => name == other,
            (Listing::Numbered, Locate::Header(known)) => {
                name.strip_prefix(known).is_some_and(|number| number.parse::<u16>().is_ok())
            }
            _ => false,
        };
        let places = [Some(self.signature), self.timestamp.map(|timestamp| timestamp.at), self.key_name];
        in_listing
            || places.iter().flatten().any(|place| is_at(place, families, name))
            || self.only_with.iter().any(|(known, _)| name == *known)
            || matches!(self.algorithm, Algorithm::HmacNamedIn(known, _) if name == known)
    }

    fn check_resigning(&self, secret: &Secret) -> Result<(), SignError> {
        let place = |place: Locate| match place {
            Locate::Header(_) | Locate::Family(_) | Locate::Pair(..) => Ok(()),
            Locate::Query(_) => Err(SignError::InUrl),
            _ => Err(SignError::InBody),
        };
        place(self.signature)?;
        self.timestamp.map_or(Ok(()), |timestamp| place(timestamp.at))?;
        self.check_secret(secret)?;
        match self.algorithm {
            Algorithm::PublicKey(kind) => kind.sign(secret, b"").map(|_| ()),
            _ => Ok(()),
        }
    }
}

fn is_at(place: &Locate, families: &[&str], name: &str) -> bool {
    match place {
        Locate::Header(known) | Locate::Pair(known, _) => name == *known,
        Locate::Family(rest) => families.iter().any(|family| name.strip_prefix(family) == Some(rest)),
        _ => false,
    }
}
