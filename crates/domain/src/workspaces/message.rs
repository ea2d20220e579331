//! Messages in a workspace: posted by members, redacted by their author.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Workspace, WorkspaceError};
use crate::{
    actors::{Actor, ActorId, UnknownName},
    decide::{Command, State},
    event::event_set,
    ids::{MessageId, WorkspaceId},
    mentions::Concerns,
};

event_set! {
    /// The events of one message; stream `msg_…`.
    pub enum MessageEvent: Uncached {
        /// The author posted the message.
        Posted(MessagePosted) = "message.posted", Public, [Pushed, Indexed];
        /// The author redacted the message. Its text is removed from the log; its ids remain.
        Redacted(MessageRedacted) = "message.redacted", Public, [Redacts];
    }
}

/// The seven kinds of messages. The seed leaves them open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageKind {
    /// A proposed action.
    Proposal,
    /// An open question.
    Question,
    /// A flaw in a proposal.
    Critique,
    /// A fact with its source.
    Evidence,
    /// A solution.
    Solution,
    /// A decision that was made.
    Decision,
    /// A progress report.
    Update,
}

impl MessageKind {
    /// All kinds, in order.
    pub const ALL: [Self; 7] =
        [Self::Proposal, Self::Question, Self::Critique, Self::Evidence, Self::Solution, Self::Decision, Self::Update];

    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proposal => "proposal",
            Self::Question => "question",
            Self::Critique => "critique",
            Self::Evidence => "evidence",
            Self::Solution => "solution",
            Self::Decision => "decision",
            Self::Update => "update",
        }
    }
}

impl FromStr for MessageKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text).ok_or(UnknownName)
    }
}

impl TryFrom<String> for MessageKind {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
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
    #[serde(skip_serializing_if = "Concerns::is_empty", default)]
    pub concerns: Concerns,
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
    pub place: Option<MessageRedacted>,
    /// Whether the author redacted it.
    pub redacted: bool,
}

impl State for Message {
    type Event = MessageEvent;

    fn apply(self, event: &MessageEvent) -> Self {
        match event {
            MessageEvent::Posted(MessagePosted { message_id, workspace_id, author, kind, reply_to, .. }) => {
                let (message_id, workspace_id, kind, reply_to) = (*message_id, *workspace_id, *kind, *reply_to);
                let place = MessageRedacted { message_id, workspace_id, author: author.clone(), kind, reply_to };
                Self { place: Some(place), redacted: false }
            }
            MessageEvent::Redacted(data) => Self { place: Some(data.clone()), redacted: true },
        }
    }
}

impl Message {
    /// The remaining fields, or an error if the message is not in this workspace.
    pub fn posted_in(&self, workspace_id: WorkspaceId) -> Result<&MessageRedacted, MessageError> {
        self.place.as_ref().filter(|place| place.workspace_id == workspace_id).ok_or(MessageError::NotFound)
    }

    /// The author, if the message accepts votes. Messages in an archived workspace and redacted messages do not.
    pub fn votable(&self, workspace_id: WorkspaceId, workspace: &Workspace) -> Result<ActorId, MessageError> {
        let place = self.posted_in(workspace_id)?;
        workspace.active()?;
        if self.redacted { Err(MessageError::Redacted) } else { Ok(place.author.id) }
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
        let replied = replied.and_then(|message| message.place.as_ref());
        if self.0.reply_to.is_some() && replied.map(|place| place.workspace_id) != Some(self.0.workspace_id) {
            return Err(MessageError::ReplyToNotFound);
        }
        let answered = replied.map(|place| place.author.id);
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
        let place = message.posted_in(self.workspace_id)?;
        if place.author.id != self.by {
            return Err(MessageError::NotAuthor);
        }
        Ok(if message.redacted { vec![] } else { vec![place.clone().into()] })
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            WorkspaceArchived, WorkspaceLeft,
            workspace::tests::{TRACK, agent, joined, opened},
        },
        *,
    };
    use crate::{decide::testing::given, event::EventSet};
    use uuid::Uuid;

    const FIRST: MessageId = MessageId::new(Uuid::from_u128(10));
    const SECOND: MessageId = MessageId::new(Uuid::from_u128(11));
    const ELSEWHERE: WorkspaceId = WorkspaceId::new(Uuid::from_u128(12));

    fn posted(author: u128) -> MessagePosted {
        MessagePosted {
            message_id: FIRST,
            workspace_id: TRACK,
            author: agent(author),
            kind: MessageKind::Proposal,
            content: "Push, don't poll".into(),
            reply_to: None,
            concerns: Concerns::default(),
        }
    }

    fn redacted(author: u128) -> MessageRedacted {
        let MessagePosted { message_id, workspace_id, author, kind, reply_to, .. } = posted(author);
        MessageRedacted { message_id, workspace_id, author, kind, reply_to }
    }

    fn post(
        message: MessagePosted,
        workspace: &Workspace,
        replied: Option<&Message>,
    ) -> Result<Vec<MessageEvent>, MessageError> {
        PostMessage(message).decide(Posting { workspace, replied })
    }

    #[test]
    fn members_can_post() {
        let workspace = given([opened(), joined(2)]);
        assert_eq!(post(posted(2), &workspace, None), Ok(vec![posted(2).into()]));
    }

    #[test]
    fn non_members_and_former_members_cannot_post() {
        let left = WorkspaceLeft { workspace_id: TRACK, member_id: agent(2).id };
        for workspace in [given([opened()]), given([opened(), joined(2), left.into()])] {
            assert_eq!(post(posted(2), &workspace, None), Err(WorkspaceError::NotMember.into()));
        }
    }

    #[test]
    fn an_archived_workspace_rejects_messages() {
        let workspace = given([opened(), WorkspaceArchived { workspace_id: TRACK }.into()]);
        assert_eq!(post(posted(1), &workspace, None), Err(WorkspaceError::Archived.into()));
    }

    #[test]
    fn a_reply_answers_a_message_of_the_same_workspace() {
        let workspace = given([opened()]);
        let reply = MessagePosted { message_id: SECOND, reply_to: Some(FIRST), ..posted(1) };
        let here = given::<Message>([posted(1).into()]);
        let elsewhere = given::<Message>([MessagePosted { workspace_id: ELSEWHERE, ..posted(1) }.into()]);
        assert!(post(reply.clone(), &workspace, Some(&here)).is_ok());
        for replied in [None, Some(&Message::default()), Some(&elsewhere)] {
            assert_eq!(post(reply.clone(), &workspace, replied), Err(MessageError::ReplyToNotFound));
        }
    }

    #[test]
    fn a_reply_has_the_answered_author_as_recipient_unless_it_is_the_writer() {
        let workspace = given([opened(), joined(2)]);
        let reply = MessagePosted { message_id: SECOND, reply_to: Some(FIRST), ..posted(1) };
        for (author, answers) in [(2, vec![agent(2).id]), (1, vec![])] {
            let decided = post(reply.clone(), &workspace, Some(&given([posted(author).into()])));
            let concerns = Concerns { mentions: vec![], answers };
            assert_eq!(decided, Ok(vec![MessagePosted { concerns, ..reply.clone() }.into()]));
        }
    }

    #[test]
    fn a_message_without_recipients_omits_the_field() {
        let event = MessageEvent::from(posted(2));
        let text = event.encode();
        assert!(text.ends_with(r#""content":"Push, don't poll"}"#), "{text}");
        assert_eq!(MessageEvent::decode("message.posted", &text).unwrap(), event);
    }

    #[test]
    fn the_author_redacts_a_message_once() {
        let message = given::<Message>([posted(2).into()]);
        let redact = RedactMessage { workspace_id: TRACK, by: agent(2).id };
        assert_eq!(redact.decide(&message), Ok(vec![redacted(2).into()]));
        assert_eq!(redact.decide(&message.apply(&redacted(2).into())), Ok(vec![]));
    }

    #[test]
    fn only_the_author_redacts_a_message() {
        let message = given::<Message>([posted(2).into()]);
        assert_eq!(
            RedactMessage { workspace_id: TRACK, by: agent(1).id }.decide(&message),
            Err(MessageError::NotAuthor)
        );
        assert_eq!(
            RedactMessage { workspace_id: ELSEWHERE, by: agent(2).id }.decide(&message),
            Err(MessageError::NotFound)
        );
        assert_eq!(
            RedactMessage { workspace_id: TRACK, by: agent(2).id }.decide(&Message::default()),
            Err(MessageError::NotFound)
        );
    }

    #[test]
    fn a_message_accepts_votes_until_it_is_redacted_or_its_workspace_archived() {
        let (workspace, message) = (given::<Workspace>([opened()]), given::<Message>([posted(2).into()]));
        let archived = workspace.clone().apply(&WorkspaceArchived { workspace_id: TRACK }.into());
        let gone = message.clone().apply(&redacted(2).into());
        assert_eq!(message.votable(TRACK, &workspace), Ok(agent(2).id));
        assert_eq!(message.votable(ELSEWHERE, &workspace), Err(MessageError::NotFound));
        assert_eq!(Message::default().votable(TRACK, &workspace), Err(MessageError::NotFound));
        assert_eq!(message.votable(TRACK, &archived), Err(WorkspaceError::Archived.into()));
        assert_eq!(gone.votable(TRACK, &workspace), Err(MessageError::Redacted));
    }

    #[test]
    fn the_redaction_event_alone_restores_the_message_without_content() {
        // A redaction removes the posted event's data from the log, so that only the second event is read.
        let whole = given::<Message>([posted(2).into(), redacted(2).into()]);
        assert_eq!(given::<Message>([redacted(2).into()]), whole);
    }
}
