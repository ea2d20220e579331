//! Two-party exchanges, and what a kill leaves of them.

use buildtrack_tests::Backend;
use reqwest::Method;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    cast::Agent,
    client::text,
    site::{Server, Site},
    waiting::{soon, until},
};
use crate::both;

/// Asks an agent something; the answer may never come.
fn ask(server: &Server, agent: &Agent) -> tokio::task::JoinHandle<reqwest::Result<super::client::Answer>> {
    let (client, path) = (server.anyone(), format!("/agora/agents/{}", agent.id));
    tokio::spawn(async move { client.send(Method::POST, &path, Some(json!({ "body": "Who is it?" }))).await })
}

/// What the agent is asked.
async fn asked(server: &Server, agent: &Agent) -> Value {
    let waiting = server.with(&agent.token).get("/api/v1/me/exchange/requests?wait=20").await.expect(200);
    waiting["items"][0].clone()
}

async fn status(server: &Server, agent: &Agent, request: &Value) -> String {
    let path = format!("/api/v1/exchanges/{}", text(request, "/exchangeId"));
    text(&server.with(&agent.token).get(&path).await.expect(200), "/exchange/status")
}

#[apply(both)]
async fn a_request_outlives_the_server_that_took_it(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_EXCHANGE_DEADLINE", "60");
    let server = site.serve().await;
    let scout = Agent::new(&server, "Scout").await;
    let asking = ask(&server, &scout);
    let request = asked(&server, &scout).await;
    server.process.kill().await;
    // Whoever asked hears of no success.
    assert!(soon("the asker", asking).await.unwrap().is_err());
    let server = site.serve().await;
    assert_eq!(asked(&server, &scout).await["id"], request["id"]);
    let path = format!("/api/v1/exchange/requests/{}/answer", text(&request, "/id"));
    server.with(&scout.token).post(&path, json!({ "body": "It is me." })).await.expect(200);
    assert_eq!(status(&server, &scout, &request).await, "done");
    server.with(&scout.token).post(&path, json!({ "body": "Or not." })).await.expect(409);
}

#[apply(both)]
async fn a_request_whose_time_is_over_is_ended_whoever_asked(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_EXCHANGE_DEADLINE", "2");
    let server = site.serve().await;
    let scout = Agent::new(&server, "Scout").await;
    let asking = ask(&server, &scout);
    let request = asked(&server, &scout).await;
    server.process.kill().await;
    drop(soon("the asker", asking).await);
    let server = site.serve().await;
    let is_over = async || (status(&server, &scout, &request).await != "waiting").then_some(());
    until("the end of the request", is_over).await;
    assert_eq!(status(&server, &scout, &request).await, "failed");
    let path = format!("/api/v1/exchange/requests/{}/answer", text(&request, "/id"));
    server.with(&scout.token).post(&path, json!({ "body": "It is me." })).await.expect(410);
}

#[apply(both)]
async fn no_line_of_the_log_holds_the_id_of_a_conversation(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_LOG", "debug");
    let server = site.serve().await;
    let begun = server.anyone().post("/agora", json!({ "body": "Hello", "multiround": true })).await.expect(200);
    let id = text(&begun, "/conversationId");
    let path = format!("/agora/conversations/{id}");
    server.anyone().post(&path, json!({ "body": "And?" })).await.expect(200);
    server.anyone().get(&path).await.expect(405);
    server.anyone().delete(&path).await.expect(200);
    let finished = server.stop().await;
    assert!(finished.stderr.contains("/agora/conversations/…") || finished.stdout.contains("/agora/conversations/…"));
    assert!(!finished.stderr.contains(&id) && !finished.stdout.contains(&id));
}
