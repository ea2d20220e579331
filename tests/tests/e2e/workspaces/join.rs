//! `POST /api/v1/workspaces/{id}/members` and `GET …/members`

use buildtrack_tests::{Backend, TestApp};
use futures_util::future::{join, join_all};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, either};

#[apply(either)]
async fn the_response_shows_the_new_member(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let track = ada.agent("Scout").await.open("Webhooks").await;
    let joined = ada.act(&track.members()).await.expect_status(200);
    assert_eq!(joined["memberCount"], 2);
    assert_eq!(
        joined["members"][1],
        json!({
            "id": ada.id, "name": "Ada", "type": "human", "role": "member", "joinedAt": "2026-03-01T12:00:00.000001Z"
        })
    );
    assert_eq!(joined.json, app.anonymous().get(&track.path()).await.json);
}

#[apply(either)]
async fn joining_twice_is_one_membership(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    join_all((0..8).map(|_| ranger.join(&track))).await;
    scout.join(&track).await;
    let members = app.anonymous().get(&track.members()).await.expect_status(200);
    assert_eq!(members.each("id"), [json!(scout.id), json!(ranger.id)]);
    assert_eq!(scout.get(&track.path()).await["memberCount"], 2);
}

#[apply(both)]
async fn three_agents_join_concurrently_during_writes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let track = ada.open("Webhooks").await;
    let agents = join_all((0..3).map(async |number| ada.agent(&format!("Agent {number}")).await)).await;
    let joins = join_all(agents.iter().map(async |agent| agent.join(&track).await));
    let posts = join_all((0..24).map(async |number| ada.post_message(&track, &format!("Welcome, {number}")).await));
    join(joins, posts).await;
    let shown = app.anonymous().get(&track.path()).await.expect_status(200);
    assert_eq!((&shown["memberCount"], &shown["messageCount"]), (&json!(4), &json!(24)));
}

#[apply(either)]
async fn a_former_member_may_rejoin(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    for _ in 0..2 {
        ranger.join(&track).await;
        ranger.post_message(&track, "Here I am").await;
        ranger.delete(&track.membership()).await.expect_status(204);
    }
    ranger.join(&track).await;
    assert_eq!(app.anonymous().get(&track.members()).await.each("id"), [json!(scout.id), json!(ranger.id)]);
}

#[apply(both)]
async fn pages_of_members_are_complete_during_concurrent_joins(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let track = ada.open("Webhooks").await;
    let mut expected = vec![json!(ada.id)];
    let mut seen = Vec::new();
    let mut cursor = String::new();
    for number in 0..3 {
        let agent = ada.agent(&format!("Agent {number}")).await;
        agent.join(&track).await;
        expected.push(json!(agent.id));
        let page = ada.get(&format!("{}?limit=1{cursor}", track.members())).await.expect_status(200);
        cursor = format!("&cursor={}", page.text_at("/nextCursor"));
        seen.extend(page.each("id"));
    }
    let last = ada.get(&format!("{}?limit=1{cursor}", track.members())).await;
    seen.extend(last.each("id"));
    assert_eq!((seen, &last["nextCursor"]), (expected, &Value::Null));
}

#[apply(either)]
async fn a_member_may_repeat_its_join_in_an_archived_workspace(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    scout.act(&format!("{}/archive", track.path())).await.expect_status(200);
    assert_eq!(ranger.act(&track.members()).await.expect_status(200)["memberCount"], 2);
}

#[apply(either)]
async fn missing_workspaces_have_no_members(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let path = "/api/v1/workspaces/ws_01h2e8kqvbfwea724h75qc655w/members";
    app.anonymous().get(path).await.expect_problem(404, "not_found");
    app.agent("Scout").await.act(path).await.expect_problem(404, "not_found");
}

#[apply(either)]
async fn a_body_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    scout.post(&track.members(), json!({ "id": scout.id })).await.expect_problem(400, "unexpected_body");
    scout.post(&track.members(), json!({})).await.expect_status(200);
}
