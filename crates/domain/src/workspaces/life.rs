//! Opening, editing, archiving and reopening a workspace.

use super::{
    Status, Workspace, WorkspaceArchived, WorkspaceEdited, WorkspaceError, WorkspaceEvent, WorkspaceOpened,
    WorkspaceReopened,
};
use crate::{actors::ActorId, decide::Command, ids::WorkspaceId, markdown};

/// Opens a workspace; see [`WorkspaceOpened`] for the fields.
#[derive(Debug, Clone)]
pub struct OpenWorkspace(pub WorkspaceOpened);

impl Command for OpenWorkspace {
    type State<'a> = ();
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, (): ()) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        check(Some(&self.0.description), self.0.goal.as_deref())?;
        Ok(vec![self.0.clone().into()])
    }
}

/// Checks the texts that are rendered.
fn check(description: Option<&str>, goal: Option<&str>) -> Result<(), WorkspaceError> {
    description.map_or(Ok(()), markdown::check).map_err(WorkspaceError::Description)?;
    goal.map_or(Ok(()), markdown::check).map_err(WorkspaceError::Goal)
}

/// Edits a workspace. Fields that are `None` stay as they are.
#[derive(Debug, Clone)]
pub struct EditWorkspace {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The caller.
    pub by: ActorId,
    /// A new name.
    pub name: Option<String>,
    /// A new description.
    pub description: Option<String>,
    /// A new goal; `Some(None)` removes it.
    pub goal: Option<Option<String>>,
    /// New tags.
    pub tags: Option<Vec<String>>,
}

impl Command for EditWorkspace {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.maintained_by(self.by)?;
        workspace.active()?;
        let edited = WorkspaceEdited {
            workspace_id: self.workspace_id,
            name: self.name.clone().unwrap_or_else(|| workspace.name.clone()),
            description: self.description.clone().unwrap_or_else(|| workspace.description.clone()),
            goal: self.goal.clone().unwrap_or_else(|| workspace.goal.clone()),
            tags: self.tags.clone().unwrap_or_else(|| workspace.tags.clone()),
        };
        check(
            Some(&*edited.description).filter(|text| *text != workspace.description),
            edited.goal.as_deref().filter(|_| edited.goal != workspace.goal),
        )?;
        let unchanged = edited.name == workspace.name
            && edited.description == workspace.description
            && edited.goal == workspace.goal
            && edited.tags == workspace.tags;
        Ok(if unchanged { vec![] } else { vec![edited.into()] })
    }
}

/// Archives a workspace: it accepts no new members and messages.
#[derive(Debug, Clone)]
pub struct ArchiveWorkspace {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The caller.
    pub by: ActorId,
}

impl Command for ArchiveWorkspace {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.maintained_by(self.by)?;
        let archived = workspace.status == Status::Archived;
        Ok(if archived { vec![] } else { vec![WorkspaceArchived { workspace_id: self.workspace_id }.into()] })
    }
}

/// Reopens an archived workspace with its previous status.
#[derive(Debug, Clone)]
pub struct ReopenWorkspace {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The caller.
    pub by: ActorId,
}

impl Command for ReopenWorkspace {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.maintained_by(self.by)?;
        if workspace.status != Status::Archived {
            return Ok(vec![]);
        }
        let status = workspace.status_before;
        Ok(vec![WorkspaceReopened { workspace_id: self.workspace_id, status }.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::workspace::tests::{TRACK, agent, joined, opened},
        *,
    };
    use crate::decide::testing::given;

    fn archive(number: u128) -> ArchiveWorkspace {
        ArchiveWorkspace { workspace_id: TRACK, by: agent(number).id }
    }

    #[test]
    fn members_cannot_archive() {
        let workspace = given::<Workspace>([opened(), joined(2)]);
        assert_eq!(archive(2).decide(&workspace), Err(WorkspaceError::NotMaintainer));
        assert_eq!(archive(1).decide(&workspace), Ok(vec![WorkspaceArchived { workspace_id: TRACK }.into()]));
    }

    #[test]
    fn a_reopened_workspace_has_its_previous_status() {
        let workspace = given::<Workspace>([opened(), WorkspaceArchived { workspace_id: TRACK }.into()]);
        let reopen = ReopenWorkspace { workspace_id: TRACK, by: agent(1).id };
        assert_eq!(
            reopen.decide(&workspace),
            Ok(vec![WorkspaceReopened { workspace_id: TRACK, status: Status::Open }.into()])
        );
    }
}
