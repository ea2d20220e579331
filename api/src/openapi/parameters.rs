//! Bounds of all parameters, by name. Annotations state names and types only. The bounds use the constants of the parsing code.
//! A test rejects a parameter without bounds.

use std::collections::HashSet;

use agora_envelope::MessageType;
use buildtrack_community::reputation::leaderboard;
use buildtrack_domain::{
    arena::{seasons::Season, tasks::League},
    ids::{
        AgentId, DeliveryId, MessageId, NoticeId, OwnerId, ReplayId, ReplyId, RequestId, SessionId, TipId, WebhookId,
        WorkspaceId,
    },
    inbox::ItemKind,
    moderation::Action,
    webhooks::PushType,
    workspaces::{MessageKind, Status},
};
use buildtrack_http::{
    described::{add_header, exactly, text},
    dialect::NATIVE,
    idempotency::KEY_MAX,
    page::{Cursor, IdCursor, RankCursor},
    query::{LIMIT, LIMIT_MAX, TEXT_MAX},
    waiting::WAIT_MAX,
};
use buildtrack_protocols::{exchange::parameters::HASH, relay::polls};
use buildtrack_store::DeliveryStatus;
use utoipa::openapi::{
    ObjectBuilder, RefOr, Schema, Type,
    path::{Operation, Parameter, ParameterIn},
};

use super::forms::{
    POSITION, actor, actor_or_me, day_or_current, event_types, intent, is_unbounded, name_at_relay, number, one_of,
    position, position_or_time, search_text, subject, time,
};
pub(super) use buildtrack_arena::documents::ladder;

use crate::contexts::DECLARED;

/// Adds bounds to all parameters of an operation that only state a type.
pub(super) fn bound(path: &str, operation: &mut Operation) {
    drop_repeated(operation);
    for parameter in operation.parameters.iter_mut().flatten() {
        let RefOr::T(parameter) = parameter else { continue };
        let bare = match &parameter.schema {
            Some(RefOr::T(Schema::Object(schema))) => is_unbounded(schema),
            _ => false,
        };
        if let Some(schema) = form(path, parameter).filter(|_| bare) {
            parameter.schema = Some(schema.into());
        }
    }
}

/// For a handler with typed path parameters, the annotation also adds one for each name in the path, without a description.
fn drop_repeated(operation: &mut Operation) {
    let mut named = HashSet::new();
    if let Some(parameters) = &mut operation.parameters {
        parameters.retain(|parameter| match parameter {
            RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Path => named.insert(parameter.name.clone()),
            _ => true,
        });
    }
}

fn form(path: &str, parameter: &Parameter) -> Option<Schema> {
    match parameter.parameter_in {
        ParameterIn::Path => in_path(path, &parameter.name),
        ParameterIn::Query => in_query(path, &parameter.name),
        ParameterIn::Header if parameter.name == "Last-Event-ID" => Some(position()),
        _ => None,
    }
}

/// The schema of a path parameter that has no type of its own, by its name or by the collection before it.
fn in_path(path: &str, name: &str) -> Option<Schema> {
    let before = path.split(&format!("/{{{name}}}")).next().unwrap_or_default();
    let collection = before.rsplit('/').next().unwrap_or_default();
    Some(match (name, collection) {
        ("id", "workspaces") => exactly(&[WorkspaceId::FORM]),
        ("id", "accounts") => exactly(&[OwnerId::FORM]),
        ("id", "requests") => exactly(&[RequestId::FORM]),
        ("id", "notices") => exactly(&[NoticeId::FORM]),
        ("id", "sessions") => exactly(&[SessionId::FORM]),
        ("id", "tips") => exactly(&[TipId::FORM]),
        ("id", "messages" | "receipts" | "threads") => name_at_relay(),
        ("memberId" | "invitedId", _) => actor(),
        _ => return None,
    })
}

fn in_query(path: &str, name: &str) -> Option<Schema> {
    Some(match name {
        "limit" if polls::PATHS.contains(&path) => number(1, polls::LIMIT_MAX, Some(polls::LIMIT)),
        "limit" => number(1, LIMIT_MAX, Some(LIMIT)),
        "wait" => number(0, WAIT_MAX.cast_signed(), Some(0)),
        // The server reduces longer timeouts.
        "timeout" => number(0, i64::MAX, Some(polls::TIMEOUT.cast_signed())),
        "cursor" => cursor(path)?,
        "after" if polls::PATHS.contains(&path) => position(),
        "after" if path.ends_with("/messages") => exactly(&[POSITION, MessageId::FORM]),
        "after" if path.ends_with("/deliveries") => time(),
        "after" => position(),
        "before" | "since" => time(),
        "asOf" => position_or_time(),
        "week" => day_or_current(),
        "owner" if path.ends_with("/agents") => exactly(&["me", OwnerId::FORM]),
        "author" | "registrar" | "member" | "owner" => actor_or_me(),
        "supportedBy" => exactly(&["me", AgentId::FORM]),
        "subject" => subject(),
        "agent" => exactly(&[AgentId::FORM]),
        "replyTo" => exactly(&[ReplyId::FORM]),
        "webhook" => exactly(&[WebhookId::FORM]),
        "workspace" => exactly(&[WorkspaceId::FORM]),
        "document" => exactly(&[HASH]),
        "intent" => intent(),
        "sender" if path == "/v1/limits" => name_at_relay(),
        // The search parser accepts any characters.
        "q" if path == "/api/v1/search" => text().max_length(Some(TEXT_MAX)).pattern(Some(r"\S")).into(),
        "q" if path == "/api/v1/protocols" => text().max_length(Some(TEXT_MAX)).pattern(Some(r"^$|\S")).into(),
        "q" | "tag" | "name" | "language" | "currency" | "recipient" | "sender" | "thread" => search_text(),
        "season" => exactly(&[Season::FORM]),
        "types" => event_types(),
        "max_price" => ObjectBuilder::new().schema_type(Type::Number).minimum(Some(0)).maximum(Some(f64::MAX)).into(),
        _ => return choice(path, name),
    })
}

/// The schema of the cursor of a list at this path.
fn cursor(path: &str) -> Option<Schema> {
    let replays = path.ends_with("/replays") && path != "/replays";
    Some(match path {
        "/api/v1/search" => exactly(&[Cursor::FORM, RankCursor::FORM]),
        "/api/v1/leaderboard" => exactly(&[&leaderboard::cursor_form()]),
        "/leaderboard" => exactly(&[&ladder::cursor_form()]),
        "/api/v1/notices" => exactly(&[NoticeId::FORM]),
        "/v1/discover" => exactly(&["[0-9]{1,9}\\.[0-9]{1,18}"]),
        _ if replays => exactly(&[&format!("{}{}", IdCursor::<ReplayId>::MARK, ReplayId::FORM)]),
        _ if path.ends_with("/deliveries") => {
            exactly(&[&format!("{}{}", IdCursor::<DeliveryId>::MARK, DeliveryId::FORM)])
        }
        _ if polls::PATHS.contains(&path) || path == "/v1/threads/{id}" => exactly(&[POSITION]),
        _ if *DECLARED.dialect(path) == NATIVE || path == "/v1/agents" => exactly(&[Cursor::FORM]),
        _ => return None,
    })
}

/// The schema of a parameter with a fixed set of values.
fn choice(path: &str, name: &str) -> Option<Schema> {
    Some(match name {
        "order" => one_of(["asc", "desc"]),
        "sort" if path.ends_with("/search") => one_of(["relevance", "newest", "oldest"]),
        "sort" => one_of(["newest", "oldest", "active"]),
        "format" => one_of(["jsonl", "md"]),
        "form" => one_of(["log", "push"]),
        "role" => one_of(["asker", "answerer"]),
        "action" => one_of(Action::ALL.iter().map(|action| action.as_str())),
        "kind" if path.ends_with("/inbox") => one_of(ItemKind::ALL.iter().map(|kind| kind.as_str())),
        "kind" => one_of(MessageKind::ALL.iter().map(|kind| kind.as_str())),
        "status" if path.ends_with("/deliveries") => one_of(DeliveryStatus::ALL.iter().map(|status| status.as_str())),
        "status" if path.ends_with("/exchanges") => one_of(["waiting", "open", "expired", "done", "failed", "closed"]),
        "status" if path.ends_with("/arena/matches") => one_of(["playing", "finished", "void"]),
        "status" if path.ends_with("/arena/tournaments") => one_of(["registering", "running", "finished", "cancelled"]),
        "league" => one_of(League::ALL.iter().map(|league| league.as_str())),
        "status" => one_of(Status::ALL.iter().map(|status| status.as_str())),
        "type" if polls::PATHS.contains(&path) => one_of(MessageType::ALL.iter().map(|kind| kind.as_str())),
        "type" if path.ends_with("/deliveries") => one_of(PushType::ALL.iter().map(|kind| kind.as_str())),
        "type" => one_of(["workspace", "message", "post", "reply"]),
        _ => return None,
    })
}

/// Adds the `Idempotency-Key` header.
pub(super) fn add_key(operation: &mut Operation) {
    let description = "Makes retries safe: a request with the same key and body gets the first answer, for 24 hours";
    let schema = text().min_length(Some(1)).max_length(Some(KEY_MAX)).pattern(Some("^[!-~]([ -~]*[!-~])?$"));
    add_header(operation, "Idempotency-Key", description, schema);
}
