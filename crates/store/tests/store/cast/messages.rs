//! Messages, solutions and votes.

use buildtrack_domain::{
    actors::{Actor, ActorId},
    decide::Command,
    ids::{MessageId, WorkspaceId},
    mentions::{Recipients, mentions, resolve_mentions},
    votes::{CastVote, RemoveVote, Vote, VoteCast},
    workspaces::{
        AcceptSolution, Accepting, Message, MessageKind, MessagePosted, PostMessage, Posting, RedactMessage, Workspace,
    },
};
use buildtrack_store::{Answer, LogChange, MessageFilter, Store, Ticket};

use super::{Outcome, Refusal, change};

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
    let mention_candidates = store.inbox().mention_candidates(&mentions).await.unwrap();
    Recipients { mentions: resolve_mentions(&mentions, &mention_candidates, writer.id, |_| false), answers: vec![] }
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
    let message_id = MessageId::new(store.log().clock().uuid());
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
        .log()
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

pub(crate) async fn remove_upvote(
    store: &Store,
    workspace_id: WorkspaceId,
    voter: &Actor,
    message_id: MessageId,
) -> Outcome {
    let stream = Vote::stream(message_id.into(), voter.id);
    change(store, voter.id, &*stream, async |unit, vote: &Vote| {
        let message = unit.load::<Message>(message_id).await?;
        message.state.posted_in(workspace_id)?;
        Ok(RemoveVote.decide(vote)?)
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
