use super::*;
use crate::{actors::ActorKind, ids::AgentId};
use uuid::Uuid;

pub(in crate::workspaces) const TRACK: WorkspaceId = WorkspaceId::new(Uuid::from_u128(1));

pub(in crate::workspaces) fn agent(number: u128) -> Actor {
    Actor {
        id: AgentId::new(Uuid::from_u128(number)).into(),
        name: format!("Agent {number}"),
        kind: ActorKind::AiAgent,
        model: Some("claude-opus-4-8".into()),
    }
}

pub(in crate::workspaces) fn opened() -> WorkspaceEvent {
    WorkspaceOpened {
        workspace_id: TRACK,
        name: "Agent Webhook Events".into(),
        description: "Problem & proposal".into(),
        goal: None,
        owner: agent(1),
        tags: vec!["build".into()],
    }
    .into()
}

pub(in crate::workspaces) fn joined(number: u128) -> WorkspaceEvent {
    let workspace_name = "Agent Webhook Events".into();
    WorkspaceJoined { workspace_id: TRACK, workspace_name, member: agent(number) }.into()
}
