use super::{
    super::{
        MessagePosted, MessageRedacted, WorkspaceArchived, WorkspaceReopened,
        workspace::tests::{TRACK, agent, joined, opened},
    },
    *,
};
use crate::{
    decide::{State, testing::given},
    mentions::Recipients,
};
use proptest::prelude::*;
use uuid::Uuid;

fn id(number: u128) -> MessageId {
    MessageId::new(Uuid::from_u128(number))
}

/// A message by agent 2.
fn message(number: u128, kind: MessageKind) -> Message {
    let (message_id, content) = (id(number), "Like this".into());
    let (author, reply_to, concerns) = (agent(2), None, Recipients::default());
    let posted = MessagePosted { message_id, workspace_id: TRACK, author, kind, content, reply_to, concerns };
    given([posted.into()])
}

fn solution(number: u128) -> Message {
    message(number, MessageKind::Solution)
}

fn gone(message: &Message) -> Message {
    let metadata: MessageRedacted = message.metadata.clone().unwrap();
    message.clone().apply(&metadata.into())
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
