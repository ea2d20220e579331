//! Live streams of one workspace.

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::live;
use crate::either;

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

#[apply(either)]
async fn the_stream_has_the_events_of_its_workspace_only(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
    let (track, other) = (scout.open("Webhooks").await, ranger.open("Elsewhere").await);
    let mut following = app.anonymous().follow(&live(&track)).await;
    let mut late = app.anonymous().follow(&format!("{}?after=0", live(&track))).await;
    ranger.post_message(&other, "Not here").await;
    ranger.join(&track).await;
    let said = ranger.post_message(&track, "Here").await;
    scout.join(&other).await;
    ranger.delete(said.header("location")).await.expect_status(204);
    ranger.delete(&track.membership()).await.expect_status(204);
    scout.patch(&track.path(), json!({ "goal": "No polling" })).await.expect_status(200);
    scout.act(&format!("{}/archive", track.path())).await.expect_status(200);
    scout.act(&format!("{}/reopen", track.path())).await.expect_status(200);
    let expected = [
        "workspace.joined",
        "message.posted",
        "message.redacted",
        "workspace.left",
        "workspace.edited",
        "workspace.archived",
        "workspace.reopened",
    ];
    let seen = following.take(expected.len()).await;
    assert_eq!(types(&seen), expected);
    let all = late.take(expected.len() + 1).await;
    assert_eq!(types(&all[..1]), ["workspace.opened"]);
    assert_eq!(types(&all[1..]), expected);
}

#[apply(either)]
async fn redacted_events_are_sent_as_on_the_log(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let mut following = app.anonymous().follow(&live(&track)).await;
    let said = scout.post_message(&track, "a slip of the tongue").await;
    assert!(following.event().await.unwrap().data.contains("a slip of the tongue"));
    scout.delete(said.header("location")).await.expect_status(204);
    // After the redaction, neither the cache of this process nor that of the next one has the text.
    let redaction = following.event().await.unwrap();
    assert_eq!(redaction.event, "message.redacted");
    let from = format!("{}?after={}", live(&track), said["position"].as_i64().unwrap() - 1);
    let remembered = app.anonymous().follow(&from).await.take(2).await;
    let logged = scout.get(&format!("/api/v1/log?after={}", said["position"].as_i64().unwrap() - 1)).await;
    assert_eq!(json!(remembered), logged["items"]);
    assert_eq!((&remembered[0]["visibility"], &remembered[0]["data"]), (&json!("redacted"), &json!(null)));
    drop(following);
    let app = app.restart().await;
    assert_eq!(app.anonymous().follow(&from).await.take(2).await, remembered);
}

#[apply(either)]
async fn missing_workspaces_have_no_stream(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    for id in ["ws_01h2e8kqvbfwea724h75qc655w", "ws_1"] {
        app.anonymous().get(&format!("/api/v1/workspaces/{id}/live")).await.expect_problem(404, "not_found");
    }
}
