//! A signed request as a provider would send it: for `send` and for the demo.

use hookgate_providers::{Headers, Locate, Provider, Secret, Unsigned, sign};
use serde_json::{Value, json};

use super::exit::Failure;

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
    /// Unix seconds.
    pub(super) now: i64,
}

/// A complete request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signed {
    pub(super) headers: Headers,
    pub(super) body: Vec<u8>,
}

impl Signed {
    /// Changes one byte after signing, as a forger would. The headers stay as they are.
    #[must_use]
    pub(super) fn tampered(mut self) -> Self {
        let middle = self.body.len() / 2;
        match self.body.get_mut(middle) {
            Some(byte) => *byte ^= 1,
            None => self.body.push(b' '),
        }
        self
    }
}

/// Makes and signs the request.
pub(super) fn signed(wish: &Wish<'_>, secret: &Secret) -> Result<Signed, Failure> {
    let (mut headers, body) = unsigned(wish)?;
    let added = sign(
        wish.provider,
        &Unsigned { method: "POST", url: wish.url, headers: &headers, body: &body, id: wish.id, now: wish.now },
        secret,
    )
    .map_err(|error| Failure::no(format!("{} cannot be signed: {error}", wish.provider.name)))?;
    headers.extend(added.iter());
    Ok(Signed { headers, body })
}

fn unsigned(wish: &Wish<'_>) -> Result<(Headers, Vec<u8>), Failure> {
    let provider = wish.provider;
    let (headers, body) = match provider.sample(wish.event) {
        Some(sample) => sample.render(wish.id, wish.now),
        None if wish.data.is_some() || provider.samples.is_empty() => described(wish),
        None => {
            let known: Vec<&str> = provider.samples.iter().map(|sample| sample.event).collect();
            return Err(Failure::usage(format!("{} has no sample of \"{}\"", provider.name, wish.event))
                .advise(format!("use one of {}, or give the body with --data FILE", known.join(", "))));
        }
    };
    Ok((headers, wish.data.map_or(body, <[u8]>::to_vec)))
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

/// Sets a text at a JSON pointer, making the objects on the way. What is no object on the way is left alone.
fn put(document: &mut Value, pointer: &str, text: &str) {
    let mut place = document;
    for key in pointer.split('/').skip(1) {
        let Value::Object(object) = place else { return };
        let key = key.replace("~1", "/").replace("~0", "~");
        place = object.entry(key).or_insert_with(|| json!({}));
    }
    *place = text.into();
}

#[cfg(test)]
mod tests {
    use hookgate_providers::{CustomHmac, Request, Verdict, custom, find, verify};

    use super::*;

    const NOW: i64 = 1_764_530_000;

    fn wish<'a>(provider: &'a Provider, event: &'a str) -> Wish<'a> {
        Wish { provider, event, id: "0198-1", data: None, url: "http://127.0.0.1/in/x", now: NOW }
    }

    fn verdict(provider: &Provider, signed: &Signed, secret: &Secret) -> Result<(String, String), String> {
        let request =
            Request { method: "POST", url: "http://127.0.0.1/in/x", headers: &signed.headers, body: &signed.body };
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
        Secret::new("whsec_aG9va2dhdGUgdGVzdCBrZXksIDI0IGJ5dGVz").expect("not empty")
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
                let refused = verdict(provider, &signed.tampered(), &secret());
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
        let failure = signed(&wish(stripe, "invoice.payed"), &secret()).expect_err("no such sample");
        assert!(failure.to_string().contains("invoice.paid"), "{failure}");
    }
}
