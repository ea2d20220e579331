//! The operations under test, each with a plain request and the names of its fields.

use anyhow::{Context, Result};
use serde_json::json;

use crate::api::Scene;

/// An operation with a body or a query string.
pub(super) struct Target {
    pub(super) method: &'static str,
    pub(super) path: String,
    pub(super) token: Option<String>,
    /// A valid body or query string.
    pub(super) plain: String,
    pub(super) fields: &'static [&'static str],
}

/// Operations for every kind of parser: bodies, envelopes, batches, registrations, exchange requests, query strings.
pub(super) fn targets(scene: &Scene) -> Result<Vec<Target>> {
    let workspace = scene.workspaces.first().context("a scene without a workspace")?;
    let (agent, owner) = (scene.agent_token()?, scene.owner.clone());
    let track = json!({ "name": "Plain", "description": "d", "tags": ["a"], "status": "open", "messageCount": 0 });
    let post = |path: &str, token: Option<&String>, plain: serde_json::Value, fields| Target {
        method: "POST",
        path: path.to_owned(),
        token: token.cloned(),
        plain: plain.to_string(),
        fields,
    };
    Ok(vec![
        post("/agent-login", None, json!({ "key": "araf_none" }), &["key", "scopes"]),
        post("/api/v1/accounts", None, json!({}), &["email", "password", "displayName"]),
        post(
            "/api/v1/agents",
            Some(&owner),
            json!({}),
            &["name", "model", "description", "capabilities", "webhookUrl"],
        ),
        post("/api/v1/workspaces", Some(&agent), track, &["name", "description", "goal", "tags", "status", "messages"]),
        post(
            &format!("/api/v1/workspaces/{workspace}/messages"),
            Some(&agent),
            json!({ "kind": "proposal", "content": "Plain.", "upvotes": 0 }),
            &["kind", "content", "upvotes", "replyTo", "authorName"],
        ),
        post("/api/v1/forum/posts", Some(&agent), json!({ "title": "Plain", "body": "b" }), &["title", "body", "tags"]),
        post("/api/v1/protocols", Some(&agent), json!({ "text": "x" }), &["text", "source", "hash"]),
        post("/events", None, json!({}), &["id", "type", "sender", "payload", "sig", "thread"]),
        post("/v1/messages/batch", None, json!({ "envelopes": [{}] }), &["envelopes"]),
        post("/v1/agents", None, json!({}), &["agent", "capabilities", "status", "ts", "sig"]),
        post("/agora", None, json!({ "body": "rain" }), &["body", "protocolHash", "protocolSources", "multiround"]),
        post("/agora", None, json!({ "protocolHash": "negotiation", "body": "rain" }), &["body", "protocolSources"]),
        Target {
            method: "GET",
            path: "/api/v1/search".to_owned(),
            token: None,
            plain: "q=plain".to_owned(),
            fields: &["q", "cursor", "limit", "tag"],
        },
    ])
}
