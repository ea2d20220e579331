//! Messages in a workspace: posted by members, redacted by their author.

use serde::{Deserialize, Serialize};

use super::{Workspace, WorkspaceError};
use crate::{
    actors::{Actor, ActorId},
    decide::{Command, State},
    event::event_set,
    ids::{MessageId, WorkspaceId},
    markdown::{self, Excess},
    mentions::Recipients,
    words,
};

event_set! {
    /// The events of one message; stream `msg_…`.
    pub enum MessageEvent: Uncached {
        /// The author posted the message.
        Posted(MessagePosted) = "message.posted", Public, [Pushed(WorkspaceMessage), Indexed];
        /// The author redacted the message. Its text is removed from the log; its ids remain.
        Redacted(MessageRedacted) = "message.redacted", Public, [Redacts];
    }
}

words! {
    /// The seven kinds of messages. The seed leaves them open.
    pub enum MessageKind {
        /// A proposed action.
        Proposal = "proposal",
        /// An open question.
        Question = "question",
        /// A flaw in a proposal.
        Critique = "critique",
        /// A fact with its source.
        Evidence = "evidence",
        /// A solution.
        Solution = "solution",
        /// A decision that was made.
        Decision = "decision",
        /// A progress report.
        Update = "update",
    }
}

/// See [`MessageEvent::Posted`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessagePosted {
    /// The message.
    pub message_id: MessageId,
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The author, with its profile at that time.
    pub author: Actor,
    /// The kind of message.
    pub kind: MessageKind,
    /// The text.
    pub content: String,
    /// The message that it answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reply_to: Option<MessageId>,
    /// The recipients of the event.
    #[serde(skip_serializing_if = "Recipients::is_empty", default)]
    pub concerns: Recipients,
}

/// See [`MessageEvent::Redacted`]: all that remains of the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageRedacted {
    /// The message.
    pub message_id: MessageId,
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The author, with its profile at that time.
    pub author: Actor,
    /// The kind of message.
    pub kind: MessageKind,
    /// The message that it answered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reply_to: Option<MessageId>,
}

/// A message, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// The fields that remain after a redaction; `None` before the message was posted.
    pub metadata: Option<MessageRedacted>,
    /// Whether the author redacted it.
    pub redacted: bool,
}

impl State for Message {
    type Event = MessageEvent;

    fn apply(self, event: &MessageEvent) -> Self {
        match event {
            MessageEvent::Posted(MessagePosted { message_id, workspace_id, author, kind, reply_to, .. }) => {
                let (message_id, workspace_id, kind, reply_to) = (*message_id, *workspace_id, *kind, *reply_to);
                let metadata = MessageRedacted { message_id, workspace_id, author: author.clone(), kind, reply_to };
                Self { metadata: Some(metadata), redacted: false }
            }
            MessageEvent::Redacted(data) => Self { metadata: Some(data.clone()), redacted: true },
        }
    }
}

impl Message {
    /// The remaining fields, or an error if the message is not in this workspace.
    pub fn posted_in(&self, workspace_id: WorkspaceId) -> Result<&MessageRedacted, MessageError> {
        self.metadata.as_ref().filter(|metadata| metadata.workspace_id == workspace_id).ok_or(MessageError::NotFound)
    }

    /// The author, if the message accepts votes. Messages in an archived workspace and redacted messages do not.
    pub fn votable(&self, workspace_id: WorkspaceId, workspace: &Workspace) -> Result<ActorId, MessageError> {
        let metadata = self.posted_in(workspace_id)?;
        workspace.active()?;
        if self.redacted { Err(MessageError::Redacted) } else { Ok(metadata.author.id) }
    }
}

/// The reason why a message command is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// The workspace has no message with this id.
    #[error("no such message in this workspace")]
    NotFound,
    /// Only the message's author may redact it.
    #[error("only the message's author may do that")]
    NotAuthor,
    /// The answered message is not in this workspace.
    #[error("the message it replies to is not in this workspace")]
    ReplyToNotFound,
    /// The message to accept is not in this workspace.
    #[error("the message to accept is not in this workspace")]
    SolutionNotFound,
    /// The message to accept is of another kind.
    #[error("only a message of the kind solution can be accepted")]
    NotASolution,
    /// The author has redacted the message.
    #[error("the message was redacted by its author")]
    Redacted,
    /// The text costs too much to render.
    #[error(transparent)]
    Markdown(#[from] Excess),
    /// The workspace refuses the command.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// Posts a message; see [`MessagePosted`] for the fields.
#[derive(Debug, Clone)]
pub struct PostMessage(pub MessagePosted);

/// The input of [`PostMessage`].
#[derive(Debug)]
pub struct Posting<'a> {
    /// The workspace.
    pub workspace: &'a Workspace,
    /// The message that it answers, if any.
    pub replied: Option<&'a Message>,
}

impl Command for PostMessage {
    type State<'a> = Posting<'a>;
    type Event = MessageEvent;
    type Error = MessageError;

    fn decide(&self, Posting { workspace, replied }: Posting<'_>) -> Result<Vec<MessageEvent>, MessageError> {
        workspace.active()?;
        if !workspace.members.contains(&self.0.author.id) {
            return Err(WorkspaceError::NotMember.into());
        }
        let replied = replied.and_then(|message| message.metadata.as_ref());
        if self.0.reply_to.is_some() && replied.map(|metadata| metadata.workspace_id) != Some(self.0.workspace_id) {
            return Err(MessageError::ReplyToNotFound);
        }
        markdown::check(&self.0.content)?;
        let answered = replied.map(|metadata| metadata.author.id);
        let concerns = self.0.concerns.answering(self.0.author.id, answered);
        Ok(vec![MessagePosted { concerns, ..self.0.clone() }.into()])
    }
}

/// Redacts a message. Redacting it twice changes nothing.
#[derive(Debug, Clone)]
pub struct RedactMessage {
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// The caller.
    pub by: ActorId,
}

impl Command for RedactMessage {
    type State<'a> = &'a Message;
    type Event = MessageEvent;
    type Error = MessageError;

    fn decide(&self, message: &Message) -> Result<Vec<MessageEvent>, MessageError> {
        let metadata = message.posted_in(self.workspace_id)?;
        if metadata.author.id != self.by {
            return Err(MessageError::NotAuthor);
        }
        Ok(if message.redacted { vec![] } else { vec![metadata.clone().into()] })
    }
}

#[cfg(test)]
mod tests;
