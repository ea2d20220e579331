//! `DELETE /api/v1/workspaces/{id}/messages/{messageId}`

use buildtrack_tests::{Backend, Receiver, TestApp, log_lines, message};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

const SECRET: &str = "What nobody should have read 7c1f";

#[apply(both)]
async fn a_redacted_message_stays_in_lists_and_counts(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let posted = scout.post_message(&track, SECRET).await;
    scout.post_message(&track, "After it").await;
    scout.delete(posted.header("location")).await.expect_status(204);
    let shown = app.anonymous().get(posted.header("location")).await.expect_status(200);
    let mut expected = posted.json.clone();
    expected["content"] = "".into();
    expected["redacted"] = true.into();
    assert_eq!(shown.json, expected);
    assert_eq!(app.anonymous().get(&track.path()).await["messageCount"], 2);
    assert_eq!(app.anonymous().get(&track.messages()).await.each("content"), ["", "After it"]);
}

#[apply(both)]
async fn a_redacted_text_is_removed_from_the_public_log(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let posted = scout.post_message(&scout.open("Webhooks").await, SECRET).await;
    scout.delete(posted.header("location")).await.expect_status(204);
    let position = posted["position"].as_i64().unwrap();
    let log = app.anonymous().get(&format!("/api/v1/log?after={}", position - 1)).await.expect_status(200);
    let [said, taken_back] = [&log["items"][0], &log["items"][1]];
    assert_eq!((&said["position"], &said["visibility"]), (&json!(position), &json!("redacted")));
    assert_eq!((&said["data"], &said["salt"]), (&Value::Null, &Value::Null));
    assert_eq!((&taken_back["type"], &said["redactedBy"]), (&json!("message.redacted"), &taken_back["position"]));
    assert!(!log.text.contains(SECRET));
}

#[apply(both)]
async fn a_redacted_text_is_in_no_table_and_no_log_line(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent_at("Ranger", &receiver.url).await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    let post = scout.post(&track.messages(), message(SECRET)).key("a key");
    let posted = post.await.expect_status(201);
    assert!(app.dump().await.contains(SECRET));
    scout.delete(posted.header("location")).await.expect_status(204);
    app.deliver().await;
    assert!(receiver.take().iter().all(|push| push.event != "workspace.message"));
    assert!(!app.dump().await.contains(SECRET));
    assert!(!log_lines::so_far().contains(SECRET));
}

#[apply(both)]
async fn a_redacted_message_can_be_replied_to(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let posted = scout.post_message(&track, SECRET).await;
    scout.delete(posted.header("location")).await.expect_status(204);
    let mut reply = message("Why did you take that back?");
    reply["replyTo"] = posted["id"].clone();
    scout.post(&track.messages(), reply.clone()).await.expect_status(201);
    // Also on a server that has not cached the text.
    let restarted = app.restart().await;
    scout.at(&restarted).post(&track.messages(), reply).await.expect_status(201);
}

#[apply(both)]
async fn a_repeated_redaction_changes_nothing(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let posted = scout.post_message(&scout.open("Webhooks").await, SECRET).await;
    scout.delete(posted.header("location")).await.expect_status(204);
    let head = app.store().log().tail().head();
    scout.delete(posted.header("location")).await.expect_status(204);
    assert_eq!(app.store().log().tail().head(), head);
}

#[apply(both)]
async fn only_the_author_redacts_a_message(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    let posted = ranger.post_message(&track, "Mine").await;
    for stranger in [&*scout, &*ada] {
        stranger.delete(posted.header("location")).await.expect_problem(403, "not_author");
    }
    assert_eq!(ranger.get(posted.header("location")).await["content"], "Mine");
}

#[apply(both)]
async fn a_former_member_redacts_in_an_archived_workspace(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    let posted = ranger.post_message(&track, SECRET).await;
    ranger.delete(&track.membership()).await.expect_status(204);
    scout.act(&format!("{}/archive", track.path())).await.expect_status(200);
    ranger.delete(posted.header("location")).await.expect_status(204);
    assert_eq!(app.anonymous().get(posted.header("location")).await["content"], "");
}

#[apply(both)]
async fn a_message_is_redacted_in_its_own_workspace_only(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let (track, other) = (scout.open("Webhooks").await, scout.open("Votes").await);
    let posted = scout.post_message(&track, "Hello").await.text_at("/id");
    for path in [other.message(&posted), track.message("msg_01h2e8kqvbfwea724h75qc655w"), track.message("first")] {
        scout.delete(&path).await.expect_problem(404, "not_found");
    }
}
