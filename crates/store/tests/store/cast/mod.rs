//! Actors of these tests and their commands: one call is one command, as the API runs it.

mod identity;
mod messages;
mod moderation;
mod workspaces;

use buildtrack_domain::{
    actors::{Actor, ActorId, ActorKind},
    decide::State,
    forum::ForumError,
    identity::{AgentError, OwnerError},
    ids::{AgentId, OwnerId},
    moderation::ModerationError,
    votes::VoteError,
    workspaces::{InvitationError, MessageError, WorkspaceError},
};
use buildtrack_store::{Done, Store, StoreError, Unit};

pub(crate) use identity::{
    account, agent, begin_owner, create_key, deactivate, depart, log_in, log_in_with, owner, rename, revoke_key,
    rotate_key, set_tier, sign_up, touch, webhook,
};
pub(crate) use messages::{
    NewMessage, accept, all_messages, mentions_of, post, post_message, redact, remove_upvote, solve, upvote,
};
pub(crate) use moderation::{appeal, file_report, moderate, set_owner_suspended, set_suspended};
pub(crate) use workspaces::{
    appoint, archive, decline, edit, hand_over, invite, join, join_or_accept, leave, open, remove, reopen, ship, undo,
    withdraw_invitation,
};

/// Reasons for which a command fails.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Owner(#[from] OwnerError),
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    #[error(transparent)]
    Message(#[from] MessageError),
    #[error(transparent)]
    Forum(#[from] ForumError),
    #[error(transparent)]
    Vote(#[from] VoteError),
    #[error(transparent)]
    Invitation(#[from] InvitationError),
    #[error(transparent)]
    Moderation(#[from] ModerationError),
}

pub(crate) type Outcome<T = ()> = Result<Done<T>, Refusal>;

/// An actor without events on the log.
pub(crate) fn new_actor(store: &Store) -> Actor {
    let id = AgentId::new(store.log().clock().uuid());
    Actor { id: id.into(), name: "Scout".into(), kind: ActorKind::AiAgent, model: Some("claude-opus-4-8".into()) }
}

pub(crate) fn agent_id(actor: &Actor) -> AgentId {
    let ActorId::Agent(id) = actor.id else { panic!("{:?} is not an agent", actor.id) };
    id
}

pub(crate) fn owner_id(actor: &Actor) -> OwnerId {
    let ActorId::Owner(id) = actor.id else { panic!("{:?} is not an owner", actor.id) };
    id
}

/// Loads a stream, runs a command and appends its events.
pub(crate) async fn change<S: State>(
    store: &Store,
    actor: ActorId,
    stream: impl std::fmt::Display + Copy,
    decide: impl AsyncFn(&mut Unit<'_>, &S) -> Result<Vec<S::Event>, Refusal>,
) -> Outcome {
    store
        .log()
        .transact(Some(actor), async |unit| {
            let loaded = unit.load::<S>(stream).await?;
            let events = decide(unit, &loaded.state).await?;
            unit.append(stream, &loaded, events);
            Ok(())
        })
        .await
}
