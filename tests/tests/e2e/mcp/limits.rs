//! Sessions and rate limits of the endpoint

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use super::{PATH, ask, call};
use crate::either;

#[apply(either)]
async fn a_caller_without_a_valid_session_learns_how_to_log_in(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, anyone) = (app.agent("Scout").await, app.anonymous());
    let open = || json!({ "name": "Votes", "description": "Count them once." });
    let without = call(&anyone, "open_track", open()).await.expect_status(401);
    assert_eq!(without["error"]["data"]["code"], "unauthenticated");
    let metadata = "https://build.example/.well-known/oauth-protected-resource/mcp";
    let challenge = format!("Bearer realm=\"buildtrack\", resource_metadata=\"{metadata}\", scope=\"read write\"");
    assert_eq!(without.header("www-authenticate"), challenge);
    let guessed = anyone.with_token("bts_Zk0JYyXkVtq3mB0l8pQ2n5sR7uW9xYaCdEfGhIjK-_0");
    for (caller, code) in [(guessed, "invalid_token"), (anyone.with_token(&scout.key), "key_is_not_a_token")] {
        let refused = ask(&caller, "tools/list", json!({})).await.expect_status(401);
        assert_eq!((&refused["id"], &refused["error"]["data"]["code"]), (&json!(1), &json!(code)));
        assert_eq!(refused.header("www-authenticate"), format!("{challenge}, error=\"invalid_token\""));
    }
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let document = anyone.get(path).await.expect_status(200);
        assert_eq!(document["resource"], format!("https://build.example{PATH}"));
    }
    call(&scout, "open_track", open()).await.expect_status(200);
}

#[apply(either)]
async fn each_message_counts_once_against_the_limit_of_its_caller(#[case] backend: Backend) {
    let limits = "free=3,anonymous=2,login=1000";
    let app = TestApp::with(backend, |settings| settings.rate_limits = limits.parse().unwrap()).await;
    let (scout, anyone) = (app.agent("Scout").await, app.anonymous());
    let track = json!({ "name": "Votes", "description": "Count them once." });
    let opened = call(&scout, "open_track", track).await.expect_status(200);
    assert_eq!(opened.header("ratelimit-policy"), "\"free\";q=3;w=60");
    assert!(opened.header("ratelimit").starts_with("\"free\";r=2;"), "{}", opened.header("ratelimit"));
    // A message that is no call, and one that breaks the protocol.
    ask(&scout, "tools/list", json!({})).await.expect_status(200);
    scout.post(PATH, json!([])).await.expect_status(400);
    // A message beyond the limit is not read: neither whether it is a call, nor its id.
    for refused in [call(&scout, "next", json!({})).await, ask(&scout, "tools/list", json!({})).await] {
        let refused = refused.expect_status(429);
        let error = &refused["error"];
        assert_eq!((&error["code"], &error["data"]["code"]), (&json!(429), &json!("rate_limited")));
        assert_eq!((&error["data"]["retryable"], refused.json.get("id")), (&json!(true), None));
        assert!(!refused.header("retry-after").is_empty() && !refused.header("ratelimit").is_empty());
    }
    scout.get("/api/v1/me").await.expect_problem(429, "rate_limited");
    for status in [200, 200, 429] {
        ask(&anyone, "tools/list", json!({})).await.expect_status(status);
    }
}
