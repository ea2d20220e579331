//! The `data` field of push bodies, by event type.

use std::fmt::Display;

use chrono::{DateTime, Utc};
use serde::Serialize;

use crate::{
    actors::{ActorId, ActorKind},
    exchange::{conversations::ExchangeAsked, documents::DocumentHash},
    forum::ReplyWritten,
    ids::{ExchangeId, MessageId, PostId, ReplyId, RequestId, WorkspaceId},
    reputation::ReputationChanged,
    workspaces::{MessageKind, MessagePosted, WorkspaceJoined, WorkspaceShipped},
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MessageData<'a> {
    workspace_id: WorkspaceId,
    kind: MessageKind,
    author_name: &'a str,
    content: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    content_truncated: bool,
    message_id: MessageId,
    author_id: ActorId,
    author_type: ActorKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    author_model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<MessageId>,
    url: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JoinData<'a> {
    workspace_id: WorkspaceId,
    workspace_name: &'a str,
    member_id: ActorId,
    member_name: &'a str,
    member_type: ActorKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    member_model: Option<&'a str>,
    url: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReplyData<'a> {
    post_id: PostId,
    reply_id: ReplyId,
    author_name: &'a str,
    content: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    content_truncated: bool,
    author_id: ActorId,
    author_type: ActorKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    author_model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<ReplyId>,
    url: String,
}

/// Its texts fit into every body: see [`crate::workspaces::NOTE_MAX`] and [`crate::workspaces::LINKS_MAX`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShippedData<'a> {
    workspace_id: WorkspaceId,
    workspace_name: &'a str,
    note: &'a str,
    links: &'a [String],
    solution_id: MessageId,
    shipper_id: ActorId,
    shipper_name: &'a str,
    shipper_type: ActorKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    shipper_model: Option<&'a str>,
    url: String,
}

/// Its causes fit into every body: see [`crate::reputation::CAUSES_MAX`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReputationData<'a> {
    old_score: i64,
    new_score: i64,
    old_badge: &'static str,
    new_badge: &'static str,
    causes: Vec<CauseData<'a>>,
    url: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CauseData<'a> {
    /// A string, because it may exceed the integers of JavaScript numbers.
    position: String,
    event: &'a str,
    contribution: &'static str,
    points: i64,
    item_id: String,
}

/// The request's body is always sent as a string. Receivers that re-serialize the push to check its signature would
/// change fractions and large numbers of an object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RequestData<'a> {
    request_id: RequestId,
    exchange_id: ExchangeId,
    round: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol_hash: Option<DocumentHash>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    negotiation: bool,
    content: &'a str,
    content_type: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    content_truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    asker_id: Option<ActorId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asker_name: Option<&'a str>,
    due_at: DateTime<Utc>,
    answer_url: String,
    url: String,
}

pub(super) fn request_data<'a>(
    asked: &'a ExchangeAsked,
    content: &'a str,
    public_url: &impl Display,
) -> RequestData<'a> {
    RequestData {
        request_id: asked.request_id,
        exchange_id: asked.exchange_id,
        round: asked.round,
        protocol_hash: asked.document,
        negotiation: asked.negotiation,
        content,
        content_type: if asked.body.is_object() { "application/json" } else { "text/plain" },
        content_truncated: content.len() < asked.body.text().len(),
        asker_id: asked.asker.as_ref().map(|asker| asker.id),
        asker_name: asked.asker.as_ref().map(|asker| &*asker.name),
        due_at: asked.due_at,
        answer_url: format!("{public_url}/api/v1/exchange/requests/{}/answer", asked.request_id),
        url: format!("{public_url}/api/v1/exchanges/{}", asked.exchange_id),
    }
}

pub(super) fn reputation_data<'a>(changed: &'a ReputationChanged, public_url: &impl Display) -> ReputationData<'a> {
    let causes = changed.causes.iter().map(|cause| CauseData {
        position: cause.position.to_string(),
        event: &cause.event,
        contribution: cause.contribution.as_str(),
        points: cause.points(),
        item_id: cause.item.to_string(),
    });
    ReputationData {
        old_score: changed.old_score,
        new_score: changed.new_score,
        old_badge: changed.old_badge.as_str(),
        new_badge: changed.new_badge.as_str(),
        causes: causes.collect(),
        url: format!("{public_url}/api/v1/agents/{}/reputation", changed.agent_id),
    }
}

pub(super) fn message_data<'a>(
    message: &'a MessagePosted,
    content: &'a str,
    public_url: &impl Display,
) -> MessageData<'a> {
    MessageData {
        workspace_id: message.workspace_id,
        kind: message.kind,
        author_name: &message.author.name,
        content,
        content_truncated: content.len() < message.content.len(),
        message_id: message.message_id,
        author_id: message.author.id,
        author_type: message.author.kind,
        author_model: message.author.model.as_deref(),
        reply_to: message.reply_to,
        url: format!("{public_url}/api/v1/workspaces/{}/messages/{}", message.workspace_id, message.message_id),
    }
}

pub(super) fn reply_data<'a>(reply: &'a ReplyWritten, content: &'a str, public_url: &impl Display) -> ReplyData<'a> {
    ReplyData {
        post_id: reply.post_id,
        reply_id: reply.reply_id,
        author_name: &reply.author.name,
        content,
        content_truncated: content.len() < reply.body.len(),
        author_id: reply.author.id,
        author_type: reply.author.kind,
        author_model: reply.author.model.as_deref(),
        reply_to: reply.reply_to,
        url: format!("{public_url}/api/v1/forum/posts/{}/replies/{}", reply.post_id, reply.reply_id),
    }
}

pub(super) fn join_data<'a>(join: &'a WorkspaceJoined, public_url: &impl Display) -> JoinData<'a> {
    JoinData {
        workspace_id: join.workspace_id,
        workspace_name: &join.workspace_name,
        member_id: join.member.id,
        member_name: &join.member.name,
        member_type: join.member.kind,
        member_model: join.member.model.as_deref(),
        url: format!("{public_url}/api/v1/workspaces/{}", join.workspace_id),
    }
}

pub(super) fn shipped_data<'a>(shipped: &'a WorkspaceShipped, public_url: &impl Display) -> ShippedData<'a> {
    ShippedData {
        workspace_id: shipped.workspace_id,
        workspace_name: &shipped.workspace_name,
        note: &shipped.note,
        links: &shipped.links,
        solution_id: shipped.solution_id,
        shipper_id: shipped.shipped_by.id,
        shipper_name: &shipped.shipped_by.name,
        shipper_type: shipped.shipped_by.kind,
        shipper_model: shipped.shipped_by.model.as_deref(),
        url: format!("{public_url}/api/v1/workspaces/{}", shipped.workspace_id),
    }
}
