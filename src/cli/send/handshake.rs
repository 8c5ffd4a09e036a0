//! A provider's handshake, asked for as it asks: for whoever wants to see the answer before the provider does.

use hookgate_providers::handshake::{Answer, Handshake, Member, Proof, When};
use hookgate_providers::{Headers, Locate, Provider, Secret, Unsigned, sign};
use serde_json::{Value, json};

use crate::cli::exit::Failure;
use crate::cli::sample::{Signed, put, query};

/// 32 hex digits: what every provider's challenge may look like.
const CHALLENGE: &str = "0123456789abcdef0123456789abcdef";

/// What the request is made with.
pub(super) struct Wish<'a> {
    pub(super) provider: &'a Provider,
    pub(super) url: &'a str,
    pub(super) secrets: &'a [Secret],
    /// What stands behind `verify:` in one of them.
    pub(super) verify_token: Option<&'a str>,
    pub(super) now: i64,
}

/// The provider's handshakes as requests, one each.
pub(super) fn requests(wish: &Wish<'_>) -> Result<Vec<Signed>, Failure> {
    let handshakes = wish.provider.handshake;
    if handshakes.is_empty() {
        return Err(Failure::no(format!("{} asks for no handshake", wish.provider.title)));
    }
    handshakes.iter().map(|handshake| request(handshake, wish)).collect()
}

fn request(handshake: &Handshake, wish: &Wish<'_>) -> Result<Signed, Failure> {
    let mut asked = Asked::default();
    for place in asked_for(&handshake.answer) {
        asked.say(place, CHALLENGE);
    }
    for when in handshake.when {
        match *when {
            When::Method(method) => asked.method = Some(method),
            When::Is(place, value) => asked.say(place, value),
            When::Present(place) => asked.say(place, CHALLENGE),
            _ => {}
        }
    }
    if let Answer::Visit(..) = handshake.answer {
        return Err(Failure::no(format!(
            "{} names a URL of its own to be visited in its handshake",
            wish.provider.title
        ))
        .advise("subscribe at the provider: it sends one"));
    }
    if let Proof::Offered(_) = handshake.proof {
        return Err(Failure::no(format!("{} offers its secret in its handshake", wish.provider.title))
            .advise("open the window with `hookgate sources pair NAME`, then subscribe at the provider"));
    }
    if let Proof::Token(place) = handshake.proof {
        let token = wish.verify_token.ok_or_else(|| {
            Failure::no(format!("{} proves its handshake with a token, and the source has none", wish.provider.title))
                .advise("add it to the source's secrets, written verify:TOKEN")
        })?;
        asked.say(place, token);
    }
    if let Answer::AllowOrigin = handshake.answer {
        let allowed = wish.verify_token.and_then(|token| token.split(' ').next()).unwrap_or_default();
        asked.say(Locate::Header("webhook-request-origin"), allowed);
    }
    let mut signed = asked.finished(wish.provider);
    if handshake.proof == Proof::Signature {
        let url = format!("{}{}", wish.url, signed.query);
        let unsigned = Unsigned {
            method: signed.method,
            url: &url,
            headers: &signed.headers,
            body: &signed.body,
            id: "handshake",
            now: wish.now,
        };
        let made = wish.secrets.iter().map(|secret| sign(wish.provider, &unsigned, secret));
        let added = made.reduce(Result::or).ok_or_else(|| Failure::no("the source has no secret"))?;
        signed.headers.extend(added.map_err(|error| super::unsignable::failure(wish.provider, error))?.iter());
    }
    Ok(signed)
}

/// Where the answer takes its text from.
fn asked_for(answer: &Answer) -> Vec<Locate> {
    match *answer {
        Answer::Json(_, place) | Answer::Text(place) | Answer::NamedMac(place) | Answer::Hashed(_, place) => {
            vec![place]
        }
        Answer::Object(members) => {
            let place = |(_, member): &(&str, Member)| match *member {
                Member::Echo(place) | Member::Mac(_, _, place) => Some(place),
                _ => None,
            };
            members.iter().filter_map(place).collect()
        }
        Answer::Header(name) => vec![Locate::Header(name)],
        _ => Vec::new(),
    }
}

/// A request in the making.
#[derive(Default)]
struct Asked {
    method: Option<&'static str>,
    headers: Headers,
    query: Vec<(&'static str, String)>,
    form: Vec<(&'static str, String)>,
    json: Value,
}

impl Asked {
    fn say(&mut self, place: Locate, text: &str) {
        let set = |pairs: &mut Vec<(&'static str, String)>, name: &'static str| {
            pairs.retain(|(known, _)| *known != name);
            pairs.push((name, text.to_owned()));
        };
        match place {
            Locate::Header(name) => {
                let others = self.headers.iter().filter(|(known, _)| *known != name);
                self.headers = others.chain([(name, text.as_bytes())]).collect();
            }
            Locate::Query(name) => set(&mut self.query, name),
            Locate::Form(name) => set(&mut self.form, name),
            Locate::Json(pointer) | Locate::Root(pointer) => put(&mut self.json, pointer, text),
            _ => {}
        }
    }

    fn finished(mut self, provider: &Provider) -> Signed {
        let pairs = |pairs: &[(&'static str, String)]| {
            query(&pairs.iter().map(|(name, value)| (*name, value.as_str())).collect::<Vec<_>>())
        };
        let method = self.method.or(provider.methods.first().copied()).unwrap_or("POST");
        // Some refuse a POST without a body before they look at anything else of it.
        if method == "POST" && self.form.is_empty() && self.json.is_null() {
            self.json = json!({});
        }
        let body = if !self.form.is_empty() {
            self.headers.push("content-type", "application/x-www-form-urlencoded");
            pairs(&self.form).into_bytes()
        } else if !self.json.is_null() {
            self.headers.push("content-type", "application/json");
            self.json.to_string().into_bytes()
        } else {
            Vec::new()
        };
        Signed {
            method,
            query: if self.query.is_empty() { String::new() } else { format!("?{}", pairs(&self.query)) },
            headers: self.headers,
            body,
        }
    }
}

#[cfg(test)]
mod tests {
    use hookgate_providers::{ALL, Request, Verdict, verify};

    use super::*;

    const URL: &str = "https://hooks.example.com/in/x";
    const NOW: i64 = 1_764_530_000;

    /// Handshakes that are made of what no request of ours can have: a key, or a secret that is offered.
    fn is_made(provider: &Provider, secret: &Secret) -> bool {
        provider.check_secret(secret).is_ok() && super::super::unsignable::private_key(&provider.scheme).is_none()
    }

    #[test]
    fn each_handshake_is_taken_for_one_and_answered() {
        let texts = ["whsec_aG9va2dhdGUgdGVzdCBrZXksIDI0IGJ5dGVz", "name:aG9va2dhdGUgdGVzdCBrZXksIDI0IGJ5dGVz"];
        let keys = texts.map(|text| Secret::new(text).expect("not blank"));
        let mut shaken = 0;
        for provider in ALL.iter().filter(|provider| !provider.handshake.is_empty()) {
            let Some(key) = keys.iter().find(|key| is_made(provider, key)) else { continue };
            let secrets = [key.clone(), Secret::new("verify:told").expect("not blank")];
            let wish = Wish { provider, url: URL, secrets: &secrets, verify_token: Some("told"), now: NOW };
            let Ok(requests) = requests(&wish) else { continue };
            for signed in requests {
                let url = format!("{URL}{}", signed.query);
                let request =
                    Request { method: signed.method, url: &url, headers: &signed.headers, body: &signed.body };
                let verdict = verify(provider, &request, &secrets, NOW);
                assert!(matches!(verdict, Ok(Verdict::Handshake(_))), "{}: {verdict:?}", provider.name);
                shaken += 1;
            }
        }
        assert!(shaken > 20, "{shaken}");
    }
}
