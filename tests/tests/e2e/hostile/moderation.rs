//! Moderation coverage: operators can hide every text that an untrusted caller can publish.

use buildtrack_store::verification;
use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use super::sweep::{MARK, TAG, World};
use crate::{either, faults};

const ACTIONS: &str = "/api/v1/moderation/actions";

#[apply(either)]
async fn hidden_texts_are_in_no_response_until_restored(#[case] backend: Backend) {
    let world = World::new(backend).await;
    let before: Vec<_> = world.shown().await.into_iter().map(|(path, _)| path).collect();
    // The sweep finds the texts before they are hidden.
    for address in [
        "/v1/threads/thread_1",
        "/v1/agents",
        "/api/v1/protocols",
        "/api/v1/reports",
        "/api/v1/agents",
        "/api/v1/moderation/appeals",
    ] {
        assert!(before.iter().any(|path| path == address), "{address} shows no mark: {before:#?}");
    }
    let subjects = world.all_subjects().await;
    for subject in &subjects {
        world.decide(subject, "hide").await;
    }
    world.app.deliver().await;
    assert_eq!(world.shown().await, [] as [(String, String); 0]);
    assert!(!world.replayed().await.contains(MARK));

    for subject in &subjects {
        world.decide(subject, "restore").await;
    }
    world.app.deliver().await;
    let after: Vec<_> = world.shown().await.into_iter().map(|(path, _)| path).collect();
    let lost: Vec<_> = before
        .iter()
        .filter(|path| !after.contains(path) && !path.starts_with("/api/v1/log?") && !path.contains("asOf"))
        .collect();
    assert_eq!(lost, [] as [&String; 0]);
    let verification =
        verification::verify(world.app.store().log(), world.app.store().reputation(), |_| ()).await.unwrap();
    assert_eq!(verification.differing(), [] as [&str; 0]);
}

#[apply(either)]
async fn a_hidden_agent_keeps_its_id_and_has_a_placeholder_name(#[case] backend: Backend) {
    let world = World::new(backend).await;
    let path = format!("/api/v1/agents/{}", world.agent.id);
    world.decide(&world.agent.id, "hide").await;
    let shown = world.scout.get(&path).await.expect_status(200);
    assert_eq!((&shown["id"], &shown["name"]), (&json!(world.agent.id), &json!("[hidden]")));
    assert_eq!((&shown["description"], &shown["capabilities"]), (&json!(null), &json!([])));
    let track = world.agent.open("Webhooks").await;
    let said = world.agent.post_message(&track, "Something else").await;
    assert!(said.text.contains("[hidden]") && !said.text.contains(MARK), "{}", said.text);
    // A name that the owner sets instead of the hidden one is visible, and restoring does not revert it.
    world.villain.patch(&path, json!({ "name": "Ranger", "model": "m-1" })).await.expect_status(200);
    assert_eq!(world.scout.get(&path).await["name"], "Ranger");
    world.decide(&world.agent.id, "restore").await;
    assert_eq!(world.scout.get(&path).await["name"], "Ranger");
}

#[apply(either)]
async fn a_hidden_envelope_is_in_no_poll_and_its_thread_advances(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, alice, bob) = (app.operator("Olga").await, app.party("Alice"), app.party("Bob"));
    alice.request("t1").await.expect_status(200);
    let position = app
        .store()
        .log()
        .logged(0, 100)
        .await
        .unwrap()
        .iter()
        .find(|event| event.event_type == "envelope.accepted")
        .unwrap()
        .position;
    let subject = format!("log_{position}");
    let reported = json!({ "subject": subject, "reason": "Advertising" });
    app.agent("Scout").await.post("/api/v1/reports", reported).await.expect_status(201);
    let decide = async |action: &str| {
        olga.post(ACTIONS, json!({ "subject": subject, "action": action, "reason": "Advertising" })).await
    };
    decide("hide").await.expect_status(201);
    assert!(!bob.poll("since=2026-01-01T00:00:00Z").await.text.contains("Hello"));
    let thread = bob.get("/v1/threads/t1").await.expect_status(200);
    assert!(!thread.text.contains("Hello") && thread.text.contains("[hidden]"), "{}", thread.text);
    bob.offer("t1").await.expect_status(200);
    decide("restore").await.expect_status(201);
    assert!(bob.get("/v1/threads/t1").await.text.contains("Hello"));
    decide("erase").await.expect_status(201);
    assert!(!bob.get("/v1/threads/t1").await.text.contains("Hello"));
    decide("restore").await.expect_problem(409, "already_so");
}

#[apply(either)]
async fn only_an_event_with_a_text_is_a_subject(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, scout) = (app.operator("Olga").await, app.agent("Scout").await);
    scout.open("Webhooks").await;
    let logged = app.store().log().logged(0, 100).await.unwrap();
    let position = |wanted: &str| logged.iter().find(|event| event.event_type == wanted).unwrap().position;
    for (subject, code) in [
        (format!("log_{}", position("workspace.opened")), ("/action", "does_not_fit")),
        (format!("log_{}", position("email.claimed")), ("/action", "does_not_fit")),
        ("log_999999".to_owned(), ("/subject", "not_found")),
        ("log_01".to_owned(), ("/subject", "wrong_form")),
    ] {
        let body = json!({ "subject": subject, "action": "hide", "reason": "Advertising" });
        let refused = olga.post(ACTIONS, body).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults(), faults(&[code]), "{subject}");
    }
    // A caller that reports a private event does not learn its content.
    for private in ["email.claimed", "webhook.registered"]
        .iter()
        .filter(|wanted| logged.iter().any(|event| event.event_type == **wanted))
    {
        let report = json!({ "subject": format!("log_{}", position(private)), "reason": TAG });
        scout.post("/api/v1/reports", report).await.expect_status(201);
    }
}
