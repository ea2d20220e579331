//! Requests that the server refuses before any operation handles them. `buildtrack_tests::contract` checks of every response
//! that each error is a problem detail with the request's id.

use buildtrack_tests::{Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::json;

use crate::either;

const WORKSPACES: &str = "/api/v1/workspaces";
const MESSAGES: &str = "/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w/messages";

#[apply(either)]
async fn an_unknown_path_is_not_found(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    for path in [
        "/nothing",
        "/api",
        "/api/",
        "/api/v1",
        "/api/v1/",
        "/api/v1/nothing",
        "/api/v2/workspaces",
        "/api/v1/workspaces/",
        "/api/v1//workspaces",
        "/API/v1/workspaces",
        "/%FF",
        "/%00",
        "/api/v1/agents/%2e%2e",
        "/buildings/nothing",
        "/docs/nothing.js",
        "/docs/../Cargo.toml",
        "/docs/%2e%2e/%2e%2e/etc/passwd",
        "/index.php?x=%3Cscript%3E",
    ] {
        for method in ["GET", "POST", "DELETE"] {
            let refused = anyone.send(method, path).await;
            if !path.starts_with("/docs/") || method == "GET" {
                refused.expect_problem(404, "not_found");
            }
        }
    }
}

#[apply(either)]
async fn the_whole_body_of_an_error(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let mut problem = app.anonymous().get("/nothing").await.expect_status(404).json;
    problem["requestId"] = "…".into();
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&problem), @r#"
        {
          "code": "not_found",
          "detail": "The path /nothing does not exist.",
          "hint": "See /docs for all operations, or /.well-known/agent.json for the entry points.",
          "requestId": "…",
          "retryable": false,
          "status": 404,
          "title": "Not Found",
          "type": "/docs/problems#not_found"
        }
        "#);
    }
}

#[apply(either)]
async fn a_known_path_lists_its_methods(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    for (path, method, allowed) in [
        ("/api/v1/workspaces", "PUT", "GET, POST"),
        ("/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w", "DELETE", "GET, PATCH"),
        ("/api/v1/agents/anything", "POST", "GET, PATCH, DELETE"),
        ("/api/v1/sessions/current", "GET", "DELETE"),
        ("/api/v1/sessions", "GET", "POST"),
        ("/agent-login", "GET", "POST"),
        ("/build", "POST", "GET"),
        ("/livez", "POST", "GET"),
        ("/openapi.json", "OPTIONS", "GET"),
        ("/", "POST", "GET"),
        ("/docs", "POST", "GET"),
        ("/docs/", "POST", "GET"),
        ("/docs/problems", "DELETE", "GET"),
        ("/api/v1/log", "PROPFIND", "GET"),
    ] {
        let refused = anyone.send(method, path).await.expect_problem(405, "method_not_allowed");
        let methods: Vec<_> = refused.header("allow").split(", ").filter(|method| *method != "HEAD").collect();
        assert_eq!(methods.join(", "), allowed, "{method} {path}");
    }
}

#[apply(either)]
async fn head_responds_like_get_without_the_body(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    for path in ["/build", "/api/v1/workspaces", "/livez", "/openapi.json", "/docs/", "/agents.txt"] {
        let (get, head) = (anyone.get(path).await.expect_status(200), anyone.send("HEAD", path).await);
        assert_eq!((head.status, head.text.as_str()), (200, ""), "{path}");
        for header in ["content-type", "etag", "content-length"] {
            assert_eq!(head.header(header), get.header(header), "{path}: {header}");
        }
    }
}

#[apply(either)]
async fn invalid_json_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    let deep_field = format!(r#"{{"colour":{deep}}}"#);
    for body in [
        "",
        " ",
        "{",
        "name",
        "{\"name\":}",
        "{'name':1}",
        "{\"a\":1,}",
        "{}{}",
        "nul",
        "\u{feff}{}",
        "{\"colour\":1,\"name\" 1}",
        "{\"name\":5,\"x",
        "{\"name\":1e999}",
        &deep,
        &deep_field,
    ] {
        for path in [WORKSPACES, MESSAGES, "/agent-login"] {
            let refused = scout.send("POST", path).body("application/json", body.to_owned()).await;
            refused.expect_problem(400, "malformed_json");
        }
    }
    let not_utf8 = b"{\"name\":\"\xff\xfe\"}".to_vec();
    scout.send("POST", WORKSPACES).body("application/json", not_utf8).await.expect_problem(400, "malformed_json");
}

#[apply(either)]
async fn a_json_body_that_is_not_an_object_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for body in ["[]", "null", "1", "\"name\"", "true"] {
        for path in [WORKSPACES, "/agent-login", "/api/v1/accounts"] {
            let refused =
                scout.send("POST", path).body("application/json", body).await.expect_problem(422, "validation_failed");
            assert_eq!(refused.faults(), [(String::new(), "wrong_type".to_owned())], "{path} {body}");
        }
    }
}

#[apply(either)]
async fn a_field_that_is_given_twice_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let body = r#"{"name":"A","name":"B","description":"C","status":"open","messageCount":0}"#;
    let refused = app.agent("Scout").await.send("POST", WORKSPACES).body("application/json", body).await;
    refused.expect_status(422);
}

#[apply(either)]
async fn a_whole_number_may_be_written_with_a_fraction_of_zero(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let body = r#"{"name":"A","description":"C","status":"open","messageCount":0.0}"#;
    app.agent("Scout").await.send("POST", WORKSPACES).body("application/json", body).await.expect_status(201);
}

#[apply(either)]
async fn the_error_of_a_time_whose_plus_sign_became_a_space_names_its_code(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let deliveries = format!("/api/v1/agents/{}/deliveries", scout.id);
    for (path, parameter) in
        [(track.path(), "asOf"), (track.messages(), "asOf"), (deliveries.clone(), "after"), (deliveries, "before")]
    {
        let hint = async |time: &str| {
            let refused = scout.get(&format!("{path}?{parameter}={time}")).await;
            refused.expect_problem(400, "invalid_parameter").text_at("/errors/0/hint")
        };
        assert!(hint("2026-01-01T00:00:00+02:00").await.contains("%2B"), "{path} {parameter}");
        assert!(!hint("2026-01-01T00:00:00").await.contains("%2B"), "{path} {parameter}");
        let encoded = scout.get(&format!("{path}?{parameter}=2026-03-01T14:00:00%2B02:00")).await;
        assert_ne!(encoded.status, 400, "{path} {parameter}: {}", encoded.text);
    }
    let tasks = scout.with_header("a2a-version", "1.0");
    let refused = tasks.get("/a2a/tasks?statusTimestampAfter=2026-01-01T00:00:00+02:00").await.expect_status(400);
    assert!(refused.text.contains("%2B"), "{}", refused.text);
}

#[apply(either)]
async fn only_json_is_accepted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let body = json!({ "name": "Webhooks", "description": "Push", "status": "open", "messageCount": 0 }).to_string();
    for media_type in ["text/plain", "application/x-www-form-urlencoded", "text/json", "application/jsonp", ""] {
        let refused = scout.send("POST", WORKSPACES).body(media_type, body.clone()).await;
        refused.expect_problem(415, "unsupported_media_type");
    }
    for media_type in ["application/json", "Application/JSON; charset=utf-8", "application/ld+json"] {
        scout.send("POST", WORKSPACES).body(media_type, body.clone()).await.expect_status(201);
    }
}

#[apply(either)]
async fn a_body_that_is_too_large_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for length in [320 * 1024 + 1, 8 * 1024 * 1024] {
        let body = format!("{{\"content\":\"{}\"}}", "x".repeat(length - 14));
        for request in [
            scout.send("POST", WORKSPACES),
            scout.send("POST", &track.messages()),
            scout.send("PATCH", &track.path()),
            scout.act(&track.members()),
        ] {
            request.body("application/json", body.clone()).await.expect_problem(413, "body_too_large");
        }
    }
    scout.post_message(&track, "All is well").await;
}

#[apply(either)]
async fn every_response_has_a_unique_request_id(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let mut ids = Vec::new();
    for path in ["/livez", "/build", "/nothing", "/docs/", "/build"] {
        ids.push(anyone.get(path).header("x-request-id", "mine").await.header("x-request-id").to_owned());
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 5);
}
