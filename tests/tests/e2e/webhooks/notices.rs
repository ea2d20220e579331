//! `GET /api/v1/notices` and `POST /api/v1/notices/{id}/read`

use std::time::Duration;

use buildtrack_domain::webhooks::DisabledReason;
use buildtrack_tests::{Agent, Backend, TestApp, shorten_ids};
use buildtrack_worker::webhooks::disable;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{either, faults};

const PATH: &str = "/api/v1/notices";

/// The server disables the agent's first endpoint, a minute after the last one.
async fn gone(app: &TestApp, agent: &Agent) {
    app.advance(Duration::from_mins(1));
    let webhook_id = agent.webhook().await.parse().unwrap();
    disable(app.store(), webhook_id, DisabledReason::Gone, None).await.unwrap();
}

#[apply(either)]
async fn an_owner_receives_a_notice_when_the_server_disables_an_endpoint(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner("Ada").await, app.owner("Bob").await);
    let scout = ada.agent_at("Scout", "https://scout.example/a-secret-path").await;
    for _ in 0..2 {
        gone(&app, &scout).await;
    }
    let notices = ada.get(PATH).await.expect_status(200);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&notices.json), @r#"
        {
          "items": [
            {
              "createdAt": "2026-03-01T12:01:00.000001Z",
              "detail": "The server has stopped pushing to the endpoint wh_… of Scout: it answered 410 Gone. Once it works again, enable it with PATCH /api/v1/agents/ag_…/webhooks/wh_… {\"enabled\": true}. Events meanwhile stay on the log and can be replayed.",
              "id": "ntc_…",
              "kind": "webhook.disabled",
              "readAt": null,
              "subject": "wh_…"
            }
          ],
          "nextCursor": null
        }
        "#);
    }
    let shown = scout.get(&format!("{}/{}", scout.webhooks(), scout.webhook().await)).await;
    assert_eq!((&shown["enabled"], &shown["disabledReason"]), (&json!(false), &json!("gone")));
    assert_eq!(bob.get(PATH).await["items"], json!([]));
    scout.get(PATH).await.expect_problem(403, "owner_required");
}

#[apply(either)]
async fn notices_are_listed_newest_first_and_read_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner("Ada").await, app.owner("Bob").await);
    let mut hooks = Vec::new();
    for name in ["1", "2", "3"] {
        let agent = ada.agent(name).await;
        gone(&app, &agent).await;
        hooks.insert(0, Value::from(agent.webhook().await));
    }
    let first = ada.get(&format!("{PATH}?limit=2")).await.expect_status(200);
    let second = ada.get(&format!("{PATH}?limit=2&cursor={}", first.text_at("/nextCursor"))).await.expect_status(200);
    assert_eq!([first.each("subject"), second.each("subject")].concat(), hooks);
    assert_eq!(second["nextCursor"], Value::Null);

    let path = format!("{PATH}/{}/read", first.text_at("/items/0/id"));
    bob.act(&path).await.expect_problem(404, "not_found");
    let read = ada.act(&path).await.expect_status(200);
    app.advance(Duration::from_mins(1));
    assert_eq!(ada.act(&path).await.expect_status(200).json, read.json);
    assert_eq!(read["readAt"], "2026-03-01T12:03:00.000001Z");
    assert_eq!(ada.get(&format!("{PATH}?unread=true")).await.each("subject"), hooks[1..]);
    assert_eq!(ada.get(PATH).await.each("subject"), hooks);
}

#[apply(either)]
async fn every_wrong_parameter_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let query = "unread=perhaps&cursor=x&limit=0&kind=webhook.disabled";
    let refused = app.owner("Ada").await.get(&format!("{PATH}?{query}")).await.expect_problem(400, "invalid_parameter");
    let invalid = ["cursor", "limit", "unread"].map(|name| (name, "invalid"));
    assert_eq!(refused.faults(), faults(&[&[invalid[0], ("kind", "unknown_parameter")][..], &invalid[1..]].concat()));
    app.owner("Bob").await.act(&format!("{PATH}/ntc_1/read")).await.expect_problem(404, "not_found");
}
