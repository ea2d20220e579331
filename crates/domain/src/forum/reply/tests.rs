use super::{
    super::{
        PostRedacted,
        tests::{ELSEWHERE, POST, agent, reply, reply_id, written},
    },
    *,
};
use crate::decide::testing::given;

fn redacted(author: u128) -> ReplyRedacted {
    let ReplyWritten { reply_id, post_id, post_author_id, author, reply_to, .. } = reply(author);
    ReplyRedacted { reply_id, post_id, post_author_id, author, reply_to }
}

fn edit(editor: u128) -> EditReply {
    let body = Some("With HMAC-SHA256, keyed with the whole secret.".into());
    EditReply { reply_id: reply_id(20), post_id: POST, editor: agent(editor), body, mentions: vec![] }
}

fn write(reply: ReplyWritten, post: &Post, answered: Option<&Reply>) -> Result<Vec<ReplyEvent>, ForumError> {
    WriteReply(reply).decide(Answering { post, answered })
}

#[test]
fn a_redacted_post_still_accepts_replies() {
    let gone = PostRedacted { post_id: POST, author: agent(1) };
    for post in [given([written().into()]), given([gone.into()])] {
        let concerns = Recipients { mentions: vec![], answers: vec![agent(1).id] };
        assert_eq!(write(reply(2), &post, None), Ok(vec![ReplyWritten { concerns, ..reply(2) }.into()]));
    }
    assert_eq!(write(reply(2), &Post::default(), None), Err(ForumError::PostNotFound));
}

#[test]
fn a_reply_answers_another_reply_to_the_same_post_only() {
    let post = given([written().into()]);
    let answer = ReplyWritten { reply_to: Some(reply_id(20)), ..reply(3) };
    let here = given::<Reply>([reply(2).into()]);
    let elsewhere = given::<Reply>([ReplyWritten { post_id: ELSEWHERE, ..reply(2) }.into()]);
    assert!(write(answer.clone(), &post, Some(&here)).is_ok());
    assert!(write(answer.clone(), &post, Some(&given([redacted(2).into()]))).is_ok());
    for answered in [None, Some(&Reply::default()), Some(&elsewhere)] {
        assert_eq!(write(answer.clone(), &post, answered), Err(ForumError::ReplyToNotFound));
    }
}

#[test]
fn a_reply_has_the_answered_authors_as_recipients_but_not_its_own() {
    let post = given([written().into()]);
    let answers = |author, answered: u128| {
        let reply = ReplyWritten { reply_to: Some(reply_id(answered * 10)), ..reply(author) };
        let decided = write(reply, &post, Some(&given([self::reply(answered).into()])));
        match &decided.unwrap()[..] {
            [ReplyEvent::Written(data)] => data.concerns.answers.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(answers(3, 2), [agent(2).id, agent(1).id]);
    assert_eq!(answers(1, 2), [agent(2).id]);
    assert_eq!(answers(2, 2), [agent(1).id]);
    assert_eq!(answers(3, 1), [agent(1).id]);
}

#[test]
fn an_edit_has_newly_mentioned_actors_as_recipients() {
    let first = Recipients { mentions: vec![agent(4).id], answers: vec![agent(1).id] };
    let text = given([ReplyWritten { concerns: first, ..reply(2) }.into()]);
    let edited = EditReply { mentions: vec![agent(4).id, agent(5).id], ..edit(2) }.decide(&text).unwrap();
    let [ReplyEvent::Edited(data)] = &edited[..] else { panic!("{edited:?}") };
    assert_eq!(data.concerns, Recipients { mentions: vec![agent(5).id], answers: vec![] });
}

#[test]
fn its_author_edits_a_reply_and_an_unchanged_edit_adds_no_event() {
    let text = given::<ReplyText>([reply(2).into()]);
    let edited = edit(2).decide(&text).unwrap();
    assert_eq!(edited.len(), 1);
    assert_eq!(edit(2).decide(&text.clone().apply(&edited[0])), Ok(vec![]));
    assert_eq!(EditReply { body: None, ..edit(2) }.decide(&text), Ok(vec![]));
}

#[test]
fn only_its_author_edits_or_redacts_a_reply_and_only_at_its_post() {
    let text = given::<ReplyText>([reply(2).into()]);
    assert_eq!(edit(3).decide(&text), Err(ForumError::NotAuthor));
    assert_eq!(EditReply { post_id: ELSEWHERE, ..edit(2) }.decide(&text), Err(ForumError::ReplyNotFound));
    let redact = |post_id, by| RedactReply { post_id, by: agent(by).id }.decide(&text.reply);
    assert_eq!(redact(POST, 1), Err(ForumError::NotAuthor));
    assert_eq!(redact(ELSEWHERE, 2), Err(ForumError::ReplyNotFound));
    assert_eq!(redact(POST, 2), Ok(vec![redacted(2).into()]));
}

#[test]
fn a_redacted_reply_cannot_be_edited_or_redacted_again() {
    // A redaction removes the data of all other events from the log, so that only the last one is read.
    let text = given::<ReplyText>([redacted(2).into()]);
    assert_eq!(text, given([reply(2).into(), redacted(2).into()]));
    assert_eq!(edit(2).decide(&text), Err(ForumError::Redacted));
    assert_eq!(RedactReply { post_id: POST, by: agent(2).id }.decide(&text.reply), Ok(vec![]));
}
