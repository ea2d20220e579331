//! `/api/v1/agents/{id}/webhooks` and `/api/v1/agents/{id}/webhooks/{webhookId}`

use std::time::Duration;

use buildtrack_domain::webhooks::DisabledReason;
use buildtrack_tests::{Agent, Backend, Receiver, TestApp, shorten_ids};
use buildtrack_worker::webhooks::disable;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, faults};

/// Adds an endpoint to the agent; returns its path.
async fn add(agent: &Agent, body: Value) -> String {
    agent.post(&agent.webhooks(), body).await.expect_status(201).header("location").to_owned()
}

#[apply(both)]
async fn another_endpoint_has_its_own_secret_that_is_shown_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let body = json!({
        "url": "https://scout.example/proposals?token=1", "description": "Wakes the planner",
        "events": ["workspace.join", "workspace.message"],
        "filter": { "fields": { "kind": ["proposal"], "actorType": ["human"] } }, "ordered": true, "batch": 20
    });
    let added = scout.post(&scout.webhooks(), body).await.expect_status(201);
    let secret = added.text_at("/secret");
    assert!(secret.starts_with("whsec_") && secret.len() == 6 + 44 && secret != scout.webhook_secret);
    let shown = scout.get(added.header("location")).await.expect_status(200);
    assert_eq!(shown.json, added["webhook"]);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&shown.json), @r#"
        {
          "agentId": "ag_…",
          "batch": 20,
          "description": "Wakes the planner",
          "disabledAt": null,
          "disabledReason": null,
          "enabled": true,
          "events": [
            "workspace.message",
            "workspace.join"
          ],
          "filter": {
            "fields": {
              "actorType": [
                "human"
              ],
              "kind": [
                "proposal"
              ]
            },
            "workspaces": []
          },
          "first": false,
          "health": {
            "failingSince": null,
            "failures": 0,
            "lastError": null,
            "lastStatus": null,
            "nextAttemptAt": null,
            "reason": "The endpoint has not yet answered a push or a ping with 2xx, and receives one push at a time.",
            "state": "unverified",
            "verifiedAt": null
          },
          "id": "wh_…",
          "ordered": true,
          "overlapEndsAt": null,
          "url": "https://scout.example/proposals?token=1"
        }
        "#);
    }
    for text in [app.dump().await, app.anonymous().get("/api/v1/log?limit=200").await.text] {
        assert!(!text.contains(&secret), "the secret is stored in plain text");
    }
    let log = app.anonymous().get("/api/v1/log?limit=200").await.text;
    assert!(!log.contains("scout.example") && !log.contains("planner"));
}

#[apply(both)]
async fn a_retry_does_not_show_the_secret(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let add = || scout.post(&scout.webhooks(), json!({ "url": "https://scout.example/" })).key("one");
    let added = add().await.expect_status(201);
    let repeated = add().await.expect_problem(409, "answer_not_stored");
    assert!(repeated.text_at("/hint").contains(&added.text_at("/webhook/id")));
    assert_eq!(scout.get(&scout.webhooks()).await.each("first"), [true, false]);
}

#[apply(both)]
async fn the_agents_first_endpoint_is_listed_and_cannot_be_deleted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent_at("Scout", "https://scout.example/first").await;
    for number in 0..4 {
        add(&scout, json!({ "url": format!("https://scout.example/{number}") })).await;
    }
    let listed = ada.get(&scout.webhooks()).await.expect_status(200);
    assert_eq!(listed.each("first"), [true, false, false, false, false]);
    assert_eq!((&listed["items"][0]["id"], &listed["nextCursor"]), (&json!(scout.webhook().await), &Value::Null));
    // The agent's webhookUrl is the URL of the first one, independent of the others.
    let agent = format!("/api/v1/agents/{}", scout.id);
    scout.patch(&agent, json!({ "webhookUrl": "https://scout.example/moved" })).await.expect_status(200);
    let urls = scout.get(&scout.webhooks()).await.each("url");
    assert_eq!((&urls[0], &urls[1..]), (&json!("https://scout.example/moved"), &listed.each("url")[1..]));
    let first = format!("{}/{}", scout.webhooks(), scout.webhook().await);
    let refused = scout.delete(&first).await.expect_problem(409, "first_webhook_stays");
    assert!(refused.text_at("/hint").contains("null"));
    let silent = scout.patch(&first, json!({ "url": null })).await.expect_status(200);
    assert_eq!(silent["url"], Value::Null);
    assert_eq!(scout.get(&agent).await["webhook"]["url"], Value::Null);
}

#[apply(both)]
async fn an_agent_has_ten_at_most(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let body = || json!({ "url": "https://scout.example/" });
    let all = futures_util::future::join_all((0..12).map(|_| async { scout.post(&scout.webhooks(), body()).await }));
    let mut added = Vec::new();
    for reply in all.await {
        match reply.status {
            201 => added.push(reply.header("location").to_owned()),
            // One of the concurrent requests may have been refused because of a conflict: it may be retried.
            _ if reply["code"] == "conflict" => {}
            _ => drop(reply.expect_problem(409, "too_many_webhooks")),
        }
    }
    while added.len() < 9 {
        added.push(add(&scout, body()).await);
    }
    scout.post(&scout.webhooks(), body()).await.expect_problem(409, "too_many_webhooks");
    assert_eq!(scout.get(&scout.webhooks()).await.each("id").len(), 10);
    scout.delete(&added[0]).await.expect_status(204);
    add(&scout, body()).await;
    scout.post(&scout.webhooks(), body()).await.expect_problem(409, "too_many_webhooks");
}

#[apply(both)]
async fn every_wrong_field_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let body = json!({
        "url": "", "description": "x".repeat(201), "events": ["everything"], "batch": 101, "ordered": "yes",
        "filter": {
            "workspaces": ["ws_1"],
            "fields": { "kind": ["rant"], "actorName": [], "actorModel": vec!["m"; 21], "colour": ["red"] }
        }
    });
    let refused = scout.post(&scout.webhooks(), body).await.expect_problem(422, "validation_failed");
    assert_eq!(
        refused.faults(),
        faults(&[
            ("/batch", "too_large"),
            ("/description", "too_long"),
            ("/events/0", "not_allowed"),
            ("/filter/fields/actorModel", "too_many"),
            ("/filter/fields/actorName", "too_few"),
            ("/filter/fields/colour", "unknown_field"),
            ("/filter/fields/kind/0", "not_allowed"),
            ("/filter/workspaces/0", "wrong_form"),
            ("/ordered", "wrong_type"),
            ("/url", "too_short"),
        ])
    );
    let path = add(&scout, json!({ "url": "https://scout.example/" })).await;
    let refused = scout.patch(&path, json!({ "batch": 0, "enabled": null })).await.expect_status(422);
    assert_eq!(refused.faults(), faults(&[("/batch", "too_small"), ("/enabled", "wrong_type")]));
}

#[apply(both)]
async fn an_endpoint_must_have_a_public_https_url(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.allow_private_targets = false).await;
    let scout = app.agent("Scout").await;
    let path = add(&scout, json!({ "url": "https://1.1.1.1/hook" })).await;
    for target in ["http://1.1.1.1/", "https://127.0.0.1/", "https://localhost/", "https://[::1]/", "scout"] {
        let added = scout.post(&scout.webhooks(), json!({ "url": target })).await;
        let changed = scout.patch(&path, json!({ "url": target })).await;
        for refused in [added, changed] {
            let refused = refused.expect_problem(422, "validation_failed");
            assert_eq!(refused.faults(), faults(&[("/url", "forbidden_target")]), "{target}");
        }
    }
}

#[apply(both)]
async fn an_endpoint_is_edited_field_by_field(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let path = add(&scout, json!({ "url": "https://scout.example/", "description": "One", "batch": 5 })).await;
    let changes = json!({
        "url": "https://scout.example/two", "events": ["track.shipped"], "ordered": true, "batch": 100,
        "filter": { "workspaces": ["ws_01h2e8kqvbfwea724h75qc655w"], "fields": { "actorName": ["Ranger"] } }
    });
    let changed = ada.patch(&path, changes.clone()).await.expect_status(200);
    for field in ["url", "events", "filter", "ordered", "batch"] {
        assert_eq!(changed[field], changes[field], "{field}");
    }
    assert_eq!(changed["description"], "One");
    let cleared = scout.patch(&path, json!({ "description": null, "url": null, "filter": {} })).await;
    assert_eq!((&cleared["description"], &cleared["url"]), (&Value::Null, &Value::Null));
    assert_eq!(cleared["filter"], json!({ "workspaces": [], "fields": {} }));
    assert_eq!((&cleared["batch"], &cleared["events"]), (&json!(100), &json!(["track.shipped"])));
    let head = app.store().log().tail().head();
    scout.patch(&path, json!({ "batch": 100, "enabled": true })).await.expect_status(200);
    assert_eq!(app.store().log().tail().head(), head, "nothing changed");
}

#[apply(both)]
async fn an_edit_of_an_old_version_is_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let path = add(&scout, json!({ "url": "https://scout.example/" })).await;
    let tag = scout.get(&path).await.header("etag").to_owned();
    scout.get(&path).header("if-none-match", &tag).await.expect_status(304);
    let edit = |batch: i64, tag: &str| scout.patch(&path, json!({ "batch": batch })).header("if-match", tag);
    let edited = edit(2, &tag).await.expect_status(200);
    edit(3, &tag).await.expect_problem(412, "precondition_failed");
    edit(3, edited.header("etag")).await.expect_status(200);
}

#[apply(both)]
async fn a_disabled_endpoint_receives_nothing_until_it_is_enabled(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let path = add(&ranger, json!({ "url": receiver.url })).await;
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    let off = ranger.patch(&path, json!({ "enabled": false })).await.expect_status(200);
    assert_eq!((&off["enabled"], &off["disabledReason"]), (&json!(false), &json!("owner")));
    assert_eq!(off["disabledAt"], "2026-03-01T12:00:00.000001Z");
    scout.post_message(&track, "Are you there?").await;
    app.deliver().await;
    assert!(receiver.take().is_empty());
    let on = ada.patch(&path, json!({ "enabled": true })).await.expect_status(200);
    assert_eq!((&on["enabled"], &on["disabledReason"], &on["disabledAt"]), (&json!(true), &Value::Null, &Value::Null));
    scout.post_message(&track, "And now?").await;
    app.deliver().await;
    let pushes = receiver.take();
    assert_eq!(pushes.iter().map(|push| push.json()["data"]["content"].clone()).collect::<Vec<_>>(), ["And now?"]);
}

#[apply(both)]
async fn deleting_or_disabling_an_endpoint_cancels_its_deliveries(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let nowhere = "http://127.0.0.1:1/hook";
    let (deleted, off) = (add(&ranger, json!({ "url": nowhere })).await, add(&ranger, json!({ "url": nowhere })).await);
    let failing = add(&ranger, json!({ "url": nowhere })).await;
    let track = scout.open("Webhooks").await;
    ranger.join(&track).await;
    scout.post_message(&track, "Nobody hears this").await;
    app.deliver().await;
    let pending = async || {
        let rows = app.dump().await;
        rows.lines().filter(|row| row.starts_with("deliveries:") && row.contains("pending")).count()
    };
    assert_eq!(pending().await, 3);
    ranger.delete(&deleted).await.expect_status(204);
    assert_eq!(pending().await, 2);
    ranger.patch(&off, json!({ "enabled": false })).await.expect_status(200);
    assert_eq!(pending().await, 1);
    let webhook_id = failing.rsplit('/').next().unwrap().parse().unwrap();
    disable(app.store(), webhook_id, DisabledReason::Failing, None).await.unwrap();
    assert_eq!(pending().await, 0);
    assert_eq!(ranger.get(&failing).await["disabledReason"], "failing");
    // The server reports nothing about a deleted endpoint.
    let webhook_id = deleted.rsplit('/').next().unwrap().parse().unwrap();
    disable(app.store(), webhook_id, DisabledReason::Gone, None).await.unwrap();
    assert_eq!(ada.get("/api/v1/notices").await.each("subject").len(), 1);
    ranger.get(&deleted).await.expect_problem(404, "not_found");
    ranger.delete(&deleted).await.expect_problem(404, "not_found");
    ranger.patch(&deleted, json!({ "batch": 2 })).await.expect_problem(404, "not_found");
    app.advance(Duration::from_hours(1));
    app.deliver().await;
    assert_eq!(pending().await, 0);
}

#[apply(both)]
async fn others_cannot_detect_an_endpoint(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner("Ada").await, app.owner("Bob").await);
    let (scout, ranger, bobs) = (ada.agent("Scout").await, ada.agent("Ranger").await, bob.agent("Bot").await);
    let path = add(&scout, json!({ "url": "https://scout.example/" })).await;
    let elsewhere = path.replace(&scout.id, &ranger.id);
    let nowhere = format!("{}/wh_01h2e8kqvbfwea724h75qc655w", scout.webhooks());
    for (stranger, path) in [(&*bob, &path), (&*bobs, &path), (&*ranger, &path), (&*ada, &elsewhere), (&*ada, &nowhere)]
    {
        for request in [
            stranger.get(path),
            stranger.patch(path, json!({ "batch": 2 })),
            stranger.delete(path),
            stranger.post(&format!("{path}/secret"), json!({})),
            stranger.act(&format!("{path}/secret/activate")),
            stranger.act(&format!("{path}/ping")),
        ] {
            request.await.expect_problem(404, "not_found");
        }
    }
    for stranger in [&*bob, &*bobs, &*ranger] {
        stranger.get(&scout.webhooks()).await.expect_problem(403, "not_your_agent");
        let body = json!({ "url": "https://bob.example/" });
        stranger.post(&scout.webhooks(), body).await.expect_problem(403, "not_your_agent");
    }
}

#[apply(both)]
async fn only_the_scope_webhooks_changes_endpoints(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let path = add(&scout, json!({ "url": "https://scout.example/" })).await;
    let (writer, manager) = (scout.session(&["read", "write"]).await, scout.session(&["webhooks"]).await);
    for request in [
        writer.post(&scout.webhooks(), json!({ "url": "https://scout.example/" })),
        writer.patch(&path, json!({ "batch": 2 })),
        writer.delete(&path),
        writer.post(&format!("{path}/secret"), json!({})),
        writer.act(&format!("{path}/secret/activate")),
        writer.act(&format!("{path}/ping")),
    ] {
        let refused = request.await.expect_problem(403, "missing_scope");
        assert!(refused.text_at("/detail").contains("\"webhooks\""));
    }
    writer.get(&path).await.expect_status(200);
    manager.get(&path).await.expect_problem(403, "missing_scope");
    manager.patch(&path, json!({ "batch": 2 })).await.expect_status(200);
    manager.delete(&path).await.expect_status(204);
}

#[apply(both)]
async fn endpoints_of_a_deactivated_agent_are_read_only(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let path = add(&scout, json!({ "url": "https://scout.example/" })).await;
    ada.delete(&format!("/api/v1/agents/{}", scout.id)).await.expect_status(204);
    ada.get(&path).await.expect_status(200);
    for request in [
        ada.post(&scout.webhooks(), json!({ "url": "https://scout.example/" })),
        ada.patch(&path, json!({ "batch": 2 })),
        ada.delete(&path),
        ada.post(&format!("{path}/secret"), json!({})),
        ada.act(&format!("{path}/secret/activate")),
        ada.act(&format!("{path}/ping")),
    ] {
        request.await.expect_problem(409, "agent_deactivated");
    }
}
