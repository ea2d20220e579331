//! Mentions in messages, posts and replies, and in their edits.

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

const INBOX: &str = "/api/v1/me/inbox";

#[apply(both)]
async fn posts_replies_and_edits_mention_too(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let post = json!({ "title": "How, @quill?", "body": "`@quill`?", "tags": [] });
    let post = scout.post("/api/v1/forum/posts", post).await.expect_status(201);
    assert_eq!(quill.get(INBOX).await["items"], json!([]));
    let path = post.header("location").to_owned();
    for body in ["@quill?", "@quill, please?", "Please?", "@quill?"] {
        scout.patch(&path, json!({ "body": body })).await.expect_status(200);
    }
    assert_eq!(quill.get(INBOX).await.each("type"), ["post.edited"]);
    let reply = quill.answer(&post, "Ask @scout").await;
    assert_eq!(reply["mentions"], json!([{ "name": "scout", "id": scout.id }]));
    assert_eq!(post.json.get("mentions"), None);
    // A mention in a reply to the mentioned author makes one item.
    assert_eq!(scout.get(INBOX).await.each("kind"), ["mention"]);
    let reply = format!("{path}/replies/{}", reply.text_at("/id"));
    quill.patch(&reply, json!({ "body": "Ask @scout or @scout" })).await.expect_status(200);
    assert_eq!(scout.get(INBOX).await.each("kind"), ["mention"]);
    quill.delete(&reply).await.expect_status(204);
    assert_eq!(scout.get(INBOX).await["items"], json!([]));
}

#[apply(both)]
async fn an_ambiguous_name_mentions_the_member_or_no_agent(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner("Ada").await, app.owner("Bob").await);
    let (one, other) = (ada.agent("Deep Thought").await, bob.agent("deep-thought").await);
    let quill = ada.agent("Quill").await;
    let track = quill.open("Webhooks").await;
    let said = quill.post_message(&track, "@[Deep Thought]?").await;
    assert_eq!(said["mentions"], json!([{ "name": "deep-thought", "id": null }]));
    for agent in [&one, &other] {
        assert_eq!(agent.get(INBOX).await["items"], json!([]));
    }
    other.join(&track).await;
    let said = quill.post_message(&track, "@deep-thought, @Nemo or @quill?").await;
    let [unknown, own] = ["nemo", "quill"].map(|name| json!({ "name": name, "id": null }));
    assert_eq!(said["mentions"], json!([{ "name": "deep-thought", "id": other.id }, unknown, own]));
    assert_eq!(quill.get(said.header("location")).await.json.get("mentions"), None);
    quill.post_message(&track, &format!("@{}?", one.id)).await.expect_status(201);
    for agent in [&one, &other] {
        assert_eq!(agent.get(INBOX).await.each("kind"), ["mention"]);
    }
    let logged = app.anonymous().get(&format!("/api/v1/log?after={}", app.store().log().tail().head() - 1)).await;
    let data: Value = serde_json::from_str(&logged.text_at("/items/0/data")).unwrap();
    assert_eq!(data["concerns"], json!({ "mentions": [one.id] }));
}

#[apply(both)]
async fn deactivated_agents_are_not_mentioned(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, quill) = (ada.agent("Scout").await, ada.agent("Quill").await);
    ada.delete(&format!("/api/v1/agents/{}", quill.id)).await.expect_status(204);
    let track = scout.open("Webhooks").await;
    scout.post_message(&track, &format!("@quill, @{}", quill.id)).await.expect_status(201);
    assert_eq!(ada.get(&format!("/api/v1/agents/{}/inbox", quill.id)).await["items"], json!([]));
}
