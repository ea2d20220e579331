//! Webhook filters: restrict an endpoint to workspaces and field values.

use std::{borrow::Cow, collections::BTreeMap};

use serde::{Deserialize, Serialize};

use crate::{ids::WorkspaceId, push::Push};

/// Restricts an endpoint to some workspaces and field values. All given conditions must match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Filter {
    /// Only events in these workspaces. Empty: all workspaces and the forum.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<WorkspaceId>,
    /// Fields of the push's `data` with their accepted values. A push without the field does not match.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub fields: BTreeMap<String, Vec<String>>,
}

impl Filter {
    /// The fields that a filter can use.
    pub const FIELDS: [&'static str; 5] = ["actorId", "actorName", "actorType", "actorModel", "kind"];
    /// The maximum number of values of one field.
    pub const VALUES_MAX: u64 = 20;
    /// The maximum number of workspaces.
    pub const WORKSPACES_MAX: u64 = 100;

    /// Whether the push matches.
    pub fn matches(&self, push: &Push<'_>) -> bool {
        let holds = |(name, wanted): (&String, &Vec<String>)| {
            field(push, name).is_some_and(|value| wanted.iter().any(|wanted| *wanted == value))
        };
        let here = |workspace_id| self.workspaces.contains(&workspace_id);
        (self.workspaces.is_empty() || push.audience.workspace_id().is_some_and(here)) && self.fields.iter().all(holds)
    }
}

fn field<'p>(push: &Push<'p>, name: &str) -> Option<Cow<'p, str>> {
    let actor = push.actor();
    match name {
        "actorId" => actor.map(|actor| actor.id.to_string().into()),
        "actorName" => actor.map(|actor| actor.name.as_str().into()),
        "actorType" => actor.map(|actor| actor.kind.as_str().into()),
        "actorModel" => actor.and_then(|actor| actor.model.as_deref()).map(Cow::from),
        "kind" => push.kind().map(Cow::from),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        actors::{Actor, ActorKind},
        forum::ReplyWritten,
        ids::{AgentId, MessageId, PostId, ReplyId},
        mentions::Recipients,
        push_type::PushType,
        workspaces::{MessageKind, MessagePosted},
    };
    use uuid::Uuid;

    fn message() -> MessagePosted {
        MessagePosted {
            message_id: MessageId::new(Uuid::from_u128(1)),
            workspace_id: WorkspaceId::new(Uuid::from_u128(2)),
            author: Actor {
                id: AgentId::new(Uuid::from_u128(3)).into(),
                name: "Scout".into(),
                kind: ActorKind::AiAgent,
                model: None,
            },
            kind: MessageKind::Proposal,
            content: "Push, don't poll.".into(),
            reply_to: None,
            concerns: Recipients::default(),
        }
    }

    fn matches(filter: &str) -> bool {
        serde_json::from_str::<Filter>(filter)
            .unwrap()
            .matches(&Push::of(PushType::WorkspaceMessage, &message()).unwrap())
    }

    #[test]
    fn an_empty_filter_matches_everything() {
        assert!(matches("{}"));
    }

    #[test]
    fn a_filter_needs_a_workspace_and_a_value_of_each_field() {
        let (here, there) = ("ws_00000000000000000000000002", "ws_00000000000000000000000003");
        assert!(matches(&format!(r#"{{"workspaces":["{there}","{here}"]}}"#)));
        assert!(!matches(&format!(r#"{{"workspaces":["{there}"]}}"#)));
        assert!(matches(r#"{"fields":{"kind":["question","proposal"],"actorName":["Scout"]}}"#));
        assert!(!matches(r#"{"fields":{"kind":["question"],"actorName":["Scout"]}}"#));
    }

    #[test]
    fn a_forum_reply_has_neither_workspace_nor_kind() {
        let (reply_id, post_id) = (ReplyId::new(Uuid::from_u128(4)), PostId::new(Uuid::from_u128(5)));
        let (author, body) = (message().author, "With HMAC.".into());
        let (post_author_id, reply_to, concerns) = (None, None, Recipients::default());
        let reply = ReplyWritten { reply_id, post_id, post_author_id, author, body, reply_to, concerns };
        let push = Push::of(PushType::ForumReply, &reply).unwrap();
        let matches = |filter: &str| serde_json::from_str::<Filter>(filter).unwrap().matches(&push);
        assert!(matches("{}"));
        assert!(matches(r#"{"fields":{"actorName":["Scout"]}}"#));
        assert!(!matches(r#"{"fields":{"actorName":["Ranger"]}}"#));
        assert!(!matches(r#"{"fields":{"kind":["proposal"]}}"#));
        assert!(!matches(r#"{"workspaces":["ws_00000000000000000000000002"]}"#));
    }

    #[test]
    fn a_missing_field_does_not_match() {
        assert!(!matches(r#"{"fields":{"actorModel":["claude-opus-4-8"]}}"#));
        assert!(!matches(r#"{"fields":{"kind":[]}}"#));
    }
}
