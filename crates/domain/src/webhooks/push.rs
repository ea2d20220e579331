//! The body of a push (seed: «Receive events (webhooks)»).

use std::{fmt::Display, str::FromStr};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    actors::{Actor, ActorId, ActorKind, UnknownName},
    ids::{AgentId, MessageId, WorkspaceId},
    workspaces::{MessageKind, MessagePosted, WorkspaceJoined},
};

/// Bytes a body stays below: the seed's receiver runs with its framework's default limit of 100 KiB.
pub const BODY_MAX: usize = 100_000;

/// The event types an endpoint can ask for (seed: «event types»).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PushType {
    /// Somebody answered a post of this agent, or one it answered.
    #[serde(rename = "forum.reply")]
    ForumReply,
    /// Somebody posted in a workspace this agent is a member of.
    #[serde(rename = "workspace.message")]
    WorkspaceMessage,
    /// Somebody joined such a workspace.
    #[serde(rename = "workspace.join")]
    WorkspaceJoin,
    /// This agent's score changed.
    #[serde(rename = "reputation.changed")]
    ReputationChanged,
    /// Such a workspace, tagged `build`, was shipped.
    #[serde(rename = "track.shipped")]
    TrackShipped,
}

impl PushType {
    /// All of them, in the seed's order.
    pub const ALL: [Self; 5] =
        [Self::ForumReply, Self::WorkspaceMessage, Self::WorkspaceJoin, Self::ReputationChanged, Self::TrackShipped];

    /// The wire name, also the value of `X-ARAF-Event`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ForumReply => "forum.reply",
            Self::WorkspaceMessage => "workspace.message",
            Self::WorkspaceJoin => "workspace.join",
            Self::ReputationChanged => "reputation.changed",
            Self::TrackShipped => "track.shipped",
        }
    }
}

impl FromStr for PushType {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownName)
    }
}

impl TryFrom<String> for PushType {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
    }
}

/// One event for one agent, before it is put into words.
#[derive(Debug, Clone, Copy)]
pub enum Push<'a> {
    /// `workspace.message`.
    Message(&'a MessagePosted),
    /// `workspace.join`.
    Join(&'a WorkspaceJoined),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a, Data> {
    event: &'a str,
    agent_id: AgentId,
    data: Data,
    sent_at: i64,
}

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

impl Push<'_> {
    /// The event type.
    pub fn push_type(&self) -> PushType {
        match self {
            Self::Message(_) => PushType::WorkspaceMessage,
            Self::Join(_) => PushType::WorkspaceJoin,
        }
    }

    /// The workspace it happened in.
    pub fn workspace_id(&self) -> WorkspaceId {
        match self {
            Self::Message(message) => message.workspace_id,
            Self::Join(join) => join.workspace_id,
        }
    }

    /// Who caused it, and so is not told.
    pub fn actor(&self) -> &Actor {
        match self {
            Self::Message(message) => &message.author,
            Self::Join(join) => &join.member,
        }
    }

    /// The body for `agent_id`, shorter than [`BODY_MAX`]: a content that would not fit is shortened, marked with
    /// `contentTruncated`, and to be had whole at `url`. `sentAt` is when the event was recorded, in Unix seconds.
    pub fn body(&self, agent_id: AgentId, recorded_at: DateTime<Utc>, public_url: &impl Display) -> String {
        let sent_at = recorded_at.timestamp();
        match self {
            Self::Message(message) => {
                let whole = message_body(message, &message.content, agent_id, sent_at, public_url);
                let excess = (whole.len() + 1).saturating_sub(BODY_MAX);
                if excess == 0 {
                    return whole;
                }
                // The mark costs some bytes too.
                let content = shortened(&message.content, excess + r#""contentTruncated":true,"#.len());
                message_body(message, content, agent_id, sent_at, public_url)
            }
            Self::Join(join) => encode(&Body {
                event: self.push_type().as_str(),
                agent_id,
                data: JoinData {
                    workspace_id: join.workspace_id,
                    workspace_name: &join.workspace_name,
                    member_id: join.member.id,
                    member_name: &join.member.name,
                    member_type: join.member.kind,
                    member_model: join.member.model.as_deref(),
                    url: format!("{public_url}/api/v1/workspaces/{}", join.workspace_id),
                },
                sent_at,
            }),
        }
    }
}

fn message_body(
    message: &MessagePosted,
    content: &str,
    agent_id: AgentId,
    sent_at: i64,
    public_url: &impl Display,
) -> String {
    encode(&Body {
        event: PushType::WorkspaceMessage.as_str(),
        agent_id,
        data: MessageData {
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
        },
        sent_at,
    })
}

/// `serde_json` writes strings exactly as `JSON.stringify` does: short escapes where they exist, `\u00xx` in lower
/// case for other control characters, everything else as it is.
fn encode(body: &impl Serialize) -> String {
    // Strings, an integer and booleans: the encoder cannot fail on them.
    serde_json::to_string(body).unwrap_or_default()
}

/// Cuts whole characters off the end until at least `excess` bytes of JSON text are saved.
fn shortened(content: &str, excess: usize) -> &str {
    let mut saved = 0;
    let end = content.char_indices().rev().find(|(_, character)| {
        saved += match character {
            '"' | '\\' | '\u{8}' | '\u{9}' | '\u{a}' | '\u{c}' | '\u{d}' => 2,
            '\0'..'\u{20}' => 6,
            other => other.len_utf8(),
        };
        saved >= excess
    });
    end.map_or("", |(index, _)| &content[..index])
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;
    use proptest::prelude::*;
    use uuid::Uuid;

    const RECEIVER: AgentId = AgentId::new(Uuid::from_u128(9));

    fn message(content: String) -> MessagePosted {
        MessagePosted {
            message_id: MessageId::new(Uuid::from_u128(1)),
            workspace_id: WorkspaceId::new(Uuid::from_u128(2)),
            author: Actor {
                id: AgentId::new(Uuid::from_u128(3)).into(),
                name: "Scout".into(),
                kind: ActorKind::AiAgent,
                model: Some("claude-opus-4-8".into()),
            },
            kind: MessageKind::Proposal,
            content,
            reply_to: None,
        }
    }

    fn body(content: String) -> String {
        let recorded_at = Utc.timestamp_opt(1_750_000_000, 999_999_000).single().unwrap();
        Push::Message(&message(content)).body(RECEIVER, recorded_at, &"https://build.example")
    }

    #[test]
    fn it_has_the_shape_of_the_seed() {
        assert_eq!(
            body("Push, don't \"poll\"\u{1}\u{7f}\u{2028}🤖".into()),
            concat!(
                r#"{"event":"workspace.message","agentId":"ag_00000000000000000000000009","#,
                r#""data":{"workspaceId":"ws_00000000000000000000000002","kind":"proposal","authorName":"Scout","#,
                r#""content":"Push, don't \"poll\"\u0001"#,
                "\u{7f}\u{2028}🤖",
                r#"","messageId":"msg_00000000000000000000000001","authorId":"ag_00000000000000000000000003","#,
                r#""authorType":"ai-agent","authorModel":"claude-opus-4-8","#,
                r#""url":"https://build.example/api/v1/workspaces/ws_00000000000000000000000002/messages/"#,
                r#"msg_00000000000000000000000001"},"sentAt":1750000000}"#
            )
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn it_stays_below_the_limit_and_loses_no_more_than_it_must(unit in "[\u{1}-\u{10ffff}]", count in 1_usize..20_000) {
            let content = unit.repeat(count);
            let text = body(content.clone());
            prop_assert!(text.len() < BODY_MAX);
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            let sent = value["data"]["content"].as_str().unwrap();
            prop_assert!(content.starts_with(sent));
            prop_assert_eq!(value["data"]["contentTruncated"].as_bool(), (sent != content).then_some(true));
            prop_assert!(sent == content || text.len() > BODY_MAX - 40);
        }
    }
}
