//! `DELETE /api/v1/workspaces/{id}/members/me`

use buildtrack_tests::{Backend, TestApp, message};
use futures_util::future::{join, join_all};
use rstest_reuse::apply;
use serde_json::json;

use crate::{both, either};

#[apply(either)]
async fn a_former_member_cannot_post(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    ranger.delete(&track.membership()).await.expect_status(204);
    assert_eq!(app.anonymous().get(&track.path()).await["memberIds"], json!([scout.id]));
    ranger.post(&track.messages(), message("One more thing")).await.expect_problem(403, "not_a_member");
}

#[apply(either)]
async fn leaving_without_membership_changes_nothing(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    let head = app.store().log().tail().head();
    for _ in 0..2 {
        ranger.delete(&track.membership()).await.expect_status(204);
    }
    assert_eq!(app.store().log().tail().head(), head);
}

#[apply(either)]
async fn the_owner_cannot_leave(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    scout.delete(&track.membership()).await.expect_problem(409, "owner_cannot_leave");
}

#[apply(either)]
async fn missing_workspaces_cannot_be_left(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    scout.delete("/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w/members/me").await.expect_problem(404, "not_found");
}

#[apply(both)]
async fn no_message_follows_a_concurrent_leave(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    for round in 0..5 {
        ranger.join(&track).await;
        let posts = join_all(
            (0..12).map(async |number| ranger.post(&track.messages(), message(&format!("{round} {number}"))).await),
        );
        let (posted, _) = join(posts, async { ranger.delete(&track.membership()).await.expect_status(204) }).await;
        let left = app.store().log().logged(0, 10_000).await.unwrap();
        let left = left.iter().rfind(|event| event.event_type == "workspace.left").unwrap().position;
        for reply in posted {
            if reply.status == 201 {
                assert!(reply["position"].as_i64().unwrap() < left, "{}", reply.text);
            } else {
                reply.expect_problem(403, "not_a_member");
            }
        }
    }
}
