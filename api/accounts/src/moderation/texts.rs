//! Effects of a decision on the texts of its subject, in the subject's own stream.

use buildtrack_community::forum::solutions;
use buildtrack_domain::{
    decide::Command,
    event::Event,
    forum::{LoseSolution, Post, Reply, Solution},
    identity::{Agent, AgentEdited, AgentEvent, AgentProfile, Owner, OwnerEvent, OwnerRenamed},
    ids::{AgentId, MessageId, OwnerId, PostId, ReplyId, WorkspaceId},
    moderation::{Action, ERASED, HIDDEN, ModerationError, SubjectId},
    workspaces::{Message, Workspace, WorkspaceEdited, WorkspaceEvent},
};
use buildtrack_http::problem::Problem;
use buildtrack_store::{LogChange, Store, Unit};

/// Hides, restores or erases texts. Other actions change no text.
pub(super) async fn carry_out(
    store: &Store,
    unit: &mut Unit<'_>,
    subject: SubjectId,
    action: Action,
) -> Result<(), Problem> {
    match action {
        Action::Hide => replace(unit, subject, HIDDEN).await?,
        Action::Erase if subject.is_text() => return redact(unit, subject).await,
        Action::Erase => replace(unit, subject, ERASED).await?,
        Action::Restore => return restore(store, unit, subject).await,
        Action::Suspend | Action::Reinstate | Action::Dismiss | Action::Uphold => return Ok(()),
    }
    unit.write_side(LogChange::Hiding { stream: subject.to_string() });
    Ok(())
}

/// Replaces name and texts of an agent, owner or workspace by a placeholder, so that its new events do not show the old
/// name.
async fn replace(unit: &mut Unit<'_>, subject: SubjectId, word: &str) -> Result<(), Problem> {
    let word = || word.to_owned();
    match subject {
        SubjectId::Agent(id) => {
            let profile = AgentProfile { name: word(), model: word(), ..AgentProfile::default() };
            edit_agent(unit, id, profile).await
        }
        SubjectId::Owner(id) => rename_owner(unit, id, word()).await,
        SubjectId::Workspace(workspace_id) => {
            let (name, description, goal, tags) = (word(), word(), None, vec![]);
            edit_workspace(unit, WorkspaceEdited { workspace_id, name, description, goal, tags }).await
        }
        SubjectId::Message(_) | SubjectId::Post(_) | SubjectId::Reply(_) | SubjectId::Event(_) => Ok(()),
    }
}

async fn edit_agent(unit: &mut Unit<'_>, agent_id: AgentId, profile: AgentProfile) -> Result<(), Problem> {
    let agent = unit.load::<Agent>(agent_id).await?;
    unit.append(agent_id, &agent, vec![AgentEdited { agent_id, profile }.into()]);
    Ok(())
}

async fn rename_owner(unit: &mut Unit<'_>, owner_id: OwnerId, display_name: String) -> Result<(), Problem> {
    let owner = unit.load::<Owner>(owner_id).await?;
    unit.append(owner_id, &owner, vec![OwnerRenamed { owner_id, display_name }.into()]);
    Ok(())
}

async fn edit_workspace(unit: &mut Unit<'_>, edited: WorkspaceEdited) -> Result<(), Problem> {
    let workspace = unit.load::<Workspace>(edited.workspace_id).await?;
    unit.append(edited.workspace_id, &workspace, vec![edited.into()]);
    Ok(())
}

/// Restores the name and texts from before the hiding, unless the owner has changed them since.
async fn restore(store: &Store, unit: &mut Unit<'_>, subject: SubjectId) -> Result<(), Problem> {
    let Some(hidden) = store.moderation().hidden_since(subject).await? else { return Ok(()) };
    // The edit that hid it is recorded directly before the decision.
    let before = hidden - 1;
    match subject {
        SubjectId::Agent(id) if unit.load::<Agent>(id).await?.state.profile.name == HIDDEN => {
            match store.moderation().last_text_event(id, ["agent.registered", "agent.edited"], before).await? {
                Some(Event::Agent(AgentEvent::Registered(data))) => edit_agent(unit, id, data.profile).await,
                Some(Event::Agent(AgentEvent::Edited(data))) => edit_agent(unit, id, data.profile).await,
                _ => Ok(()),
            }
        }
        SubjectId::Owner(id) if unit.load::<Owner>(id).await?.state.display_name.as_deref() == Some(HIDDEN) => {
            match store.moderation().last_text_event(id, ["owner.registered", "owner.renamed"], before).await? {
                Some(Event::Owner(OwnerEvent::Registered(data))) => rename_owner(unit, id, data.display_name).await,
                Some(Event::Owner(OwnerEvent::Renamed(data))) => rename_owner(unit, id, data.display_name).await,
                _ => Ok(()),
            }
        }
        SubjectId::Workspace(id) if unit.load::<Workspace>(id).await?.state.name == HIDDEN => {
            restore_workspace(store, unit, id, before).await
        }
        _ => Ok(()),
    }
}

async fn restore_workspace(
    store: &Store,
    unit: &mut Unit<'_>,
    workspace_id: WorkspaceId,
    before: i64,
) -> Result<(), Problem> {
    match store.moderation().last_text_event(workspace_id, ["workspace.opened", "workspace.edited"], before).await? {
        Some(Event::Workspace(WorkspaceEvent::Opened(data))) => {
            let (name, description, goal, tags) = (data.name, data.description, data.goal, data.tags);
            edit_workspace(unit, WorkspaceEdited { workspace_id, name, description, goal, tags }).await
        }
        Some(Event::Workspace(WorkspaceEvent::Edited(data))) => edit_workspace(unit, data).await,
        _ => Ok(()),
    }
}

/// Erases a text that has its own stream in the way its author would redact it.
async fn redact(unit: &mut Unit<'_>, subject: SubjectId) -> Result<(), Problem> {
    match subject {
        SubjectId::Message(id) => redact_message(unit, id).await?,
        SubjectId::Post(id) => redact_post(unit, id).await?,
        SubjectId::Reply(id) => redact_reply(unit, id).await?,
        SubjectId::Workspace(_) | SubjectId::Agent(_) | SubjectId::Owner(_) | SubjectId::Event(_) => return Ok(()),
    }
    unit.write_side(LogChange::Redaction { stream: subject.to_string() });
    Ok(())
}

async fn redact_message(unit: &mut Unit<'_>, message_id: MessageId) -> Result<(), Problem> {
    let message = unit.load::<Message>(message_id).await?;
    let metadata = message.state.metadata.clone().ok_or(ModerationError::NotFound)?;
    let workspace = unit.load::<Workspace>(metadata.workspace_id).await?;
    unit.append(metadata.workspace_id, &workspace, workspace.state.without(&message.state));
    unit.append(message_id, &message, vec![metadata.into()]);
    Ok(())
}

async fn redact_post(unit: &mut Unit<'_>, post_id: PostId) -> Result<(), Problem> {
    let post = unit.load::<Post>(post_id).await?;
    let metadata = post.state.metadata.clone().ok_or(ModerationError::NotFound)?;
    unit.append(post_id, &post, vec![metadata.into()]);
    Ok(())
}

async fn redact_reply(unit: &mut Unit<'_>, reply_id: ReplyId) -> Result<(), Problem> {
    let reply = unit.load::<Reply>(reply_id).await?;
    let metadata = reply.state.metadata.clone().ok_or(ModerationError::NotFound)?;
    let (post_id, by) = (metadata.post_id, metadata.author.id);
    let solution = unit.load::<Solution>(solutions::stream(post_id)).await?;
    let lost = LoseSolution { post_id, reply_id, by }.decide(&solution.state)?;
    unit.append(solutions::stream(post_id), &solution, lost);
    unit.append(reply_id, &reply, vec![metadata.into()]);
    Ok(())
}
