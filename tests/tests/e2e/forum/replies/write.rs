//! `POST /api/v1/forum/posts/{id}/replies`, `GET …/replies/{replyId}`

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp, shorten_ids};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, either, faults};

#[apply(either)]
async fn a_reply_is_shown_as_it_was_written_and_counted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let asked = scout.ask("How?").await;
    app.advance(Duration::from_mins(1));
    let body = json!({
        "authorId": ranger.id, "authorName": "Ranger", "authorType": "ai-agent", "authorModel": "claude-opus-4-8",
        "body": "With **HMAC** 🤖", "replyTo": null
    });
    let path = format!("{}/replies", asked.header("location"));
    let written = ranger.post(&path, body).await.expect_status(201);
    assert_eq!(written.header("location"), format!("{path}/{}", written.text_at("/id")));
    assert_eq!(app.anonymous().get(written.header("location")).await.expect_status(200).json, written.json);
    let post = app.anonymous().get(asked.header("location")).await;
    assert_eq!((&post["replyCount"], &post["answerCount"]), (&json!(1), &json!(1)));
    assert_eq!((&post["activeAt"], &post["createdAt"]), (&written["createdAt"], &asked["createdAt"]));
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&written.json), @r#"
        {
          "accepted": false,
          "attribution": "Ranger (claude-opus-4-8) on Buildtrack: https://build.example/forum/post_…/replies/reply_…",
          "authorId": "ag_…",
          "authorModel": "claude-opus-4-8",
          "authorName": "Ranger",
          "authorType": "ai-agent",
          "body": "With **HMAC** 🤖",
          "createdAt": "2026-03-01T12:01:00.000001Z",
          "editedAt": null,
          "editorModel": null,
          "helpful": 0,
          "hidden": false,
          "id": "reply_…",
          "position": 8,
          "postId": "post_…",
          "redacted": false,
          "replyTo": null,
          "url": "https://build.example/forum/post_…/replies/reply_…"
        }
        "#);
    }
}

#[apply(either)]
async fn a_reply_answers_another_one_to_the_same_post(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let (asked, other) = (scout.ask("How?").await, scout.ask("Why?").await);
    let (here, elsewhere) = (scout.answer(&asked, "So.").await, scout.answer(&other, "Because.").await);
    let path = format!("{}/replies", asked.header("location"));
    let answer = |reply_to: &Value| scout.post(&path, json!({ "body": "Really?", "replyTo": reply_to }));
    assert_eq!(answer(&here["id"]).await.expect_status(201)["replyTo"], here["id"]);
    for reply_to in [&elsewhere["id"], &json!("reply_01h2e8kqvbfwea724h75qc655w")] {
        let refused = answer(reply_to).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults(), faults(&[("/replyTo", "not_found")]));
    }
    scout.delete(here.header("location")).await.expect_status(204);
    answer(&here["id"]).await.expect_status(201);
}

#[apply(either)]
async fn every_wrong_field_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let asked = ada.ask("How?").await;
    let path = format!("{}/replies", asked.header("location"));
    let body = json!({ "authorModel": "gpt-9", "authorName": "Bea", "body": "", "replyTo": "first", "kind": "update" });
    let refused = ada.post(&path, body).await.expect_problem(422, "validation_failed");
    assert_eq!(
        refused.faults(),
        faults(&[
            ("/authorModel", "not_yours"),
            ("/authorName", "not_yours"),
            ("/body", "too_short"),
            ("/kind", "unknown_field"),
            ("/replyTo", "wrong_form"),
        ])
    );
    let long = ada.post(&path, json!({ "body": "🤖".repeat(20_001) })).await.expect_status(422);
    assert_eq!(long.faults(), faults(&[("/body", "too_long")]));
    ada.post(&path, json!({ "body": "🤖".repeat(20_000) })).await.expect_status(201);
}

#[apply(both)]
async fn count_and_last_activity_are_right_after_concurrent_replies(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let asked = scout.ask("How?").await;
    let replies = (0..24).map(async |number: usize| {
        let caller = if number.is_multiple_of(3) { &scout } else { &ranger };
        caller.answer(&asked, &number.to_string()).await["position"].as_i64().unwrap()
    });
    let last = join_all(replies).await.into_iter().max().unwrap();
    let post = app.anonymous().get(asked.header("location")).await;
    assert_eq!((&post["replyCount"], &post["answerCount"]), (&json!(24), &json!(16)));
    let newest = app.anonymous().get(&format!("{}/replies?order=desc&limit=1", asked.header("location"))).await;
    assert_eq!(newest["items"][0]["position"], last);
    assert_eq!(
        app.store().forum().post(asked.text_at("/id").parse().unwrap()).await.unwrap().unwrap().active_position,
        last
    );
}

#[apply(either)]
async fn a_retry_gets_the_first_response_until_the_reply_is_redacted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let path = format!("{}/replies", scout.ask("How?").await.header("location"));
    let write = || scout.post(&path, json!({ "body": "So." })).key("a key");
    let written = write().await.expect_status(201);
    assert_eq!(write().await.expect_status(201).json, written.json);
    scout.delete(written.header("location")).await.expect_status(204);
    write().await.expect_problem(409, "answer_redacted");
}

#[apply(either)]
async fn replies_to_missing_posts_are_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let (asked, other) = (scout.ask("How?").await, scout.ask("Why?").await);
    let reply = scout.answer(&asked, "So.").await.text_at("/id");
    let nowhere = "/api/v1/forum/posts/post_01h2e8kqvbfwea724h75qc655w/replies";
    scout.post(nowhere, json!({ "body": "So." })).await.expect_problem(404, "not_found");
    scout.get(nowhere).await.expect_problem(404, "not_found");
    for path in [
        format!("{}/replies/{reply}", other.header("location")),
        format!("{}/replies/{reply}/history", other.header("location")),
        format!("{}/replies/reply_01h2e8kqvbfwea724h75qc655w", asked.header("location")),
        format!("{}/replies/first", asked.header("location")),
    ] {
        scout.get(&path).await.expect_problem(404, "not_found");
    }
}
