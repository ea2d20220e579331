//! Workspaces, their members and invitations.

use buildtrack_domain::{
    actors::{Actor, ActorId},
    decide::Command,
    ids::WorkspaceId,
    workspaces::{
        ArchiveWorkspace, ChangeRole, DeclineInvitation, EditWorkspace, HandOver, Invitation, Invite, Inviting,
        JoinWorkspace, LeaveWorkspace, RemoveMember, ReopenWorkspace, ShipWorkspace, UndoSolution, WithdrawInvitation,
        Workspace, WorkspaceEvent, WorkspaceOpened,
    },
};
use buildtrack_store::Store;

use super::{Outcome, Refusal, change};

/// Opens a workspace; its owner is its first member.
pub(crate) async fn open(store: &Store, owner: &Actor) -> WorkspaceId {
    let workspace_id = WorkspaceId::new(store.log().clock().uuid());
    let opened = WorkspaceOpened {
        workspace_id,
        name: "Agent Webhook Events".into(),
        description: "Polling wastes time and requests.".into(),
        goal: None,
        owner: owner.clone(),
        tags: vec!["build".into(), "webhooks".into()],
    };
    store
        .log()
        .transact::<(), Refusal>(Some(owner.id), async |unit| {
            unit.begin(workspace_id, [WorkspaceEvent::from(opened.clone())]);
            Ok(())
        })
        .await
        .unwrap();
    workspace_id
}

pub(crate) async fn edit(store: &Store, workspace_id: WorkspaceId, by: ActorId, name: &str, tags: &[&str]) -> Outcome {
    let tags = Some(tags.iter().map(|tag| (*tag).to_owned()).collect());
    let (goal, name) = (Some(Some(format!("To {name}"))), Some(name.to_owned()));
    let command = EditWorkspace { workspace_id, by, name, description: None, goal, tags };
    change(store, by, workspace_id, async |_, workspace: &Workspace| Ok(command.decide(workspace)?)).await
}

pub(crate) async fn join(store: &Store, workspace_id: WorkspaceId, member: &Actor) -> Outcome {
    let command = JoinWorkspace { workspace_id, member: member.clone(), invited: false };
    change(store, member.id, workspace_id, async |_, workspace: &Workspace| Ok(command.decide(workspace)?)).await
}

pub(crate) async fn leave(store: &Store, workspace_id: WorkspaceId, member: &Actor) -> Outcome {
    let command = LeaveWorkspace { workspace_id, member_id: member.id };
    change(store, member.id, workspace_id, async |_, workspace: &Workspace| Ok(command.decide(workspace)?)).await
}

pub(crate) async fn archive(store: &Store, workspace_id: WorkspaceId, by: ActorId) -> Outcome {
    let command = ArchiveWorkspace { workspace_id, by };
    change(store, by, workspace_id, async |_, workspace: &Workspace| Ok(command.decide(workspace)?)).await
}

pub(crate) async fn reopen(store: &Store, workspace_id: WorkspaceId, by: ActorId) -> Outcome {
    let command = ReopenWorkspace { workspace_id, by };
    change(store, by, workspace_id, async |_, workspace: &Workspace| Ok(command.decide(workspace)?)).await
}

pub(crate) async fn undo(store: &Store, workspace_id: WorkspaceId, by: ActorId) -> Outcome {
    let command = UndoSolution { workspace_id, by };
    change(store, by, workspace_id, async |_, workspace: &Workspace| Ok(command.decide(workspace)?)).await
}

pub(crate) async fn ship(store: &Store, workspace_id: WorkspaceId, by: &Actor, note: &str) -> Outcome {
    let (note, links) = (note.to_owned(), vec!["https://build.example/".to_owned()]);
    let command = ShipWorkspace { workspace_id, note, links, by: by.clone() };
    change(store, by.id, workspace_id, async |_, workspace: &Workspace| Ok(command.decide(workspace)?)).await
}

pub(crate) async fn remove(store: &Store, workspace_id: WorkspaceId, by: ActorId, member_id: ActorId) -> Outcome {
    let command = RemoveMember { workspace_id, member_id, by };
    change(store, by, workspace_id, async |_, workspace: &Workspace| Ok(command.decide(workspace)?)).await
}

pub(crate) async fn appoint(
    store: &Store,
    workspace_id: WorkspaceId,
    by: ActorId,
    member_id: ActorId,
    maintains: bool,
) -> Outcome {
    let command = ChangeRole { workspace_id, member_id, maintains, by };
    change(store, by, workspace_id, async |_, workspace: &Workspace| Ok(command.decide(workspace)?)).await
}

pub(crate) async fn hand_over(store: &Store, workspace_id: WorkspaceId, by: ActorId, to: &Actor) -> Outcome {
    let command = HandOver { workspace_id, to: to.clone(), by };
    change(store, by, workspace_id, async |_, workspace: &Workspace| Ok(command.decide(workspace)?)).await
}

pub(crate) async fn invite(store: &Store, workspace_id: WorkspaceId, by: &Actor, invited: &Actor) -> Outcome {
    let stream = Invitation::stream(workspace_id, invited.id);
    let command = Invite { workspace_id, invited: invited.clone(), by: by.clone() };
    change(store, by.id, &*stream, async |unit, invitation: &Invitation| {
        let workspace = unit.load::<Workspace>(workspace_id).await?;
        Ok(command.decide(Inviting { workspace: &workspace.state, invitation })?)
    })
    .await
}

pub(crate) async fn withdraw_invitation(
    store: &Store,
    workspace_id: WorkspaceId,
    by: ActorId,
    invited_id: ActorId,
) -> Outcome {
    let stream = Invitation::stream(workspace_id, invited_id);
    let command = WithdrawInvitation { workspace_id, invited_id, by };
    change(store, by, &*stream, async |unit, invitation: &Invitation| {
        let workspace = unit.load::<Workspace>(workspace_id).await?;
        Ok(command.decide(Inviting { workspace: &workspace.state, invitation })?)
    })
    .await
}

pub(crate) async fn decline(store: &Store, workspace_id: WorkspaceId, invited_id: ActorId) -> Outcome {
    let stream = Invitation::stream(workspace_id, invited_id);
    let command = DeclineInvitation { workspace_id, invited_id };
    change(store, invited_id, &*stream, async |_, invitation: &Invitation| Ok(command.decide(invitation)?)).await
}

/// Joins a workspace; a pending invitation is thereby accepted.
pub(crate) async fn join_or_accept(store: &Store, workspace_id: WorkspaceId, member: &Actor) -> Outcome {
    let stream = Invitation::stream(workspace_id, member.id);
    change(store, member.id, &*stream, async |unit, invitation: &Invitation| {
        let workspace = unit.load::<Workspace>(workspace_id).await?;
        let command = JoinWorkspace { workspace_id, member: member.clone(), invited: invitation.waits };
        unit.append(workspace_id, &workspace, command.decide(&workspace.state)?);
        Ok(invitation.answered(workspace_id, member.id))
    })
    .await
}
