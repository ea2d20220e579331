//! `GET /api/v1/agents/{id}/deliveries` and its sub-resources

use std::time::Duration;

use buildtrack_tests::{Agent, Backend, Owner, Receiver, TestApp, Track};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, faults};

/// A URL without a listener.
const NOWHERE: &str = "http://127.0.0.1:9/";

fn path(agent: &Agent) -> String {
    format!("/api/v1/agents/{}/deliveries", agent.id)
}

/// An agent with its webhook at `url`, and another one in the same track.
async fn pair(app: &TestApp, url: &str) -> (Owner, Agent, Agent, Track) {
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent_at("Scout", url).await, ada.agent("Ranger").await);
    let track = ranger.open("Webhooks").await;
    scout.join(&track).await;
    (ada, scout, ranger, track)
}

#[apply(both)]
async fn a_push_that_arrived_is_shown_with_its_attempt(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let receiver = Receiver::start();
    let (ada, scout, ranger, track) = pair(&app, &receiver.url).await;
    ranger.post_message(&track, "Push, don't poll").await;
    app.deliver().await;
    let listed = scout.get(&path(&scout)).await.expect_status(200);
    let delivery = &listed["items"][0];
    let webhook = app.store().webhooks().webhook_of(scout.id.parse().unwrap()).await.unwrap().unwrap();
    let expected = json!({
        "id": delivery["id"], "webhookId": webhook.id, "sequence": app.store().log().tail().head(), "type": "workspace.message",
        "status": "delivered", "attempts": 1, "nextAt": null, "createdAt": "2026-03-01T12:00:00.000001Z",
        "settledAt": "2026-03-01T12:00:00.000001Z", "statusCode": 200, "error": null,
        "waitingFor": null, "waitingReason": null,
    });
    assert_eq!((delivery, &listed["nextCursor"]), (&expected, &Value::Null));
    let shown = ada.get(&format!("{}/{}", path(&scout), listed.text_at("/items/0/id"))).await.expect_status(200);
    assert_eq!(shown["history"].as_array().unwrap().len(), 1);
    assert_eq!((&shown["history"][0]["number"], &shown["history"][0]["statusCode"]), (&json!(1), &json!(200)));
    assert_eq!((&shown["id"], &shown["status"]), (&delivery["id"], &json!("delivered")));
}

#[apply(both)]
async fn a_delivery_can_be_resent_repeatedly_and_attempts_are_numbered_on(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let receiver = Receiver::start();
    let (_ada, scout, ranger, track) = pair(&app, &receiver.url).await;
    ranger.post_message(&track, "Once more").await;
    app.deliver().await;
    let id = scout.get(&path(&scout)).await.text_at("/items/0/id");
    for attempts in 2..4 {
        let resent = scout.act(&format!("{}/{id}/resend", path(&scout))).await.expect_status(202);
        assert_eq!(
            (&resent["id"], &resent["status"], &resent["settledAt"]),
            (&json!(id), &json!("pending"), &Value::Null)
        );
        app.deliver().await;
        let shown = scout.get(&format!("{}/{id}", path(&scout))).await;
        assert_eq!((&shown["status"], &shown["attempts"]), (&json!("delivered"), &json!(attempts)));
    }
    let pushes = receiver.take();
    assert_eq!(pushes.len(), 3);
    assert!(pushes.iter().all(|push| push.bytes == pushes[0].bytes));
}

#[apply(both)]
async fn a_pending_delivery_can_be_retried_or_cancelled(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (_ada, scout, ranger, track) = pair(&app, NOWHERE).await;
    ranger.post_message(&track, "Is anybody there?").await;
    app.deliver().await;
    let listed = scout.get(&path(&scout)).await;
    let delivery = &listed["items"][0];
    assert_eq!((&delivery["status"], &delivery["attempts"]), (&json!("pending"), &json!(1)));
    assert!(delivery["nextAt"].is_string() && delivery["error"].is_string(), "{delivery}");
    let one = format!("{}/{}", path(&scout), listed.text_at("/items/0/id"));
    let resent = scout.act(&format!("{one}/resend")).await.expect_status(202);
    assert_eq!(resent["nextAt"], "2026-03-01T12:00:00.000001Z");
    app.deliver().await;
    assert_eq!(scout.get(&one).await["attempts"], 2);
    let cancelled = scout.act(&format!("{one}/cancel")).await.expect_status(200);
    assert_eq!((&cancelled["status"], &cancelled["nextAt"]), (&json!("cancelled"), &Value::Null));
    scout.act(&format!("{one}/cancel")).await.expect_problem(409, "delivery_settled");
    app.advance(Duration::from_hours(1));
    app.deliver().await;
    assert_eq!(scout.get(&one).await["attempts"], 2);
    // A retry with the same key gets the first response and has no effect.
    let first = scout.act(&format!("{one}/resend")).key("again").await.expect_status(202);
    app.deliver().await;
    let second = scout.act(&format!("{one}/resend")).key("again").await.expect_status(202);
    assert_eq!((second.json, scout.get(&one).await["attempts"].clone()), (first.json, json!(3)));
}

#[apply(both)]
async fn filters_apply_and_pages_are_complete(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, scout, ranger, track) = pair(&app, NOWHERE).await;
    for number in 0..3 {
        ranger.post_message(&track, &number.to_string()).await;
    }
    app.advance(Duration::from_mins(10));
    ada.join(&track).await;
    app.deliver().await;
    app.advance(Duration::from_mins(10));
    let count =
        async |query: &str| scout.get(&format!("{}?{query}", path(&scout))).await.expect_status(200).each("id").len();
    for (query, found) in [
        ("", 4),
        ("type=workspace.message", 3),
        ("type=workspace.join&status=pending", 1),
        ("status=delivered", 0),
        ("after=2026-03-01T12:10:00Z", 4),
        ("before=2026-03-01T12:10:00Z", 0),
        ("webhook=wh_01h2e8kqvbfwea724h75qc655w", 0),
    ] {
        assert_eq!(count(query).await, found, "{query}");
    }
    let first = scout.get(&format!("{}?limit=3", path(&scout))).await;
    let cursor = first.text_at("/nextCursor");
    let second = scout.get(&format!("{}?limit=3&cursor={cursor}", path(&scout))).await.expect_status(200);
    let mut sequences = [first.each("sequence"), second.each("sequence")].concat();
    sequences.sort_by_key(Value::as_i64);
    sequences.dedup();
    assert_eq!((sequences.len(), &second["nextCursor"]), (4, &Value::Null));
    let query = "webhook=x&status=done&type=y&after=noon&before=z&cursor=zzz&limit=0&colour=red";
    let refused = scout.get(&format!("{}?{query}", path(&scout))).await.expect_problem(400, "invalid_parameter");
    let wrong = ["after", "before", "colour", "cursor", "limit", "status", "type", "webhook"];
    let code = |name| (name, if name == "colour" { "unknown_parameter" } else { "invalid" });
    assert_eq!(refused.faults(), faults(&wrong.map(code)));
}

#[apply(both)]
async fn only_the_agent_and_its_owner_see_deliveries(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let receiver = Receiver::start();
    let (ada, scout, ranger, track) = pair(&app, &receiver.url).await;
    ranger.post_message(&track, "Between us").await;
    app.deliver().await;
    let id = ada.get(&path(&scout)).await.expect_status(200).text_at("/items/0/id");
    let (stranger, reader) = (app.owner("Bea").await, scout.session(&["read"]).await);
    for caller in [&*ranger, &*stranger] {
        caller.get(&path(&scout)).await.expect_problem(404, "not_found");
        caller.get(&format!("{}/{id}", path(&scout))).await.expect_problem(404, "not_found");
        for act in ["resend", "cancel"] {
            caller.act(&format!("{}/{id}/{act}", path(&scout))).await.expect_problem(404, "not_found");
        }
    }
    ranger.get(&format!("{}/{id}", path(&ranger))).await.expect_problem(404, "not_found");
    reader.get(&format!("{}/{id}", path(&scout))).await.expect_status(200);
    reader.act(&format!("{}/{id}/resend", path(&scout))).await.expect_problem(403, "missing_scope");
    scout.patch(&format!("/api/v1/agents/{}", scout.id), json!({ "webhookUrl": null })).await.expect_status(200);
    scout.act(&format!("{}/{id}/resend", path(&scout))).await.expect_problem(409, "webhook_disabled");
    ada.delete(&format!("/api/v1/agents/{}", scout.id)).await.expect_status(204);
    ada.get(&path(&scout)).await.expect_status(200);
    ada.act(&format!("{}/{id}/resend", path(&scout))).await.expect_problem(409, "agent_deactivated");
}
