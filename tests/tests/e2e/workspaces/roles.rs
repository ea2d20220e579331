//! `PUT /api/v1/workspaces/{id}/members/{memberId}/role`, `DELETE …/members/{memberId}` and `PUT …/owner`

use buildtrack_tests::{Agent, Backend, Owner, Reply, TestApp, Track};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{either, faults};

/// A track of Scout's with a maintainer and a member, who is a human.
async fn staffed(app: &TestApp) -> (Track, Agent, Agent, Owner) {
    let ada = app.owner("Ada").await;
    let (scout, quill) = (ada.agent("Scout").await, ada.agent("Quill").await);
    let track = scout.open("Webhooks").await;
    quill.join(&track).await;
    ada.join(&track).await;
    scout.appoint(&track, &quill.id, "maintainer").await.expect_status(200);
    (track, scout, quill, ada)
}

fn member(track: &Track, id: &str) -> String {
    format!("{}/{id}", track.members())
}

async fn hand_over(caller: &Agent, track: &Track, to: &str) -> Reply {
    caller.put(&format!("{}/owner", track.path())).json(json!({ "memberId": to })).await
}

async fn roles(app: &TestApp, track: &Track) -> Vec<Value> {
    app.anonymous().get(&track.members()).await.expect_status(200).each("role")
}

#[apply(either)]
async fn the_owner_sets_roles(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill, ada) = staffed(&app).await;
    assert_eq!(roles(&app, &track).await, ["owner", "maintainer", "member"]);
    let head = app.store().log().tail().head();
    let appointed = scout.appoint(&track, &quill.id, "maintainer").await.expect_status(200);
    assert_eq!((app.store().log().tail().head(), &appointed["members"][1]["role"]), (head, &json!("maintainer")));
    scout.appoint(&track, &ada.id, "maintainer").await.expect_status(200);
    scout.appoint(&track, &quill.id, "member").await.expect_status(200);
    assert_eq!(roles(&app, &track).await, ["owner", "member", "maintainer"]);
}

#[apply(either)]
async fn only_the_owner_sets_roles_and_a_maintainer_may_resign(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill, ada) = staffed(&app).await;
    quill.appoint(&track, &ada.id, "maintainer").await.expect_problem(403, "not_owner");
    ada.appoint(&track, &ada.id, "maintainer").await.expect_problem(403, "not_owner");
    quill.appoint(&track, &quill.id, "member").await.expect_status(200);
    scout.appoint(&track, &scout.id, "member").await.expect_problem(409, "owner_stays");
    let stranger = app.agent("Ranger").await;
    scout.appoint(&track, &stranger.id, "maintainer").await.expect_problem(409, "no_such_member");
    let refused = scout.appoint(&track, &ada.id, "owner").await.expect_problem(422, "validation_failed");
    assert_eq!(refused.faults(), faults(&[("/role", "not_allowed")]));
}

#[apply(either)]
async fn maintainers_manage_the_workspace(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, _, quill, _) = staffed(&app).await;
    quill.patch(&track.path(), json!({ "name": "Events" })).await.expect_status(200);
    quill.act(&format!("{}/archive", track.path())).await.expect_status(200);
    quill.act(&format!("{}/reopen", track.path())).await.expect_status(200);
}

#[apply(either)]
async fn maintainers_remove_members_and_the_owner_removes_maintainers(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill, ada) = staffed(&app).await;
    ada.delete(&member(&track, &quill.id)).await.expect_problem(403, "not_maintainer");
    quill.delete(&member(&track, &scout.id)).await.expect_problem(409, "owner_cannot_leave");
    quill.delete(&member(&track, &ada.id)).await.expect_status(204);
    quill.delete(&member(&track, &ada.id)).await.expect_status(204);
    assert_eq!(app.anonymous().get(&track.path()).await["memberIds"], json!([scout.id, quill.id]));
    let proposal = json!({ "kind": "proposal", "content": "Still here?", "upvotes": 0 });
    ada.post(&track.messages(), proposal).await.expect_problem(403, "not_a_member");
    ada.act(&track.members()).await.expect_problem(403, "removed_from_workspace");
    scout.delete(&member(&track, &quill.id)).await.expect_status(204);
    assert_eq!(roles(&app, &track).await, ["owner"]);
}

#[apply(either)]
async fn a_maintainer_does_not_remove_another_but_leaves_by_itself(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill, ada) = staffed(&app).await;
    scout.appoint(&track, &ada.id, "maintainer").await.expect_status(200);
    quill.delete(&member(&track, &ada.id)).await.expect_problem(403, "not_owner");
    // Removing oneself is leaving, and a former member may rejoin.
    quill.delete(&member(&track, &quill.id)).await.expect_status(204);
    quill.join(&track).await;
    assert_eq!(roles(&app, &track).await, ["owner", "maintainer", "member"]);
}

#[apply(either)]
async fn a_workspace_is_transferred_to_a_member(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill, ada) = staffed(&app).await;
    hand_over(&quill, &track, &ada.id).await.expect_problem(403, "not_owner");
    let handed_over = hand_over(&scout, &track, &ada.id).await.expect_status(200);
    assert_eq!(
        [&handed_over["ownerId"], &handed_over["ownerName"], &handed_over["ownerType"]],
        [&json!(ada.id), &json!("Ada"), &json!("human")]
    );
    assert_eq!(roles(&app, &track).await, ["maintainer", "maintainer", "owner"]);
    hand_over(&scout, &track, &scout.id).await.expect_problem(403, "not_owner");
    let owned = app.anonymous().get(&format!("/api/v1/workspaces?owner={}", ada.id)).await;
    assert_eq!(owned.each("id"), [json!(track.id)]);
    // The former owner may leave.
    scout.delete(&track.membership()).await.expect_status(204);
}

#[apply(either)]
async fn a_new_owner_must_be_an_active_member(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill, ada) = staffed(&app).await;
    let stranger = app.agent("Ranger").await;
    hand_over(&scout, &track, &stranger.id).await.expect_problem(409, "no_such_member");
    hand_over(&scout, &track, "ag_01h2e8kqvbfwea724h75qc655w").await.expect_problem(404, "not_found");
    hand_over(&scout, &track, "Quill").await.expect_problem(422, "validation_failed");
    ada.delete(&format!("/api/v1/agents/{}", quill.id)).await.expect_status(204);
    hand_over(&scout, &track, &quill.id).await.expect_problem(409, "agent_deactivated");
    let head = app.store().log().tail().head();
    hand_over(&scout, &track, &scout.id).await.expect_status(200);
    assert_eq!(app.store().log().tail().head(), head);
}

#[apply(either)]
async fn missing_workspaces_have_no_roles(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill, _) = staffed(&app).await;
    let nowhere = Track { id: "ws_01h2e8kqvbfwea724h75qc655w".into() };
    scout.appoint(&nowhere, &quill.id, "maintainer").await.expect_problem(404, "not_found");
    scout.delete(&member(&nowhere, &quill.id)).await.expect_problem(404, "not_found");
    hand_over(&scout, &nowhere, &quill.id).await.expect_problem(404, "not_found");
    scout.appoint(&track, "Quill", "maintainer").await.expect_problem(404, "not_found");
}
