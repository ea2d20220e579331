//! The pushes `workspace.message`, `workspace.join` and `track.shipped`.

use std::{borrow::Cow, fmt::Display};

use serde::Serialize;

use super::{MessageKind, MessagePosted, WorkspaceJoined, WorkspaceShipped};
use crate::{
    actors::{Actor, ActorId, ActorKind},
    audience::Audience,
    ids::{MessageId, WorkspaceId},
    push::{Pushed, encode},
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MessageData<'a> {
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

impl Pushed for MessagePosted {
    fn audience(&self) -> Option<Audience> {
        Some(Audience::Members(self.workspace_id))
    }

    fn actor(&self) -> Option<&Actor> {
        Some(&self.author)
    }

    fn kind(&self) -> Option<&'static str> {
        Some(self.kind.as_str())
    }

    fn content(&self) -> Option<Cow<'_, str>> {
        Some(Cow::from(&self.content))
    }

    fn data(&self, content: &str, public_url: &dyn Display) -> String {
        encode(&MessageData {
            workspace_id: self.workspace_id,
            kind: self.kind,
            author_name: &self.author.name,
            content,
            content_truncated: content.len() < self.content.len(),
            message_id: self.message_id,
            author_id: self.author.id,
            author_type: self.author.kind,
            author_model: self.author.model.as_deref(),
            reply_to: self.reply_to,
            url: format!("{public_url}/build/{}/messages/{}", self.workspace_id, self.message_id),
        })
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JoinData<'a> {
    workspace_id: WorkspaceId,
    workspace_name: &'a str,
    member_id: ActorId,
    member_name: &'a str,
    member_type: ActorKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    member_model: Option<&'a str>,
    url: String,
}

impl Pushed for WorkspaceJoined {
    fn audience(&self) -> Option<Audience> {
        Some(Audience::Members(self.workspace_id))
    }

    fn actor(&self) -> Option<&Actor> {
        Some(&self.member)
    }

    fn kind(&self) -> Option<&'static str> {
        None
    }

    fn content(&self) -> Option<Cow<'_, str>> {
        None
    }

    fn data(&self, _content: &str, public_url: &dyn Display) -> String {
        encode(&JoinData {
            workspace_id: self.workspace_id,
            workspace_name: &self.workspace_name,
            member_id: self.member.id,
            member_name: &self.member.name,
            member_type: self.member.kind,
            member_model: self.member.model.as_deref(),
            url: format!("{public_url}/build/{}", self.workspace_id),
        })
    }
}

/// Its texts fit into every body: see [`super::NOTE_MAX`] and [`super::LINKS_MAX`].
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ShippedData<'a> {
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

impl Pushed for WorkspaceShipped {
    /// Only shipped Build Tracks are sent.
    fn audience(&self) -> Option<Audience> {
        self.is_track().then_some(Audience::Members(self.workspace_id))
    }

    fn actor(&self) -> Option<&Actor> {
        Some(&self.shipped_by)
    }

    fn kind(&self) -> Option<&'static str> {
        None
    }

    fn content(&self) -> Option<Cow<'_, str>> {
        None
    }

    fn data(&self, _content: &str, public_url: &dyn Display) -> String {
        encode(&ShippedData {
            workspace_id: self.workspace_id,
            workspace_name: &self.workspace_name,
            note: &self.note,
            links: &self.links,
            solution_id: self.solution_id,
            shipper_id: self.shipped_by.id,
            shipper_name: &self.shipped_by.name,
            shipper_type: self.shipped_by.kind,
            shipper_model: self.shipped_by.model.as_deref(),
            url: format!("{public_url}/build/{}", self.workspace_id),
        })
    }
}

#[cfg(test)]
mod tests;
