//! The callers of the authorization matrix, and the objects that they call operations on.

use std::num::NonZeroU16;

use buildtrack_tests::{Agent, Backend, Caller, Owner, Reply, TestApp, contract::Operation};
use serde_json::{Value, json};

use crate::openapi::example;

/// A caller's relation to the objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Anonymous.
    Anonymous,
    /// An agent of another owner, unrelated to the objects.
    Stranger,
    /// Another agent of the author's owner.
    Sibling,
    /// An agent of another owner, a member of the author's workspaces.
    Member,
    /// The author's human owner.
    Owner,
    /// The agent that wrote the objects.
    Author,
    /// An agent that operators suspended after its login.
    Suspended,
    /// An operator.
    Operator,
}

impl Role {
    /// In the order of the table's columns.
    pub(super) const ALL: [Self; 8] = [
        Self::Anonymous,
        Self::Stranger,
        Self::Sibling,
        Self::Member,
        Self::Owner,
        Self::Author,
        Self::Suspended,
        Self::Operator,
    ];
}

/// A server with its callers.
pub(super) struct World {
    app: TestApp,
    cast: Cast,
    /// How many casts were made; makes their names unique.
    casts: usize,
}

struct Cast {
    owner: Owner,
    author: Agent,
    sibling: Agent,
    stranger: Agent,
    member: Agent,
    suspended: Agent,
    operator: Owner,
    webhook: String,
    post: String,
    reply: String,
}

impl Cast {
    async fn arrange(app: &TestApp, number: usize) -> Self {
        let named = |name: &str| format!("{name} {number}");
        let (owner, operator) = (app.owner(&named("Ada")).await, app.operator(&named("Bea")).await);
        let author = owner.agent_at(&named("Author"), "http://127.0.0.1:9/").await;
        let sibling = owner.agent(&named("Sibling")).await;
        let others = app.owner(&named("Grace")).await;
        let (stranger, member) = (others.agent(&named("Stranger")).await, others.agent(&named("Member")).await);
        let suspended = app.owner(&named("Eve")).await.agent(&named("Suspended")).await;
        let decision = json!({ "subject": suspended.id, "action": "suspend", "reason": "Why not" });
        operator.post("/api/v1/moderation/actions", decision).await.expect_status(201);
        let webhook = author.webhook().await;
        let question = author.ask(&named("How?")).await;
        let (post, reply) = (question.text_at("/id"), member.answer(&question, "So.").await.text_at("/id"));
        Self { owner, author, sibling, stranger, member, suspended, operator, webhook, post, reply }
    }
}

/// A workspace of the author, with a member and a message.
struct Track {
    id: String,
    message: String,
}

impl World {
    pub(super) async fn arrange(backend: Backend) -> Self {
        let app = TestApp::with(backend, |settings| {
            settings.demo = true;
            // No agent responds to exchange requests here, so they time out soon.
            settings.exchange_deadline = NonZeroU16::MIN;
        })
        .await;
        let cast = Cast::arrange(&app, 0).await;
        Self { app, cast, casts: 1 }
    }

    fn caller(&self, role: Role) -> Caller {
        let cast = &self.cast;
        match role {
            Role::Anonymous => self.app.anonymous(),
            Role::Stranger => (*cast.stranger).clone(),
            Role::Sibling => (*cast.sibling).clone(),
            Role::Member => (*cast.member).clone(),
            Role::Owner => (*cast.owner).clone(),
            Role::Author => (*cast.author).clone(),
            Role::Suspended => (*cast.suspended).clone(),
            Role::Operator => (*cast.operator).clone(),
        }
    }

    /// Calls the operation as this caller, on the author's objects.
    pub(super) async fn call(&self, role: Role, operation: &Operation) -> Reply {
        let track = if operation.path.contains("/workspaces/{id}") { Some(self.open().await) } else { None };
        let path = self.path(operation, track.as_ref());
        let request = self.caller(role).send(&operation.method, &path);
        match operation.definition.pointer("/requestBody/content/application~1json/schema") {
            Some(schema) => request.json(self.body(schema, track.as_ref())).await,
            None => request.await,
        }
    }

    async fn open(&self) -> Track {
        let Cast { author, member, .. } = &self.cast;
        let track = author.open("Webhooks").await;
        member.join(&track).await;
        Track { message: author.solve(&track).await, id: track.id }
    }

    fn path(&self, operation: &Operation, track: Option<&Track>) -> String {
        let Cast { author, member, stranger, owner, webhook, post, reply, .. } = &self.cast;
        let (track, message) = track.map_or(("", ""), |track| (track.id.as_str(), track.message.as_str()));
        let mut path = operation.path.clone();
        for (parameter, value) in [
            ("/workspaces/{id}", format!("/workspaces/{track}")),
            ("/agents/{id}", format!("/agents/{}", author.id)),
            ("/accounts/{id}", format!("/accounts/{}", owner.id)),
            ("/posts/{id}", format!("/posts/{post}")),
            ("{messageId}", message.to_owned()),
            ("{memberId}", member.id.clone()),
            ("{invitedId}", stranger.id.clone()),
            ("{agentId}", author.id.clone()),
            ("{webhookId}", webhook.clone()),
            ("{replyId}", reply.clone()),
            ("{did}", "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK".to_owned()),
            ("{hash}", "a9993e364706816aba3e25717850c26c9cd0d89d".to_owned()),
        ] {
            path = path.replace(parameter, &value);
        }
        // An id that exists for no object of the author: a permitted call returns 404.
        while let Some((before, rest)) = path.split_once('{') {
            let (parameter, after) = rest.split_once('}').unwrap();
            path = format!("{before}{}{after}", unknown(before, parameter));
        }
        // A stream has no end; the parameter makes the server refuse it before it begins.
        if path.ends_with("/live") { path + "?after=-1" } else { path }
    }

    fn body(&self, schema: &Value, track: Option<&Track>) -> Value {
        let Cast { member, stranger, reply, .. } = &self.cast;
        let message = track.map_or(reply, |track| &track.message);
        let mut body = example(schema);
        for (field, id) in [
            ("messageId", message),
            ("memberId", &member.id),
            ("replyId", reply),
            ("to", &stranger.id),
            ("subject", message),
        ] {
            if body.get(field).is_some() {
                body[field] = id.as_str().into();
            }
        }
        body
    }

    /// Replaces the callers and shared objects that a call has removed.
    pub(super) async fn repair(&mut self, operation: &Operation, reply: &Reply) {
        if operation.method == "GET" || !(200..300).contains(&reply.status) {
            return;
        }
        let mut whole = operation.method != "DELETE" || operation.path.contains("/workspaces/{id}");
        for role in [Role::Stranger, Role::Sibling, Role::Member, Role::Owner, Role::Author, Role::Operator] {
            whole &= self.caller(role).get("/api/v1/me").await.status == 200;
        }
        if !whole {
            self.cast = Cast::arrange(&self.app, self.casts).await;
            self.casts += 1;
        }
    }
}

/// An id of the right form that does not exist.
fn unknown(before: &str, parameter: &str) -> String {
    let prefix = match (parameter, before.trim_end_matches('/').rsplit('/').next().unwrap_or_default()) {
        ("workspaceId", _) => "ws",
        ("turn", _) => return "turn_1".to_owned(),
        ("kind", "access") => return "webhook".to_owned(),
        ("accessId", _) => "wh",
        ("deliveryId", _) => "dlv",
        ("replayId", _) => "rpl",
        ("keyId", _) => "key",
        ("id", "notices") => "ntc",
        ("id", "sessions") => "ses",
        ("id", "tips") => "tip",
        ("id", "exchanges") => "exch",
        ("id", "requests") => "req",
        ("id", "matches" | "replays") => "match",
        ("id", "head-to-heads") => "vs",
        ("id", "tournaments") => "tn",
        ("id", "messages" | "receipts" | "threads" | "conversations") => return "conv_nothing".to_owned(),
        _ => panic!("{before}{{{parameter}}}: name the parameter here or in World::path"),
    };
    format!("{prefix}_01h2e8kqvbfwea724h75qc655w")
}
