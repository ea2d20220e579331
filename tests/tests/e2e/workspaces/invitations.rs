//! `PUT` and `DELETE /api/v1/workspaces/{id}/invitations/{invitedId}`, `GET …/invitations`, `GET /api/v1/me/invitations`
//! and their acceptance and refusal

use buildtrack_tests::{Agent, Backend, TestApp, Track, shorten_ids};
use futures_util::future::join;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::either;

const OWN: &str = "/api/v1/me/invitations";

/// A track of Scout's, and Quill, who is not a member.
async fn apart(app: &TestApp) -> (Track, Agent, Agent) {
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    (scout.open("Webhooks").await, scout, quill)
}

fn invitation(track: &Track, id: &str) -> String {
    format!("{}/invitations/{id}", track.path())
}

fn accept(track: &Track) -> String {
    format!("{OWN}/{}/accept", track.id)
}

fn decline(track: &Track) -> String {
    format!("{OWN}/{}/decline", track.id)
}

#[apply(either)]
async fn an_invited_agent_sees_and_accepts_the_invitation(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill) = apart(&app).await;
    let invited = scout.put(&invitation(&track, &quill.id)).await.expect_status(200);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&invited.json), @r#"
        {
          "invited": {
            "id": "ag_…",
            "model": "claude-opus-4-8",
            "name": "Quill",
            "type": "ai-agent"
          },
          "invitedAt": "2026-03-01T12:00:00.000001Z",
          "invitedBy": {
            "id": "ag_…",
            "model": "claude-opus-4-8",
            "name": "Scout",
            "type": "ai-agent"
          },
          "workspaceId": "ws_…",
          "workspaceName": "Webhooks"
        }
        "#);
    }
    let own = quill.get(OWN).await.expect_status(200);
    assert_eq!(own["items"], json!([invited.json]));
    assert_eq!(app.anonymous().get(&format!("{}/invitations", track.path())).await["items"], own["items"]);
    let head = app.store().log().tail().head();
    let joined = quill.act(&accept(&track)).await.expect_status(200);
    assert_eq!(joined["memberIds"], json!([scout.id, quill.id]));
    assert_eq!(app.store().log().tail().head(), head + 2);
    // A repeated acceptance changes nothing.
    quill.act(&accept(&track)).await.expect_status(200);
    assert_eq!(app.store().log().tail().head(), head + 2);
    assert_eq!(quill.get(OWN).await["items"], json!([]));
}

#[apply(either)]
async fn repeated_invitations_are_one_until_accepted_or_declined(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill) = apart(&app).await;
    let head = app.store().log().tail().head();
    let path = invitation(&track, &quill.id);
    let (one, two) = join(async { scout.put(&path).await }, async { scout.put(&path).await }).await;
    assert_eq!(one.expect_status(200).json, two.expect_status(200).json);
    assert_eq!(app.store().log().tail().head(), head + 1);
    quill.act(&decline(&track)).await.expect_status(204);
    quill.act(&decline(&track)).await.expect_problem(404, "not_found");
    quill.act(&accept(&track)).await.expect_problem(404, "not_found");
    scout.put(&path).await.expect_status(200);
    assert_eq!(quill.get(OWN).await.each("workspaceId"), [json!(track.id)]);
}

#[apply(either)]
async fn the_response_shows_the_invitation_as_sent(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill) = apart(&app).await;
    for _ in 0..20 {
        let answering = async { while quill.act(&decline(&track)).await.status != 204 {} };
        let (sent, ()) = join(async { scout.put(&invitation(&track, &quill.id)).await }, answering).await;
        assert_eq!(sent.expect_status(200)["workspaceId"], track.id);
    }
}

#[apply(either)]
async fn an_invitation_can_be_withdrawn(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill) = apart(&app).await;
    let path = invitation(&track, &quill.id);
    scout.put(&path).await.expect_status(200);
    quill.delete(&path).await.expect_problem(403, "not_maintainer");
    let head = app.store().log().tail().head();
    for _ in 0..2 {
        scout.delete(&path).await.expect_status(204);
        assert_eq!(app.store().log().tail().head(), head + 1);
    }
    quill.act(&accept(&track)).await.expect_problem(404, "not_found");
    assert_eq!(quill.get(OWN).await["items"], json!([]));
}

#[apply(either)]
async fn joining_accepts_the_invitation(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill) = apart(&app).await;
    scout.put(&invitation(&track, &quill.id)).await.expect_status(200);
    quill.join(&track).await;
    assert_eq!(quill.get(OWN).await["items"], json!([]));
    scout.put(&invitation(&track, &quill.id)).await.expect_problem(409, "already_a_member");
}

#[apply(either)]
async fn an_invitation_admits_a_removed_member(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill) = apart(&app).await;
    quill.join(&track).await;
    scout.delete(&format!("{}/{}", track.members(), quill.id)).await.expect_status(204);
    quill.act(&track.members()).await.expect_problem(403, "removed_from_workspace");
    scout.put(&invitation(&track, &quill.id)).await.expect_status(200);
    quill.join(&track).await;
    quill.post_message(&track, "Back again").await;
}

#[apply(either)]
async fn a_member_that_leaves_before_its_removal_stays_excluded(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill) = apart(&app).await;
    quill.join(&track).await;
    quill.delete(&track.membership()).await.expect_status(204);
    for _ in 0..2 {
        scout.delete(&format!("{}/{}", track.members(), quill.id)).await.expect_status(204);
        assert_eq!(scout.get(&track.path()).await["memberCount"], 1);
    }
    quill.act(&track.members()).await.expect_problem(403, "removed_from_workspace");
}

#[apply(either)]
async fn only_owners_and_maintainers_invite(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill) = apart(&app).await;
    let (ranger, grace) = (app.agent("Ranger").await, app.owner("Grace").await);
    ranger.join(&track).await;
    ranger.put(&invitation(&track, &quill.id)).await.expect_problem(403, "not_maintainer");
    scout.appoint(&track, &ranger.id, "maintainer").await.expect_status(200);
    ranger.put(&invitation(&track, &quill.id)).await.expect_status(200);
    let human = ranger.put(&invitation(&track, &grace.id)).await.expect_status(200);
    assert_eq!((&human["invited"]["type"], human["invited"].get("model")), (&json!("human"), None));
    grace.act(&accept(&track)).await.expect_status(200);
}

#[apply(either)]
async fn invitations_of_unknown_agents_and_to_archived_workspaces_are_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill) = apart(&app).await;
    for id in ["ag_01h2e8kqvbfwea724h75qc655w", "ow_01h2e8kqvbfwea724h75qc655w", "Quill"] {
        scout.put(&invitation(&track, id)).await.expect_problem(404, "not_found");
    }
    let nowhere = Track { id: "ws_01h2e8kqvbfwea724h75qc655w".into() };
    scout.put(&invitation(&nowhere, &quill.id)).await.expect_problem(404, "not_found");
    scout.get(&format!("{}/invitations", nowhere.path())).await.expect_problem(404, "not_found");
    let ada = app.owner("Ada").await;
    let gone = ada.agent("Gone").await;
    ada.delete(&format!("/api/v1/agents/{}", gone.id)).await.expect_status(204);
    scout.put(&invitation(&track, &gone.id)).await.expect_problem(409, "agent_deactivated");
    scout.put(&invitation(&track, &quill.id)).await.expect_status(200);
    scout.act(&format!("{}/archive", track.path())).await.expect_status(200);
    scout.put(&invitation(&track, &ada.id)).await.expect_problem(409, "workspace_archived");
    quill.act(&accept(&track)).await.expect_problem(409, "workspace_archived");
}

#[apply(either)]
async fn invitations_are_listed_newest_first_in_pages(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (first, scout, quill) = apart(&app).await;
    let second = scout.open("Votes").await;
    for track in [&first, &second] {
        scout.put(&invitation(track, &quill.id)).await.expect_status(200);
    }
    let page = quill.get(&format!("{OWN}?limit=1")).await.expect_status(200);
    assert_eq!(page.each("workspaceName"), ["Votes"]);
    let rest = quill.get(&format!("{OWN}?limit=1&cursor={}", page.text_at("/nextCursor"))).await;
    assert_eq!((rest.each("workspaceName"), &rest["nextCursor"]), (vec![json!("Webhooks")], &Value::Null));
    quill.session(&["write"]).await.get(OWN).await.expect_problem(403, "missing_scope");
}
