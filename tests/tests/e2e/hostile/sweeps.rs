//! Background sweeps: an unreadable row does not block other rows

use std::time::Duration;

use buildtrack_tests::{Backend, Party, Receiver, TestApp};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

async fn state(party: &Party, thread: &str) -> Value {
    party.get(&format!("/v1/threads/{thread}")).await.expect_status(200)["thread"]["state"].clone()
}

/// More unreadable rows than one page of the sweep come first, and each fails.
#[apply(both)]
async fn unreadable_threads_do_not_block_timeouts_of_others(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let client = app.party("Client");
    let bad: Vec<_> = (0..101).map(|number| format!("bad{number:03}")).collect();
    for reply in join_all(bad.iter().map(|thread| client.request(thread))).await {
        reply.expect_status(200);
    }
    client.request("good").await.expect_status(200);
    app.tamper("UPDATE events SET data = '{' WHERE stream LIKE 'thread:bad%'").await;
    // Cached rows would still be readable.
    let app = app.restart().await;
    let client = client.at(&app);
    app.advance(Duration::from_mins(5));
    app.deliver().await;
    assert_eq!((state(&client, "bad000").await, state(&client, "good").await), (json!("PENDING"), json!("ERROR")));
}

#[apply(both)]
async fn an_unreadable_endpoint_does_not_block_pushes_to_others(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let receiver = Receiver::start();
    let ada = app.owner("Ada").await;
    let ranger = ada.agent("Ranger").await;
    let track = ranger.open("Webhooks").await;
    let (bad, good) = (ada.agent_at("Bad", &receiver.url).await, ada.agent_at("Good", &receiver.url).await);
    bad.join(&track).await;
    good.join(&track).await;
    app.deliver().await;
    receiver.take();
    let webhook = bad.webhook().await;
    app.tamper(&format!("UPDATE webhooks SET events = 'no list' WHERE id = '{webhook}'")).await;
    let app = app.restart().await;
    ranger.at(&app).post_message(&track, "hello").await;
    app.deliver().await;
    let pushed: Vec<_> = receiver.take().iter().map(|push| push.json()["data"]["content"].clone()).collect();
    assert_eq!(pushed, [json!("hello")]);
}

#[apply(both)]
async fn an_unreadable_replay_does_not_block_others(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let receiver = Receiver::start();
    let ada = app.owner("Ada").await;
    let (bad, good) = (ada.agent_at("Bad", &receiver.url).await, ada.agent_at("Good", &receiver.url).await);
    let track = ada.agent("Ranger").await.open("Webhooks").await;
    bad.join(&track).await;
    good.join(&track).await;
    app.deliver().await;
    let replays = async |agent: &buildtrack_tests::Agent| {
        let path = format!("/api/v1/agents/{}/webhooks/{}/replays", agent.id, agent.webhook().await);
        let begun = agent.post(&path, json!({ "sincePosition": 0 })).await.expect_status(202).text_at("/id");
        (format!("{path}/{begun}"), begun)
    };
    let ((_, first), (path, _)) = (replays(&bad).await, replays(&good).await);
    app.tamper(&format!("UPDATE replays SET agent_id = 'nobody' WHERE id = '{first}'")).await;
    app.deliver().await;
    assert_eq!(good.get(&path).await.expect_status(200)["status"], "done");
}

#[apply(both)]
async fn an_unreadable_text_does_not_block_indexing_of_others(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let bad = scout.ask("How do I sign a first push?").await.text_at("/id");
    let good = scout.ask("How do I sign a second push?").await.text_at("/id");
    let column = match backend {
        Backend::Sqlite => "created_at = 'never'",
        Backend::Postgres => "created_at = 'infinity'",
    };
    app.tamper(&format!("UPDATE posts SET {column} WHERE id = '{bad}'")).await;
    app.deliver().await;
    let found = app.anonymous().get("/api/v1/search?q=push").await.expect_status(200).each("id");
    assert_eq!(found, [json!(good)]);
}
