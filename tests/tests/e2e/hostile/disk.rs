//! Storage budgets of callers, and the floor of free disk space below which only writes stop

use std::time::Duration;

use buildtrack_store::verification;
use buildtrack_tests::{Backend, Party, TestApp, message};
use rstest_reuse::apply;
use serde_json::json;

use crate::both;

async fn with_budgets(backend: Backend, budgets: &str) -> TestApp {
    TestApp::with(backend, |settings| settings.relay_budgets = budgets.parse().unwrap()).await
}

/// How many requests of about 9 KiB the relay accepts. Each party sends ten, each in a new thread.
async fn taken(parties: &[&Party]) -> usize {
    let mut taken = 0;
    for (number, party) in parties.iter().enumerate() {
        for thread in 0..10 {
            let payload = json!({ "intent": "a", "params": { "text": "x".repeat(8 << 10) } });
            let reply = party.send("REQUEST", &format!("t{number}_{thread}"), payload).await;
            if reply.status == 200 {
                taken += 1;
            } else {
                assert!(reply.header("retry-after").parse::<u64>().unwrap() > 60);
                reply.expect_refusal(429, "UNAVAILABLE", "budget_spent");
            }
        }
    }
    taken
}

#[apply(both)]
async fn a_sender_stores_at_most_its_budget(#[case] backend: Backend) {
    let app = with_budgets(backend, "sender=48KiB").await;
    let (first, second) = (app.party("First"), app.party("Second"));
    assert_eq!(taken(&[&first, &second]).await, 10);
    app.advance(Duration::from_hours(24));
    first.request("another").await.expect_status(200);
}

#[apply(both)]
async fn a_network_and_the_server_store_at_most_their_budgets(#[case] backend: Backend) {
    for budgets in ["network=96KiB", "server=96KiB"] {
        let app = with_budgets(backend, budgets).await;
        let parties = [app.party("First"), app.party("Second"), app.party("Third")];
        assert_eq!(taken(&parties.iter().collect::<Vec<_>>()).await, 10, "{budgets}");
        let metrics = app.anonymous().get("/metrics").await.text;
        assert!(metrics.contains("buildtrack_refused_total{reason=\"relay_bytes_"), "{metrics}");
    }
}

#[apply(both)]
async fn envelopes_of_a_batch_count_each(#[case] backend: Backend) {
    let app = with_budgets(backend, "sender=48KiB").await;
    let party = app.party("Client");
    let envelopes: Vec<_> = (0..10)
        .map(|thread| {
            let payload = json!({ "intent": "a", "params": { "text": "x".repeat(8 << 10) } });
            party.envelope("REQUEST", &format!("t{thread}"), payload)
        })
        .collect();
    let reply = app.anonymous().post("/v1/messages/batch", json!({ "envelopes": envelopes })).await.expect_status(200);
    assert_eq!(reply.text.matches("budget_spent").count(), 5, "{}", reply.text);
}

#[apply(both)]
async fn refused_envelopes_use_no_budget(#[case] backend: Backend) {
    let app = with_budgets(backend, "sender=48KiB").await;
    let party = app.party("Client");
    for _ in 0..100 {
        party.deliver("nothing").await.expect_refusal(404, "INVALID_REQUEST", "thread_unknown");
    }
    assert_eq!(taken(&[&party]).await, 5);
}

#[apply(both)]
async fn new_directory_entries_of_a_network_are_limited_per_hour(#[case] backend: Backend) {
    let app = with_budgets(backend, "registrations=2").await;
    let parties = [app.party("First"), app.party("Second"), app.party("Third")];
    let manifest = || vec![Party::manifest("translation.en_zh", 0.1)];
    parties[0].register(manifest()).await.expect_status(200);
    parties[1].register(manifest()).await.expect_status(200);
    parties[2].register(manifest()).await.expect_refusal(429, "UNAVAILABLE", "budget_spent");
    // An agent that is already listed may register again.
    app.advance(Duration::from_secs(1));
    parties[0].register(manifest()).await.expect_status(200);
    app.advance(Duration::from_hours(1));
    parties[2].register(manifest()).await.expect_status(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn below_the_disk_floor_reads_redactions_and_moderation_still_work() {
    let app = TestApp::start(Backend::Sqlite).await;
    let (scout, party) = (app.agent("Scout").await, app.party("Client"));
    let operator = app.operator("Ada").await;
    let track = scout.open("Disks").await;
    let first = scout.post_message(&track, "A first message").await.expect_status(201);
    let second = scout.post_message(&track, "A second message").await.expect_status(201).text_at("/id");
    let keys = format!("/api/v1/agents/{}/keys", operator.agent("Ranger").await.id);
    let key = operator.post(&format!("{keys}/named"), json!({ "name": "Laptop" })).await.expect_status(201);
    app.anonymous().get("/readyz").await.expect_status(200);

    app.store().log().storage().pretend_free(Some((256 << 20) - 1));
    let refused = scout.post(&track.messages(), message("A third message")).await;
    assert_eq!(refused.header("retry-after"), "60");
    refused.expect_problem(503, "storage_low");
    party.request("t1").await.expect_refusal(503, "UNAVAILABLE", "storage_low");
    app.anonymous().get("/readyz").await.expect_problem(503, "storage_low");
    let metrics = app.anonymous().get("/metrics").await.text;
    assert!(metrics.contains("buildtrack_refused_total{reason=\"storage_low\"}"), "{metrics}");
    // Reads, redactions, hiding, logins and logouts still work.
    scout.get(&track.messages()).await.expect_status(200);
    scout.delete(first.header("location")).await.expect_status(204);
    let hide = json!({ "subject": second, "action": "hide", "reason": "Advertising" });
    operator.post("/api/v1/moderation/actions", hide).await.expect_status(201);
    scout.log_in(&scout.key, json!(["read"])).await.expect_status(200);
    // So does the first use of a key, which is recorded, and its revocation.
    scout.log_in(&key.text_at("/key"), json!(null)).await.expect_status(200);
    operator.delete(&format!("{keys}/{}", key.text_at("/id"))).await.expect_status(204);
    operator.post(&format!("{keys}/named"), json!({ "name": "Later" })).await.expect_problem(503, "storage_low");

    app.store().log().storage().pretend_free(Some(256 << 20));
    app.anonymous().get("/readyz").await.expect_status(200);
    party.request("t1").await.expect_status(200);
}

#[apply(both)]
async fn expired_envelopes_keep_header_and_hashes(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.relay_retention = Some("30d".parse().unwrap())).await;
    let (client, agent) = (app.party("Client"), app.party("Agent"));
    let old = client.envelope("REQUEST", "old", json!({ "intent": "a", "params": { "text": "Words that leave" } }));
    client.post(&old).await.expect_status(200);
    agent.offer("old").await.expect_status(200);
    client.accept("old").await.expect_status(200);
    agent.deliver("old").await.expect_status(200);
    app.advance(Duration::from_hours(29 * 24));
    client.request("young").await.expect_status(200);
    app.advance(Duration::from_hours(25));
    app.deliver().await;

    assert!(!app.dump().await.contains("Words that leave"));
    let thread = client.get("/v1/threads/old").await.expect_status(200);
    assert_eq!((&thread["thread"]["state"], &thread["messages"]), (&json!("COMPLETED"), &json!([])));
    let young = client.get("/v1/threads/young").await.expect_status(200);
    assert!(!young["messages"].as_array().unwrap().is_empty());
    let log = app.anonymous().get("/api/v1/log?limit=2").await.expect_status(200);
    let first = &log["items"][1];
    assert_eq!((&first["type"], &first["data"]), (&json!("envelope.accepted"), &json!(null)));
    assert!(first["dataHash"].is_string() && first["redactedBy"].is_i64());
    // The id stays in use.
    let mut again = client.unsigned("REQUEST", "new", json!({ "intent": "a" }));
    again["id"] = old["id"].clone();
    client.post(&client.sign(again)).await.expect_refusal(409, "INVALID_REQUEST", "id_taken");

    let verified = verification::verify(app.store().log(), app.store().reputation(), |_| ()).await.unwrap();
    assert_eq!(verified.live, verified.rebuilt);
    assert_eq!(verification::rebuild(app.store().log(), |_| ()).await.unwrap(), verified.live);
}
