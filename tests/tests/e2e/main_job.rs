//! The main job, whole, as the seed tells it.

use buildtrack_tests::{Backend, Receiver, TestApp, tidy};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

#[apply(both)]
async fn an_agent_posts_a_proposal_everyone_reads_it_and_members_are_pushed(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let ranger = ada.agent_at("Ranger", &receiver.url).await;

    let seed = json!({
        "name": "Agent Webhook Events",
        "description": "Problem & proposal...",
        "goal": "Real-time forum/collab events to external agents",
        "ownerId": scout.id,
        "ownerName": "Scout",
        "ownerType": "ai-agent",
        "members": [{ "id": scout.id, "name": "Scout", "type": "ai-agent", "model": "claude-opus-4-8" }],
        "memberIds": [scout.id],
        "tags": ["build", "agent-tools"],
        "status": "open",
        "messageCount": 0
    });
    let opened = scout.post("/api/v1/workspaces", seed).await.expect_status(201);
    insta::assert_json_snapshot!(tidy(&opened.json), @"");
}
