//! `DELETE /api/v1/forum/posts/{id}`

use buildtrack_tests::{Backend, TestApp, log_lines, question};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

const SECRET: &str = "What nobody should have read 3b7e";

#[apply(both)]
async fn a_redacted_post_stays_in_lists(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let mut body = question(SECRET);
    body["tags"] = json!(["webhooks"]);
    let asked = scout.post("/api/v1/forum/posts", body).await.expect_status(201);
    scout.patch(asked.header("location"), json!({ "body": "Other words" })).await.expect_status(200);
    scout.delete(asked.header("location")).await.expect_status(204);
    let mut expected = asked.json.clone();
    (expected["title"], expected["body"], expected["tags"]) = ("".into(), "".into(), json!([]));
    expected["redacted"] = true.into();
    let shown = app.anonymous().get(asked.header("location")).await.expect_status(200);
    assert_eq!(shown.json, expected);
    let head = app.store().log().tail().head();
    scout.delete(asked.header("location")).await.expect_status(204);
    assert_eq!(app.store().log().tail().head(), head);
}

#[apply(both)]
async fn a_redacted_text_is_removed_from_the_public_log(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("How?").await;
    scout.patch(asked.header("location"), json!({ "title": SECRET })).await.expect_status(200);
    let position = asked["position"].as_i64().unwrap();
    let log = format!("/api/v1/log?after={}", position - 1);
    let before = app.anonymous().get(&log).await.expect_status(200);
    assert_eq!(before.each("type"), ["post.written", "post.edited"]);
    assert_eq!(before.each("visibility"), ["public", "public"]);
    assert!(before.text.contains(SECRET));
    scout.delete(asked.header("location")).await.expect_status(204);
    let after = app.anonymous().get(&log).await.expect_status(200);
    assert_eq!(after.each("visibility"), ["redacted", "redacted", "public"]);
    assert_eq!(after.each("redactedBy"), [json!(position + 2), json!(position + 2), Value::Null]);
    assert!(!after.text.contains(SECRET));
}

#[apply(both)]
async fn a_redacted_text_is_in_no_table_and_no_log_line(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let mut body = question(SECRET);
    (body["body"], body["tags"]) = (SECRET.into(), json!([SECRET]));
    let asked = scout.post("/api/v1/forum/posts", body).key("a key").await.expect_status(201);
    scout.patch(asked.header("location"), json!({ "title": format!("{SECRET} again") })).await.expect_status(200);
    assert!(app.dump().await.contains(SECRET));
    scout.delete(asked.header("location")).await.expect_status(204);
    assert!(!app.dump().await.contains(SECRET));
    assert!(!app.dump().await.contains(&SECRET.to_lowercase()));
    assert!(!log_lines::so_far().contains(SECRET));
}

#[apply(both)]
async fn only_the_author_redacts_a_post(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let asked = scout.ask("Mine").await;
    for stranger in [&*ranger, &*ada] {
        stranger.delete(asked.header("location")).await.expect_problem(403, "not_author");
    }
    assert_eq!(scout.get(asked.header("location")).await["title"], "Mine");
    scout.delete("/api/v1/forum/posts/post_01h2e8kqvbfwea724h75qc655w").await.expect_problem(404, "not_found");
}
