//! The meaning of events in workspaces: locations, memberships and summaries.

use super::{InvitationEvent, MessageEvent, MessageKind, MessagePosted, WorkspaceEvent};
use crate::{
    actors::ActorId,
    event::Meaning,
    ids::WorkspaceId,
    locations::{Location, MembershipChange},
    one_line::{excerpt, line},
};

impl Meaning for WorkspaceEvent {
    fn locations(&self) -> Vec<Location> {
        vec![Location::Workspace(self.workspace_id())]
    }

    fn membership(&self) -> Option<MembershipChange> {
        let (member, joins) = match self {
            Self::Opened(data) => (data.owner.id, true),
            Self::Joined(data) => (data.member.id, true),
            Self::Left(data) => (data.member_id, false),
            Self::MemberRemoved(data) => (data.member_id, false),
            Self::Edited(_)
            | Self::Archived(_)
            | Self::Reopened(_)
            | Self::Resolved(_)
            | Self::Unresolved(_)
            | Self::Shipped(_)
            | Self::RoleChanged(_)
            | Self::HandedOver(_) => return None,
        };
        Some(MembershipChange { member, workspace_id: self.workspace_id(), joins })
    }

    fn summary(&self) -> Option<String> {
        Some(match self {
            Self::Opened(data) => format!("{} opened “{}”", line(&data.owner.name), line(&data.name)),
            Self::Edited(data) => format!("“{}” was edited", line(&data.name)),
            Self::Joined(data) => format!("{} joined", line(&data.member.name)),
            Self::Left(data) => format!("{} left", data.member_id),
            Self::Archived(_) => "archived".to_owned(),
            Self::Reopened(data) => format!("reopened, and {} again", data.status.as_str()),
            Self::Resolved(data) => format!("{} was accepted as the solution", data.solution_id),
            Self::Unresolved(data) => format!("{} is no longer the solution", data.solution_id),
            Self::Shipped(data) => format!("{} shipped it: {}", line(&data.shipped_by.name), excerpt(&data.note)),
            Self::MemberRemoved(data) => format!("{} was removed", data.member_id),
            Self::RoleChanged(data) => format!("{} became a {}", data.member_id, data.role.as_str()),
            Self::HandedOver(data) => format!("handed over to {}", line(&data.owner.name)),
        })
    }

    fn changes_visibility(&self) -> bool {
        false
    }
}

impl WorkspaceEvent {
    fn workspace_id(&self) -> WorkspaceId {
        match self {
            Self::Opened(data) => data.workspace_id,
            Self::Edited(data) => data.workspace_id,
            Self::Joined(data) => data.workspace_id,
            Self::Left(data) => data.workspace_id,
            Self::Archived(data) => data.workspace_id,
            Self::Reopened(data) => data.workspace_id,
            Self::Resolved(data) => data.workspace_id,
            Self::Unresolved(data) => data.workspace_id,
            Self::Shipped(data) => data.workspace_id,
            Self::MemberRemoved(data) => data.workspace_id,
            Self::RoleChanged(data) => data.workspace_id,
            Self::HandedOver(data) => data.workspace_id,
        }
    }
}

impl Meaning for MessageEvent {
    fn locations(&self) -> Vec<Location> {
        match self {
            Self::Posted(data) => vec![Location::Workspace(data.workspace_id)],
            Self::Redacted(data) => vec![Location::Workspace(data.workspace_id), Location::Actor(data.author.id)],
        }
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        Some(match self {
            Self::Posted(data) => posted(data),
            Self::Redacted(data) => format!("{} took {} back", line(&data.author.name), article(data.kind)),
        })
    }

    fn changes_visibility(&self) -> bool {
        false
    }
}

fn posted(data: &MessagePosted) -> String {
    let doing = if data.reply_to.is_some() { "replied with" } else { "posted" };
    format!("{} {doing} {}: {}", line(&data.author.name), article(data.kind), excerpt(&data.content))
}

fn article(kind: MessageKind) -> String {
    match kind {
        MessageKind::Evidence => "evidence".to_owned(),
        MessageKind::Update => "an update".to_owned(),
        other => format!("a {}", other.as_str()),
    }
}

impl Meaning for InvitationEvent {
    /// The workspace and the invited actor, which may never have been a member.
    fn locations(&self) -> Vec<Location> {
        let (workspace_id, invited): (_, ActorId) = match self {
            Self::Sent(data) => (data.workspace_id, data.invited.id),
            Self::Accepted(data) => (data.workspace_id, data.invited_id),
            Self::Declined(data) => (data.workspace_id, data.invited_id),
            Self::Withdrawn(data) => (data.workspace_id, data.invited_id),
        };
        vec![Location::Workspace(workspace_id), Location::Actor(invited)]
    }

    fn membership(&self) -> Option<MembershipChange> {
        None
    }

    fn summary(&self) -> Option<String> {
        match self {
            Self::Sent(data) => Some(format!("{} invited {}", line(&data.invited_by.name), line(&data.invited.name))),
            Self::Accepted(_) | Self::Declined(_) | Self::Withdrawn(_) => None,
        }
    }

    fn changes_visibility(&self) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::{
        InvitationAccepted, InvitationDeclined, InvitationSent, InvitationWithdrawn, MessageRedacted, Role, Status,
        WorkspaceArchived, WorkspaceEdited, WorkspaceHandedOver, WorkspaceJoined, WorkspaceLeft,
        WorkspaceMemberRemoved, WorkspaceOpened, WorkspaceReopened, WorkspaceResolved, WorkspaceRoleChanged,
        WorkspaceShipped, WorkspaceUnresolved,
    };
    use super::*;
    use crate::{
        event_tests::{agent, meanings},
        ids::MessageId,
        mentions::Concerns,
    };
    use proptest::prelude::*;
    use uuid::Uuid;

    const TRACK: WorkspaceId = WorkspaceId::new(Uuid::from_u128(1));
    const MESSAGE: MessageId = MessageId::new(Uuid::from_u128(2));

    fn posted(kind: MessageKind, content: &str, reply_to: Option<MessageId>) -> MessagePosted {
        let (workspace_id, author, content, concerns) = (TRACK, agent(1), content.to_owned(), Concerns::default());
        MessagePosted { message_id: MESSAGE, workspace_id, author, kind, content, reply_to, concerns }
    }

    fn redacted(kind: MessageKind) -> MessageRedacted {
        MessageRedacted { message_id: MESSAGE, workspace_id: TRACK, author: agent(1), kind, reply_to: None }
    }

    fn workspace_events() -> [WorkspaceEvent; 12] {
        let (workspace_id, name, goal, tags) = (TRACK, "Web\nhooks".to_owned(), None, vec![]);
        let (description, solution_id, member_id) = (String::new(), MESSAGE, agent(3).id);
        let (solution_author_id, by) = (agent(4).id, agent(1).id);
        let (note, links) = ("It\r\nruns".to_owned(), vec![]);
        [
            WorkspaceOpened {
                workspace_id,
                name: name.clone(),
                description: description.clone(),
                goal: goal.clone(),
                owner: agent(1),
                tags: tags.clone(),
            }
            .into(),
            WorkspaceEdited { workspace_id, name: name.clone(), description, goal, tags: tags.clone() }.into(),
            WorkspaceJoined { workspace_id, workspace_name: name.clone(), member: agent(2) }.into(),
            WorkspaceLeft { workspace_id, member_id: agent(2).id }.into(),
            WorkspaceArchived { workspace_id }.into(),
            WorkspaceReopened { workspace_id, status: Status::Resolved }.into(),
            WorkspaceResolved { workspace_id, solution_id, solution_author_id, accepted_by: by }.into(),
            WorkspaceUnresolved { workspace_id, solution_id, solution_author_id }.into(),
            WorkspaceShipped {
                workspace_id,
                workspace_name: name,
                tags,
                solution_id,
                note,
                links,
                shipped_by: agent(2),
            }
            .into(),
            WorkspaceMemberRemoved { workspace_id, member_id, removed_by: by }.into(),
            WorkspaceRoleChanged { workspace_id, member_id, role: Role::Maintainer }.into(),
            WorkspaceHandedOver { workspace_id, from_id: by, owner: agent(2) }.into(),
        ]
    }

    #[test]
    fn events_of_a_workspace_have_it_as_location() {
        assert_eq!(
            meanings(workspace_events()),
            [
                "workspace.opened @ws_1 +ag_1: Agent 1 opened “Web hooks”",
                "workspace.edited @ws_1: “Web hooks” was edited",
                "workspace.joined @ws_1 +ag_2: Agent 2 joined",
                "workspace.left @ws_1 -ag_2: ag_2 left",
                "workspace.archived @ws_1: archived",
                "workspace.reopened @ws_1: reopened, and resolved again",
                "workspace.resolved @ws_1: msg_2 was accepted as the solution",
                "workspace.unresolved @ws_1: msg_2 is no longer the solution",
                "workspace.shipped @ws_1: Agent 2 shipped it: It runs",
                "workspace.member_removed @ws_1 -ag_3: ag_3 was removed",
                "workspace.role_changed @ws_1: ag_3 became a maintainer",
                "workspace.handed_over @ws_1: handed over to Agent 2",
            ]
        );
    }

    #[test]
    fn a_redaction_is_also_located_at_its_author_who_may_have_left() {
        let replied = posted(MessageKind::Evidence, "Sign\r\n\tevery\u{0} push", Some(MESSAGE));
        let events: [MessageEvent; 6] = [
            posted(MessageKind::Proposal, "Hello", None).into(),
            posted(MessageKind::Update, "Hello", None).into(),
            replied.into(),
            redacted(MessageKind::Proposal).into(),
            redacted(MessageKind::Update).into(),
            redacted(MessageKind::Evidence).into(),
        ];
        assert_eq!(
            meanings(events),
            [
                "message.posted @ws_1: Agent 1 posted a proposal: Hello",
                "message.posted @ws_1: Agent 1 posted an update: Hello",
                "message.posted @ws_1: Agent 1 replied with evidence: Sign every push",
                "message.redacted @ws_1 ag_1: Agent 1 took a proposal back",
                "message.redacted @ws_1 ag_1: Agent 1 took an update back",
                "message.redacted @ws_1 ag_1: Agent 1 took evidence back",
            ]
        );
    }

    #[test]
    fn an_invitation_is_located_at_the_invited_actor_too() {
        let (workspace_id, invited_id) = (TRACK, agent(2).id);
        let sent =
            InvitationSent { workspace_id, workspace_name: "Hooks".into(), invited: agent(2), invited_by: agent(1) };
        let events: [InvitationEvent; 4] = [
            sent.into(),
            InvitationAccepted { workspace_id, invited_id }.into(),
            InvitationDeclined { workspace_id, invited_id }.into(),
            InvitationWithdrawn { workspace_id, invited_id, withdrawn_by: agent(1).id }.into(),
        ];
        assert_eq!(
            meanings(events),
            [
                "invitation.sent @ws_1 ag_2: Agent 1 invited Agent 2",
                "invitation.accepted @ws_1 ag_2: invitation accepted",
                "invitation.declined @ws_1 ag_2: invitation declined",
                "invitation.withdrawn @ws_1 ag_2: invitation withdrawn",
            ]
        );
    }

    proptest! {
        #[test]
        fn the_summary_of_any_message_is_one_line(content in any::<String>()) {
            let summary = MessageEvent::from(posted(MessageKind::Proposal, &content, None)).summary().unwrap();
            prop_assert!(!summary.chars().any(char::is_control));
            prop_assert!(summary.chars().count() <= 80 + 40);
        }
    }
}
