//! Messages: posted by members, redacted by their author.

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
    /// The life of one message; stream `msg_…`.
    pub enum MessageEvent {
        /// It was said.
        Posted(MessagePosted) = "message.posted", Public;
        /// Its author took it back: the content is gone from the log, its place stays.
        Redacted(MessageRedacted) = "message.redacted", Public;
    }
}

/// The seven kinds of messages (the seed leaves them open).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageKind {
    /// What could be done.
    Proposal,
    /// What is not known.
    Question,
    /// What is wrong with it.
    Critique,
    /// What is known, with its source.
    Evidence,
    /// What solves it.
    Solution,
    /// What was decided.
    Decision,
    /// How far it is.
    Update,
}

impl MessageKind {
    /// All of them, in order.
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
    /// Where it was posted.
    pub workspace_id: WorkspaceId,
    /// Who wrote it, as shown at that moment.
    pub author: Actor,
    /// What sort of contribution it is.
    pub kind: MessageKind,
    /// The text.
    pub content: String,
    /// The message it answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reply_to: Option<MessageId>,
    /// Whom it concerns.
    #[serde(skip_serializing_if = "Concerns::is_empty", default)]
    pub concerns: Concerns,
}

/// See [`MessageEvent::Redacted`]: all that stays of the message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageRedacted {
    /// The message.
    pub message_id: MessageId,
    /// Where it was posted.
    pub workspace_id: WorkspaceId,
    /// Who wrote it, as shown at that moment.
    pub author: Actor,
    /// What sort of contribution it was.
    pub kind: MessageKind,
    /// The message it answered.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reply_to: Option<MessageId>,
}

/// A message as its stream tells it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// What stays of it when it is redacted; none before it was posted.
    pub place: Option<MessageRedacted>,
    /// Whether its author took it back.
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
    /// Where it was posted and by whom, if it was posted in this workspace.
    pub fn posted_in(&self, workspace_id: WorkspaceId) -> Result<&MessageRedacted, MessageError> {
        self.place.as_ref().filter(|place| place.workspace_id == workspace_id).ok_or(MessageError::NotFound)
    }

    /// Who wrote it, where it takes votes: an archived workspace takes none, and neither does a text that is gone.
    pub fn votable(&self, workspace_id: WorkspaceId, workspace: &Workspace) -> Result<ActorId, MessageError> {
        let place = self.posted_in(workspace_id)?;
        workspace.active()?;
        if self.redacted { Err(MessageError::Redacted) } else { Ok(place.author.id) }
    }
}

/// Why a command about a message is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MessageError {
    /// No such message here.
    #[error("no such message in this workspace")]
    NotFound,
    /// Only its author may do that.
    #[error("only the message's author may do that")]
    NotAuthor,
    /// The message it answers is not in this workspace.
    #[error("the message it replies to is not in this workspace")]
    ReplyToNotFound,
    /// What is to be accepted is not in this workspace.
    #[error("the message to accept is not in this workspace")]
    SolutionNotFound,
    /// What is to be accepted is of another kind.
    #[error("only a message of the kind solution can be accepted")]
    NotASolution,
    /// Its text is gone.
    #[error("the message was taken back by its author")]
    Redacted,
    /// The workspace refuses it.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
}

/// Posts a message; see [`MessagePosted`] for the fields.
#[derive(Debug, Clone)]
pub struct PostMessage(pub MessagePosted);

/// What posting looks at.
#[derive(Debug)]
pub struct Posting<'a> {
    /// Where it is to be posted.
    pub workspace: &'a Workspace,
    /// The message it replies to, where it replies to one.
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

/// Takes a message back. Taking it back twice changes nothing.
#[derive(Debug, Clone)]
pub struct RedactMessage {
    /// Where it was posted.
    pub workspace_id: WorkspaceId,
    /// Who asks.
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
    fn members_post() {
        let workspace = given([opened(), joined(2)]);
        assert_eq!(post(posted(2), &workspace, None), Ok(vec![posted(2).into()]));
    }

    #[test]
    fn strangers_and_those_who_left_do_not_post() {
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
    fn a_reply_concerns_whose_message_it_answers_unless_that_is_its_author() {
        let workspace = given([opened(), joined(2)]);
        let reply = MessagePosted { message_id: SECOND, reply_to: Some(FIRST), ..posted(1) };
        for (author, answers) in [(2, vec![agent(2).id]), (1, vec![])] {
            let decided = post(reply.clone(), &workspace, Some(&given([posted(author).into()])));
            let concerns = Concerns { mentions: vec![], answers };
            assert_eq!(decided, Ok(vec![MessagePosted { concerns, ..reply.clone() }.into()]));
        }
    }

    #[test]
    fn a_message_from_before_inboxes_is_read_and_one_that_concerns_nobody_is_written_as_before() {
        let event = MessageEvent::from(posted(2));
        let text = event.encode();
        assert!(text.ends_with(r#""content":"Push, don't poll"}"#), "{text}");
        assert_eq!(MessageEvent::decode("message.posted", &text).unwrap(), event);
    }

    #[test]
    fn its_author_takes_a_message_back_once() {
        let message = given::<Message>([posted(2).into()]);
        let redact = RedactMessage { workspace_id: TRACK, by: agent(2).id };
        assert_eq!(redact.decide(&message), Ok(vec![redacted(2).into()]));
        assert_eq!(redact.decide(&message.apply(&redacted(2).into())), Ok(vec![]));
    }

    #[test]
    fn nobody_else_takes_it_back() {
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
    fn a_message_takes_votes_while_it_is_there_and_its_workspace_is_not_archived() {
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
    fn what_is_left_after_a_redaction_tells_all_but_the_content() {
        // The posted event's data is gone from the log then, and only the second event is read back.
        let whole = given::<Message>([posted(2).into(), redacted(2).into()]);
        assert_eq!(given::<Message>([redacted(2).into()]), whole);
    }
}
