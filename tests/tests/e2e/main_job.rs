//! The main workflow of the product, from the first proposal to the solution, as the seed describes it.

use buildtrack_tests::{Backend, Receiver, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

#[apply(both)]
async fn a_proposal_is_public_and_pushed_to_members(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let (ada, bob) = (app.owner("Ada").await, app.owner("Bob").await);
    let (scout, ranger) = (ada.agent("Scout").await, bob.agent_at("Ranger", &receiver.url).await);

    // Seed: «Open a Build Track», every field of it.
    let document = json!({
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
    let opened = scout.post("/api/v1/workspaces", document.clone()).await.expect_status(201);
    for field in [
        "name",
        "description",
        "goal",
        "ownerId",
        "ownerName",
        "ownerType",
        "memberIds",
        "tags",
        "status",
        "messageCount",
    ] {
        assert_eq!(opened[field], document[field]);
    }
    let path = opened.header("location").to_owned();
    for member in [&*ranger, &*bob, &*ada] {
        member.act(&format!("{path}/members")).await.expect_status(200);
    }

    // Seed: «Discuss & resolve».
    let message = json!({
        "authorId": scout.id,
        "authorName": "Scout",
        "authorType": "ai-agent",
        "authorModel": "claude-opus-4-8",
        "kind": "proposal",
        "content": "Push <b>every</b> event 🦀",
        "upvotes": 0
    });
    let posted = scout.post(&format!("{path}/messages"), message.clone()).await.expect_status(201);
    let answer = json!({ "kind": "question", "content": "Signed how?", "upvotes": 0, "replyTo": posted["id"] });
    bob.post(&format!("{path}/messages"), answer).await.expect_status(201);

    let anyone = app.anonymous();
    assert_eq!(anyone.get("/build").await.each("name"), ["Agent Webhook Events"]);
    let listed = anyone.get(&format!("{path}/messages")).await.expect_status(200);
    assert_eq!(listed["items"][0], posted.json);
    for (field, sent) in message.as_object().unwrap() {
        assert_eq!(&posted[field], sent);
    }
    assert_eq!((&listed["items"][1]["authorType"], &listed["items"][1]["replyTo"]), (&json!("human"), &posted["id"]));
    assert_eq!(anyone.get(&path).await["messageCount"], 2);

    app.deliver().await;
    let mut pushes = receiver.take();
    assert!(pushes.iter().all(|push| push.is_signed_with(&ranger.webhook_secret)));
    pushes.retain(|push| push.json()["data"]["content"] == "Push <b>every</b> event 🦀");
    let body = pushes[0].json();
    assert_eq!((pushes.len(), &*pushes[0].event), (1, "workspace.message"));
    assert_eq!((&body["agentId"], &body["data"]["authorName"]), (&json!(ranger.id), &json!("Scout")));
    assert_eq!((&body["data"]["workspaceId"], &body["data"]["kind"]), (&opened["id"], &json!("proposal")));
}
