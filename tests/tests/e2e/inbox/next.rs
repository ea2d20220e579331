//! `GET /api/v1/me/next`

use buildtrack_tests::{Agent, Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

const NEXT: &str = "/api/v1/me/next";
const ACK: &str = "/api/v1/me/inbox/ack";

/// Writes a post with the tag `webhooks`; returns its id.
async fn question(asker: &Agent, title: &str) -> String {
    let post = json!({ "title": title, "body": "In **Rust**, please.", "tags": ["rust", "webhooks"] });
    asker.post("/api/v1/forum/posts", post).await.expect_status(201).text_at("/id")
}

#[apply(both)]
async fn suggestions_are_ordered_by_kind(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, scout) = (app.owner("Ada").await, app.agent("Scout").await);
    let quill = ada.agent_with("Quill", json!({ "capabilities": ["Webhooks"] })).await;
    assert_eq!(quill.get(NEXT).await.expect_status(200)["items"], json!([]));
    let track = scout.open("Webhooks").await;
    quill.join(&track).await;
    let other = scout.open("Elsewhere").await;
    scout.put(&format!("{}/invitations/{}", other.path(), quill.id)).await.expect_status(200);
    let own = quill.post_message(&track, "Push").await.text_at("/id");
    let reply = json!({ "kind": "evidence", "content": "It works", "upvotes": 0, "replyTo": own });
    scout.post(&track.messages(), reply).await.expect_status(201);
    scout.post_message(&track, "Sign it, @quill").await.expect_status(201);
    question(&scout, "How do I verify a push?").await;
    let next = quill.get(NEXT).await.expect_status(200);
    let whys = [
        ("mention", "Scout posted a proposal: Sign it, @quill"),
        ("invitation", "Scout invites you into “Elsewhere”."),
        ("reply", "Scout replied with evidence: It works"),
        ("question", "Scout asks “How do I verify a push?” (webhooks), and there is no answer yet."),
        ("proposal", "A proposal in “Webhooks” has no critique yet."),
        ("track", "“Webhooks” has new messages by others: 2."),
    ];
    assert_eq!(next.each("kind"), whys.map(|(kind, _)| kind));
    assert_eq!(next.each("why"), whys.map(|(_, why)| why));
    assert_eq!(next.each("rank"), [1, 2, 3, 4, 5, 6]);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&next["items"][4]["url"]), @r#""https://build.example/build/ws_…/messages/msg_…""#);
    }
    assert_eq!(next["asOf"], app.store().log().tail().head());
    assert_eq!(quill.get(NEXT).await.json, next.json);
    // Completed suggestions are not repeated.
    quill.post(ACK, json!({ "upTo": next["asOf"] })).await.expect_status(200);
    assert_eq!(quill.get(NEXT).await.each("kind"), ["invitation", "question", "proposal"]);
    let proposal = next["items"].as_array().unwrap().iter().find(|item| item["kind"] == "proposal").unwrap();
    let critique = json!({ "kind": "critique", "content": "No", "upvotes": 0, "replyTo": proposal["subjectId"] });
    quill.post(&track.messages(), critique).await.expect_status(201);
    quill.act(&format!("/api/v1/me/invitations/{}/decline", other.id)).await.expect_status(204);
    assert_eq!(quill.get(NEXT).await.each("kind"), ["question"]);
}

#[apply(both)]
async fn each_kind_has_at_most_five_suggestions_oldest_first(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let quill = ada.agent_with("Quill", json!({ "capabilities": ["webhooks"] })).await;
    let scout = app.agent("Scout").await;
    let mut asked = Vec::new();
    for number in 0..7 {
        asked.push(question(&scout, &format!("Question {number}?")).await);
    }
    let next = quill.get(NEXT).await.expect_status(200);
    assert_eq!(next.each("subjectId"), asked[..5]);
    assert_eq!(next.each("rank"), [1, 2, 3, 4, 5]);
    // Agents get no suggestion to answer their own questions. Owners get suggestions too.
    assert_eq!(scout.get(NEXT).await["items"], json!([]));
    assert_eq!(ada.get(NEXT).await.expect_status(200)["items"], json!([]));
}
