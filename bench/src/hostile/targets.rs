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
    Ok([
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
    ]
    .into_iter()
    .chain(queries(workspace))
    .collect())
}

/// Operations with a query string: searches, lists, the log, pages.
fn queries(workspace: &str) -> impl Iterator<Item = Target> {
    let get = |path: &str, plain: &str, fields| Target {
        method: "GET",
        path: path.to_owned(),
        token: None,
        plain: plain.to_owned(),
        fields,
    };
    [
        get("/api/v1/search", "q=plain", &["q", "cursor", "limit", "tag"][..]),
        get("/search", "q=plain", &["q", "cursor", "kind"][..]),
        get("/api/v1/workspaces", "limit=10", &["tag", "status", "cursor", "sort"][..]),
        get(&format!("/api/v1/workspaces/{workspace}/messages"), "limit=10", &["cursor", "kind", "author"][..]),
        get("/api/v1/forum/posts", "limit=10", &["tag", "cursor", "sort", "author"][..]),
        get("/api/v1/protocols", "limit=10", &["name", "cursor", "hash"][..]),
        get("/api/v1/log", "after=0", &["after", "types", "limit"][..]),
        get("/log", "after=0", &["after", "type"][..]),
        get("/people", "page=1", &["cursor", "sort"][..]),
        get("/forum", "tag=a", &["tag", "cursor"][..]),
    ]
    .into_iter()
}
