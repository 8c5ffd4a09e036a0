//! Signs and judges one request.

use hookgate_providers::{Event, Headers, Provider, Reject, Request, Secret, Unsigned, Verdict, find, sign, verify};

pub(crate) const NOW: i64 = 1_764_500_000;

pub(crate) fn provider(name: &str) -> &'static Provider {
    find(name).unwrap()
}

pub(crate) fn signed(provider: &Provider, secret: &Secret, headers: &[(&str, &str)], body: &[u8]) -> Headers {
    let mut headers: Headers = headers.iter().copied().collect();
    let unsigned =
        Unsigned { method: "POST", url: "https://example.com/in/x", headers: &headers, body, id: "msg_1", now: NOW };
    let added = sign(provider, &unsigned, secret).unwrap();
    headers.extend(added.iter());
    headers
}

pub(crate) fn judge(
    provider: &Provider,
    secrets: &[Secret],
    headers: &Headers,
    body: &[u8],
) -> Result<Verdict, Reject> {
    verify(provider, &Request { method: "POST", url: "https://example.com/in/x", headers, body }, secrets, NOW)
}

pub(crate) fn event(verdict: Result<Verdict, Reject>) -> Event {
    match verdict {
        Ok(Verdict::Delivery(verified)) => verified.into_events().remove(0),
        other => panic!("not a delivery: {other:?}"),
    }
}

pub(crate) fn value(headers: &Headers, name: &str) -> String {
    String::from_utf8(headers.single(name).unwrap().unwrap().to_vec()).unwrap()
}
