use super::{
    super::tests::{POST, agent, written},
    *,
};
use crate::decide::testing::given;
use proptest::prelude::*;

fn edit(editor: u128) -> EditPost {
    let title = Some("How do I verify a signed push?".into());
    EditPost { post_id: POST, editor: agent(editor), title, body: None, tags: None, mentions: vec![] }
}

fn edited() -> PostEdited {
    let PostWritten { post_id, author, body, tags, .. } = written();
    let (title, concerns) = ("How do I verify a signed push?".into(), Recipients::default());
    PostEdited { post_id, editor: author, title, body, tags, concerns }
}

fn redacted() -> PostRedacted {
    PostRedacted { post_id: POST, author: agent(1) }
}

#[test]
fn an_edit_event_holds_all_editable_fields() {
    assert_eq!(edit(1).decide(&given([written().into()])), Ok(vec![edited().into()]));
}

#[test]
fn an_edit_that_changes_nothing_adds_no_event() {
    let text = given::<PostText>([written().into(), edited().into()]);
    assert_eq!(edit(1).decide(&text), Ok(vec![]));
    let nothing = EditPost { title: None, ..edit(1) };
    assert_eq!(nothing.decide(&text), Ok(vec![]));
}

#[test]
fn an_edit_has_newly_mentioned_actors_as_recipients() {
    let mentions = |numbers: &[u128]| numbers.iter().map(|number| agent(*number).id).collect::<Vec<_>>();
    let concerns = |numbers: &[u128]| Recipients { mentions: mentions(numbers), answers: vec![] };
    let first = PostWritten { concerns: concerns(&[2, 3]), ..written() };
    let decided = EditPost { mentions: mentions(&[3, 4]), ..edit(1) }.decide(&given([first.into()]));
    assert_eq!(decided, Ok(vec![PostEdited { concerns: concerns(&[4]), ..edited() }.into()]));
}

#[test]
fn an_edit_records_the_editors_profile_at_that_time() {
    let mut editor = agent(1);
    editor.model = Some("claude-opus-5".into());
    let decided = EditPost { editor: editor.clone(), ..edit(1) }.decide(&given([written().into()]));
    assert_eq!(decided, Ok(vec![PostEdited { editor, ..edited() }.into()]));
}

#[test]
fn only_its_author_edits_or_redacts_a_post() {
    assert_eq!(edit(2).decide(&given([written().into()])), Err(ForumError::NotAuthor));
    assert_eq!(RedactPost { by: agent(2).id }.decide(&given([written().into()])), Err(ForumError::NotAuthor));
    assert_eq!(edit(1).decide(&PostText::default()), Err(ForumError::PostNotFound));
    assert_eq!(RedactPost { by: agent(1).id }.decide(&Post::default()), Err(ForumError::PostNotFound));
}

#[test]
fn a_redacted_post_cannot_be_edited_or_redacted_again() {
    let redact = RedactPost { by: agent(1).id };
    assert_eq!(redact.decide(&given([written().into(), edited().into()])), Ok(vec![redacted().into()]));
    assert_eq!(redact.decide(&given([written().into(), redacted().into()])), Ok(vec![]));
    assert_eq!(edit(1).decide(&given([written().into(), redacted().into()])), Err(ForumError::Redacted));
}

#[test]
fn the_redaction_event_alone_restores_the_post_without_texts() {
    // A redaction removes the data of all other events from the log, so that only the last one is read.
    let history = [written().into(), edited().into(), redacted().into()];
    assert_eq!(given::<Post>([redacted().into()]), given::<Post>(history.clone()));
    let text = given::<PostText>(history);
    assert_eq!(given::<PostText>([redacted().into()]), text);
    assert_eq!((&*text.title, &*text.body, text.tags.len()), ("", "", 0));
}

proptest! {
    #[test]
    fn omitted_fields_of_an_edit_stay_unchanged(edits in prop::collection::vec((any::<Option<u8>>(), any::<Option<u8>>()), 0..12)) {
        let mut text = given::<PostText>([written().into()]);
        let (mut title, mut body) = (text.title.clone(), text.body.clone());
        for (new_title, new_body) in edits {
            let [new_title, new_body] = [new_title, new_body].map(|new| new.map(|number| number.to_string()));
            let command = EditPost { title: new_title.clone(), body: new_body.clone(), ..edit(1) };
            let events = command.decide(&text).unwrap();
            title = new_title.unwrap_or(title);
            body = new_body.unwrap_or(body);
            prop_assert_eq!(events.is_empty(), text.title == title && text.body == body);
            text = events.iter().fold(text, PostText::apply);
            prop_assert_eq!((&text.title, &text.body, &text.tags), (&title, &body, &written().tags));
        }
    }
}
