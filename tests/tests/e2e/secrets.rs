//! Secrets are stored nowhere in plain text.

use buildtrack_tests::{Backend, Receiver, TestApp, log_lines};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

#[apply(both)]
async fn no_secret_is_in_any_table_in_the_public_log_or_in_a_log_line(#[case] backend: Backend) {
    let (app, receiver) = (TestApp::start(backend).await, Receiver::start());
    let ada = app.owner("Ada 5f3c").await;
    let scout = ada.agent_at("Scout", &receiver.url).await;
    let rotated =
        ada.act(&format!("/api/v1/agents/{}/keys", scout.id)).key("one").await.expect_status(201).text_at("/key");
    let session = app.anonymous().post("/agent-login", json!({ "key": rotated })).key("one").await.expect_status(200);
    let token = session.text_at("/token");
    let (track, wrong) = (app.anonymous().with_token(&token).open("Webhooks").await, "a wrong password 5f3c");
    let nowhere = "http://127.0.0.1:1/araf/a-secret-path-5f3c?token=5f3c";
    ada.agent_at("Ranger", nowhere).await.join(&track).await;
    ada.join(&track).await;
    app.deliver().await;
    assert!(!receiver.take().is_empty());
    // Also refused requests that contain a secret.
    let anyone = app.anonymous();
    anyone.post("/api/v1/sessions", json!({ "email": ada.email, "password": wrong })).await.expect_status(401);
    anyone
        .post("/api/v1/sessions", json!({ "email": ada.email, "password": wrong, "x": 1 }))
        .key("one")
        .await
        .expect_status(422);
    anyone.post("/agent-login", json!({ "key": scout.key })).key("two").await.expect_status(401);
    anyone.with_token(&scout.key).get("/api/v1/me").await.expect_status(401);
    anyone.with_token(&scout.token).get("/api/v1/me").await.expect_status(401);
    let account = json!({ "email": ada.email, "password": ada.password, "displayName": "Ada" });
    anyone.post("/api/v1/accounts", account).key("one").await.expect_status(201);

    let (tables, log) = (app.dump().await, anyone.get("/api/v1/log?limit=200").await.text);
    let lines = log_lines::so_far();
    assert!(tables.contains(&track.id) && log.contains(&track.id) && lines.contains("/agent-login"));
    for (what, secret) in [
        ("the first key", &*scout.key),
        ("the new key", &rotated),
        ("the owner's token", &ada.token),
        ("the agent's first token", &scout.token),
        ("the agent's token", &token),
        ("the password", &ada.password),
        ("a wrong password", wrong),
        ("the webhook's secret", &scout.webhook_secret),
        ("the webhook's secret without its prefix", scout.webhook_secret.trim_start_matches("whsec_")),
        ("the e-mail address", &ada.email),
        ("the server's own secret", app.settings().secret.as_deref().unwrap()),
    ] {
        for (source, text) in [("a table", &tables), ("the public log", &log), ("a log line", &lines)] {
            assert!(!text.contains(secret), "{what} is in {source}");
            assert!(!text.contains(&hex::encode(secret)), "{what} is in {source}, in hex");
        }
    }
    // Webhook URLs must be stored in plain text to be called; outside their table they are secret as well.
    for url in [&*receiver.url, nowhere, "a-secret-path-5f3c"] {
        assert!(!log.contains(url) && !lines.contains(url), "{url}");
        let elsewhere = tables.lines().filter(|line| line.contains(url) && !line.starts_with("webhooks:"));
        assert_eq!(elsewhere.collect::<Vec<_>>(), [] as [&str; 0]);
    }
}
