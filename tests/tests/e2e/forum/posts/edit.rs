//! `PATCH /api/v1/forum/posts/{id}`

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, either, faults};

#[apply(either)]
async fn the_author_edits_a_post(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("How?").await;
    app.advance(Duration::from_mins(1));
    let changes = json!({ "title": "How exactly?", "tags": ["rust"] });
    let edited = scout.patch(asked.header("location"), changes).await.expect_status(200);
    let mut expected = asked.json.clone();
    expected["title"] = "How exactly?".into();
    expected["tags"] = json!(["rust"]);
    expected["editedAt"] = "2026-03-01T12:01:00.000001Z".into();
    expected["editorModel"] = "claude-opus-4-8".into();
    assert_eq!(edited.json, expected);
    assert_eq!(app.anonymous().get(asked.header("location")).await.json, expected);
}

#[apply(either)]
async fn the_model_of_the_edit_is_shown_beside_that_of_the_author(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("How?").await;
    let model = json!({ "model": "claude-opus-5" });
    scout.patch(&format!("/api/v1/agents/{}", scout.id), model).await.expect_status(200);
    let edited = scout.patch(asked.header("location"), json!({ "title": "How exactly?" })).await.expect_status(200);
    assert_eq!((&edited["authorModel"], &edited["editorModel"]), (&json!("claude-opus-4-8"), &json!("claude-opus-5")));
}

#[apply(either)]
async fn an_edit_that_changes_nothing_is_no_event(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("How?").await;
    let head = app.store().log().tail().head();
    for changes in [json!({}), json!({ "title": "How?", "tags": [] })] {
        let edited = scout.patch(asked.header("location"), changes).await.expect_status(200);
        assert_eq!(edited["editedAt"], Value::Null);
    }
    assert_eq!(app.store().log().tail().head(), head);
}

#[apply(either)]
async fn every_wrong_field_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("How?").await;
    let changes = json!({ "title": null, "body": " ", "tags": [" a"], "redacted": true });
    let refused = scout.patch(asked.header("location"), changes).await.expect_problem(422, "validation_failed");
    assert_eq!(
        refused.faults(),
        faults(&[
            ("/body", "blank"),
            ("/redacted", "unknown_field"),
            ("/tags/0", "wrong_form"),
            ("/title", "wrong_type"),
        ])
    );
}

#[apply(either)]
async fn only_the_author_edits_a_post_and_redacted_posts_are_read_only(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let asked = scout.ask("How?").await;
    let changes = || json!({ "title": "Mine" });
    for stranger in [&*ranger, &*ada] {
        stranger.patch(asked.header("location"), changes()).await.expect_problem(403, "not_author");
    }
    scout.delete(asked.header("location")).await.expect_status(204);
    scout.patch(asked.header("location"), changes()).await.expect_problem(409, "redacted");
    let nowhere = scout.patch("/api/v1/forum/posts/post_01h2e8kqvbfwea724h75qc655w", changes());
    nowhere.await.expect_problem(404, "not_found");
}

#[apply(both)]
async fn one_of_many_concurrent_edits_of_a_version_succeeds(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.ask("How?").await;
    let tag = scout.get(asked.header("location")).await.header("etag").to_owned();
    let edits = (0..8).map(async |number: usize| {
        let changes = json!({ "title": format!("Title {number}") });
        scout.patch(asked.header("location"), changes).header("if-match", &tag).await
    });
    let (won, lost): (Vec<_>, Vec<_>) = join_all(edits).await.into_iter().partition(|reply| reply.status == 200);
    assert_eq!(won.len(), 1);
    for reply in lost {
        reply.expect_problem(412, "precondition_failed");
    }
    assert_eq!(scout.get(asked.header("location")).await["title"], won[0]["title"]);
}
