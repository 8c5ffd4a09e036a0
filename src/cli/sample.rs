//! A signed request as a provider would send it: for `send` and for the demo.

use hookgate_providers::scheme::{Scheme, Token};
use hookgate_providers::{Headers, Locate, Provider, Secret, SignError, Unsigned, sign, signature_headers};
use serde_json::{Value, json};

use super::exit::Failure;
use super::send::unsignable;

/// What to send.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish<'a> {
    pub(super) provider: &'a Provider,
    pub(super) event: &'a str,
    /// The delivery id.
    pub(super) id: &'a str,
    /// The body to send instead of the sample's.
    pub(super) data: Option<&'a [u8]>,
    /// The source's public URL, for the providers that sign it.
    pub(super) url: &'a str,
    /// The secret as it is written, for the providers that put it into the body or the URL.
    pub(super) token: Option<&'a str>,
    /// Unix seconds.
    pub(super) now: i64,
}

/// A complete request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signed {
    pub(super) method: &'static str,
    /// What the URL ends in: a query, or nothing.
    pub(super) query: String,
    pub(super) headers: Headers,
    pub(super) body: Vec<u8>,
}

impl Signed {
    /// Changes one byte after signing, as a forger would: of the body, or where that is not protected, of what is.
    #[must_use]
    pub(super) fn tampered(mut self, provider: &Provider) -> Self {
        let changed = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            let middle = bytes.len() / 2;
            match bytes.get_mut(middle) {
                Some(byte) => *byte ^= 1,
                None => bytes.push(b' '),
            }
            bytes
        };
        let names = signature_headers(provider, &self.headers);
        match names.first().map(|name| (*name).to_owned()).filter(|_| !provider.covers.body) {
            None => self.body = changed(&self.body),
            Some(protected) => {
                let line = |(name, value): (&str, &[u8])| {
                    (name.to_owned(), if name == protected { changed(value) } else { value.to_vec() })
                };
                self.headers = self.headers.iter().map(line).collect();
            }
        }
        self
    }
}

/// Why no request could be made.
#[derive(Debug)]
pub(super) enum Unmade {
    /// Something about what was asked for.
    Asked(Failure),
    /// It cannot be signed with this secret.
    Unsigned(SignError),
}

impl Unmade {
    /// What to tell about it.
    pub(super) fn failure(self, provider: &Provider) -> Failure {
        match self {
            Self::Asked(failure) => failure,
            Self::Unsigned(error) => unsignable::failure(provider, error),
        }
    }
}

/// Makes and signs the request.
pub(super) fn signed(wish: &Wish<'_>, secret: &Secret) -> Result<Signed, Unmade> {
    let (mut headers, body) = unsigned(wish).map_err(Unmade::Asked)?;
    let query = token_query(wish);
    let url = format!("{}{query}", wish.url);
    let method = wish.provider.methods.first().copied().unwrap_or("POST");
    let added = sign(
        wish.provider,
        &Unsigned { method, url: &url, headers: &headers, body: &body, id: wish.id, now: wish.now },
        secret,
    )
    .map_err(Unmade::Unsigned)?;
    headers.extend(added.iter());
    Ok(Signed { method, query, headers, body })
}

/// The token of providers that put it into the URL they were given.
fn token_query(wish: &Wish<'_>) -> String {
    match (token_parameter(&wish.provider.scheme), wish.token) {
        (Some(name), Some(token)) => format!("?{}", query(&[(name, token)])),
        _ => String::new(),
    }
}

/// Where in the query of their URL senders with this scheme put the token.
pub(super) fn token_parameter(scheme: &Scheme) -> Option<&'static str> {
    match scheme {
        Scheme::Token(Token { at: Locate::Query(name), .. }) => Some(name),
        Scheme::FirstCarried(schemes) | Scheme::OnlyCarried(schemes) => schemes.iter().find_map(token_parameter),
        _ => None,
    }
}

/// Names and values as a query, escaped.
pub(super) fn query(pairs: &[(&str, &str)]) -> String {
    let mut url = reqwest::Url::parse("http://a/").ok();
    if let Some(url) = &mut url {
        url.query_pairs_mut().extend_pairs(pairs);
    }
    url.and_then(|url| url.query().map(str::to_owned)).unwrap_or_default()
}

fn unsigned(wish: &Wish<'_>) -> Result<(Headers, Vec<u8>), Failure> {
    let provider = wish.provider;
    let (headers, body) = match provider.sample(wish.event) {
        Some(sample) => {
            let (headers, body) = sample.render(wish.id, wish.now);
            (headers, filled(body, wish.token))
        }
        None if wish.data.is_some() || provider.samples.is_empty() => described(wish),
        None => {
            let known: Vec<&str> = provider.samples.iter().map(|sample| sample.event).collect();
            return Err(Failure::usage(format!("{} has no sample of \"{}\"", provider.name, wish.event))
                .advise(format!("use one of {}, or give the body with --data FILE", known.join(", "))));
        }
    };
    Ok((headers, wish.data.map_or(body, <[u8]>::to_vec)))
}

/// The body with the secret in it, where the provider writes it there.
fn filled(body: Vec<u8>, token: Option<&str>) -> Vec<u8> {
    const PLACE: &str = "{{secret}}";
    match (String::from_utf8(body), token) {
        (Ok(text), Some(token)) if text.contains(PLACE) => {
            let quoted = Value::from(token).to_string();
            text.replace(PLACE, &quoted[1..quoted.len() - 1]).into_bytes()
        }
        (Ok(text), _) => text.into_bytes(),
        (Err(bytes), _) => bytes.into_bytes(),
    }
}

/// A plain JSON event with id and type where the provider looks for them.
fn described(wish: &Wish<'_>) -> (Headers, Vec<u8>) {
    let mut headers = Headers::new();
    headers.push("content-type", "application/json");
    let mut body =
        json!({"id": wish.id, "type": wish.event, "created_at": wish.now, "data": {"note": "sent by hookgate"}});
    if let Some(Locate::Json(pointer) | Locate::Root(pointer)) = wish.provider.delivery_id.first() {
        put(&mut body, pointer, wish.id);
    }
    match wish.provider.event_type.first() {
        Some(Locate::Json(pointer) | Locate::Root(pointer)) => put(&mut body, pointer, wish.event),
        // GitHub's `issues.opened` is the header `issues` joined with the body's `action`.
        Some(Locate::Join(between, [first, ..])) => {
            let head = wish.event.split(between).next().unwrap_or(wish.event);
            name_in_header(&mut headers, wish.provider, first, head);
        }
        Some(place) => name_in_header(&mut headers, wish.provider, place, wish.event),
        None => {}
    }
    (headers, body.to_string().into_bytes())
}

fn name_in_header(headers: &mut Headers, provider: &Provider, place: &Locate, event: &str) {
    match place {
        Locate::Header(name) => headers.push(name, event),
        Locate::Family(name) => {
            let family = provider.families.last().copied().unwrap_or_default();
            headers.push(&format!("{family}{name}"), event);
        }
        _ => {}
    }
}

/// Sets a text at a JSON pointer, making the objects and arrays on the way. What is a scalar on the way is left alone.
pub(super) fn put(document: &mut Value, pointer: &str, text: &str) {
    let mut place = document;
    for key in pointer.split('/').skip(1) {
        let key = key.replace("~1", "/").replace("~0", "~");
        let index = key.parse::<usize>().ok().filter(|index| *index < 16);
        if place.is_null() {
            *place = if index.is_some() { json!([]) } else { json!({}) };
        }
        place = match (place, index) {
            (Value::Array(elements), Some(index)) => {
                while elements.len() <= index {
                    elements.push(Value::Null);
                }
                &mut elements[index]
            }
            (Value::Object(object), _) => object.entry(key).or_insert(Value::Null),
            _ => return,
        };
    }
    *place = text.into();
}

#[cfg(test)]
mod tests {
    use hookgate_providers::{CustomHmac, Request, Verdict, custom, find, verify};

    use super::*;

    const NOW: i64 = 1_764_530_000;
    const URL: &str = "http://127.0.0.1/in/x";
    const SECRET: &str = "whsec_aG9va2dhdGUgdGVzdCBrZXksIDI0IGJ5dGVz";

    fn wish<'a>(provider: &'a Provider, event: &'a str) -> Wish<'a> {
        Wish { provider, event, id: "0198-1", data: None, url: URL, token: Some(SECRET), now: NOW }
    }

    fn verdict(provider: &Provider, signed: &Signed, secret: &Secret) -> Result<(String, String), String> {
        let url = format!("{URL}{}", signed.query);
        let request = Request { method: signed.method, url: &url, headers: &signed.headers, body: &signed.body };
        match verify(provider, &request, std::slice::from_ref(secret), NOW) {
            Ok(Verdict::Delivery(verified)) => {
                let event = &verified.events()[0];
                Ok((event.delivery_id.clone().unwrap_or_default(), event.event_type.clone().unwrap_or_default()))
            }
            Ok(_) => Err("answered as a handshake".into()),
            Err(reject) => Err(format!("{reject:?}")),
        }
    }

    fn secret() -> Secret {
        Secret::new(SECRET).expect("not empty")
    }

    #[test]
    fn the_samples_of_the_best_known_providers_verify_and_tampering_with_them_is_noticed() {
        // The conformance test of the providers crate has them all, each with a secret of its own kind.
        for name in ["github", "shopify", "slack", "standard-webhooks", "stripe"] {
            let provider = find(name).expect("built in");
            assert!(!provider.samples.is_empty(), "{name}");
            for sample in provider.samples {
                let signed = signed(&wish(provider, sample.event), &secret()).expect("signable");
                let (id, event) = verdict(provider, &signed, &secret()).expect("accepted");
                assert_eq!((id.as_str(), event.as_str()), ("0198-1", sample.event), "{}", provider.name);
                let refused = verdict(provider, &signed.tampered(provider), &secret());
                assert!(refused.is_err(), "{} {}: {refused:?}", provider.name, sample.event);
            }
        }
    }

    #[test]
    fn a_described_provider_gets_id_and_type_where_it_looks_for_them() {
        for (id_at, type_at) in [("header:x-id", "header:x-type"), ("json:/meta/id", "json:/meta/kind")] {
            let description: CustomHmac = toml::from_str(&format!(
                "header = \"x-signature\"\ndelivery_id = \"{id_at}\"\nevent_type = \"{type_at}\""
            ))
            .expect("a description");
            let provider = custom(&description).expect("a provider");
            let signed = signed(&wish(&provider, "thing.done"), &secret()).expect("signable");
            assert_eq!(verdict(&provider, &signed, &secret()), Ok(("0198-1".into(), "thing.done".into())));
        }
    }

    #[test]
    fn an_unknown_event_names_the_known_ones() {
        let stripe = find("stripe").expect("built in");
        let Err(Unmade::Asked(failure)) = signed(&wish(stripe, "invoice.payed"), &secret()) else {
            panic!("no such sample");
        };
        assert!(failure.to_string().contains("invoice.paid"), "{failure}");
    }

    #[test]
    fn a_token_in_the_body_or_the_url_is_put_there_and_a_forger_guesses_another() {
        for name in ["aircall", "figma", "docker-hub", "azure-event-grid", "gitlab", "alertmanager"] {
            let provider = find(name).expect("built in");
            let token = if name == "alertmanager" { "user:password" } else { SECRET };
            let secret = Secret::new(token).expect("not empty");
            let wish = Wish { token: Some(token), ..wish(provider, provider.samples[0].event) };
            let signed = signed(&wish, &secret).expect("signable");
            assert!(verdict(provider, &signed, &secret).is_ok(), "{name}: {:?}", verdict(provider, &signed, &secret));
            if signed.headers.iter().any(|(_, value)| value == token.as_bytes()) {
                assert!(verdict(provider, &signed.tampered(provider), &secret).is_err(), "{name}");
            }
        }
    }

    #[test]
    fn a_text_is_put_where_a_pointer_points_through_objects_and_arrays() {
        let mut document = Value::Null;
        for (pointer, text) in [("/0/type", "a"), ("/0/data/code", "b"), ("/1", "c"), ("/0/type/x", "lost")] {
            put(&mut document, pointer, text);
        }
        assert_eq!(document, json!([{"type": "a", "data": {"code": "b"}}, "c"]));
    }
}
