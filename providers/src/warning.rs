//! What a provider's authentication leaves open, and what somebody who has seen one request could do with it.

use std::fmt;

use crate::scheme::{Scheme, Token};
use crate::{Locate, Provider};

/// Something that a valid request does not prove.
///
/// Ordered from the worst to the mildest. A forger here is somebody who has seen one request, in a proxy's log or on a
/// machine it passed, and does not have the provider's key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Warning {
    /// Requests carry the secret itself, in a header, the body, or as HTTP Basic; always, or where the sender is set so.
    SecretInRequest,
    /// The secret is part of the URL.
    SecretInUrl,
    /// The signature leaves the body, or a part of it, open.
    BodyNotSigned,
    /// The delivery id is where the signature does not reach.
    IdNotSigned,
    /// The provider gives its events no id.
    NoDeliveryId,
    /// The event type is where the signature does not reach.
    EventTypeNotSigned,
    /// Nothing signed says when the request was sent.
    TimeNotSigned,
}

impl Warning {
    /// Every warning there is.
    pub const ALL: [Self; 7] = [
        Self::SecretInRequest,
        Self::SecretInUrl,
        Self::BodyNotSigned,
        Self::IdNotSigned,
        Self::NoDeliveryId,
        Self::EventTypeNotSigned,
        Self::TimeNotSigned,
    ];

    /// A stable snake_case label for lists and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::SecretInRequest => "secret_in_request",
            Self::SecretInUrl => "secret_in_url",
            Self::BodyNotSigned => "body_not_signed",
            Self::IdNotSigned => "id_not_signed",
            Self::NoDeliveryId => "no_delivery_id",
            Self::EventTypeNotSigned => "event_type_not_signed",
            Self::TimeNotSigned => "time_not_signed",
        }
    }

    /// One sentence on what a forger could do.
    pub const fn consequence(self) -> &'static str {
        match self {
            Self::SecretInRequest => {
                "Where a shared token or HTTP Basic is used, whoever has seen one request knows the secret and can send any event until it is changed."
            }
            Self::SecretInUrl => {
                "Whoever reads the URL, in a log or in the provider's settings, knows the secret and can send any event until it is changed."
            }
            Self::BodyNotSigned => {
                "Whoever has seen one request can send it with another body, or with another value for what the signature does not cover."
            }
            Self::IdNotSigned => {
                "Whoever has seen one request can send it again under another delivery id, and it counts as a new event."
            }
            Self::NoDeliveryId => {
                "Whoever has seen one request can send it again, and it counts as a new event, as a retry does."
            }
            Self::EventTypeNotSigned => {
                "Whoever has seen one request can send it under another event type, and the handlers of that type get it."
            }
            Self::TimeNotSigned => {
                "Whoever has seen one request can send it again at any later time: only a delivery id, where there is one and its receipt is kept, shows that it is old."
            }
        }
    }
}

/// The sentence.
impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.consequence())
    }
}

impl Provider {
    /// What a valid request of this provider does not prove, the worst first. Empty where the signature covers everything.
    ///
    /// A source that finds ids or types elsewhere ([`Provider::with`]) gets what is said of this provider's own places.
    pub fn warnings(&self) -> Vec<Warning> {
        let holds = |warning: &Warning| match warning {
            Warning::SecretInRequest => carries(&self.scheme, &|at| !matches!(at, Locate::Query(_))),
            Warning::SecretInUrl => carries(&self.scheme, &|at| matches!(at, Locate::Query(_))),
            Warning::BodyNotSigned => !self.covers.body,
            Warning::IdNotSigned => !self.covers.id && !self.delivery_id.is_empty(),
            Warning::NoDeliveryId => self.delivery_id.is_empty(),
            Warning::EventTypeNotSigned => !self.covers.event_type && !self.event_type.is_empty(),
            Warning::TimeNotSigned => !self.covers.time,
        };
        Warning::ALL.into_iter().filter(holds).collect()
    }
}

/// Whether requests of this scheme may hold the secret itself at such a place.
fn carries(scheme: &Scheme, is: &dyn Fn(&Locate) -> bool) -> bool {
    match scheme {
        Scheme::Token(Token { at, .. }) => is(at),
        Scheme::Basic => is(&Locate::Header("authorization")),
        Scheme::FirstCarried(schemes) | Scheme::OnlyCarried(schemes) => {
            schemes.iter().any(|scheme| carries(scheme, is))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Coverage;

    const ALL_COVERED: Provider = Provider {
        delivery_id: &[Locate::Json("/id")],
        event_type: &[Locate::Json("/type")],
        covers: Coverage { body: true, id: true, event_type: true, time: true },
        ..Provider::DEFAULT
    };

    #[test]
    fn a_signature_over_everything_leaves_nothing_to_warn_of() {
        assert_eq!(ALL_COVERED.warnings(), []);
    }

    #[test]
    fn each_part_left_open_is_warned_of_by_its_name() {
        let covers = ALL_COVERED.covers;
        for (covers, warning) in [
            (Coverage { body: false, ..covers }, "body_not_signed"),
            (Coverage { id: false, ..covers }, "id_not_signed"),
            (Coverage { event_type: false, ..covers }, "event_type_not_signed"),
            (Coverage { time: false, ..covers }, "time_not_signed"),
        ] {
            let warnings = Provider { covers, ..ALL_COVERED }.warnings();
            assert_eq!(warnings.iter().map(|warning| warning.as_str()).collect::<Vec<_>>(), [warning]);
        }
    }

    #[test]
    fn what_is_not_there_cannot_be_forged() {
        let covers = Coverage { id: false, event_type: false, ..ALL_COVERED.covers };
        let bare = Provider { covers, delivery_id: &[], event_type: &[], ..ALL_COVERED };
        assert_eq!(bare.warnings(), [Warning::NoDeliveryId]);
    }

    #[test]
    fn a_secret_that_travels_is_warned_of_though_another_way_of_signing_covers_everything() {
        const TOKEN: Scheme = Scheme::Token(Token::at(Locate::Header("x-token")));
        let either = Provider { scheme: Scheme::FirstCarried(&[Scheme::Undeclared, TOKEN]), ..ALL_COVERED };
        assert_eq!(either.warnings(), [Warning::SecretInRequest]);
        let in_url = Provider { scheme: Scheme::Token(Token::at(Locate::Query("token"))), ..ALL_COVERED };
        assert_eq!(in_url.warnings(), [Warning::SecretInUrl]);
        assert_eq!(Provider { scheme: Scheme::Basic, ..ALL_COVERED }.warnings(), [Warning::SecretInRequest]);
    }

    #[test]
    fn labels_are_unique_and_each_consequence_is_one_sentence() {
        let mut labels = Warning::ALL.map(Warning::as_str);
        labels.sort_unstable();
        assert!(labels.is_sorted_by(|one, other| one < other));
        for warning in Warning::ALL {
            let text = warning.to_string();
            assert!(text.starts_with("Who") || text.starts_with("Where"), "{text}");
            assert_eq!(text.matches(['.', '!']).count(), 1, "{text}");
        }
    }
}
