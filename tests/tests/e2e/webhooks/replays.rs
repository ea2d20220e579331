//! `/api/v1/agents/{id}/webhooks/{webhookId}/replays` and its sub-resources

use std::time::Duration;

use buildtrack_tests::{Agent, Backend, Receiver, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, faults};

async fn path(app: &TestApp, agent: &Agent) -> String {
    let webhook = app.store().webhooks().webhook_of(agent.id.parse().unwrap()).await.unwrap().unwrap();
    format!("/api/v1/agents/{}/webhooks/{}/replays", agent.id, webhook.id)
}

#[apply(both)]
async fn an_endpoint_receives_past_events_after_a_dry_run(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let receiver = Receiver::start();
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = ranger.open("Webhooks").await;
    scout.join(&track).await;
    ranger.post_message(&track, "one").await;
    app.advance(Duration::from_mins(1));
    ranger.post_message(&track, "two").await;
    let two = app.store().log().tail().head();
    ranger.post_message(&track, "three").await;
    scout.post_message(&track, "own").await;
    app.deliver().await;
    let path = path(&app, &scout).await;
    scout.post(&path, json!({ "sincePosition": 0 })).await.expect_problem(409, "webhook_disabled");
    let address = json!({ "webhookUrl": receiver.url });
    scout.patch(&format!("/api/v1/agents/{}", scout.id), address).await.expect_status(200);
    for (body, total) in [
        (json!({ "sincePosition": 0 }), 3),
        (json!({ "after": 0 }), 3),
        (json!({ "after": two }), 1),
        (json!({ "sincePosition": 1_000_000 }), 0),
        (json!({ "sincePosition": two }), 1),
        (json!({ "sincePosition": 0, "untilPosition": two }), 2),
        (json!({ "sinceTime": "2026-03-01T12:00:30Z" }), 2),
        (json!({ "sinceTime": "2027-03-01T12:00:30Z" }), 0),
    ] {
        let mut body = body;
        body["dryRun"] = true.into();
        let preview = scout.post(&path, body.clone()).await.expect_status(200);
        assert_eq!(
            (&preview["total"], &preview["status"], &preview["id"]),
            (&json!(total), &json!("preview"), &Value::Null),
            "{body}"
        );
    }
    assert_eq!(scout.get(&path).await.each("id"), [] as [Value; 0]);
    let begun = scout.post(&path, json!({ "sinceTime": "2026-03-01T12:00:30Z" })).await.expect_status(202);
    assert_eq!((&begun["status"], &begun["total"], &begun["enqueued"]), (&json!("running"), &json!(2), &json!(0)));
    app.deliver().await;
    let mut said: Vec<_> = receiver.take().iter().map(|push| push.json()["data"]["content"].clone()).collect();
    said.sort_by_key(|content| content == "two");
    assert_eq!(said, ["three", "two"]);
    let done = ada.get(&format!("{path}/{}", begun.text_at("/id"))).await.expect_status(200);
    assert_eq!(
        (&done["status"], &done["enqueued"], &done["position"]),
        (&json!("done"), &json!(2), &done["untilPosition"])
    );
    assert!(done["settledAt"].is_string());
    scout.act(&format!("{path}/{}/cancel", begun.text_at("/id"))).await.expect_problem(409, "replay_settled");
}

#[apply(both)]
async fn one_replay_runs_at_a_time_and_can_be_cancelled(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let receiver = Receiver::start();
    let ada = app.owner("Ada").await;
    let scout = ada.agent_at("Scout", &receiver.url).await;
    let path = path(&app, &scout).await;
    let everything = json!({ "sincePosition": 0 });
    let first = scout.post(&path, everything.clone()).key("first").await.expect_status(202);
    ada.post(&path, everything.clone()).await.expect_problem(409, "replay_running");
    let repeated = scout.post(&path, everything.clone()).key("first").await.expect_status(202);
    assert_eq!(repeated["id"], first["id"]);
    let one = format!("{path}/{}", first.text_at("/id"));
    let cancelled = scout.act(&format!("{one}/cancel")).await.expect_status(200);
    assert_eq!(cancelled["status"], "cancelled");
    app.advance(Duration::from_secs(1));
    let second = ada.post(&path, everything).await.expect_status(202);
    let page = scout.get(&format!("{path}?limit=1")).await.expect_status(200);
    let rest = scout.get(&format!("{path}?limit=1&cursor={}", page.text_at("/nextCursor"))).await;
    assert_eq!([page.each("id"), rest.each("id")].concat(), [second["id"].clone(), first["id"].clone()]);
    assert_eq!(rest["nextCursor"], Value::Null);
    app.deliver().await;
    assert_eq!(ada.get(&format!("{path}/{}", second.text_at("/id"))).await["status"], "done");
    assert_eq!(scout.get(&one).await["status"], "cancelled");
}

#[apply(both)]
async fn a_replay_needs_one_start_and_the_agent_or_its_owner(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let receiver = Receiver::start();
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent_at("Scout", &receiver.url).await, ada.agent("Ranger").await);
    let path = path(&app, &scout).await;
    let time = "2026-03-01T12:00:00Z";
    for body in [
        json!({}),
        json!({ "sincePosition": 0, "sinceTime": time }),
        json!({ "after": 0, "sinceTime": time }),
        json!({ "after": 0, "sincePosition": 0 }),
    ] {
        let refused = scout.post(&path, body).await.expect_problem(422, "validation_failed");
        assert!(refused.text.contains("exactly one of"), "{}", refused.text);
    }
    let wrong = json!({ "sincePosition": -1, "untilPosition": "x", "dryRun": 1, "colour": "red" });
    let refused = scout.post(&path, wrong).await.expect_problem(422, "validation_failed");
    let expected = [
        ("/colour", "unknown_field"),
        ("/dryRun", "wrong_type"),
        ("/sincePosition", "too_small"),
        ("/untilPosition", "wrong_type"),
    ];
    assert_eq!(refused.faults(), faults(&expected));
    let everything = json!({ "sincePosition": 0 });
    ranger.post(&path, everything.clone()).await.expect_problem(404, "not_found");
    ranger.get(&path).await.expect_problem(404, "not_found");
    let elsewhere = path.replace(&scout.id, &ranger.id);
    ranger.post(&elsewhere, everything.clone()).await.expect_problem(404, "not_found");
    ranger.get(&elsewhere).await.expect_problem(404, "not_found");
    let reader = scout.session(&["read"]).await;
    reader.post(&path, everything).await.expect_problem(403, "missing_scope");
    reader.get(&path).await.expect_status(200);
    reader.get(&format!("{path}/rpl_01h2e8kqvbfwea724h75qc655w")).await.expect_problem(404, "not_found");
}
