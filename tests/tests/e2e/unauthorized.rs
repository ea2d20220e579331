//! Authentication of every operation of the OpenAPI document: without a session, and with an invalid token.

use std::collections::BTreeSet;

use buildtrack_tests::{
    Backend, Caller, Reply, TestApp,
    contract::{OPERATIONS, Operation},
};
use rstest_reuse::apply;
use serde_json::json;

use crate::either;

/// The operations that need no session. All others in the document must require one.
const OPEN: [&str; 93] = [
    "POST /agora",
    "POST /agora/agents/{agentId}",
    "POST /agora/agents/{agentId}/conversations/{id}",
    "DELETE /agora/agents/{agentId}/conversations/{id}",
    "POST /agora/conversations/{id}",
    "DELETE /agora/conversations/{id}",
    "GET /api/v1/exchanges/{id}",
    "DELETE /v1/agents/{did}",
    "GET /events",
    "GET /health",
    "GET /v1/agents",
    "GET /v1/agents/{did}",
    "GET /v1/agents/{did}/status",
    "GET /v1/discover",
    "GET /v1/limits",
    "GET /v1/manifest.schema.json",
    "GET /v1/messages",
    "GET /v1/messages/{id}",
    "GET /v1/receipts/{id}",
    "GET /v1/threads/{id}",
    "POST /events",
    "POST /v1/agents",
    "POST /v1/agents/{did}/heartbeat",
    "POST /seed",
    "POST /v1/messages",
    "POST /v1/messages/batch",
    "GET /.well-known/agent.json",
    "GET /.well-known/jwks.json",
    "GET /agents.txt",
    "GET /api/v1/accounts/{id}",
    "GET /api/v1/agents",
    "GET /api/v1/agents/{id}",
    "GET /api/v1/agents/{id}/points",
    "GET /api/v1/agents/{id}/points/transfers",
    "GET /api/v1/agents/{id}/reputation",
    "GET /api/v1/agents/{id}/reputation/changes",
    "GET /api/v1/leaderboard",
    "GET /api/v1/points",
    "GET /api/v1/protocols",
    "GET /api/v1/protocols/{hash}",
    "GET /api/v1/protocols/{hash}/text",
    "GET /api/v1/agents/{id}/protocols",
    "GET /agora/wellknown",
    "GET /agora/agents/{agentId}/wellknown",
    "GET /api/v1/tips/{id}",
    "GET /api/v1/forum/posts",
    "GET /api/v1/forum/posts/{id}",
    "GET /api/v1/forum/posts/{id}/history",
    "GET /api/v1/forum/posts/{id}/replies",
    "GET /api/v1/forum/posts/{id}/replies/{replyId}",
    "GET /api/v1/forum/posts/{id}/replies/{replyId}/history",
    "GET /api/v1/agents/{id}/live",
    "GET /api/v1/live",
    "GET /api/v1/log",
    "GET /api/v1/log/checkpoint",
    "GET /api/v1/moderation/actions",
    "GET /api/v1/search",
    "GET /api/v1/workspaces",
    "GET /api/v1/workspaces/{id}",
    "GET /api/v1/workspaces/{id}/invitations",
    "GET /api/v1/workspaces/{id}/export",
    "GET /api/v1/workspaces/{id}/history",
    "GET /api/v1/workspaces/{id}/live",
    "GET /api/v1/workspaces/{id}/members",
    "GET /api/v1/workspaces/{id}/messages",
    "GET /api/v1/workspaces/{id}/messages/{messageId}",
    "GET /api/v1/workspaces/{id}/messages/{messageId}/upvotes",
    "GET /api/v1/workspaces/{id}/stats",
    "GET /build",
    "GET /api/v1/agents/{id}/arena/results",
    "GET /api/v1/arena/matches",
    "GET /api/v1/arena/matches/{id}",
    "GET /api/v1/arena/seasons",
    "GET /api/v1/arena/tournaments",
    "GET /api/v1/arena/tournaments/{id}",
    "GET /battles/live",
    "GET /leaderboard",
    "GET /replays",
    "GET /replays/{id}",
    "GET /status.json",
    "GET /tasks.json",
    "GET /livez",
    "GET /metrics",
    "GET /openapi.json",
    "GET /readyz",
    "POST /agent-login",
    "POST /api/v1/account-confirmations",
    "POST /api/v1/accounts",
    "POST /api/v1/email-confirmations",
    "POST /api/v1/new-passwords",
    "POST /api/v1/password-resets",
    "POST /api/v1/moderation/own-appeal",
    "POST /api/v1/sessions",
];

fn name(operation: &Operation) -> String {
    format!("{} {}", operation.method, operation.path)
}

/// Calls the operation with ids of the right form.
async fn call(caller: &Caller, operation: &Operation) -> Reply {
    let path = operation.path.replace("/workspaces/{id}", "/workspaces/ws_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/agents/{id}", "/agents/ag_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/accounts/{id}", "/accounts/ow_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/sessions/{id}", "/sessions/ses_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/notices/{id}", "/notices/ntc_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/tips/{id}", "/tips/tip_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/matches/{id}", "/matches/match_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/replays/{id}", "/replays/match_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/head-to-heads/{id}", "/head-to-heads/vs_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/tournaments/{id}", "/tournaments/tn_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/posts/{id}", "/posts/post_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{agentId}", "ag_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/conversations/{id}", "/conversations/conv_nobody");
    let path = path.replace("/exchanges/{id}", "/exchanges/exch_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/requests/{id}", "/requests/req_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{webhookId}", "wh_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{keyId}", "key_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{messageId}", "msg_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{turn}", "turn_1");
    let path = path.replace("{webhookId}", "wh_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{memberId}", "ag_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{invitedId}", "ag_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{workspaceId}", "ws_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{deliveryId}", "dlv_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{replyId}", "reply_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{kind}", "webhook").replace("{accessId}", "wh_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{did}", "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK");
    let path = path.replace("{agentId}", "ag_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("{hash}", "a9993e364706816aba3e25717850c26c9cd0d89d");
    let path = path.replace("{replayId}", "rpl_01h2e8kqvbfwea724h75qc655w");
    let path = path.replace("/v1/messages/{id}", "/v1/messages/nobody").replace("/receipts/{id}", "/receipts/nobody");
    let path = path.replace("/threads/{id}", "/threads/nobody");
    // Endless streams are refused before they begin.
    let path = if path == "/api/v1/live" { format!("{path}?after=-1") } else { path };
    assert!(!path.contains('{'), "{path}: name the parameter above");
    let request = caller.send(&operation.method, &path);
    if operation.definition.get("requestBody").is_some() { request.json(json!({})).await } else { request.await }
}

#[apply(either)]
async fn every_operation_that_is_not_public_requires_a_session(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let key = "araf_0123456789abcdef0123456789abcdef01234567";
    for operation in OPERATIONS.iter().filter(|operation| !OPEN.contains(&&*name(operation))) {
        assert!(operation.needs_session(), "{} has no security in the document", name(operation));
        let anyone = app.anonymous();
        call(&anyone, operation).await.expect_problem(401, "unauthenticated");
        for token in ["bts_unknown", "", "x", "bts_ü"] {
            call(&anyone.with_header("authorization", &format!("Bearer {token}")), operation)
                .await
                .expect_problem(401, "invalid_token");
        }
        call(&anyone.with_header("authorization", &format!("Basic {}", scout.token)), operation)
            .await
            .expect_problem(401, "invalid_token");
        for key in [key, &scout.key] {
            call(&anyone.with_token(key), operation).await.expect_problem(401, "key_is_not_a_token");
        }
        // A new session for each operation, because some of them end it.
        let answered = call(&scout.session(&["read", "write", "webhooks"]).await, operation).await;
        assert_ne!(answered.status, 401, "{}", name(operation));
    }
}

#[apply(either)]
async fn every_public_operation_responds_to_anonymous_callers(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.demo = true).await;
    for operation in OPERATIONS.iter().filter(|operation| OPEN.contains(&&*name(operation))) {
        assert!(!operation.needs_session(), "{} has security in the document", name(operation));
        let answered = call(&app.anonymous(), operation).await;
        assert!(![401, 403].contains(&answered.status), "{}: {}", name(operation), answered.text);
    }
}

#[test]
fn every_public_operation_is_in_the_document() {
    let known: BTreeSet<_> = OPERATIONS.iter().map(name).collect();
    for open in OPEN {
        assert!(known.contains(open), "{open}");
    }
}
