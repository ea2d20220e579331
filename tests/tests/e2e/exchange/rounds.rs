//! `POST /agora`: single rounds, and the three error layers

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use super::{WEATHER, sha1};
use crate::both;

#[apply(both)]
async fn a_question_without_a_protocol_is_answered(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let answered = anyone.post("/agora", json!({ "protocolHash": null, "body": "Hello!" })).await;
    assert_eq!(answered.header("content-type"), "application/json");
    assert_eq!((&answered["conversationId"], &answered["conversationExpires"]), (&json!(null), &json!(null)));
    assert!(answered.expect_success().is_string());
    let scout = app.agent("Scout").await;
    scout.post("/agora", json!({ "body": { "hello": "there" }, "to": "whom it may concern" })).await.expect_success();
}

#[apply(both)]
async fn a_missing_body_is_a_failure_and_a_malformed_one_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    for body in [json!({}), json!({ "body": null }), json!({ "protocolHash": null, "multiround": true })] {
        anyone.post("/agora", body).await.expect_failure("Missing field 'body'");
    }
    for (body, pointer) in [
        (json!({ "body": 1 }), "/body"),
        (json!({ "body": ["a"] }), "/body"),
        (json!({ "body": true }), "/body"),
        (json!({ "body": "a", "multiround": "yes" }), "/multiround"),
        (json!({ "body": "a", "protocolHash": 7 }), "/protocolHash"),
        (json!({ "body": "a", "protocolSources": "b" }), "/protocolSources"),
        (json!({ "protocolSources": [null] }), "/protocolSources"),
    ] {
        let refused = anyone.post("/agora", body).await.expect_problem(400, "invalid_fields");
        assert_eq!(refused["errors"][0]["pointer"], pointer);
    }
    for text in ["", "{", "[]", "\"hello\"", "{\"body\": \"\\ud800\"}"] {
        let refused = anyone.send("POST", "/agora").body("application/json", text).await.expect_status(400);
        assert_eq!(refused["status"], "failure", "{text}");
    }
}

#[apply(both)]
async fn transport_errors_have_the_same_shape(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    let wrong_type = anyone.send("POST", "/agora").body("text/plain", "{\"body\":\"a\"}").await;
    wrong_type.expect_problem(415, "unsupported_media_type");
    let long = json!({ "body": "a".repeat(400_000) });
    anyone.post("/agora", long).await.expect_problem(413, "body_too_large");
    let refused = anyone.get("/agora").await.expect_problem(405, "method_not_allowed");
    assert_eq!((refused.header("allow"), &refused["status"]), ("POST", &json!("failure")));
    for path in ["/agora/", "/agora/nothing", "/agora/conversations", "/agora/conversations/a/b"] {
        let refused = anyone.post(path, json!({ "body": "a" })).await.expect_problem(404, "not_found");
        assert_eq!(refused["status"], "failure", "{path}");
    }
    let token = anyone.with_token("bts_nobody");
    token.post("/agora", json!({ "body": "a" })).await.expect_problem(401, "invalid_token");
    let key = anyone.with_token("araf_0123456789abcdef0123456789abcdef01234567");
    key.post("/agora", json!({ "body": "a" })).await.expect_problem(401, "key_is_not_a_token");
}

#[apply(both)]
async fn a_protocol_that_is_not_supported_is_a_failure(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let anyone = app.anonymous();
    for name in [&*sha1(WEATHER), "qZk+NkcGgWq6PiVxeFDCbJzQ2J0=", "1234abcd...", "", "Negotiation"] {
        let asked = json!({ "protocolHash": name, "body": "2026-03-02" });
        anyone.post("/agora", asked).await.expect_failure("Unsupported protocol");
    }
    // The server does not fetch it either: the caller could learn from that whether it exists.
    let sources = ["http://127.0.0.1:1/", "data:text/plain,x"];
    let asked = json!({ "protocolHash": sha1(WEATHER), "protocolSources": sources, "body": "2026-03-02" });
    anyone.post("/agora", asked).await.expect_failure("Unsupported protocol");
}

#[apply(both)]
async fn no_transcript_holds_a_key_or_a_token(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for secret in [&scout.key, &scout.token, &scout.webhook_secret] {
        let bodies = [json!(format!("Log me in: {secret}.")), json!({ "auth": { "tokens": [secret] } })];
        for body in bodies {
            let refused = scout.post("/agora", json!({ "body": body })).await.expect_status(200);
            assert!(refused["error"].as_str().is_some_and(|error| error.contains("no transcript may hold")));
        }
    }
    scout.post("/agora", json!({ "body": "An araf_ key opens a session." })).await.expect_success();
    let dump = app.dump().await;
    for secret in [&scout.key, &scout.token, &scout.webhook_secret] {
        assert!(!dump.contains(secret.as_str()));
    }
}

#[apply(both)]
async fn requests_are_limited_by_address_and_by_agent(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.rate_limits = "exchange=3".parse().unwrap()).await;
    let (anyone, scout) = (app.anonymous(), app.agent("Scout").await);
    for caller in [&anyone, &*scout] {
        for _ in 0..3 {
            caller.post("/agora", json!({ "body": "a" })).await.expect_success();
        }
        let refused = caller.post("/agora", json!({ "body": "a" })).await.expect_problem(429, "rate_limited");
        assert!(!refused.header("retry-after").is_empty());
    }
}

#[apply(both)]
async fn the_exchange_requires_https(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()]).await;
    let proxied = |proto: &str| app.anonymous().with_header("x-forwarded-proto", proto);
    proxied("https").post("/agora", json!({ "body": "a" })).await.expect_success();
    for proto in ["http", "http, https"] {
        proxied(proto).post("/agora", json!({ "body": "a" })).await.expect_problem(403, "https_required");
    }
    // The request does not leave this machine.
    app.anonymous().post("/agora", json!({ "body": "a" })).await.expect_success();
}

#[apply(both)]
async fn a_remote_proxy_must_declare_https(#[case] backend: Backend) {
    let everywhere = ([0, 0, 0, 0], 0).into();
    let app = TestApp::with(backend, |settings| settings.bind = everywhere).await;
    let refused = app.anonymous().post("/agora", json!({ "body": "a" })).await.expect_problem(403, "https_required");
    assert_eq!(refused["status"], "failure");
    // The server ignores X-Forwarded-Proto from addresses that are not trusted proxies.
    let pretends = app.anonymous().with_header("x-forwarded-proto", "https");
    pretends.post("/agora", json!({ "body": "a" })).await.expect_problem(403, "https_required");
    app.anonymous().post("/agora/conversations/conv_x", json!({})).await.expect_problem(403, "https_required");
}

#[apply(both)]
async fn plain_http_can_be_permitted(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| {
        settings.bind = ([0, 0, 0, 0], 0).into();
        settings.exchange_insecure = true;
    });
    app.await.anonymous().post("/agora", json!({ "body": "a" })).await.expect_success();
}
