//! Where a provider's requests carry what authenticates them.

use crate::scheme::jwt::TokenPlace;
use crate::scheme::{Algorithm, Jwt, Listing, Part, Scheme, Signed};
use crate::{Locate, Provider, Request};

/// The headers of one way to sign, and whether something is elsewhere.
#[derive(Default)]
pub(super) struct Places {
    /// Lower case.
    pub(super) headers: Vec<String>,
    /// Not in headers: in the URL or the body.
    pub(super) elsewhere: Vec<String>,
}

impl Places {
    pub(super) fn missing(&self, request: &Request<'_>) -> impl Iterator<Item = &String> {
        self.headers.iter().filter(|name| !carries(request, name))
    }
}

pub(super) fn carries(request: &Request<'_>, name: &str) -> bool {
    request.headers.iter().any(|(header, value)| header == name && !value.is_empty())
}

/// The ways this provider may sign a request, those first of which the request carries more.
pub(super) fn of(provider: &Provider, request: &Request<'_>) -> Vec<Places> {
    let families = if provider.families.is_empty() { &[""][..] } else { provider.families };
    let mut places: Vec<_> = families.iter().flat_map(|family| of_scheme(&provider.scheme, family)).collect();
    places.sort_by_key(|places| places.missing(request).count());
    places
}

fn of_scheme(scheme: &Scheme, family: &str) -> Vec<Places> {
    let header = |name: &str| vec![Places { headers: vec![name.to_owned()], ..Places::default() }];
    match scheme {
        Scheme::Signed(signed) => vec![of_signed(signed, family)],
        Scheme::StandardWebhooks(_) => {
            let headers = ["id", "timestamp", "signature"].map(|name| format!("{family}{name}"));
            vec![Places { headers: headers.into(), ..Places::default() }]
        }
        Scheme::Jwt(Jwt { at: TokenPlace::Header(name, _) | TokenPlace::HeaderOptional(name, _), .. }) => header(name),
        Scheme::Token(token) => vec![Places::default().with(&token.at, family)],
        Scheme::Basic => header("authorization"),
        Scheme::Twilio => header("x-twilio-signature"),
        Scheme::Ebay => header("x-ebay-signature"),
        Scheme::PayPal => {
            let headers = ["transmission-sig", "transmission-id", "transmission-time", "cert-url", "auth-algo"];
            vec![Places { headers: headers.map(|name| format!("paypal-{name}")).into(), ..Places::default() }]
        }
        Scheme::FirstCarried(schemes) | Scheme::OnlyCarried(schemes) => {
            schemes.iter().flat_map(|scheme| of_scheme(scheme, family)).collect()
        }
        _ => Vec::new(),
    }
}

fn of_signed(signed: &Signed, family: &str) -> Places {
    let mut places = match (signed.signature, signed.listing) {
        (Locate::Header(name), Listing::Numbered) => Places::default().with_header(&format!("{name}1")),
        (elsewhere, _) => Places::default().with(&elsewhere, family),
    };
    for locate in signed.timestamp.iter().map(|timestamp| &timestamp.at).chain(&signed.key_name) {
        places = places.with(locate, family);
    }
    if let Algorithm::HmacNamedIn(name, _) = signed.algorithm {
        places = places.with_header(name);
    }
    for part in signed.signs {
        places = match part {
            Part::Header(name) => places.with_header(name),
            Part::At(locate) => places.with(locate, family),
            _ => places,
        };
    }
    signed.only_with.iter().fold(places, |places, (name, _)| places.with_header(name))
}

impl Places {
    fn with(self, locate: &Locate, family: &str) -> Self {
        match locate {
            Locate::Header(name) | Locate::Pair(name, _) => self.with_header(name),
            Locate::Family(name) => self.with_header(&format!("{family}{name}")),
            elsewhere => {
                let mut places = self;
                places.elsewhere.push(elsewhere.to_string());
                places
            }
        }
    }

    fn with_header(mut self, name: &str) -> Self {
        if !self.headers.iter().any(|known| known == name) {
            self.headers.push(name.to_owned());
        }
        self
    }
}
