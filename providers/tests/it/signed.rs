//! Every provider's samples, signed.

use std::sync::LazyLock;

use hookgate_providers::{
    ALL, Event, Headers, Provider, Reject, Request, Sample, Secret, SignError, Unsigned, Verdict, sign, verify,
};

use crate::secrets::secret_for;

pub(crate) const NOW: i64 = 1_764_500_000;
pub(crate) const ID: &str = "5b6f0d6e-77aa-4d6e-9d1f-0c7e6f6a2b11";
/// A signed sample.
pub(crate) struct Signed {
    pub(crate) provider: &'static Provider,
    pub(crate) sample: &'static Sample,
    pub(crate) secret: Secret,
    pub(crate) url: String,
    /// The headers that signing added.
    pub(crate) added: Headers,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
}

impl Signed {
    /// The samples of every provider whose requests can be made with what a receiver holds.
    pub(crate) fn every() -> &'static [Self] {
        static EVERY: LazyLock<Vec<Signed>> = LazyLock::new(|| {
            let samples =
                ALL.iter().flat_map(|provider| provider.samples.iter().map(move |sample| (*provider, sample)));
            samples.filter_map(|(provider, sample)| Signed::new(provider, sample, "right")).collect()
        });
        &EVERY
    }

    pub(crate) fn new(provider: &'static Provider, sample: &'static Sample, seed: &str) -> Option<Self> {
        let (headers, body) = sample.render(ID, NOW);
        Self::of(provider, sample, seed, headers, body)
    }

    /// `None`: only the provider can make such a request.
    pub(crate) fn of(
        provider: &'static Provider,
        sample: &'static Sample,
        seed: &str,
        mut headers: Headers,
        body: Vec<u8>,
    ) -> Option<Self> {
        let text = secret_for(provider, seed)?;
        let secret = Secret::new(text.as_str()).unwrap();
        let body = String::from_utf8(body).unwrap().replace("{{secret}}", &text).into_bytes();
        let query: String = form_urlencoded::byte_serialize(text.as_bytes()).collect();
        let url = format!("https://hooks.example.com/in/source?token={query}&code={query}");
        let unsigned = Unsigned { method: "POST", url: &url, headers: &headers, body: &body, id: ID, now: NOW };
        let added = match sign(provider, &unsigned, &secret) {
            Err(SignError::NotSignable) => return None,
            signed => signed.unwrap_or_else(|error| panic!("{}: {error}", provider.name)),
        };
        headers.extend(added.iter());
        Some(Self { provider, sample, secret, url, added, headers, body })
    }

    pub(crate) fn judge(
        &self,
        headers: &Headers,
        body: &[u8],
        secrets: &[Secret],
        now: i64,
    ) -> Result<Verdict, Reject> {
        verify(self.provider, &Request { method: "POST", url: &self.url, headers, body }, secrets, now)
    }

    pub(crate) fn judge_headers(&self, headers: &Headers) -> Result<Verdict, Reject> {
        self.judge(headers, &self.body, std::slice::from_ref(&self.secret), NOW)
    }

    pub(crate) fn judge_body(&self, body: &[u8]) -> Result<Verdict, Reject> {
        self.judge(&self.headers, body, std::slice::from_ref(&self.secret), NOW)
    }

    /// The headers with one of them changed; `None` removes it.
    pub(crate) fn with(&self, name: &str, value: Option<&[u8]>) -> Headers {
        let lines = self.headers.iter().filter_map(|(other, old)| {
            if other == name { value.map(|value| (other, value)) } else { Some((other, old)) }
        });
        lines.collect()
    }

    /// The headers that make the request authentic: those added, but for an id that is not signed.
    pub(crate) fn authenticating(&self) -> Vec<(&str, &[u8])> {
        let id = |value: &[u8]| value == ID.as_bytes() && !self.provider.covers.id;
        self.added.iter().filter(|(_, value)| !id(value)).collect()
    }

    /// Whether this kind of event has a delivery id of its own: some have none, or one made of what they are about.
    pub(crate) fn shows_id(&self) -> bool {
        let holds = |text: &str| text.contains("{{id}}");
        holds(self.sample.body)
            || self.sample.headers.iter().any(|(_, value)| holds(value))
            || self.added.iter().any(|(_, value)| value == ID.as_bytes())
    }

    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.provider.name, self.sample.event)
    }
}

pub(crate) fn event(verdict: Result<Verdict, Reject>) -> Option<Event> {
    match verdict {
        Ok(Verdict::Delivery(verified)) => verified.into_events().into_iter().next(),
        _ => None,
    }
}

/// Another live secret of a source of this provider.
pub(crate) fn secret(provider: &Provider, seed: &str) -> Secret {
    Secret::new(secret_for(provider, seed).unwrap()).unwrap()
}
