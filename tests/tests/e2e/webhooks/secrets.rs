//! `POST /api/v1/agents/{id}/webhooks/{webhookId}/secret` and `…/secret/activate`

use std::time::Duration;

use buildtrack_tests::{Agent, Backend, Push, Receiver, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, faults};

const HOUR: Duration = Duration::from_hours(1);

/// The path of the agent's first endpoint.
async fn first(agent: &Agent) -> String {
    format!("{}/{}", agent.webhooks(), agent.webhook().await)
}

/// Rotates the endpoint's secret; returns the new one.
async fn rotate(agent: &Agent, path: &str, body: Value) -> String {
    agent.post(&format!("{path}/secret"), body).await.expect_status(201).text_at("/secret")
}

/// Sends a test event; returns it as received.
async fn ping(agent: &Agent, path: &str, receiver: &Receiver) -> Push {
    agent.act(&format!("{path}/ping")).await.expect_status(200);
    receiver.take().pop().unwrap()
}

#[apply(both)]
async fn a_new_secret_is_shown_once_and_becomes_active_after_a_day(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let path = first(&scout).await;
    let rotated = scout.post(&format!("{path}/secret"), json!({})).key("one").await.expect_status(201);
    let new = rotated.text_at("/secret");
    assert!(new.starts_with("whsec_") && new.len() == 6 + 44 && new != scout.webhook_secret);
    assert!(path.ends_with(&rotated.text_at("/webhookId")));
    assert_eq!(rotated["overlapEndsAt"], "2026-03-02T12:00:00.000001Z");
    assert_eq!(scout.get(&path).await["overlapEndsAt"], rotated["overlapEndsAt"]);
    scout.post(&format!("{path}/secret"), json!({})).key("one").await.expect_problem(409, "answer_not_stored");
    for text in [app.dump().await, app.anonymous().get("/api/v1/log?limit=200").await.text] {
        assert!(!text.contains(&new), "the secret is stored in plain text");
    }
}

#[apply(both)]
async fn the_old_secret_signs_until_the_overlap_ends(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let scout = app.owner("Ada").await.agent_at("Scout", &receiver.url).await;
    let path = first(&scout).await;
    let new = rotate(&scout, &path, json!({ "overlapHours": 2 })).await;
    app.advance(HOUR);
    assert!(ping(&scout, &path, &receiver).await.is_signed_with(&scout.webhook_secret));
    app.advance(HOUR);
    assert!(ping(&scout, &path, &receiver).await.is_signed_with(&new));
    assert_eq!(scout.get(&path).await["overlapEndsAt"], Value::Null);
    scout.act(&format!("{path}/secret/activate")).await.expect_problem(409, "no_next_secret");
    // The current secret becomes the old one of the next overlap.
    rotate(&scout, &path, json!({ "overlapHours": 2 })).await;
    assert!(ping(&scout, &path, &receiver).await.is_signed_with(&new));
}

#[apply(both)]
async fn a_new_secret_is_active_at_once_if_activated_or_without_overlap(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let ada = app.owner("Ada").await;
    let scout = ada.agent_at("Scout", &receiver.url).await;
    let path = first(&scout).await;
    scout.act(&format!("{path}/secret/activate")).await.expect_problem(409, "no_next_secret");
    let second = rotate(&scout, &path, json!({})).await;
    let activated = ada.act(&format!("{path}/secret/activate")).await.expect_status(200);
    assert_eq!(activated["overlapEndsAt"], Value::Null);
    assert!(ping(&scout, &path, &receiver).await.is_signed_with(&second));
    ada.act(&format!("{path}/secret/activate")).await.expect_problem(409, "no_next_secret");
    let third = scout.post(&format!("{path}/secret"), json!({ "overlapHours": 0 })).await.expect_status(201);
    assert_eq!(third["overlapEndsAt"], Value::Null);
    assert!(ping(&scout, &path, &receiver).await.is_signed_with(&third.text_at("/secret")));
}

#[apply(both)]
async fn the_newest_secret_replaces_a_pending_one(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let scout = app.owner("Ada").await.agent_at("Scout", &receiver.url).await;
    let path = first(&scout).await;
    rotate(&scout, &path, json!({})).await;
    let newest = rotate(&scout, &path, json!({})).await;
    assert!(ping(&scout, &path, &receiver).await.is_signed_with(&scout.webhook_secret));
    scout.act(&format!("{path}/secret/activate")).await.expect_status(200);
    assert!(ping(&scout, &path, &receiver).await.is_signed_with(&newest));
}

#[apply(both)]
async fn an_overlap_is_at_most_a_week(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let path = format!("{}/secret", first(&scout).await);
    for (hours, code) in [(-1, "too_small"), (169, "too_large")] {
        let refused =
            scout.post(&path, json!({ "overlapHours": hours })).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults(), faults(&[("/overlapHours", code)]));
    }
    let rotated = scout.post(&path, json!({ "overlapHours": 168 })).await.expect_status(201);
    assert_eq!(rotated["overlapEndsAt"], "2026-03-08T12:00:00.000001Z");
}
