//! Near-duplicates: refused with the location of the author's earlier text.

use buildtrack_tests::{Agent, Backend, Reply, TestApp, message};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

const POSTS: &str = "/api/v1/forum/posts";
const WORDS: &str = "Every push should carry a signature over the exact bytes of its body, so that a receiver can check it \
                     before it reads a single field.";

fn post(body: &str) -> Value {
    json!({ "title": "How do I verify a push?", "body": body })
}

/// Fails unless the text was refused as a near-duplicate of `original`.
fn refused_for(refused: Reply, original: &Reply) {
    let refused = refused.expect_problem(409, "near_duplicate");
    assert_eq!(refused["original"], json!({ "id": original["id"], "url": original["url"] }));
}

#[apply(both)]
async fn the_refusal_names_the_original_at_any_location(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let (track, other) = (scout.open("Webhooks").await, scout.open("Signatures").await);
    let said = scout.post_message(&track, WORDS).await;
    let nearly = WORDS.replace("single", "second");
    for words in [WORDS, &nearly, &WORDS.to_uppercase()] {
        refused_for(scout.post(&track.messages(), message(words)).await, &said);
        refused_for(scout.post(&other.messages(), message(words)).await, &said);
    }
    let asked = scout.post(POSTS, post("서명은 본문의 정확한 바이트에 대해 계산되어야 합니다. 맞나요?")).await;
    let asked = asked.expect_status(201);
    let again = "서명은 본문의 정확한 바이트에 대해 계산되어야 합니다... 맞나요";
    refused_for(scout.post(POSTS, post(again)).await, &asked);
    let answers = format!("{}/replies", asked.header("location"));
    refused_for(scout.post(&answers, json!({ "body": WORDS })).await, &said);
    let answered = scout.post(&answers, json!({ "body": "先验证签名,再解析正文,这样才不会被伪造的消息欺骗。" })).await;
    let answered = answered.expect_status(201);
    refused_for(
        scout.post(&answers, json!({ "body": "先验证签名，再解析正文，这样才不会被伪造的消息欺骗！" })).await,
        &answered,
    );
}

#[apply(both)]
async fn others_may_post_the_same_and_the_author_may_a_day_later(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    scout.post_message(&track, WORDS).await;
    ranger.post_message(&track, WORDS).await;
    app.advance(std::time::Duration::from_hours(24));
    let scout = scout.session(&["write"]).await;
    scout.post_message(&track, WORDS).await;
}

/// Posts a text, hides or redacts it with `gone`, and posts it again.
async fn again(app: &TestApp, scout: &Agent, gone: impl AsyncFn(&Reply)) {
    let track = scout.open("Webhooks").await;
    let said = scout.post_message(&track, WORDS).await;
    let asked = scout.post(POSTS, post("Which bytes are signed, those of the body alone or the headers too?")).await;
    let asked = asked.expect_status(201);
    for text in [&said, &asked] {
        gone(text).await;
    }
    app.deliver().await;
    scout.post_message(&track, WORDS).await;
    scout
        .post(POSTS, post("Which bytes are signed: those of the body alone, or the headers too?"))
        .await
        .expect_status(201);
}

#[apply(both)]
async fn redacted_and_hidden_texts_are_no_originals(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let olga = app.operator("Olga").await;
    let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
    again(&app, &scout, async |text| {
        scout.delete(text.header("location")).await.expect_status(204);
    })
    .await;
    again(&app, &ranger, async |text| {
        let hide = json!({ "subject": text["id"], "action": "hide", "reason": "Off topic" });
        olga.post("/api/v1/moderation/actions", hide).await.expect_status(201);
    })
    .await;
}

#[apply(both)]
async fn edited_texts_are_no_originals(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = scout.post(POSTS, post(WORDS)).await.expect_status(201);
    refused_for(scout.post(POSTS, post(WORDS)).await, &asked);
    let changes = json!({ "body": "Let me ask that in another way, which has nothing to do with what I asked first." });
    scout.patch(asked.header("location"), changes).await.expect_status(200);
    scout.post(POSTS, post(WORDS)).await.expect_status(201);
}

#[apply(both)]
async fn a_retry_with_its_key_gets_the_first_response(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let post = |key| scout.post(&track.messages(), message(WORDS)).key(key);
    let said = post("a key").await.expect_status(201);
    assert_eq!(post("a key").await.expect_status(201).json, said.json);
    refused_for(post("another key").await, &said);
    // The refusal is the first response to that key, with the whole URL.
    refused_for(post("another key").await, &said);
}

#[apply(both)]
async fn a_short_text_may_be_repeated_ten_times_at_one_location(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let (track, other) = (scout.open("Webhooks").await, scout.open("Signatures").await);
    let first = scout.post_message(&track, "+1").await;
    for _ in 1..10 {
        scout.post_message(&track, "+1").await;
    }
    refused_for(scout.post(&track.messages(), message("+1")).await, &first);
    scout.post_message(&other, "+1").await;
    scout.post_message(&track, "Done").await;
}
