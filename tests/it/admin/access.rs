//! Who may do what.

use axum::body::Body;
use hookgate::admin::Role;
use http::{Request, StatusCode};
use uuid::Uuid;

use super::{Api, local, rows, token};

/// Every path that needs a token, with its method and the status the lowest sufficient role gets.
fn guarded(id: Uuid) -> Vec<(&'static str, String, StatusCode)> {
    let read = |path: &str| ("GET", path.to_owned(), StatusCode::OK);
    vec![
        read("/metrics"),
        read("/api/v1/deliveries"),
        read(&format!("/api/v1/deliveries/{id}")),
        read(&format!("/api/v1/deliveries/{id}/body")),
        read(&format!("/api/v1/deliveries/{id}/jobs")),
        read(&format!("/api/v1/deliveries/{id}/attempts")),
        read("/api/v1/conflicts"),
        read("/api/v1/dead"),
        read("/api/v1/handlers"),
        read("/api/v1/sources"),
        read("/api/v1/sources/stripe"),
        read("/api/v1/workers"),
        read("/api/v1/breakers"),
        read("/api/v1/refusals"),
        ("POST", format!("/api/v1/deliveries/{id}/replay"), StatusCode::ACCEPTED),
        // Nothing to pair here, and no secret to forget: whoever may operate is told so.
        ("POST", "/api/v1/sources/stripe/pair".to_owned(), StatusCode::BAD_REQUEST),
        ("POST", "/api/v1/sources/stripe/forget".to_owned(), StatusCode::BAD_REQUEST),
        // No name is given.
        ("POST", "/api/v1/breakers/open".to_owned(), StatusCode::BAD_REQUEST),
        ("POST", "/api/v1/breakers/close".to_owned(), StatusCode::BAD_REQUEST),
    ]
}

fn with(method: &str, path: &str, authorization: &str) -> Request<Body> {
    local(method, path).header("authorization", authorization).body(Body::empty()).expect("a request")
}

#[tokio::test]
async fn every_route_needs_a_token_of_a_high_enough_role() {
    let tokens = vec![token("reader", Role::Read), token("operator", Role::Operate), token("root", Role::Admin)];
    let api = Api::with_tokens(tokens).await;
    let source = rows::source(&api.pool, "stripe").await;
    let id = rows::delivery(&api.pool, source).await;

    for (method, path, granted) in guarded(id) {
        let without = api.send(local(method, &path).body(Body::empty()).unwrap()).await;
        assert_eq!((without.status, without.problem().as_str()), (StatusCode::UNAUTHORIZED, "unauthorized"), "{path}");
        assert!(without.header("www-authenticate").starts_with("Bearer"), "{path}");

        for wrong in ["Bearer wrong", "Bearer ", "Basic reader-secret", "reader-secret", "Bearer reader-secre"] {
            let refused = api.send(with(method, &path, wrong)).await;
            assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{path} with {wrong}");
        }

        let read = api.send(with(method, &path, "Bearer reader-secret")).await;
        if method == "GET" {
            assert_eq!(read.status, granted, "{path}: {}", read.text());
        } else {
            assert_eq!((read.status, read.problem().as_str()), (StatusCode::FORBIDDEN, "role-too-low"), "{path}");
        }
        for higher in ["bearer operator-secret", "Bearer root-secret"] {
            let answer = api.send(with(method, &path, higher)).await;
            assert_eq!(answer.status, granted, "{path}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn an_unknown_path_of_the_api_says_nothing_without_a_token() {
    let api = Api::with_tokens(vec![token("reader", Role::Read)]).await;
    assert_eq!(api.get("/api/v1/nothing").await.status, StatusCode::UNAUTHORIZED);
    let known = api.send(with("GET", "/api/v1/nothing", "Bearer reader-secret")).await;
    assert_eq!((known.status, known.problem().as_str()), (StatusCode::NOT_FOUND, "not-found"));
}

#[tokio::test]
async fn probes_and_the_index_need_no_token() {
    let api = Api::with_tokens(vec![token("reader", Role::Read)]).await;
    for path in ["/", "/healthz", "/readyz"] {
        assert_eq!(api.get(path).await.status, StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn without_tokens_another_site_gets_nothing_through_the_operators_browser() {
    let api = Api::open().await;
    let source = rows::source(&api.pool, "stripe").await;
    let id = rows::delivery(&api.pool, source).await;
    let replay = format!("/api/v1/deliveries/{id}/replay");

    let rebound = Request::get("/api/v1/deliveries").header("host", "evil.example:8081");
    let no_host = Request::get("/api/v1/deliveries");
    let form = local("POST", &replay).header("content-type", "text/plain");
    let bare = local("POST", &replay);
    let json = || local("POST", &replay).header("content-type", "application/json");
    let cross = json().header("sec-fetch-site", "cross-site");
    let origin = json().header("origin", "http://evil.example");
    let opaque = json().header("origin", "null");
    for request in [rebound, no_host, form, bare, cross, origin, opaque] {
        let answer = api.send(request.body(Body::from("{}")).unwrap()).await;
        assert_eq!((answer.status, answer.problem().as_str()), (StatusCode::FORBIDDEN, "other-site"));
    }
    let replays: i64 = sqlx::query_scalar("select count(*) from hookgate.audit").fetch_one(&api.pool).await.unwrap();
    assert_eq!(replays, 0, "nothing was done");

    let own = json().header("origin", "http://localhost:8081").header("sec-fetch-site", "same-origin");
    assert_eq!(api.send(own.body(Body::from("{}")).unwrap()).await.status, StatusCode::ACCEPTED);
    let actor: String = sqlx::query_scalar("select actor from hookgate.audit").fetch_one(&api.pool).await.unwrap();
    assert_eq!(actor, "local");
}

#[tokio::test]
async fn a_replay_says_what_is_wrong_with_what_it_was_asked() {
    let api = Api::open().await;
    let source = rows::source(&api.pool, "stripe").await;
    rows::handler(&api.pool, "billing", source).await;
    let id = rows::delivery(&api.pool, source).await;
    let ask = async |id: String, body: &'static str| {
        let request = local("POST", &format!("/api/v1/deliveries/{id}/replay"))
            .header("content-type", "application/json")
            .body(Body::from(body));
        api.send(request.unwrap()).await
    };
    let id = id.to_string();
    for (body, part) in
        [(r#"{"handlers": ["shipping"]}"#, "shipping"), (r#"{"forced": true}"#, "forced"), ("not json", "JSON")]
    {
        let answer = ask(id.clone(), body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{body}");
        assert!(answer.json()["detail"].as_str().unwrap().contains(part), "{}", answer.text());
    }
    assert_eq!(ask(Uuid::now_v7().to_string(), "{}").await.status, StatusCode::NOT_FOUND);
    assert_eq!(ask("x".to_owned(), "{}").await.status, StatusCode::BAD_REQUEST);

    let answer = ask(id, r#"{"handlers": ["billing"], "force": true}"#).await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.text());
    assert_eq!(answer.json()["queued"], serde_json::json!(["billing"]));
}
