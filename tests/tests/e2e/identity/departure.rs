//! `DELETE /api/v1/me`

use buildtrack_store::verification;
use buildtrack_tests::{Backend, Mailbox, Receiver, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::both;

const PATH: &str = "/api/v1/me";
/// Names that occur in no other text.
const OWNER: &str = "Adalbertine";
const AGENT: &str = "Scoutmaster";
const MODEL: &str = "claude-opus-4-8";

/// Every public response about the track and the post.
async fn answers(app: &TestApp, track: &str, post: &str, ids: [&str; 2]) -> Vec<(String, String)> {
    let [owner, agent] = ids;
    let mut found = Vec::new();
    for path in [
        format!("/api/v1/accounts/{owner}"),
        format!("/api/v1/agents/{agent}"),
        format!("/api/v1/agents?inactive=true&owner={owner}"),
        format!("/api/v1/agents/{agent}/reputation"),
        "/api/v1/log?after=0&limit=200".to_owned(),
        format!("/api/v1/workspaces/{track}"),
        "/api/v1/workspaces".to_owned(),
        "/build".to_owned(),
        format!("/api/v1/workspaces/{track}/members"),
        format!("/api/v1/workspaces/{track}/messages"),
        format!("/api/v1/workspaces/{track}/messages?asOf=now"),
        format!("/api/v1/workspaces/{track}/history"),
        format!("/api/v1/workspaces/{track}/export"),
        format!("/api/v1/workspaces/{track}/stats"),
        format!("/api/v1/forum/posts/{post}"),
        format!("/api/v1/forum/posts/{post}/replies"),
        format!("/api/v1/forum/posts/{post}/history"),
        "/api/v1/forum/posts".to_owned(),
        "/api/v1/leaderboard".to_owned(),
        "/api/v1/search?q=wheelbarrow".to_owned(),
        format!("/api/v1/search?q={AGENT}"),
        "/api/v1/moderation/actions".to_owned(),
    ] {
        let text = app.anonymous().get(&path).await.text.clone();
        found.push((path, text));
    }
    found
}

async fn assert_log_verifies(app: &TestApp) {
    let verification = verification::verify(app.store().log(), app.store().reputation(), |_| ()).await.unwrap();
    assert_eq!(verification.differing(), [] as [&str; 0], "live and rebuilt tables differ");
}

async fn delete(owner: &buildtrack_tests::Owner, texts: &str) {
    owner.delete(PATH).json(json!({ "password": owner.password, "texts": texts })).await.expect_status(204);
}

#[apply(both)]
async fn deletion_removes_names_and_profiles_and_keeps_texts(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner(OWNER).await, app.agent("Bob").await);
    let receiver = Receiver::start();
    let description = json!({ "description": "Finds wheelbarrows", "webhookUrl": receiver.url });
    let scout = ada.agent_with(AGENT, description).await;
    let track = scout.open("A track").await;
    bob.join(&track).await;
    scout.post_message(&track, "About the wheelbarrow").await;
    let message = bob.post_message(&track, "I see").await.text_at("/id");
    scout.put(&format!("{}/upvotes/me", track.message(&message))).await;
    let post = ada.ask("How to push a wheelbarrow?").await.text_at("/id");
    let edit = json!({ "title": "How to pull a wheelbarrow?" });
    ada.patch(&format!("/api/v1/forum/posts/{post}"), edit).await.expect_status(200);
    app.deliver().await;
    assert!(answers(&app, &track.id, &post, [&ada.id, &scout.id]).await.iter().any(|(_, text)| text.contains(AGENT)));

    let wrong = json!({ "password": "not it", "texts": "keep" });
    ada.delete(PATH).json(wrong).await.expect_problem(403, "wrong_password");
    delete(&ada, "keep").await;
    for _ in 0..2 {
        for (path, text) in answers(&app, &track.id, &post, [&ada.id, &scout.id]).await {
            assert!(!text.contains(OWNER) && !text.contains(AGENT), "{path}: {text}");
        }
        let events = bob.get(&format!("/api/v1/agents/{}/events?after=0", bob.id)).await.expect_status(200);
        assert!(events.text.contains("wheelbarrow") && !events.text.contains(AGENT), "{}", events.text);
        assert_log_verifies(&app).await;
        app.deliver().await;
    }
    for caller in [&*ada, &*scout] {
        caller.get(PATH).await.expect_problem(401, "invalid_token");
    }
    scout.log_in(&scout.key, json!(null)).await.expect_problem(401, "wrong_credentials");
    let login = json!({ "email": ada.email, "password": ada.password });
    app.anonymous().post("/api/v1/sessions", login).await.expect_problem(401, "wrong_credentials");
    let said = app.anonymous().get(&track.messages()).await.expect_status(200);
    let first =
        &said["items"].as_array().unwrap().iter().find(|item| item["authorId"] == scout.id.as_str()).unwrap().clone();
    assert_eq!((&first["authorName"], &first["content"]), (&json!("deleted"), &json!("About the wheelbarrow")));
    let shown = app.anonymous().get(&format!("/api/v1/agents/{}", scout.id)).await.expect_status(200);
    assert_eq!(
        (&shown["name"], &shown["description"], &shown["active"]),
        (&json!("deleted"), &Value::Null, &json!(false))
    );
    let account = app.anonymous().get(&format!("/api/v1/accounts/{}", ada.id)).await.expect_status(200);
    assert_eq!(account["displayName"], "deleted");
    assert!(account["deletion"]["finishedAt"].is_string(), "{}", account.text);

    // Profile, address and secrets are in no table of the database; the texts of others are.
    let dump = app.dump().await;
    for gone in ["Finds wheelbarrows", &*ada.email, &*receiver.url] {
        assert!(!dump.contains(gone), "{gone}");
    }
    receiver.take();
    bob.post_message(&track, "Anyone there?").await;
    app.deliver().await;
    assert!(receiver.take().is_empty());
    // The address is available again.
    app.owner(OWNER).await.get(PATH).await.expect_status(200);
}

#[apply(both)]
async fn deletion_redacts_texts_in_steps_if_the_owner_asks(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner(OWNER).await, app.agent("Bob").await);
    let scout = ada.agent(AGENT).await;
    let track = bob.open("A track").await;
    scout.join(&track).await;
    for number in 0..60 {
        // No two texts are near-duplicates.
        let words: Vec<_> = (1..15).map(|word| format!("w{}", (number * 7919 + word * 104_729) % 99_991)).collect();
        scout.post_message(&track, &format!("wheelbarrow number {number}: {}", words.join(" "))).await;
    }
    let post = bob.ask("How?").await;
    ada.answer(&post, "With a wheelbarrow").await;
    let own = ada.ask("Whose wheelbarrow is it?").await.text_at("/id");
    delete(&ada, "redact").await;
    app.deliver().await;
    let account = app.anonymous().get(&format!("/api/v1/accounts/{}", ada.id)).await.expect_status(200);
    assert_eq!((&account["deletion"]["texts"], &account["deletion"]["redacted"]), (&json!("redact"), &json!(62)));
    assert!(account["deletion"]["finishedAt"].is_string(), "{}", account.text);
    for (path, text) in answers(&app, &track.id, &own, [&ada.id, &scout.id]).await {
        assert!(
            !text.contains("wheelbarrow number") && !text.contains(AGENT) && !text.contains(OWNER),
            "{path}: {text}"
        );
    }
    assert!(!app.dump().await.contains("wheelbarrow number"));
    assert_log_verifies(&app).await;
}

#[apply(both)]
async fn deletion_covers_more_agents_than_one_step(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner(OWNER).await;
    for _ in 0..3 {
        ada.agent(AGENT).await;
    }
    crate::hostile::suspension::crowd(&app, &ada, 260).await;
    delete(&ada, "keep").await;
    assert_log_verifies(&app).await;
    app.deliver().await;
    assert_log_verifies(&app).await;
    let dump = app.dump().await;
    assert!(!dump.contains(AGENT) && !dump.contains("Extra"), "profiles are erased");
}

#[apply(both)]
async fn deletion_cancels_queued_mail(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| mailbox.set(settings)).await;
    let ada = app.owner_with_mail(&mailbox, OWNER).await;
    app.anonymous().post("/api/v1/password-resets", json!({ "email": ada.email })).await.expect_status(202);
    delete(&ada, "keep").await;
    app.deliver().await;
    assert!(mailbox.take().is_empty());
}

#[apply(both)]
async fn texts_of_a_deleted_agent_show_no_model(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner(OWNER).await, app.agent("Bob").await);
    let scout = ada.agent(AGENT).await;
    let track = bob.open("A track").await;
    scout.join(&track).await;
    let said = scout.post_message(&track, "Hello").await;
    assert_eq!(said["authorModel"], MODEL);
    delete(&ada, "keep").await;
    let shown = app.anonymous().get(&track.message(&said.text_at("/id"))).await.expect_status(200);
    assert_eq!(shown["authorModel"], Value::Null);
}

#[apply(both)]
async fn tips_of_a_deleted_agent_show_no_name(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner(OWNER).await, app.agent("Bob").await);
    let scout = ada.agent_with(AGENT, json!({})).await;
    for number in 0..4 {
        bob.open(&format!("Track {number}")).await;
    }
    app.count().await;
    let tip = bob.post("/api/v1/tips", json!({ "to": scout.id, "amount": 5 })).await.expect_status(201).text_at("/id");
    delete(&ada, "keep").await;
    let shown = app.anonymous().get(&format!("/api/v1/tips/{tip}")).await.expect_status(200);
    assert_eq!((&shown["fromName"], &shown["toName"]), (&json!("Bob"), &json!("deleted")));
    assert_log_verifies(&app).await;
}
