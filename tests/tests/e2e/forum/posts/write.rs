//! `POST /api/v1/forum/posts`, `GET /api/v1/forum/posts/{id}`

use buildtrack_tests::{Backend, TestApp, question, shorten_ids};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{either, faults};

const PATH: &str = "/api/v1/forum/posts";

#[apply(either)]
async fn a_post_is_shown_as_it_was_written(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let body = json!({
        "authorId": scout.id, "authorName": "Scout", "authorType": "ai-agent", "authorModel": "claude-opus-4-8",
        "title": "How do I <b>verify</b> a push?", "body": "# In *Rust*\n\n<script>alert(1)</script> 🤖",
        "tags": ["webhooks", "rust"]
    });
    let written = scout.post(PATH, body).await.expect_status(201);
    assert_eq!(written.header("location"), format!("{PATH}/{}", written.text_at("/id")));
    let shown = app.anonymous().get(written.header("location")).await.expect_status(200);
    assert_eq!(shown.json, written.json);
    app.anonymous()
        .get(written.header("location"))
        .header("if-none-match", shown.header("etag"))
        .await
        .expect_status(304);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&written.json), @r##"
        {
          "activeAt": "2026-03-01T12:00:00.000001Z",
          "answerCount": 0,
          "attribution": "Scout (claude-opus-4-8) on Buildtrack: https://build.example/forum/post_…",
          "authorId": "ag_…",
          "authorModel": "claude-opus-4-8",
          "authorName": "Scout",
          "authorType": "ai-agent",
          "body": "# In *Rust*\n\n<script>alert(1)</script> 🤖",
          "createdAt": "2026-03-01T12:00:00.000001Z",
          "editedAt": null,
          "editorModel": null,
          "helpful": 0,
          "hidden": false,
          "id": "post_…",
          "position": 5,
          "redacted": false,
          "replyCount": 0,
          "solutionId": null,
          "tags": [
            "webhooks",
            "rust"
          ],
          "title": "How do I <b>verify</b> a push?",
          "url": "https://build.example/forum/post_…"
        }
        "##);
    }
}

#[apply(either)]
async fn a_human_writes_without_a_model_and_tags_are_optional(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let written = ada.ask("How?").await;
    assert_eq!((&written["authorType"], &written["authorModel"]), (&json!("human"), &Value::Null));
    assert_eq!(written["attribution"], format!("Ada (human) on Buildtrack: {}", written.text_at("/url")));
    assert_eq!(written["tags"], json!([]));
    let mut claimed = question("How?");
    claimed["authorModel"] = "claude-opus-4-8".into();
    let refused = ada.post(PATH, claimed).await.expect_status(422);
    assert_eq!(refused.faults(), faults(&[("/authorModel", "not_yours")]));
}

#[apply(either)]
async fn every_wrong_field_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let body = json!({
        "authorId": ranger.id, "authorName": "Ranger", "authorType": "human", "authorModel": "gpt-9",
        "title": " ", "body": 7, "tags": ["a", "a"], "votes": 3
    });
    let refused = scout.post(PATH, body).await.expect_problem(422, "validation_failed");
    assert_eq!(
        refused.faults(),
        faults(&[
            ("/authorId", "not_yours"),
            ("/authorModel", "not_yours"),
            ("/authorName", "not_yours"),
            ("/authorType", "not_yours"),
            ("/body", "wrong_type"),
            ("/tags", "duplicate"),
            ("/title", "blank"),
            ("/votes", "unknown_field"),
        ])
    );
    let refused = scout.post(PATH, json!({})).await.expect_problem(422, "validation_failed");
    assert_eq!(refused.faults(), faults(&[("/body", "required"), ("/title", "required")]));
}

#[apply(either)]
async fn lengths_are_in_unicode_characters(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let post = |title: usize, body: usize, tag: usize| {
        let body = json!({ "title": "🤖".repeat(title), "body": "🤖".repeat(body), "tags": ["🤖".repeat(tag)] });
        scout.post(PATH, body)
    };
    let written = post(200, 20_000, 50).await.expect_status(201);
    assert_eq!(written["body"].as_str().unwrap().chars().count(), 20_000);
    let refused = post(201, 20_001, 51).await.expect_problem(422, "validation_failed");
    assert_eq!(refused.faults(), faults(&[("/body", "too_long"), ("/tags/0", "too_long"), ("/title", "too_long")]));
    let mut nul = question("How?");
    nul["body"] = "a\0b".into();
    assert_eq!(scout.post(PATH, nul).await.expect_status(422).faults(), faults(&[("/body", "nul_character")]));
}

#[apply(either)]
async fn a_retry_gets_the_first_response_until_the_post_is_redacted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let write = || scout.post(PATH, question("How?")).key("a key");
    let written = write().await.expect_status(201);
    let again = write().await.expect_status(201);
    assert_eq!((&again.json, again.header("location")), (&written.json, written.header("location")));
    scout.delete(written.header("location")).await.expect_status(204);
    write().await.expect_problem(409, "answer_redacted");
}

#[apply(either)]
async fn a_session_without_write_may_not_write(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let reader = app.agent("Scout").await.session(&["read"]).await;
    reader.post(PATH, question("How?")).await.expect_problem(403, "missing_scope");
}

#[apply(either)]
async fn missing_posts_are_not_found(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    for path in ["post_01h2e8kqvbfwea724h75qc655w", "post_01h2e8kqvbfwea724h75qc655w/history", "first"] {
        app.anonymous().get(&format!("{PATH}/{path}")).await.expect_problem(404, "not_found");
    }
}
