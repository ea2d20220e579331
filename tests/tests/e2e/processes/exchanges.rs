//! Two-party exchanges after a kill of the server.

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

/// Sends an exchange request to an agent; the response may never arrive.
fn ask(server: &Server, agent: &Agent) -> tokio::task::JoinHandle<reqwest::Result<super::client::Answer>> {
    let (client, path) = (server.anyone(), format!("/agora/agents/{}", agent.id));
    tokio::spawn(async move { client.send(Method::POST, &path, Some(json!({ "body": "Who is it?" }))).await })
}

/// The agent's pending request.
async fn asked(server: &Server, agent: &Agent) -> Value {
    let waiting = server.with(&agent.token).get("/api/v1/me/exchange/requests?wait=20").await.expect(200);
    waiting["items"][0].clone()
}

async fn status(server: &Server, agent: &Agent, request: &Value) -> String {
    let path = format!("/api/v1/exchanges/{}", text(request, "/exchangeId"));
    text(&server.with(&agent.token).get(&path).await.expect(200), "/exchange/status")
}

#[apply(both)]
async fn a_request_survives_a_kill_of_its_server(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_EXCHANGE_DEADLINE", "60");
    let server = site.serve().await;
    let scout = Agent::new(&server, "Scout").await;
    let asking = ask(&server, &scout);
    let request = asked(&server, &scout).await;
    server.process.kill().await;
    // The requester receives no success.
    assert!(soon("the asker", asking).await.unwrap().is_err());
    let server = site.serve().await;
    assert_eq!(asked(&server, &scout).await["id"], request["id"]);
    let path = format!("/api/v1/exchange/requests/{}/answer", text(&request, "/id"));
    server.with(&scout.token).post(&path, json!({ "body": "It is me." })).await.expect(200);
    assert_eq!(status(&server, &scout, &request).await, "done");
    server.with(&scout.token).post(&path, json!({ "body": "Or not." })).await.expect(409);
}

#[apply(both)]
async fn an_expired_request_is_ended_after_its_server_was_killed(backend: Backend) {
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
async fn no_log_line_has_a_conversation_id(backend: Backend) {
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
