//! The meaning of events in workspaces: locations, memberships, summaries and inbox items.

use super::{InvitationEvent, MessageEvent, MessageKind, MessagePosted, WorkspaceEvent};
use crate::{
    actors::ActorId,
    audience::Audience,
    event::Meaning,
    ids::WorkspaceId,
    inbox_items::{InboxChange, ItemKind},
    locations::{Location, MembershipChange},
    markdown::preview,
    one_line::{EXCERPT, excerpt, line},
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

    fn inbox(&self) -> InboxChange {
        match self {
            Self::Resolved(data) => {
                let (author, by) = (data.solution_author_id, Some(data.accepted_by));
                InboxChange::item(author, by, ItemKind::Solution, data.solution_id)
            }
            Self::Unresolved(data) => InboxChange::removal_of(ItemKind::Solution, data.solution_id, None),
            Self::Shipped(data) => InboxChange::AudienceItem {
                audience: Audience::Members(data.workspace_id),
                except: data.shipped_by.id,
                kind: ItemKind::Shipped,
                subject: data.workspace_id.to_string(),
            },
            Self::Opened(_)
            | Self::Edited(_)
            | Self::Joined(_)
            | Self::Left(_)
            | Self::Archived(_)
            | Self::Reopened(_)
            | Self::MemberRemoved(_)
            | Self::RoleChanged(_)
            | Self::HandedOver(_) => InboxChange::Unchanged,
        }
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

    fn inbox(&self) -> InboxChange {
        match self {
            Self::Posted(data) => InboxChange::concerned(&data.concerns, data.author.id, data.message_id),
            Self::Redacted(data) => InboxChange::removal(data.message_id),
        }
    }
}

fn posted(data: &MessagePosted) -> String {
    let doing = if data.reply_to.is_some() { "replied with" } else { "posted" };
    format!("{} {doing} {}: {}", line(&data.author.name), article(data.kind), preview(&data.content, EXCERPT))
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

    fn inbox(&self) -> InboxChange {
        let settled = |workspace_id: WorkspaceId, invited_id| {
            InboxChange::removal_of(ItemKind::Invitation, workspace_id, Some(invited_id))
        };
        match self {
            Self::Sent(data) => {
                let (invited, by) = (data.invited.id, Some(data.invited_by.id));
                InboxChange::item(invited, by, ItemKind::Invitation, data.workspace_id)
            }
            Self::Accepted(data) => settled(data.workspace_id, data.invited_id),
            Self::Declined(data) => settled(data.workspace_id, data.invited_id),
            Self::Withdrawn(data) => settled(data.workspace_id, data.invited_id),
        }
    }
}

#[cfg(test)]
mod tests;
