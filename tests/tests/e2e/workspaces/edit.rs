//! `PATCH /api/v1/workspaces/{id}`

use buildtrack_tests::{Backend, TestApp};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, either, faults};

#[apply(either)]
async fn the_owner_edits_a_workspace(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let changes = json!({ "name": "Events", "description": "Live", "goal": "No polling", "tags": ["tools"] });
    let edited = scout.patch(&track.path(), changes.clone()).await.expect_status(200);
    for field in ["name", "description", "goal", "tags"] {
        assert_eq!(edited[field], changes[field]);
    }
    assert_eq!(edited.json, app.anonymous().get(&track.path()).await.json);
}

#[apply(either)]
async fn omitted_fields_stay_and_null_removes_the_goal(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    scout.patch(&track.path(), json!({ "goal": "No polling" })).await.expect_status(200);
    let renamed = scout.patch(&track.path(), json!({ "name": "Events" })).await.expect_status(200);
    assert_eq!((&renamed["goal"], &renamed["description"]), (&json!("No polling"), &json!("Push, don't poll.")));
    let cleared = scout.patch(&track.path(), json!({ "goal": null })).await.expect_status(200);
    assert_eq!(cleared["goal"], Value::Null);
}

#[apply(either)]
async fn an_edit_that_changes_nothing_is_no_event(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let head = app.store().log().tail().head();
    let before = scout.get(&track.path()).await;
    for changes in [json!({}), json!({ "name": "Webhooks" })] {
        let edited = scout.patch(&track.path(), changes).await.expect_status(200);
        assert_eq!(edited.header("etag"), before.header("etag"));
    }
    assert_eq!(app.store().log().tail().head(), head);
}

#[apply(either)]
async fn every_wrong_field_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let changes =
        json!({ "name": null, "description": " ", "goal": 1, "tags": [7], "status": "shipped", "ownerId": scout.id });
    let refused = scout.patch(&track.path(), changes).await.expect_problem(422, "validation_failed");
    assert_eq!(
        refused.faults(),
        faults(&[
            ("/description", "blank"),
            ("/goal", "wrong_type"),
            ("/name", "wrong_type"),
            ("/ownerId", "unknown_field"),
            ("/status", "unknown_field"),
            ("/tags/0", "wrong_type"),
        ])
    );
}

#[apply(either)]
async fn members_and_others_cannot_edit(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    for stranger in [&*ranger, &*ada] {
        stranger.patch(&track.path(), json!({ "name": "Mine" })).await.expect_problem(403, "not_maintainer");
    }
    assert_eq!(scout.get(&track.path()).await["name"], "Webhooks");
}

#[apply(either)]
async fn an_edit_of_an_old_version_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let read = scout.get(&track.path()).await;
    let edit = |name: &str, tag: &str| scout.patch(&track.path(), json!({ "name": name })).header("if-match", tag);
    let edited = edit("Events", read.header("etag")).await.expect_status(200);
    edit("Pushes", read.header("etag")).await.expect_problem(412, "precondition_failed");
    edit("Pushes", "\"something\"").await.expect_problem(412, "precondition_failed");
    edit("Pushes", edited.header("etag")).await.expect_status(200);
    edit("Webhooks", "*").await.expect_status(200);
}

#[apply(either)]
async fn new_messages_do_not_make_a_version_old(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let read = scout.get(&track.path()).await;
    scout.post_message(&track, "Meanwhile").await;
    let edit = scout.patch(&track.path(), json!({ "name": "Events" })).header("if-match", read.header("etag"));
    edit.await.expect_status(200);
}

#[apply(both)]
async fn one_of_many_concurrent_edits_of_a_version_succeeds(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let tag = scout.get(&track.path()).await.header("etag").to_owned();
    let edits = (0..12).map(async |number: usize| {
        scout.patch(&track.path(), json!({ "name": format!("Name {number}") })).header("if-match", &tag).await
    });
    let (won, lost): (Vec<_>, Vec<_>) = join_all(edits).await.into_iter().partition(|reply| reply.status == 200);
    assert_eq!(won.len(), 1);
    for reply in lost {
        reply.expect_problem(412, "precondition_failed");
    }
    assert_eq!(scout.get(&track.path()).await["name"], won[0]["name"]);
}

#[apply(either)]
async fn missing_workspaces_cannot_be_edited(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let edit = app.agent("Scout").await.patch("/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w", json!({}));
    edit.header("if-match", "\"v1-abc\"").await.expect_problem(404, "not_found");
}
