//! Many events in one request, and retries that differ in a counter, shown on a provider made up here.

use hookgate_providers::{
    Event, Events, Headers, Locate, Provider, Request, Secret, Unsigned, Verdict, find, sign, verify,
};

const NOW: i64 = 1_764_500_000;

fn events(provider: &Provider, body: &str) -> Vec<Event> {
    let secret = Secret::new("s").unwrap();
    let unsigned =
        Unsigned { method: "POST", url: "", headers: &Headers::new(), body: body.as_bytes(), id: "", now: NOW };
    let headers = sign(provider, &unsigned, &secret).unwrap();
    let request = Request { method: "POST", url: "", headers: &headers, body: body.as_bytes() };
    match verify(provider, &request, &[secret], NOW) {
        Ok(Verdict::Delivery(verified)) => verified.into_events(),
        other => panic!("{other:?}"),
    }
}

fn batching(pointer: &'static str) -> Provider {
    Provider {
        events: Events::Each(pointer),
        ordering_key: &[Locate::Join("/", &[Locate::Root("/account"), Locate::Json("/object")])],
        volatile: &["/attempt"],
        ..*find("stripe").unwrap()
    }
}

#[test]
fn each_element_of_a_batch_is_an_event_of_its_own() {
    let body = r#"{"account":"a","events":[{"id":"1","type":"x","object":"o","created":5},{"id":"2","attempt":1},{"id":"2","attempt":2}, 7]}"#;
    let found = events(&batching("/events"), body);
    assert_eq!(found.iter().map(|event| event.index).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(
        (found[0].delivery_id.as_deref(), found[0].event_type.as_deref(), found[0].version),
        (Some("1"), Some("x"), Some(5))
    );
    assert_eq!(found[0].ordering_key.as_deref(), Some("a/o"));
    assert_eq!((&found[1].dedup_key, found[1].fingerprint), (&found[2].dedup_key, found[2].fingerprint));
    assert_ne!(found[0].fingerprint, found[1].fingerprint);
    assert_eq!(found[3].delivery_id, None, "one bad element spoils only itself");
    assert_eq!(found[3].pointer.as_deref(), Some("/events/3"));
}

/// Reading the document again for each of its elements would take ten thousand times as long: minutes, not a second.
#[test]
fn the_document_around_a_batch_is_read_once_however_many_elements_it_has() {
    let body = format!("{{\"account\":\"a\",\"events\":[{}{{}}]}}", "{\"id\":\"1\",\"object\":\"o\"},".repeat(9_999));
    let started = std::time::Instant::now();
    let found = events(&batching("/events"), &body);
    assert_eq!((found.len(), found[9_998].ordering_key.as_deref()), (10_000, Some("a/o")));
    assert!(started.elapsed() < std::time::Duration::from_secs(30), "{:?}", started.elapsed());
    assert_eq!(events(&batching("/events"), &body.replace("{}]", "{},{}]")).len(), 1, "more are one event");
}

#[test]
fn the_whole_document_may_be_the_batch_and_an_empty_batch_has_no_events() {
    assert_eq!(events(&batching(""), r#"[{"id":"1"},{"id":"2"}]"#).len(), 2);
    assert_eq!(events(&batching(""), "[]"), []);
}

#[test]
fn what_is_not_the_batch_it_should_be_is_one_event() {
    for body in [r#"{"events":{"id":"1"}}"#, r#"{"id":"1"}"#, "not json"] {
        let found = events(&batching("/events"), body);
        assert_eq!((found.len(), &found[0].pointer), (1, &None), "{body}");
    }
}
