//! `POST /api/v1/agents/{id}/webhooks/{webhookId}/ping`

use buildtrack_store::{WebhookChange, WebhookView};
use buildtrack_tests::{Agent, Backend, Receiver, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::json;

use crate::{both, either};

/// The path of test events to the agent's first endpoint.
async fn ping(agent: &Agent) -> String {
    format!("{}/{}/ping", agent.webhooks(), agent.webhook().await)
}

#[apply(both)]
async fn a_test_event_is_signed_and_sent_at_once(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let ada = app.owner("Ada").await;
    let scout = ada.agent_at("Scout", &receiver.url).await;
    let head = app.store().log().tail().head();
    let pong = ada.act(&ping(&scout).await).await.expect_status(200);
    assert_eq!((&pong["delivered"], &pong["statusCode"]), (&json!(true), &json!(200)));
    assert!(pong["durationMs"].is_i64() && pong.json.get("error").is_none() && pong.json.get("response").is_none());
    let [push] = &receiver.take()[..] else { panic!("one push") };
    assert_eq!(push.event, "ping");
    assert!(push.is_signed_with(&scout.webhook_secret));
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&push.json()), @r#"
        {
          "agentId": "ag_…",
          "data": {
            "note": "A test: nothing has happened. It is signed as every push is.",
            "webhookId": "wh_…"
          },
          "event": "ping",
          "sentAt": 1772366400
        }
        "#);
    }
    assert_eq!(app.store().log().tail().head(), head, "nothing has happened");
}

#[apply(either)]
async fn every_response_of_the_receiver_is_shown(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    // This server itself is a receiver that refuses the push.
    let scout = app.owner("Ada").await.agent_at("Scout", &format!("{}/nothing", app.url())).await;
    let pong = scout.act(&ping(&scout).await).await.expect_status(200);
    assert_eq!((&pong["delivered"], &pong["statusCode"]), (&json!(false), &json!(404)));
    assert!(pong.text_at("/response").contains("not_found"), "{}", pong.text);
    let closed = app.owner("Bob").await.agent_at("Ranger", "http://127.0.0.1:1/hook").await;
    let pong = closed.act(&ping(&closed).await).await.expect_status(200);
    assert_eq!((&pong["delivered"], pong.json.get("statusCode")), (&json!(false), None));
    assert!(pong.text_at("/error").starts_with("no connection"), "{}", pong.text);
}

#[apply(either)]
async fn a_disabled_endpoint_can_be_pinged_and_one_without_a_url_cannot(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let scout = app.agent("Scout").await;
    let endpoint = format!("{}/{}", scout.webhooks(), scout.webhook().await);
    scout.act(&ping(&scout).await).await.expect_problem(409, "no_webhook_url");
    scout.patch(&endpoint, json!({ "url": receiver.url, "enabled": false })).await.expect_status(200);
    assert_eq!(scout.act(&ping(&scout).await).await["delivered"], true);
    assert_eq!(receiver.take().len(), 1);
    assert_eq!(scout.get(&endpoint).await["enabled"], false);
}

#[apply(either)]
async fn a_retry_with_the_same_key_sends_no_second_test_event(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let scout = app.owner("Ada").await.agent_at("Scout", &receiver.url).await;
    let path = ping(&scout).await;
    let first = scout.act(&path).key("one").await.expect_status(200);
    let again = scout.act(&path).key("one").await.expect_status(200);
    assert_eq!((&again.json, again.header("idempotency-replayed")), (&first.json, "true"));
    assert_eq!(receiver.take().len(), 1);
    scout.act(&path).key("two").await.expect_status(200);
    assert_eq!(receiver.take().len(), 1);
}

#[apply(either)]
async fn test_events_cannot_reach_forbidden_addresses(#[case] backend: Backend) {
    let (app, receiver) =
        (TestApp::with(backend, |settings| settings.allow_private_targets = false).await, Receiver::start());
    let scout = app.agent("Scout").await;
    // The stored address was public when it was registered.
    let webhook = app.store().webhooks().webhook_of(scout.id.parse().unwrap()).await.unwrap().unwrap();
    let webhook = WebhookView { url: Some(receiver.url.clone()), ..webhook };
    app.store().log().write_side(vec![WebhookChange::Webhook(Box::new(webhook))]).await.unwrap();
    let pong = scout.act(&ping(&scout).await).await.expect_status(200);
    assert_eq!((&pong["delivered"], pong.json.get("response")), (&json!(false), None));
    assert!(!pong.text_at("/error").is_empty());
    assert!(receiver.take().is_empty());
}
