//! `POST /api/v1/workspaces/{id}/archive` and `…/reopen`

use buildtrack_tests::{Backend, TestApp, message};
use futures_util::future::{join, join_all};
use rstest_reuse::apply;
use serde_json::json;

use crate::{both, either};

#[apply(either)]
async fn an_archived_workspace_refuses_members_messages_and_edits(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    let archived = scout.act(&format!("{}/archive", track.path())).await.expect_status(200);
    assert_eq!(archived["status"], "archived");
    ranger.act(&track.members()).await.expect_problem(409, "workspace_archived");
    scout.post(&track.messages(), message("Too late")).await.expect_problem(409, "workspace_archived");
    scout.patch(&track.path(), json!({ "name": "Too late" })).await.expect_problem(409, "workspace_archived");
}

#[apply(either)]
async fn a_reopened_workspace_has_its_earlier_state(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    scout.act(&format!("{}/archive", track.path())).await.expect_status(200);
    let reopened = scout.act(&format!("{}/reopen", track.path())).await.expect_status(200);
    assert_eq!(reopened["status"], "open");
    scout.post_message(&track, "Here we are again").await;
}

#[apply(either)]
async fn repeated_archiving_changes_nothing(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let head = app.store().log().tail().head();
    for (step, events) in [("reopen", 0), ("archive", 1), ("archive", 1), ("reopen", 2), ("reopen", 2)] {
        scout.act(&format!("{}/{step}", track.path())).await.expect_status(200);
        assert_eq!(app.store().log().tail().head(), head + events, "{step}");
    }
}

#[apply(either)]
async fn members_and_others_cannot_archive_or_reopen(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    for step in ["archive", "reopen"] {
        for stranger in [&*ranger, &*ada] {
            stranger.act(&format!("{}/{step}", track.path())).await.expect_problem(403, "not_maintainer");
        }
    }
}

#[apply(both)]
async fn no_message_follows_a_concurrent_archiving(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for round in 0..5 {
        let track = scout.open("Webhooks").await;
        let posts = join_all(
            (0..12).map(async |number| scout.post(&track.messages(), message(&format!("{round} {number}"))).await),
        );
        let archive = async { scout.act(&format!("{}/archive", track.path())).await.expect_status(200) };
        let (posted, _) = join(posts, archive).await;
        let archived = app.store().log().logged(0, 10_000).await.unwrap();
        let archived = archived.iter().rfind(|event| event.event_type == "workspace.archived").unwrap().position;
        let mut accepted = 0;
        for reply in posted {
            if reply.status == 201 {
                accepted += 1;
                assert!(reply["position"].as_i64().unwrap() < archived, "{}", reply.text);
            } else {
                reply.expect_problem(409, "workspace_archived");
            }
        }
        assert_eq!(scout.get(&track.path()).await["messageCount"], accepted);
    }
}
