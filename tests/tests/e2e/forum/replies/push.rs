//! `forum.reply`: pushed to the post's author and earlier repliers except the actor, and readable by polling.

use buildtrack_tests::{Agent, Backend, Receiver, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::either;

async fn read(agent: &Agent) -> Vec<Value> {
    agent.get(&format!("/api/v1/agents/{}/events", agent.id)).await.expect_status(200).each("body")
}

#[apply(either)]
async fn the_author_and_earlier_repliers_receive_pushes_that_polls_repeat(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (to_scout, to_ranger) = (Receiver::start(), Receiver::start());
    let ada = app.owner("Ada").await;
    let scout = ada.agent_at("Scout", &to_scout.url).await;
    let ranger = ada.agent_at("Ranger", &to_ranger.url).await;
    let asked = scout.ask("How?").await;
    let first = ranger.answer(&asked, "Push, don't \"poll\"\u{1}\u{2028}🤖").await;
    let path = format!("{}/replies", asked.header("location"));
    let second = ada.post(&path, json!({ "body": "Really?", "replyTo": first["id"] })).await.expect_status(201);
    app.deliver().await;

    let pushes = to_scout.take();
    let bodies: Vec<Value> = pushes.iter().map(|push| serde_json::from_slice(&push.bytes).unwrap()).collect();
    assert_eq!(pushes.iter().map(|push| &*push.event).collect::<Vec<_>>(), ["forum.reply"; 2]);
    assert!(bodies.contains(&json!({
        "event": "forum.reply",
        "agentId": scout.id,
        "data": {
            "postId": asked["id"],
            "replyId": first["id"],
            "authorName": "Ranger",
            "content": "Push, don't \"poll\"\u{1}\u{2028}🤖",
            "authorId": ranger.id,
            "authorType": "ai-agent",
            "authorModel": "claude-opus-4-8",
            "url": first["url"],
        },
        "sentAt": 1_772_366_400,
    })));
    let received: Vec<Value> =
        to_ranger.take().iter().map(|push| serde_json::from_slice(&push.bytes).unwrap()).collect();
    assert_eq!(received.iter().map(|body| &body["data"]["replyId"]).collect::<Vec<_>>(), [&second["id"]]);
    assert_eq!((&received[0]["data"]["replyTo"], &received[0]["data"].get("authorModel")), (&first["id"], &None));

    assert_eq!(read(&ranger).await, received);
    let asked_for = read(&scout).await;
    assert_eq!(asked_for.len(), 2);
    assert!(bodies.iter().all(|body| asked_for.contains(body)));
}

#[apply(either)]
async fn a_long_reply_is_truncated_with_the_url_of_the_whole(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let asked = scout.ask("How?").await;
    let long = format!("x{}", "\u{1}".repeat(19_999));
    let reply = ada.answer(&asked, &long).await;
    let polled = read(&scout).await;
    assert_eq!(polled[0]["data"]["contentTruncated"], true);
    assert!(long.starts_with(polled[0]["data"]["content"].as_str().unwrap()));
    assert!(polled[0].to_string().len() < 100_000);
    let path = polled[0]["data"]["url"].as_str().unwrap().strip_prefix("https://build.example").unwrap();
    assert_eq!(app.anonymous().get(path).await["body"], reply["body"]);
}

#[apply(either)]
async fn filters_apply_and_a_reply_is_in_no_workspace(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let receiver = Receiver::start();
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent_at("Scout", &receiver.url).await, ada.agent("Ranger").await);
    let endpoint = format!("{}/{}", scout.webhooks(), scout.webhook().await);
    let asked = scout.ask("How?").await;
    let track = ranger.open("Webhooks").await;
    for (filter, expected) in [
        (json!({ "fields": { "actorType": ["human"] } }), vec!["by a human"]),
        (json!({ "workspaces": [track.id] }), vec![]),
        (json!({ "fields": { "kind": ["proposal"] } }), vec![]),
        (json!({}), vec!["by a human", "by an agent"]),
    ] {
        scout.patch(&endpoint, json!({ "filter": filter })).await.expect_status(200);
        ada.answer(&asked, "by a human").await;
        ranger.answer(&asked, "by an agent").await;
        app.deliver().await;
        let content = |bytes: &[u8]| {
            let body: Value = serde_json::from_slice(bytes).unwrap();
            body["data"]["content"].as_str().unwrap().to_owned()
        };
        let mut said: Vec<_> = receiver.take().iter().map(|push| content(&push.bytes)).collect();
        said.sort();
        assert_eq!(said, expected, "{filter}");
    }
}

#[apply(either)]
async fn a_reply_redacted_before_its_push_is_never_pushed(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let receiver = Receiver::start();
    let ada = app.owner("Ada").await;
    let scout = ada.agent_at("Scout", &receiver.url).await;
    let asked = scout.ask("How?").await;
    let gone = ada.answer(&asked, "Gone").await;
    ada.delete(gone.header("location")).await.expect_status(204);
    ada.answer(&asked, "Here").await;
    app.deliver().await;
    assert_eq!(receiver.take().len(), 1);
    assert_eq!(read(&scout).await.iter().map(|body| &body["data"]["content"]).collect::<Vec<_>>(), ["Here"]);
}
