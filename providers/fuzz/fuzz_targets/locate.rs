//! Locations as people write them, and any document in which they are looked for.
#![no_main]

#[path = "input.rs"]
mod input;

use hookgate_providers::locate::refuse_as_dedup_key;
use hookgate_providers::scheme::{Scheme, Token};
use hookgate_providers::{Headers, Locate, Provider, Request, Secret, Verdict, verify};
use input::Input;
use libfuzzer_sys::fuzz_target;

const PROVIDER: Provider = Provider {
    scheme: Scheme::Token(Token::at(Locate::Header("authorization"))),
    form_payload: Some("payload"),
    delivery_id: &[
        Locate::Join("/", &[Locate::Json("/a/0/b"), Locate::Form("f"), Locate::Query("q")]),
        Locate::Header("x-id"),
        Locate::Pair("x-pairs", "k"),
        Locate::IfPresent("/a", "yes"),
        Locate::Root("/"),
    ],
    event_type: &[Locate::Form("f"), Locate::Query("q"), Locate::Json("/a~1b/~0")],
    ordering_key: &[Locate::Json("")],
    version: &[Locate::Json("/v"), Locate::Query("v"), Locate::Form("v")],
    ..Provider::DEFAULT
};

fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let text = input.text();
    // What is read is kept for the life of the process: a sample, so that hours of this do not fill the memory.
    if text.bytes().map(u32::from).sum::<u32>() % 256 == 0
        && let Ok(locate) = Locate::parse(&text)
    {
        let _ = (refuse_as_dedup_key(&locate), locate.to_string());
        assert_eq!(Locate::parse(&locate.to_string()), Ok(locate));
    }
    let (query, id, pairs, is_form) = (input.text(), input.piece(), input.piece(), input.byte() % 2 == 0);
    let mut headers: Headers = [("authorization", "token")].into_iter().collect();
    headers.push("x-id", id);
    headers.push("x-pairs", pairs);
    headers.push("content-type", if is_form { "application/x-www-form-urlencoded" } else { "application/json" });
    let url = format!("https://example.com/?{query}");
    let secrets = [Secret::new("token").expect("not blank")];
    let request = Request { method: "POST", url: &url, headers: &headers, body: input.0 };
    let verdict = verify(&PROVIDER, &request, &secrets, 0);
    assert!(matches!(verdict, Ok(Verdict::Delivery(_))), "what cannot be found is no reason to refuse: {verdict:?}");
});
