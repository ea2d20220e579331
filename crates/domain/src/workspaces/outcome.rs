//! The outcome of a workspace: accepting a solution, and shipping.

use serde::{Deserialize, Serialize};

use super::{BUILD_TAG, Message, MessageError, MessageKind, Status, Workspace, WorkspaceError, WorkspaceEvent};
use crate::{
    actors::{Actor, ActorId},
    decide::Command,
    ids::{MessageId, WorkspaceId},
};

/// The maximum number of characters in the note of a shipment.
pub const NOTE_MAX: u64 = 4000;
/// The maximum number of links in a shipment.
pub const LINKS_MAX: u64 = 10;
/// The maximum number of characters in a link of a shipment.
pub const LINK_MAX: u64 = 500;

/// See [`WorkspaceEvent::Resolved`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceResolved {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The accepted message.
    pub solution_id: MessageId,
    /// The message's author.
    pub solution_author_id: ActorId,
    /// The actor that accepted it.
    pub accepted_by: ActorId,
}

/// See [`WorkspaceEvent::Unresolved`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceUnresolved {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The message that is no longer accepted.
    pub solution_id: MessageId,
    /// The message's author.
    pub solution_author_id: ActorId,
}

/// See [`WorkspaceEvent::Shipped`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkspaceShipped {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The workspace's name at that time.
    pub workspace_name: String,
    /// The workspace's tags at that time.
    pub tags: Vec<String>,
    /// The accepted solution.
    pub solution_id: MessageId,
    /// A note about the outcome.
    pub note: String,
    /// Links to the outcome.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub links: Vec<String>,
    /// The actor that shipped it, with its profile at that time.
    pub shipped_by: Actor,
}

impl WorkspaceShipped {
    /// Whether it was a Build Track.
    pub fn is_track(&self) -> bool {
        self.tags.iter().any(|tag| tag == BUILD_TAG)
    }
}

/// The accepted message of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Solution {
    /// The message.
    pub id: MessageId,
    /// The message's author.
    pub author: ActorId,
}

/// The input of [`AcceptSolution`].
#[derive(Debug)]
pub struct Accepting<'a> {
    /// The workspace.
    pub workspace: &'a Workspace,
    /// The message to accept.
    pub message: &'a Message,
}

/// Accepts a message of the kind `solution`, replacing a previously accepted one. The workspace becomes resolved.
#[derive(Debug, Clone)]
pub struct AcceptSolution {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The message to accept.
    pub solution_id: MessageId,
    /// The caller.
    pub by: ActorId,
}

impl Command for AcceptSolution {
    type State<'a> = Accepting<'a>;
    type Event = WorkspaceEvent;
    type Error = MessageError;

    fn decide(&self, Accepting { workspace, message }: Accepting<'_>) -> Result<Vec<WorkspaceEvent>, MessageError> {
        workspace.maintained_by(self.by)?;
        workspace.unshipped()?;
        let place = message.posted_in(self.workspace_id).map_err(|_| MessageError::SolutionNotFound)?;
        if message.redacted {
            return Err(MessageError::Redacted);
        }
        if place.kind != MessageKind::Solution {
            return Err(MessageError::NotASolution);
        }
        let Self { workspace_id, solution_id, by: accepted_by } = *self;
        if workspace.solution.is_some_and(|solution| solution.id == solution_id) {
            return Ok(vec![]);
        }
        let solution_author_id = place.author.id;
        let mut events = workspace.unresolved(workspace_id);
        events.push(WorkspaceResolved { workspace_id, solution_id, solution_author_id, accepted_by }.into());
        Ok(events)
    }
}

/// Withdraws the acceptance. The workspace becomes open again. If no message is accepted, nothing changes.
#[derive(Debug, Clone)]
pub struct UndoSolution {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The caller.
    pub by: ActorId,
}

impl Command for UndoSolution {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.maintained_by(self.by)?;
        workspace.unshipped()?;
        Ok(workspace.unresolved(self.workspace_id))
    }
}

/// Ships the outcome of a workspace.
#[derive(Debug, Clone)]
pub struct ShipWorkspace {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// A note about the outcome.
    pub note: String,
    /// Links to the outcome.
    pub links: Vec<String>,
    /// The caller, with its current profile.
    pub by: Actor,
}

impl Command for ShipWorkspace {
    type State<'a> = &'a Workspace;
    type Event = WorkspaceEvent;
    type Error = WorkspaceError;

    fn decide(&self, workspace: &Workspace) -> Result<Vec<WorkspaceEvent>, WorkspaceError> {
        workspace.maintained_by(self.by.id)?;
        workspace.unshipped()?;
        let solution = workspace.solution.ok_or(WorkspaceError::NotResolved)?;
        let Self { workspace_id, note, links, by: shipped_by } = self.clone();
        let (workspace_name, tags, solution_id) = (workspace.name.clone(), workspace.tags.clone(), solution.id);
        let shipped = WorkspaceShipped { workspace_id, workspace_name, tags, solution_id, note, links, shipped_by };
        Ok(vec![shipped.into()])
    }
}

impl Workspace {
    /// Returns an error if the workspace is archived or shipped.
    fn unshipped(&self) -> Result<(), WorkspaceError> {
        self.active()?;
        if self.status == Status::Shipped { Err(WorkspaceError::Shipped) } else { Ok(()) }
    }

    /// The event that withdraws the acceptance, if there is one.
    fn unresolved(&self, workspace_id: WorkspaceId) -> Vec<WorkspaceEvent> {
        let unresolved = |Solution { id: solution_id, author: solution_author_id }| {
            WorkspaceUnresolved { workspace_id, solution_id, solution_author_id }.into()
        };
        self.solution.map(unresolved).into_iter().collect()
    }

    /// The additional event when a message is redacted: a redacted message cannot be the solution. A resolved workspace
    /// becomes open again; a shipped one stays shipped, without a solution.
    pub fn without(&self, message: &Message) -> Vec<WorkspaceEvent> {
        let place = message
            .place
            .as_ref()
            .filter(|place| self.solution.is_some_and(|solution| solution.id == place.message_id));
        place.map(|place| self.unresolved(place.workspace_id)).unwrap_or_default()
    }

    /// The workspace with this message accepted.
    pub(super) fn resolved(self, data: &WorkspaceResolved) -> Self {
        let solution = Some(Solution { id: data.solution_id, author: data.solution_author_id });
        Self { solution, status: Status::Resolved, ..self }
    }

    /// The workspace without an accepted message.
    pub(super) fn without_solution(self) -> Self {
        let open = |status| if status == Status::Resolved { Status::Open } else { status };
        Self { solution: None, status: open(self.status), status_before: open(self.status_before), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            MessagePosted, MessageRedacted, WorkspaceArchived, WorkspaceReopened,
            workspace::tests::{TRACK, agent, joined, opened},
        },
        *,
    };
    use crate::{
        decide::{State, testing::given},
        mentions::Concerns,
    };
    use proptest::prelude::*;
    use uuid::Uuid;

    fn id(number: u128) -> MessageId {
        MessageId::new(Uuid::from_u128(number))
    }

    /// A message by agent 2.
    fn message(number: u128, kind: MessageKind) -> Message {
        let (message_id, content) = (id(number), "Like this".into());
        let (author, reply_to, concerns) = (agent(2), None, Concerns::default());
        let posted = MessagePosted { message_id, workspace_id: TRACK, author, kind, content, reply_to, concerns };
        given([posted.into()])
    }

    fn solution(number: u128) -> Message {
        message(number, MessageKind::Solution)
    }

    fn gone(message: &Message) -> Message {
        let place: MessageRedacted = message.place.clone().unwrap();
        message.clone().apply(&place.into())
    }

    fn accept(
        workspace: &Workspace,
        number: u128,
        by: u128,
        message: &Message,
    ) -> Result<Vec<WorkspaceEvent>, MessageError> {
        let command = AcceptSolution { workspace_id: TRACK, solution_id: id(number), by: agent(by).id };
        command.decide(Accepting { workspace, message })
    }

    fn resolved(number: u128) -> WorkspaceEvent {
        let (solution_id, solution_author_id, accepted_by) = (id(number), agent(2).id, agent(1).id);
        WorkspaceResolved { workspace_id: TRACK, solution_id, solution_author_id, accepted_by }.into()
    }

    fn unresolved(number: u128) -> WorkspaceEvent {
        let (solution_id, solution_author_id) = (id(number), agent(2).id);
        WorkspaceUnresolved { workspace_id: TRACK, solution_id, solution_author_id }.into()
    }

    fn undo(by: u128) -> UndoSolution {
        UndoSolution { workspace_id: TRACK, by: agent(by).id }
    }

    fn ship(by: u128) -> ShipWorkspace {
        let links = vec!["https://build.example/".to_owned()];
        ShipWorkspace { workspace_id: TRACK, note: "It is out".into(), links, by: agent(by) }
    }

    fn shipped(number: u128) -> WorkspaceEvent {
        WorkspaceShipped {
            workspace_id: TRACK,
            workspace_name: "Agent Webhook Events".into(),
            tags: vec!["build".into()],
            solution_id: id(number),
            note: "It is out".into(),
            links: vec!["https://build.example/".to_owned()],
            shipped_by: agent(1),
        }
        .into()
    }

    fn archived() -> WorkspaceEvent {
        WorkspaceArchived { workspace_id: TRACK }.into()
    }

    #[test]
    fn an_accepted_solution_resolves_the_workspace_once() {
        let open = given::<Workspace>([opened(), joined(2)]);
        assert_eq!(accept(&open, 7, 1, &solution(7)), Ok(vec![resolved(7)]));
        let workspace = open.apply(&resolved(7));
        assert_eq!(workspace.status, Status::Resolved);
        assert_eq!(accept(&workspace, 7, 1, &solution(7)), Ok(vec![]));
    }

    #[test]
    fn accepting_another_solution_replaces_the_first() {
        let workspace = given([opened(), resolved(7)]);
        assert_eq!(accept(&workspace, 8, 1, &solution(8)), Ok(vec![unresolved(7), resolved(8)]));
    }

    #[test]
    fn only_unredacted_solutions_of_this_workspace_are_accepted() {
        let workspace = given([opened()]);
        assert_eq!(accept(&workspace, 7, 1, &Message::default()), Err(MessageError::SolutionNotFound));
        assert_eq!(accept(&workspace, 7, 1, &gone(&solution(7))), Err(MessageError::Redacted));
        for kind in MessageKind::ALL.into_iter().filter(|kind| *kind != MessageKind::Solution) {
            assert_eq!(accept(&workspace, 7, 1, &message(7, kind)), Err(MessageError::NotASolution));
        }
    }

    #[test]
    fn members_cannot_accept_withdraw_or_ship() {
        let workspace = given::<Workspace>([opened(), joined(2), resolved(7)]);
        assert_eq!(accept(&workspace, 8, 2, &solution(8)), Err(WorkspaceError::NotMaintainer.into()));
        assert_eq!(undo(2).decide(&workspace), Err(WorkspaceError::NotMaintainer));
        assert_eq!(ship(2).decide(&workspace), Err(WorkspaceError::NotMaintainer));
    }

    #[test]
    fn an_acceptance_is_withdrawn_once() {
        let workspace = given::<Workspace>([opened(), resolved(7)]);
        assert_eq!(undo(1).decide(&workspace), Ok(vec![unresolved(7)]));
        let workspace = workspace.apply(&unresolved(7));
        assert_eq!((workspace.status, workspace.solution), (Status::Open, None));
        assert_eq!(undo(1).decide(&workspace), Ok(vec![]));
    }

    #[test]
    fn a_resolved_workspace_is_shipped_once_and_then_final() {
        assert_eq!(ship(1).decide(&given([opened()])), Err(WorkspaceError::NotResolved));
        let workspace = given::<Workspace>([opened(), resolved(7)]);
        assert_eq!(ship(1).decide(&workspace), Ok(vec![shipped(7)]));
        let workspace = workspace.apply(&shipped(7));
        assert_eq!(ship(1).decide(&workspace), Err(WorkspaceError::Shipped));
        assert_eq!(undo(1).decide(&workspace), Err(WorkspaceError::Shipped));
        assert_eq!(accept(&workspace, 8, 1, &solution(8)), Err(WorkspaceError::Shipped.into()));
    }

    #[test]
    fn an_archived_workspace_cannot_be_resolved_or_shipped() {
        let workspace = given::<Workspace>([opened(), resolved(7), archived()]);
        assert_eq!(accept(&workspace, 8, 1, &solution(8)), Err(WorkspaceError::Archived.into()));
        assert_eq!(undo(1).decide(&workspace), Err(WorkspaceError::Archived));
        assert_eq!(ship(1).decide(&workspace), Err(WorkspaceError::Archived));
    }

    #[test]
    fn redacting_the_solution_reopens_the_workspace() {
        let workspace = given::<Workspace>([opened(), resolved(7)]);
        assert_eq!(workspace.without(&solution(8)), []);
        assert_eq!(workspace.without(&solution(7)), [unresolved(7)]);
        let shipped = workspace.clone().apply(&shipped(7)).apply(&unresolved(7));
        assert_eq!((shipped.status, shipped.solution), (Status::Shipped, None));
        // In an archived workspace, the previous status changes instead.
        let archived = workspace.apply(&archived()).apply(&unresolved(7));
        assert_eq!((archived.status, archived.status_before), (Status::Archived, Status::Open));
        let reopened = archived.apply(&WorkspaceReopened { workspace_id: TRACK, status: Status::Open }.into());
        assert_eq!(reopened.status, Status::Open);
    }

    proptest! {
        #[test]
        fn a_solution_is_accepted_exactly_while_the_workspace_is_resolved(steps in prop::collection::vec(0_u8..6, 0..30)) {
            let mut workspace = given::<Workspace>([opened()]);
            for step in steps {
                let events = match step {
                    0 | 1 => accept(&workspace, u128::from(step), 1, &solution(u128::from(step))).unwrap_or_default(),
                    2 => undo(1).decide(&workspace).unwrap_or_default(),
                    3 | 4 => workspace.without(&solution(u128::from(step - 3))),
                    _ => ship(1).decide(&workspace).unwrap_or_default(),
                };
                for event in events {
                    workspace = workspace.apply(&event);
                }
                match workspace.status {
                    Status::Open => prop_assert_eq!(workspace.solution, None),
                    Status::Resolved => prop_assert!(workspace.solution.is_some()),
                    Status::Shipped => {}
                    Status::Archived => prop_assert!(false),
                }
            }
        }
    }
}
