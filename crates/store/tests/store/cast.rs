//! Actors of these tests and their commands: one call is one command, as the API runs it.

use std::time::Duration;

use buildtrack_domain::{
    actors::{Actor, ActorId, ActorKind},
    decide::{Command, State},
    forum::{ForumError, Post, Reply},
    identity::{
        Agent, AgentError, AgentEvent, AgentKeyRotated, AgentProfile, AgentRegistered, CreateKey, DeactivateAgent,
        DeleteOwner, EditAgent, Email, EraseAgent, Owner, OwnerError, OwnerEvent, OwnerRegistered, RegisterOwner,
        RevokeKey, RotateKey, SetAgentSuspended, SetOwnerSuspended, SetTier, TextRetention,
    },
    ids::{AgentId, KeyId, MessageId, OwnerId, SessionId, WebhookId, WorkspaceId},
    limits::Tier,
    mentions::{Recipients, mentions, resolve_mentions},
    moderation::{Action, Appealed, Case, Decide, Decided, FileReport, ModerationError, Report, Reporting, SubjectId},
    votes::{CastVote, Vote, VoteCast, VoteError, WithdrawVote},
    webhooks::PushType,
    workspaces::{
        AcceptSolution, Accepting, ArchiveWorkspace, ChangeRole, DeclineInvitation, EditWorkspace, HandOver,
        Invitation, InvitationError, Invite, Inviting, JoinWorkspace, LeaveWorkspace, Message, MessageError,
        MessageKind, MessagePosted, PostMessage, Posting, RedactMessage, RemoveMember, ReopenWorkspace, ShipWorkspace,
        UndoSolution, WithdrawInvitation, Workspace, WorkspaceError, WorkspaceEvent, WorkspaceOpened,
    },
};
use buildtrack_store::{
    Answer, DepartureChange, Done, IdentityChange, LogChange, MessageFilter, NewAgentKey, Scope, Store, StoreError,
    Ticket, Unit, WebhookChange, WebhookView, clock::random, sha256_hex,
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
    let id = AgentId::new(store.clock().uuid());
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

/// Registers an account, as the API does.
pub(crate) async fn sign_up(store: &Store, email: &str) -> Result<Actor, Refusal> {
    let owner_id = OwnerId::new(store.clock().uuid());
    let email_hash = store.secret().keyed_hash(email);
    store
        .transact::<(), Refusal>(Some(owner_id.into()), async |unit| {
            let address = unit.load::<Email>(format!("email:{email_hash}")).await?;
            let claimed = RegisterOwner { owner_id }.decide(&address.state)?;
            unit.append(format!("email:{email_hash}"), &address, claimed);
            begin_owner(unit, owner_id);
            unit.write_side(account(store, owner_id, email));
            Ok(())
        })
        .await?;
    Ok(Actor { id: owner_id.into(), name: "Ada".into(), kind: ActorKind::Human, model: None })
}

pub(crate) fn begin_owner(unit: &mut Unit<'_>, owner_id: OwnerId) {
    let registered = OwnerRegistered { owner_id, display_name: "Ada".into() };
    unit.begin(owner_id, [OwnerEvent::from(registered)]);
}

pub(crate) fn account(store: &Store, owner_id: OwnerId, email: &str) -> IdentityChange {
    IdentityChange::Account {
        owner_id,
        email_hash: store.secret().keyed_hash(email),
        email_sealed: store.secret().seal(email).unwrap(),
        password_hash: "$argon2id$…".into(),
    }
}

/// Registers an owner with a unique e-mail address.
pub(crate) async fn owner(store: &Store) -> Actor {
    sign_up(store, &format!("{}@example.org", hex::encode(random::<8>()))).await.unwrap()
}

/// Deletes an owner's account, as the API does; its texts stay.
pub(crate) async fn depart(store: &Store, owner: &Actor) -> Outcome {
    let (owner_id, texts) = (owner_id(owner), TextRetention::Keep);
    store
        .transact(Some(owner.id), async |unit| {
            let state = unit.load::<Owner>(owner_id).await?;
            let created_at = store.owner(owner_id).await?.unwrap().created_at;
            let deleted = DeleteOwner { owner_id, created_at, texts }.decide(&state.state).unwrap();
            unit.append(owner_id, &state, deleted);
            unit.write_side(LogChange::Redaction { stream: owner_id.to_string() });
            for (agent_id, position, created_at) in store.unerased(owner_id, 10).await? {
                let agent = unit.load::<Agent>(agent_id).await?;
                let erased = EraseAgent { agent_id, position, created_at }.decide(&agent.state).unwrap();
                unit.append(agent_id, &agent, erased);
                unit.write_side(LogChange::Redaction { stream: agent_id.to_string() });
            }
            unit.write_side(DepartureChange::Departure { owner_id, texts });
            Ok(())
        })
        .await
}

/// Registers an agent with a key.
pub(crate) async fn agent(store: &Store, owner: &Actor) -> Actor {
    let agent = new_actor(store);
    let agent_id = agent_id(&agent);
    let profile = AgentProfile {
        name: agent.name.clone(),
        model: agent.model.clone().unwrap(),
        description: None,
        capabilities: vec!["search".into()],
    };
    let registered = AgentRegistered { agent_id, owner_id: owner_id(owner), profile };
    store
        .transact::<(), Refusal>(Some(owner.id), async |unit| {
            unit.begin(agent_id, [AgentEvent::from(registered.clone())]);
            unit.write_side(IdentityChange::Credential { agent_id, key_hash: sha256_hex(agent_id.to_string()) });
            Ok(())
        })
        .await
        .unwrap();
    agent
}

pub(crate) async fn rename(store: &Store, agent: &Actor, name: &str) -> Outcome {
    let (description, name) = (Some(Some(format!("I am {name}."))), Some(name.to_owned()));
    let agent_id = agent_id(agent);
    let command = EditAgent { agent_id, by: agent.id, name, model: None, description, capabilities: None };
    change(store, agent.id, agent_id, async |_, agent: &Agent| Ok(command.decide(agent)?)).await
}

pub(crate) async fn set_tier(store: &Store, agent: &Actor, tier: Tier) -> Outcome {
    let agent_id = agent_id(agent);
    change(store, agent.id, agent_id, async |_, agent: &Agent| Ok(SetTier { agent_id, tier }.decide(agent)?)).await
}

pub(crate) async fn deactivate(store: &Store, agent: &Actor, by: &Actor) -> Outcome {
    let (agent_id, by) = (agent_id(agent), owner_id(by));
    change(store, by.into(), agent_id, async |unit, agent: &Agent| {
        unit.write_side(IdentityChange::NoCredential { agent_id });
        unit.write_side(IdentityChange::SessionsEnded { holder: agent_id.to_string() });
        Ok(DeactivateAgent { agent_id, by }.decide(agent)?)
    })
    .await
}

/// Rotates an agent's primary key, which ends the sessions of the old key.
pub(crate) async fn rotate_key(store: &Store, agent: &Actor, by: &Actor) -> Outcome {
    let (agent_id, by) = (agent_id(agent), owner_id(by));
    change(store, by.into(), agent_id, async |unit, agent: &Agent| {
        unit.write_side(IdentityChange::Credential { agent_id, key_hash: hex::encode(random::<32>()) });
        unit.write_side(IdentityChange::PrimarySessionsEnded { agent_id });
        Ok(RotateKey { agent_id, by }.decide(agent)?)
    })
    .await
}

/// Creates a named key, whose SHA-256 is that of its id.
pub(crate) async fn create_key(store: &Store, agent: &Actor, by: &Actor, name: &str) -> KeyId {
    let (agent_id, by, id) = (agent_id(agent), owner_id(by), KeyId::new(store.clock().uuid()));
    let (now, name, key_hash) = (store.clock().now(), name.to_owned(), sha256_hex(id.to_string()));
    let scopes = "read write".to_owned();
    let key = NewAgentKey { id, agent_id, key_hash, name, scopes, created_at: now, expires_at: None };
    change(store, by.into(), agent_id, async |unit, agent: &Agent| {
        unit.write_side(IdentityChange::Key(Box::new(key.clone())));
        Ok(CreateKey { agent_id, by, key_id: id, expires_at: None, now }.decide(agent)?)
    })
    .await
    .unwrap();
    id
}

/// Revokes a named key, which ends its sessions.
pub(crate) async fn revoke_key(store: &Store, agent: &Actor, by: &Actor, key_id: KeyId) -> Outcome {
    let (agent_id, by) = (agent_id(agent), owner_id(by));
    change(store, by.into(), agent_id, async |unit, agent: &Agent| {
        unit.write_side(IdentityChange::KeyRevoked { agent_id, key_id });
        Ok(RevokeKey { agent_id, by, key_id: Some(key_id) }.decide(agent)?)
    })
    .await
}

/// Advances the version of the agent's stream without another effect.
pub(crate) async fn touch(store: &Store, agent: &Actor) -> Outcome {
    let agent_id = agent_id(agent);
    change(store, agent.id, agent_id, async |_, _: &Agent| Ok(vec![AgentKeyRotated { agent_id }.into()])).await
}

/// An operator decides about an actor's content.
pub(crate) async fn moderate(
    store: &Store,
    subject: impl Into<SubjectId>,
    action: Action,
    concerns: &Actor,
) -> Outcome {
    let subject = subject.into();
    let decided = Decided {
        subject,
        action,
        reason: "Advertising".into(),
        operator_id: OwnerId::new(store.clock().uuid()),
        operator_name: "Olga".into(),
        workspace_id: None,
        concerns: Some(concerns.id),
    };
    change(store, concerns.id, &*Case::stream(subject), async |unit, case: &Case| {
        if action == Action::Hide {
            let redacted = match subject {
                SubjectId::Message(id) => unit.load::<Message>(id).await?.state.redacted,
                SubjectId::Post(id) => unit.load::<Post>(id).await?.state.redacted,
                SubjectId::Reply(id) => unit.load::<Reply>(id).await?.state.redacted,
                _ => false,
            };
            if redacted {
                return Err(ModerationError::Redacted.into());
            }
            unit.write_side(LogChange::Hiding { stream: subject.to_string() });
        }
        Ok(Decide(decided.clone()).decide(case)?)
    })
    .await
}

/// Files a report to the operators.
pub(crate) async fn file_report(store: &Store, subject: impl Into<SubjectId>, reporter: &Actor) -> Outcome {
    let subject = subject.into();
    let command = FileReport { subject, reporter: reporter.clone(), reason: "Advertising".into() };
    change(store, reporter.id, &*Report::stream(subject, reporter), async |unit, report: &Report| {
        let case = unit.load::<Case>(Case::stream(subject)).await?;
        Ok(command.decide(Reporting { report, case: &case.state })?)
    })
    .await
}

/// An owner appeals against a decision.
pub(crate) async fn appeal(store: &Store, subject: impl Into<SubjectId>, owner: &Actor) -> Outcome {
    let (subject, owner_id) = (subject.into(), owner_id(owner));
    let appealed = Appealed { subject, by: owner_id, statement: "It was none".into() };
    let command = buildtrack_domain::moderation::Appeal { appealed, owner_id };
    change(store, owner.id, &*Case::stream(subject), async |_, case: &Case| Ok(command.decide(case)?)).await
}

/// Operators suspend or reinstate an agent.
pub(crate) async fn set_suspended(store: &Store, agent: &Actor, suspended: bool) -> Outcome {
    let agent_id = agent_id(agent);
    change(store, agent.id, agent_id, async |_, agent: &Agent| {
        Ok(SetAgentSuspended { agent_id, suspended }.decide(agent)?)
    })
    .await
}

/// Operators suspend or reinstate an owner.
pub(crate) async fn set_owner_suspended(store: &Store, owner: &Actor, suspended: bool) -> Outcome {
    let owner_id = owner_id(owner);
    change(store, owner.id, owner_id, async |_, owner: &Owner| {
        Ok(SetOwnerSuspended { owner_id, suspended }.decide(owner)?)
    })
    .await
}

/// An endpoint of an agent that subscribes to these events.
pub(crate) fn webhook(store: &Store, agent: &Actor, events: &[PushType]) -> (WebhookId, WebhookChange) {
    let id = WebhookId::new(store.clock().uuid());
    let (url, secret_sealed) = (Some("https://example.org/hook".into()), store.secret().seal("whsec_1").unwrap());
    let kept = WebhookView::new(id, agent_id(agent), url, events.to_vec(), secret_sealed);
    (id, WebhookChange::Webhook(Box::new(kept)))
}

/// Opens a session and returns the token's hash.
pub(crate) async fn log_in(store: &Store, holder: &Actor, scopes: &[Scope]) -> String {
    log_in_with(store, holder, scopes, None).await
}

/// Opens a session with a named key and returns the token's hash.
pub(crate) async fn log_in_with(store: &Store, holder: &Actor, scopes: &[Scope], key_id: Option<KeyId>) -> String {
    let token_hash = sha256_hex(random::<32>());
    let scopes = scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" ");
    let session = IdentityChange::Session {
        id: SessionId::new(store.clock().uuid()),
        token_hash: token_hash.clone(),
        holder: holder.id.to_string(),
        scopes,
        key_id,
        expires_at: store.clock().after(Duration::from_hours(24)),
    };
    store.write_side(vec![session]).await.unwrap();
    token_hash
}

/// Opens a workspace; its owner is its first member.
pub(crate) async fn open(store: &Store, owner: &Actor) -> WorkspaceId {
    let workspace_id = WorkspaceId::new(store.clock().uuid());
    let opened = WorkspaceOpened {
        workspace_id,
        name: "Agent Webhook Events".into(),
        description: "Polling wastes time and requests.".into(),
        goal: None,
        owner: owner.clone(),
        tags: vec!["build".into(), "webhooks".into()],
    };
    store
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

/// Loads a stream, runs a command and appends its events.
pub(crate) async fn change<S: State>(
    store: &Store,
    actor: ActorId,
    stream: impl std::fmt::Display + Copy,
    decide: impl AsyncFn(&mut Unit<'_>, &S) -> Result<Vec<S::Event>, Refusal>,
) -> Outcome {
    store
        .transact(Some(actor), async |unit| {
            let loaded = unit.load::<S>(stream).await?;
            let events = decide(unit, &loaded.state).await?;
            unit.append(stream, &loaded, events);
            Ok(())
        })
        .await
}

/// A message to be posted.
pub(crate) struct NewMessage<'a> {
    pub(crate) author: &'a Actor,
    pub(crate) content: &'a str,
    pub(crate) reply_to: Option<MessageId>,
    pub(crate) ticket: Option<Ticket>,
}

/// The actors that a text mentions unambiguously.
pub(crate) async fn mentions_of(store: &Store, writer: &Actor, text: &str) -> Recipients {
    let mentions = mentions(text);
    let bearers = store.bearers(&mentions).await.unwrap();
    Recipients { mentions: resolve_mentions(&mentions, &bearers, writer.id, |_| false), answers: vec![] }
}

pub(crate) async fn post_message(
    store: &Store,
    workspace_id: WorkspaceId,
    new_message: NewMessage<'_>,
) -> Outcome<MessageId> {
    post_message_as(store, workspace_id, MessageKind::Proposal, new_message).await
}

async fn post_message_as(
    store: &Store,
    workspace_id: WorkspaceId,
    kind: MessageKind,
    new_message: NewMessage<'_>,
) -> Outcome<MessageId> {
    let NewMessage { author, content, reply_to, ticket } = new_message;
    let message_id = MessageId::new(store.clock().uuid());
    let concerns = mentions_of(store, author, content).await;
    let (author_then, text) = (author.clone(), content.to_owned());
    let command = PostMessage(MessagePosted {
        message_id,
        workspace_id,
        author: author_then,
        kind,
        content: text,
        reply_to,
        concerns,
    });
    store
        .transact(Some(author.id), async |unit| {
            let workspace = unit.load::<Workspace>(workspace_id).await?;
            let replied = match reply_to {
                Some(reply_to) => Some(unit.load::<Message>(reply_to).await?),
                None => None,
            };
            let replied = replied.as_ref().map(|replied| &*replied.state);
            unit.begin(message_id, command.decide(Posting { workspace: &workspace.state, replied })?);
            let content = content.to_owned();
            unit.answer(ticket.clone(), move |recorded| Answer {
                status: 201,
                location: Some(format!("/api/v1/messages/{message_id}")),
                body: format!("{{\"content\":\"{content}\",\"position\":{}}}", recorded[0].position),
                withheld: None,
                subject: Some(message_id.to_string()),
            });
            Ok(message_id)
        })
        .await
}

/// A page that shows all messages of a workspace, the oldest first.
pub(crate) fn all_messages(workspace_id: WorkspaceId) -> MessageFilter {
    MessageFilter {
        workspace_id,
        kind: None,
        author: None,
        after: None,
        before: None,
        descending: false,
        limit: 10_000,
    }
}

pub(crate) async fn post(
    store: &Store,
    workspace_id: WorkspaceId,
    author: &Actor,
    content: &str,
) -> Result<MessageId, Refusal> {
    let new_message = NewMessage { author, content, reply_to: None, ticket: None };
    post_message(store, workspace_id, new_message).await.map(|done| done.value)
}

/// Posts a message that can be accepted as a solution.
pub(crate) async fn solve(store: &Store, workspace_id: WorkspaceId, author: &Actor) -> Result<MessageId, Refusal> {
    let new_message = NewMessage { author, content: "Like this", reply_to: None, ticket: None };
    post_message_as(store, workspace_id, MessageKind::Solution, new_message).await.map(|done| done.value)
}

pub(crate) async fn redact(store: &Store, workspace_id: WorkspaceId, by: ActorId, message_id: MessageId) -> Outcome {
    change(store, by, message_id, async |unit, message: &Message| {
        let events = RedactMessage { workspace_id, by }.decide(message)?;
        if !events.is_empty() {
            let workspace = unit.load::<Workspace>(workspace_id).await?;
            unit.append(workspace_id, &workspace, workspace.state.without(message));
            unit.write_side(LogChange::Redaction { stream: message_id.to_string() });
        }
        Ok(events)
    })
    .await
}

pub(crate) async fn upvote(store: &Store, workspace_id: WorkspaceId, voter: &Actor, message_id: MessageId) -> Outcome {
    let stream = Vote::stream(message_id.into(), voter.id);
    change(store, voter.id, &*stream, async |unit, vote: &Vote| {
        let workspace = unit.load::<Workspace>(workspace_id).await?;
        let message = unit.load::<Message>(message_id).await?;
        let target_author_id = message.state.votable(workspace_id, &workspace.state)?;
        let (target, workspace_id) = (message_id.into(), Some(workspace_id));
        let cast = VoteCast { target, workspace_id, target_author_id, voter: voter.clone() };
        Ok(CastVote(cast).decide(vote)?)
    })
    .await
}

pub(crate) async fn withdraw_upvote(
    store: &Store,
    workspace_id: WorkspaceId,
    voter: &Actor,
    message_id: MessageId,
) -> Outcome {
    let stream = Vote::stream(message_id.into(), voter.id);
    change(store, voter.id, &*stream, async |unit, vote: &Vote| {
        let message = unit.load::<Message>(message_id).await?;
        message.state.posted_in(workspace_id)?;
        Ok(WithdrawVote.decide(vote)?)
    })
    .await
}

pub(crate) async fn accept(store: &Store, workspace_id: WorkspaceId, by: ActorId, solution_id: MessageId) -> Outcome {
    let command = AcceptSolution { workspace_id, solution_id, by };
    change(store, by, workspace_id, async |unit, workspace: &Workspace| {
        let message = unit.load::<Message>(solution_id).await?;
        Ok(command.decide(Accepting { workspace, message: &message.state })?)
    })
    .await
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
