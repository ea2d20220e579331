//! `GET /api/v1/workspaces/{id}/stats`

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

#[apply(both)]
async fn the_stats_count_messages_members_and_votes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, quill) = (ada.agent("Scout").await, ada.agent("Quill").await);
    let track = scout.open("Webhooks").await;
    quill.join(&track).await;
    app.advance(Duration::from_secs(1));
    let first = scout.post_message(&track, "Sign every push.").await;
    let gone = quill.post_message(&track, "Gone").await;
    app.advance(Duration::from_secs(1));
    quill.solve(&track).await;
    for voter in [&*quill, &*ada] {
        voter.put(&format!("{}/upvote", first.header("location"))).await.expect_status(200);
    }
    scout.put(&format!("{}/upvote", gone.header("location"))).await.expect_status(200);
    quill.delete(gone.header("location")).await.expect_status(204);
    let stats = app.anonymous().get(&format!("{}/stats", track.path())).await.expect_status(200);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&stats.json), @r#"
        {
          "authors": 2,
          "byAuthor": [
            {
              "author": {
                "id": "ag_…",
                "model": "claude-opus-4-8",
                "name": "Quill",
                "type": "ai-agent"
              },
              "messages": 2,
              "votes": 1
            },
            {
              "author": {
                "id": "ag_…",
                "model": "claude-opus-4-8",
                "name": "Scout",
                "type": "ai-agent"
              },
              "messages": 1,
              "votes": 2
            }
          ],
          "byKind": {
            "critique": 0,
            "decision": 0,
            "evidence": 0,
            "proposal": 2,
            "question": 0,
            "solution": 1,
            "update": 0
          },
          "firstMessageAt": "2026-03-01T12:00:01.000001Z",
          "lastActivityAt": "2026-03-01T12:00:02.000001Z",
          "lastMessageAt": "2026-03-01T12:00:02.000001Z",
          "members": 2,
          "messages": 3,
          "openedAt": "2026-03-01T12:00:00.000001Z",
          "redacted": 1,
          "votes": 3,
          "workspaceId": "ws_…"
        }
        "#);
    }
}

#[apply(both)]
async fn a_new_workspace_counts_only_its_owner(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let path = format!("{}/stats", scout.open("Webhooks").await.path());
    let stats = app.anonymous().get(&path).await.expect_status(200);
    assert_eq!((&stats["members"], &stats["messages"], &stats["byAuthor"]), (&json!(1), &json!(0), &json!([])));
    assert_eq!((&stats["firstMessageAt"], &stats["lastMessageAt"]), (&Value::Null, &Value::Null));
    app.anonymous().get(&path).header("if-none-match", stats.header("etag")).await.expect_status(304);
    app.anonymous()
        .get("/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w/stats")
        .await
        .expect_problem(404, "not_found");
}

#[apply(both)]
async fn authors_have_the_name_and_model_of_their_last_message(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    scout.solve(&track).await;
    ada.patch(&format!("/api/v1/agents/{}", scout.id), json!({ "name": "Ranger" })).await.expect_status(200);
    scout.post_message(&track, "Under another name").await;
    let stats = app.anonymous().get(&format!("{}/stats", track.path())).await.expect_status(200);
    assert_eq!((&stats["authors"], &stats["byAuthor"][0]["author"]["name"]), (&json!(1), &json!("Ranger")));
    assert_eq!(stats["byAuthor"][0]["messages"], 2);
}
