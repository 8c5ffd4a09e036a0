//! Any JSON: the same values are found with and without what is volatile, and a copy with other white space is a copy.
#![no_main]

use hookgate_providers::scheme::{Scheme, Token};
use hookgate_providers::{Event, Events, Headers, Locate, Provider, Request, Secret, Verdict, verify};
use libfuzzer_sys::fuzz_target;

const WHOLE: Provider = Provider {
    scheme: Scheme::Token(Token::at(Locate::Header("authorization"))),
    delivery_id: &[Locate::Json("/id"), Locate::Json("/a/id"), Locate::Json("/0"), Locate::Json("")],
    event_type: &[Locate::Json("/a/0/b~1c"), Locate::Json("/a")],
    ordering_key: &[Locate::Json("/a/b/c"), Locate::Json("/a/b")],
    version: &[Locate::Json("/v")],
    volatile: &["/n", "/a/n", "/a/0/n"],
    ..Provider::DEFAULT
};
const EACH: Provider = Provider { events: Events::Each("/a"), ..WHOLE };
const TOKEN: Provider = Provider { scheme: Scheme::Token(Token::at(Locate::Json("/t")).in_each("/a")), ..WHOLE };

fn events(provider: &Provider, body: &[u8]) -> Option<Vec<Event>> {
    let headers: Headers = [("authorization", "token")].into_iter().collect();
    let secrets = [Secret::new("token").expect("not blank")];
    let request = Request { method: "POST", url: "https://example.com", headers: &headers, body };
    match verify(provider, &request, &secrets, 0) {
        Ok(Verdict::Delivery(verified)) => Some(verified.into_events()),
        _ => None,
    }
}

fuzz_target!(|body: &[u8]| {
    let whole = events(&WHOLE, body).expect("a token is all it takes");
    let _ = events(&TOKEN, body);
    let each = events(&EACH, body).expect("a token is all it takes");
    for event in each.iter().filter(|event| event.pointer.is_some()) {
        assert_eq!(event.pointer, Some(format!("/a/{}", event.index)));
    }
    if let Some(open) = body.iter().position(|byte| *byte == b'{') {
        let spaced = [&body[..=open], b" \n", &body[open + 1..]].concat();
        // In a string, or in what is no JSON, every byte counts.
        let is_json = whole[0].delivery_id.is_some();
        if is_json && body[..open].iter().all(|byte| *byte != b'"') {
            assert_eq!(events(&WHOLE, &spaced).map(|events| events[0].fingerprint), Some(whole[0].fingerprint));
        }
    }
});
