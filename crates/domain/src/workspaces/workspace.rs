//! A workspace's life and its members.

use std::{collections::BTreeSet, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    actors::{Actor, ActorId, UnknownName},
    decide::{Command, State},
    event::event_set,
    ids::WorkspaceId,
};

event_set! {
    /// A workspace's life; stream `ws_…`.
    pub enum WorkspaceEvent {
        /// It exists from here on; its owner is its first member.
        Opened(WorkspaceOpened) = "workspace.opened", Public;
        /// Its owner changed what it says of itself.
        Edited(WorkspaceEdited) = "workspace.edited", Public;
        /// Somebody became a member.
        Joined(WorkspaceJoined) = "workspace.joined", Public;
        /// A member left.
        Left(WorkspaceLeft) = "workspace.left", Public;
        /// It is closed for members and messages.
        Archived(WorkspaceArchived) = "workspace.archived", Public;
        /// It is open again.
        Reopened(WorkspaceReopened) = "workspace.reopened", Public;
    }
}

/// Where a workspace stands: `open` → `resolved` → `shipped`; `archived` from any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Under discussion.
    #[default]
    Open,
    /// A solution has been accepted.
    Resolved,
    /// Its outcome is out.
    Shipped,
    /// Closed for members and messages.
    Archived,
}

impl Status {
    /// All of them, in order.
    pub const ALL: [Self; 4] = [Self::Open, Self::Resolved, Self::Shipped, Self::Archived];

    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Resolved => "resolved",
            Self::Shipped => "shipped",
            Self::Archived => "archived",
        }
    }
}

impl FromStr for Status {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|status| status.as_str() == text).ok_or(UnknownName)
    }
}

impl TryFrom<String> for Status {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
    }
}

/// See [`WorkspaceEvent::Opened`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceOpened {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// The problem and the proposal.
    pub description: String,
    /// What it is to reach.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    /// Who opened it.
    pub owner: Actor,
    /// In the order given.
    pub tags: Vec<String>,
}

/// See [`WorkspaceEvent::Edited`]: everything that can be edited, as it is from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceEdited {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Its name.
    pub name: String,
    /// The problem and the proposal.
    pub description: String,
    /// What it is to reach.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub goal: Option<String>,
    /// In the order given.
    pub tags: Vec<String>,
}

/// See [`WorkspaceEvent::Joined`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceJoined {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Its name at that moment.
    pub workspace_name: String,
    /// The new member, as shown at that moment.
    pub member: Actor,
}

/// See [`WorkspaceEvent::Left`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceLeft {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Who left.
    pub member_id: ActorId,
}

/// See [`WorkspaceEvent::Archived`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceArchived {
    /// The workspace.
    pub workspace_id: WorkspaceId,
}

/// See [`WorkspaceEvent::Reopened`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceReopened {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Where it stands again: where it stood before it was archived.
    pub status: Status,
}

/// A workspace as its stream tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Workspace {
    /// Who opened it; none before.
    pub owner: Option<ActorId>,
    /// Its name.
    pub name: String,
    /// The problem and the proposal.
    pub description: String,
    /// What it is to reach.
    pub goal: Option<String>,
    /// In the order given.
    pub tags: Vec<String>,
    /// Where it stands.
    pub status: Status,
    /// Where it stood before it was archived.
    pub status_before: Status,
    /// Who may post.
    pub members: BTreeSet<ActorId>,
}

impl State for Workspace {
    type Event = WorkspaceEvent;

    fn apply(mut self, event: &WorkspaceEvent) -> Self {
        match event {
            WorkspaceEvent::Opened(data) => Self {
                owner: Some(data.owner.id),
                name: data.name.clone(),
                description: data.description.clone(),
                goal: data.goal.clone(),
                tags: data.tags.clone(),
                members: BTreeSet::from([data.owner.id]),
                ..Self::default()
            },
            WorkspaceEvent::Edited(data) => Self {
                name: data.name.clone(),
                description: data.description.clone(),
                goal: data.goal.clone(),
                tags: data.tags.clone(),
                ..self
            },
            WorkspaceEvent::Joined(data) => {
                self.members.insert(data.member.id);
                self
            }
            WorkspaceEvent::Left(data) => {
                self.members.remove(&data.member_id);
                self
            }
            WorkspaceEvent::Archived(_) => Self { status: Status::Archived, status_before: self.status, ..self },
            WorkspaceEvent::Reopened(data) => Self { status: data.status, ..self },
        }
    }
}

impl Workspace {
    fn existing(&self) -> Result<ActorId, WorkspaceError> {
        self.owner.ok_or(WorkspaceError::NotFound)
    }

    fn owned_by(&self, actor: ActorId) -> Result<(), WorkspaceError> {
        if self.existing()? == actor { Ok(()) } else { Err(WorkspaceError::NotOwner) }
    }

    /// Refuses whatever an archived workspace refuses.
    pub(super) fn active(&self) -> Result<(), WorkspaceError> {
        self.existing()?;
        if self.status == Status::Archived { Err(WorkspaceError::Archived) } else { Ok(()) }
    }
}

/// Why a command about a workspace is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WorkspaceError {
    /// No such workspace.
    #[error("no such workspace")]
    NotFound,
    /// Only its owner may do that.
    #[error("only the workspace's owner may do that")]
    NotOwner,
    /// It is closed for members and messages.
    #[error("the workspace is archived")]
    Archived,
    /// Its owner stays a member.
    #[error("the owner cannot leave the workspace")]
    OwnerCannotLeave,
    /// Only members post.
    #[error("only members post in a workspace")]
    NotMember,
}

/// Opens a workspace; see [`WorkspaceOpened`] for the fields.
#[derive(Debug, Clone)]
pub struct OpenWorkspace(pub WorkspaceOpened);

impl Command for OpenWorkspace {
    type State<'a> = ();
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, (): ()) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        Ok(vec![self.0.clone().into()])
    }
}

/// Changes what a workspace says of itself; what is left out stays.
#[derive(Debug, Clone)]
pub struct EditWorkspace {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Who asks.
    pub by: ActorId,
    /// A new name.
    pub name: Option<String>,
    /// A new description.
    pub description: Option<String>,
    /// A new goal, or none.
    pub goal: Option<Option<String>>,
    /// New tags.
    pub tags: Option<Vec<String>>,
}

impl Command for EditWorkspace {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.owned_by(self.by)?;
        workspace.active()?;
        let edited = WorkspaceEdited {
            workspace_id: self.workspace_id,
            name: self.name.clone().unwrap_or_else(|| workspace.name.clone()),
            description: self.description.clone().unwrap_or_else(|| workspace.description.clone()),
            goal: self.goal.clone().unwrap_or_else(|| workspace.goal.clone()),
            tags: self.tags.clone().unwrap_or_else(|| workspace.tags.clone()),
        };
        let unchanged = edited.name == workspace.name
            && edited.description == workspace.description
            && edited.goal == workspace.goal
            && edited.tags == workspace.tags;
        Ok(if unchanged { vec![] } else { vec![edited.into()] })
    }
}

/// Makes somebody a member.
#[derive(Debug, Clone)]
pub struct JoinWorkspace {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The new member, as shown now.
    pub member: Actor,
}

impl Command for JoinWorkspace {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.active()?;
        if workspace.members.contains(&self.member.id) {
            return Ok(vec![]);
        }
        let Self { workspace_id, member } = self.clone();
        Ok(vec![WorkspaceJoined { workspace_id, workspace_name: workspace.name.clone(), member }.into()])
    }
}

/// Ends a membership. Leaving a workspace one is not in changes nothing.
#[derive(Debug, Clone)]
pub struct LeaveWorkspace {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Who leaves.
    pub member_id: ActorId,
}

impl Command for LeaveWorkspace {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        if workspace.existing()? == self.member_id {
            return Err(WorkspaceError::OwnerCannotLeave);
        }
        if !workspace.members.contains(&self.member_id) {
            return Ok(vec![]);
        }
        let Self { workspace_id, member_id } = *self;
        Ok(vec![WorkspaceLeft { workspace_id, member_id }.into()])
    }
}

/// Closes a workspace for members and messages.
#[derive(Debug, Clone)]
pub struct ArchiveWorkspace {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Who asks.
    pub by: ActorId,
}

impl Command for ArchiveWorkspace {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.owned_by(self.by)?;
        let archived = workspace.status == Status::Archived;
        Ok(if archived { vec![] } else { vec![WorkspaceArchived { workspace_id: self.workspace_id }.into()] })
    }
}

/// Opens an archived workspace again, where it stood before.
#[derive(Debug, Clone)]
pub struct ReopenWorkspace {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// Who asks.
    pub by: ActorId,
}

impl Command for ReopenWorkspace {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.owned_by(self.by)?;
        if workspace.status != Status::Archived {
            return Ok(vec![]);
        }
        let status = workspace.status_before;
        Ok(vec![WorkspaceReopened { workspace_id: self.workspace_id, status }.into()])
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::{actors::ActorKind, decide::testing::given, ids::AgentId};
    use proptest::prelude::*;
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

    fn join(number: u128) -> JoinWorkspace {
        JoinWorkspace { workspace_id: TRACK, member: agent(number) }
    }

    fn leave(number: u128) -> LeaveWorkspace {
        LeaveWorkspace { workspace_id: TRACK, member_id: agent(number).id }
    }

    fn archive(number: u128) -> ArchiveWorkspace {
        ArchiveWorkspace { workspace_id: TRACK, by: agent(number).id }
    }

    #[test]
    fn joining_twice_is_one_membership() {
        assert_eq!(join(2).decide(&given([opened()])), Ok(vec![joined(2)]));
        assert_eq!(join(2).decide(&given([opened(), joined(2)])), Ok(vec![]));
    }

    #[test]
    fn nobody_joins_what_is_not_there_or_archived() {
        let archived = WorkspaceArchived { workspace_id: TRACK }.into();
        assert_eq!(join(2).decide(&Workspace::default()), Err(WorkspaceError::NotFound));
        assert_eq!(join(2).decide(&given([opened(), archived])), Err(WorkspaceError::Archived));
    }

    #[test]
    fn the_owner_cannot_leave_and_a_stranger_leaving_changes_nothing() {
        assert_eq!(leave(1).decide(&given([opened()])), Err(WorkspaceError::OwnerCannotLeave));
        assert_eq!(leave(2).decide(&given([opened()])), Ok(vec![]));
    }

    #[test]
    fn only_the_owner_edits_and_archives() {
        let workspace = given::<Workspace>([opened(), joined(2)]);
        assert_eq!(archive(2).decide(&workspace), Err(WorkspaceError::NotOwner));
        assert_eq!(archive(1).decide(&workspace), Ok(vec![WorkspaceArchived { workspace_id: TRACK }.into()]));
    }

    #[test]
    fn a_reopened_workspace_stands_where_it_stood() {
        let workspace = given::<Workspace>([opened(), WorkspaceArchived { workspace_id: TRACK }.into()]);
        let reopen = ReopenWorkspace { workspace_id: TRACK, by: agent(1).id };
        assert_eq!(
            reopen.decide(&workspace),
            Ok(vec![WorkspaceReopened { workspace_id: TRACK, status: Status::Open }.into()])
        );
    }

    proptest! {
        #[test]
        fn members_are_the_owner_and_who_joined_last_more_than_left(steps in prop::collection::vec((2_u128..6, any::<bool>()), 0..40)) {
            let mut workspace = given::<Workspace>([opened()]);
            let mut expected = BTreeSet::from([agent(1).id]);
            for (number, joins) in steps {
                let events = if joins { join(number).decide(&workspace) } else { leave(number).decide(&workspace) };
                for event in events.unwrap() {
                    workspace = workspace.apply(&event);
                }
                if joins { expected.insert(agent(number).id); } else { expected.remove(&agent(number).id); }
                prop_assert_eq!(&workspace.members, &expected);
            }
        }
    }
}
