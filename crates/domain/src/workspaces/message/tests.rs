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
        concerns: Recipients::default(),
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
        let concerns = Recipients { mentions: vec![], answers };
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
    assert_eq!(RedactMessage { workspace_id: TRACK, by: agent(1).id }.decide(&message), Err(MessageError::NotAuthor));
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
