use super::*;

fn conditions(json: serde_json::Value) -> Vec<Condition> {
    serde_json::from_value(json).expect("conditions")
}

fn holds(condition: serde_json::Value, event_type: Option<&str>, headers: &[(&str, &str)], body: &str) -> bool {
    let filter = Filter::of("when", &conditions(serde_json::json!([condition]))).expect("a good condition");
    let headers: Headers = headers.iter().map(|(name, value)| (*name, *value)).collect();
    let pointers: Vec<&str> = filter.pointers().collect();
    let found = hookgate_providers::values(body.as_bytes(), &pointers);
    let json: Vec<_> = pointers.into_iter().zip(found).collect();
    filter.holds(Subject { event_type, headers: &headers, json: &json })
}

#[test]
fn each_operator_on_json_means_what_is_written_down() {
    let body =
        r#"{"n":1.0,"big":9007199254740993,"s":"caf\u00e9","t":true,"z":null,"o":{"a/b":[10,{"x":"y"}]},"d":1,"d":2}"#;
    let table = [
        (r#"{"json":"/n","equals":1}"#, true),
        (r#"{"json":"/n","equals":"1"}"#, false),
        (r#"{"json":"/n","in":[7,1]}"#, true),
        (r#"{"json":"/big","equals":9007199254740993}"#, true),
        (r#"{"json":"/big","equals":9007199254740992}"#, false),
        (r#"{"json":"/s","equals":"café"}"#, true),
        (r#"{"json":"/s","equals":"Café"}"#, false),
        (r#"{"json":"/s","prefix":"caf"}"#, true),
        (r#"{"json":"/s","prefix":"af"}"#, false),
        (r#"{"json":"/n","prefix":"1"}"#, false),
        (r#"{"json":"/t","equals":true}"#, true),
        (r#"{"json":"/t","equals":false}"#, false),
        (r#"{"json":"/t","equals":"true"}"#, false),
        (r#"{"json":"/z","exists":true}"#, true),
        (r#"{"json":"/z","null":true}"#, true),
        (r#"{"json":"/z","null":false}"#, false),
        (r#"{"json":"/n","null":false}"#, true),
        (r#"{"json":"/z","equals":"null"}"#, false),
        (r#"{"json":"/missing","exists":false}"#, true),
        (r#"{"json":"/missing","exists":true}"#, false),
        (r#"{"json":"/missing","null":true}"#, false),
        (r#"{"json":"/missing","null":false}"#, false),
        (r#"{"json":"/missing","equals":false}"#, false),
        (r#"{"not":{"json":"/missing","equals":false}}"#, true),
        (r#"{"json":"/o/a~1b/1/x","equals":"y"}"#, true),
        (r#"{"json":"/o/a~1b","exists":true}"#, true),
        (r#"{"json":"/o","equals":"y"}"#, false),
        // Of a repeated key the last occurrence counts.
        (r#"{"json":"/d","equals":2}"#, true),
        (r#"{"json":"/d","equals":1}"#, false),
        (r#"{"any":[{"json":"/n","equals":3},{"json":"/t","equals":true}]}"#, true),
        (r#"{"all":[{"json":"/n","equals":3},{"json":"/t","equals":true}]}"#, false),
        (r#"{"not":{"all":[{"json":"/n","equals":1},{"json":"/t","equals":true}]}}"#, false),
    ];
    for (condition, expected) in table {
        let written = serde_json::from_str(condition).expect("JSON");
        assert_eq!(holds(written, None, &[], body), expected, "{condition}");
    }
}

#[test]
fn what_is_not_json_has_nothing_anywhere() {
    for body in ["", "a=1", r#"{"a":1"#, r#"{"a":1} x"#] {
        assert!(!holds(serde_json::json!({"json": "/a", "equals": 1}), None, &[], body), "{body}");
        assert!(!holds(serde_json::json!({"json": "/a", "exists": true}), None, &[], body), "{body}");
        assert!(holds(serde_json::json!({"not": {"json": "/a", "equals": 1}}), None, &[], body), "{body}");
        assert!(holds(serde_json::json!({"json": "/a", "exists": false}), None, &[], body), "{body}");
    }
}

#[test]
fn of_a_repeated_header_any_value_may_fulfil_it_and_the_names_case_does_not_count() {
    let headers = [("x-shop", "a"), ("x-shop", "b"), ("x-empty", "")];
    let table = [
        (r#"{"header":"X-Shop","equals":"b"}"#, true),
        (r#"{"header":"x-shop","equals":"B"}"#, false),
        (r#"{"header":"x-shop","in":["c","a"]}"#, true),
        (r#"{"header":"x-shop","prefix":"b"}"#, true),
        (r#"{"header":"x-shop","prefix":"ab"}"#, false),
        (r#"{"header":"x-empty","exists":true}"#, true),
        (r#"{"header":"x-gone","exists":true}"#, false),
        (r#"{"header":"x-gone","exists":false}"#, true),
        (r#"{"not":{"header":"x-shop","equals":"a"}}"#, false),
    ];
    for (condition, expected) in table {
        let written = serde_json::from_str(condition).expect("JSON");
        assert_eq!(holds(written, None, &headers, "{}"), expected, "{condition}");
    }
}

#[test]
fn an_event_condition_is_a_pattern_or_several() {
    let table = [
        (r#"{"event":"invoice.paid"}"#, Some("invoice.paid"), true),
        (r#"{"event":"invoice.*"}"#, Some("invoice.paid"), true),
        (r#"{"event":["charge.*","invoice.paid"]}"#, Some("invoice.paid"), true),
        (r#"{"event":["charge.*","refund"]}"#, Some("invoice.paid"), false),
        (r#"{"event":"invoice.paid"}"#, None, false),
        (r#"{"event":"*"}"#, None, true),
    ];
    for (condition, event_type, expected) in table {
        let written = serde_json::from_str(condition).expect("JSON");
        assert_eq!(holds(written, event_type, &[], "{}"), expected, "{condition} {event_type:?}");
    }
}

#[test]
fn what_cannot_be_meant_is_refused_with_its_place_and_what_to_write() {
    let nested = |depth: usize| {
        let innermost = serde_json::json!({"event": "a"});
        (1..depth).fold(innermost, |inner, _| serde_json::json!({"not": inner}))
    };
    let many = |n: usize| serde_json::json!(vec![serde_json::json!({"event": "a"}); n]);
    let table = [
        (serde_json::json!([]), "`when` is an empty list"),
        (serde_json::json!([{}]), "`when[0]` says nothing about the event"),
        (serde_json::json!([{"json": "/a"}]), "add equals, in, prefix or exists"),
        (serde_json::json!([{"json": "/a", "equals": 1, "prefix": "x"}]), "has both `equals` and `prefix`"),
        (serde_json::json!([{"json": "/a", "header": "b", "equals": "1"}]), "has both `header` and `json`"),
        (serde_json::json!([{"event": "a"}, {"json": "a", "exists": true}]), "`when[1].json` is no JSON pointer (`a`)"),
        (serde_json::json!([{"json": "", "exists": true}]), "begins with a slash"),
        (serde_json::json!([{"json": "/a~2", "exists": true}]), "~ is written ~0"),
        (serde_json::json!([{"json": "/a~", "exists": true}]), "~ is written ~0"),
        (serde_json::json!([{"json": "/a", "in": []}]), "`when[0].in` is an empty list"),
        (serde_json::json!([{"json": "/a", "prefix": ""}]), "`when[0].prefix` is empty"),
        (serde_json::json!([{"json": "/a", "equals": "a\0b"}]), "NUL"),
        (serde_json::json!([{"header": "x y", "exists": true}]), "no header name"),
        (serde_json::json!([{"header": "x", "equals": 1}]), "write it in quotes"),
        (serde_json::json!([{"header": "x", "null": true}]), "is about JSON"),
        (serde_json::json!([{"event": []}]), "`when[0].event` is an empty list"),
        (serde_json::json!([{"event": "a b"}]), "is not a pattern"),
        (serde_json::json!([{"event": "a", "equals": "b"}]), "`event` is itself a pattern"),
        (serde_json::json!([{"not": {"event": "a"}, "equals": "b"}]), "has `not` and `equals`"),
        (serde_json::json!([{"any": []}]), "`when[0].any` is an empty list"),
        (serde_json::json!([{"not": {"all": [{"json": "x", "exists": true}]}}]), "`when[0].not.all[0].json`"),
        (serde_json::json!([nested(9)]), "nested more than 8 deep"),
        (many(65), "one condition too many"),
        (serde_json::json!([{"json": format!("/{}", "x".repeat(2000)), "exists": true}]), "at most 1024"),
        (serde_json::json!([{"json": "/a", "in": vec![1; 300]}]), "at most 256"),
    ];
    for (written, expected) in table {
        let refused = Filter::of("when", &conditions(written.clone())).expect_err(expected);
        assert!(refused.contains(expected), "{written}: {refused}");
    }
    assert!(Filter::of("when", &conditions(serde_json::json!([nested(8)]))).is_ok());
    assert!(Filter::of("when", &conditions(many(64))).is_ok());
    let infinite = Condition::json("/a").equals(f64::INFINITY);
    assert!(Filter::of("when", &[infinite]).is_err_and(|why| why.contains("JSON does not have")));
}

#[test]
fn a_condition_is_stored_as_it_is_written() {
    let written = [
        Condition::json("/a").is_in([1, 2]),
        Condition::any([Condition::event("a.*"), Condition::header("x-shop").starts_with("b")]),
        Condition::not(Condition::all([Condition::json("/b").exists(), Condition::json("/b").is_null()])),
    ];
    let stored = serde_json::to_value(&written).expect("JSON");
    assert_eq!(
        stored,
        serde_json::json!([
            {"json": "/a", "in": [1, 2]},
            {"any": [{"event": "a.*"}, {"header": "x-shop", "prefix": "b"}]},
            {"not": {"all": [{"json": "/b", "exists": true}, {"json": "/b", "null": true}]}},
        ])
    );
    assert_eq!(Filter::stored(&stored), Filter::of("when", &written).expect("good conditions"));
}

#[test]
fn a_stored_condition_of_a_newer_release_holds_for_nothing() {
    let newer = serde_json::json!([{"json": "/a", "matches": ".*"}]);
    let headers = Headers::new();
    let subject = Subject { event_type: Some("a"), headers: &headers, json: &[] };
    assert!(!Filter::stored(&newer).holds(subject));
    assert!(!Filter::stored(&serde_json::json!({"of": "another shape"})).holds(subject));
}
