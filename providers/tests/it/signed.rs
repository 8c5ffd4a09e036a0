//! Every provider's samples, signed.

use hookgate_providers::{
    ALL, Event, Headers, Provider, Reject, Request, Sample, Secret, Unsigned, Verdict, sign, verify,
};

pub(crate) const NOW: i64 = 1_764_500_000;
pub(crate) const ID: &str = "5b6f0d6e-77aa-4d6e-9d1f-0c7e6f6a2b11";
pub(crate) const URL: &str = "https://hooks.example.com/in/source?token=t";

/// A signed sample.
pub(crate) struct Signed {
    pub(crate) provider: &'static Provider,
    pub(crate) sample: &'static Sample,
    pub(crate) secret: Secret,
    /// The headers that signing added.
    pub(crate) added: Headers,
    pub(crate) headers: Headers,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn secret(seed: &str) -> Secret {
    use base64::Engine;
    let key = base64::prelude::BASE64_STANDARD.encode(format!("{seed:_<30}"));
    Secret::new(format!("whsec_{key}")).unwrap()
}

impl Signed {
    pub(crate) fn every() -> Vec<Self> {
        let samples = ALL.iter().flat_map(|provider| provider.samples.iter().map(move |sample| (*provider, sample)));
        samples.map(|(provider, sample)| Self::new(provider, sample, &secret("right"))).collect()
    }

    pub(crate) fn new(provider: &'static Provider, sample: &'static Sample, secret: &Secret) -> Self {
        let (mut headers, body) = sample.render(ID, NOW);
        let unsigned = Unsigned { method: "POST", url: URL, headers: &headers, body: &body, id: ID, now: NOW };
        let added = sign(provider, &unsigned, secret).unwrap();
        headers.extend(added.iter());
        Self { provider, sample, secret: secret.clone(), added, headers, body }
    }

    pub(crate) fn judge(
        &self,
        headers: &Headers,
        body: &[u8],
        secrets: &[Secret],
        now: i64,
    ) -> Result<Verdict, Reject> {
        verify(self.provider, &Request { method: "POST", url: URL, headers, body }, secrets, now)
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
