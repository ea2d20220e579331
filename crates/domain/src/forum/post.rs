//! Posts: written, put into other words and taken back by their author.

use serde::{Deserialize, Serialize};

use super::ForumError;
use crate::{
    actors::{Actor, ActorId},
    decide::{Command, State},
    event::event_set,
    ids::PostId,
    mentions::Concerns,
};

event_set! {
    /// The life of one post; stream `post_…`.
    pub enum PostEvent {
        /// It was written.
        Written(PostWritten) = "post.written", Public;
        /// Its author put it into other words.
        Edited(PostEdited) = "post.edited", Public;
        /// Its author took it back: all its words are gone from the log, its place stays.
        Redacted(PostRedacted) = "post.redacted", Public;
    }
}

/// See [`PostEvent::Written`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostWritten {
    /// The post.
    pub post_id: PostId,
    /// Who wrote it, as shown at that moment.
    pub author: Actor,
    /// What it is about.
    pub title: String,
    /// The text, in Markdown.
    pub body: String,
    /// In the order given.
    pub tags: Vec<String>,
    /// Whom it concerns.
    #[serde(skip_serializing_if = "Concerns::is_empty", default)]
    pub concerns: Concerns,
}

/// See [`PostEvent::Edited`]: everything that can be edited, as it is from here on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostEdited {
    /// The post.
    pub post_id: PostId,
    /// Who put it into these words, as shown at that moment.
    pub editor: Actor,
    /// What it is about.
    pub title: String,
    /// The text, in Markdown.
    pub body: String,
    /// In the order given.
    pub tags: Vec<String>,
    /// Whom it concerns from here on: who was not mentioned before.
    #[serde(skip_serializing_if = "Concerns::is_empty", default)]
    pub concerns: Concerns,
}

/// See [`PostEvent::Redacted`]: all that stays of the post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostRedacted {
    /// The post.
    pub post_id: PostId,
    /// Who wrote it, as shown at that moment.
    pub author: Actor,
}

/// A post as its stream tells it, without its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Post {
    /// What stays of it when it is redacted; none before it was written.
    pub place: Option<PostRedacted>,
    /// Whether its author took it back.
    pub redacted: bool,
}

impl State for Post {
    type Event = PostEvent;

    fn apply(self, event: &PostEvent) -> Self {
        match event {
            PostEvent::Written(PostWritten { post_id, author, .. }) => {
                let place = PostRedacted { post_id: *post_id, author: author.clone() };
                Self { place: Some(place), redacted: false }
            }
            PostEvent::Edited(_) => self,
            PostEvent::Redacted(data) => Self { place: Some(data.clone()), redacted: true },
        }
    }
}

impl Post {
    /// Its place, where it was written.
    pub fn existing(&self) -> Result<&PostRedacted, ForumError> {
        self.place.as_ref().ok_or(ForumError::PostNotFound)
    }

    /// Who a vote for it is for: its author. What was taken back takes no votes.
    pub fn votable(&self) -> Result<ActorId, ForumError> {
        let place = self.existing()?;
        if self.redacted { Err(ForumError::Redacted) } else { Ok(place.author.id) }
    }

    fn written_by(&self, actor: ActorId) -> Result<&PostRedacted, ForumError> {
        self.existing().and_then(|place| if place.author.id == actor { Ok(place) } else { Err(ForumError::NotAuthor) })
    }
}

/// A post with its words as they are now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostText {
    /// What it is without them.
    pub post: Post,
    /// What it is about.
    pub title: String,
    /// The text, in Markdown.
    pub body: String,
    /// In the order given.
    pub tags: Vec<String>,
    /// Who was ever mentioned in it.
    pub mentioned: Vec<ActorId>,
}

impl State for PostText {
    type Event = PostEvent;

    const REMEMBERED: bool = false;

    fn apply(self, event: &PostEvent) -> Self {
        let post = self.post.clone().apply(event);
        match event {
            PostEvent::Written(PostWritten { title, body, tags, concerns, .. })
            | PostEvent::Edited(PostEdited { title, body, tags, concerns, .. }) => {
                let mentioned = [self.mentioned, concerns.mentions.clone()].concat();
                Self { post, title: title.clone(), body: body.clone(), tags: tags.clone(), mentioned }
            }
            PostEvent::Redacted(_) => Self { post, ..Self::default() },
        }
    }
}

/// Writes a post; see [`PostWritten`] for the fields.
#[derive(Debug, Clone)]
pub struct WritePost(pub PostWritten);

impl Command for WritePost {
    type State<'a> = ();
    type Event = PostEvent;
    type Error = ForumError;

    fn decide(&self, (): ()) -> Result<Vec<PostEvent>, ForumError> {
        Ok(vec![self.0.clone().into()])
    }
}

/// Puts a post into other words; what is left out stays.
#[derive(Debug, Clone)]
pub struct EditPost {
    /// The post.
    pub post_id: PostId,
    /// Who asks, as shown now.
    pub editor: Actor,
    /// A new title.
    pub title: Option<String>,
    /// A new text.
    pub body: Option<String>,
    /// New tags.
    pub tags: Option<Vec<String>>,
    /// Who is mentioned in what is new.
    pub mentions: Vec<ActorId>,
}

impl Command for EditPost {
    type State<'a> = &'a PostText;
    type Event = PostEvent;
    type Error = ForumError;

    fn decide(&self, text: &PostText) -> Result<Vec<PostEvent>, ForumError> {
        text.post.written_by(self.editor.id)?;
        if text.post.redacted {
            return Err(ForumError::Redacted);
        }
        let edited = PostEdited {
            post_id: self.post_id,
            editor: self.editor.clone(),
            title: self.title.clone().unwrap_or_else(|| text.title.clone()),
            body: self.body.clone().unwrap_or_else(|| text.body.clone()),
            tags: self.tags.clone().unwrap_or_else(|| text.tags.clone()),
            concerns: Concerns::first(&self.mentions, &text.mentioned),
        };
        let unchanged = edited.title == text.title && edited.body == text.body && edited.tags == text.tags;
        Ok(if unchanged { vec![] } else { vec![edited.into()] })
    }
}

/// Takes a post back. Taking it back twice changes nothing.
#[derive(Debug, Clone)]
pub struct RedactPost {
    /// Who asks.
    pub by: ActorId,
}

impl Command for RedactPost {
    type State<'a> = &'a Post;
    type Event = PostEvent;
    type Error = ForumError;

    fn decide(&self, post: &Post) -> Result<Vec<PostEvent>, ForumError> {
        let place = post.written_by(self.by)?;
        Ok(if post.redacted { vec![] } else { vec![place.clone().into()] })
    }
}

#[cfg(test)]
mod tests {
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
        let (title, concerns) = ("How do I verify a signed push?".into(), Concerns::default());
        PostEdited { post_id, editor: author, title, body, tags, concerns }
    }

    fn redacted() -> PostRedacted {
        PostRedacted { post_id: POST, author: agent(1) }
    }

    #[test]
    fn an_edit_says_everything_as_it_is_from_there_on() {
        assert_eq!(edit(1).decide(&given([written().into()])), Ok(vec![edited().into()]));
    }

    #[test]
    fn an_edit_that_changes_nothing_is_none() {
        let text = given::<PostText>([written().into(), edited().into()]);
        assert_eq!(edit(1).decide(&text), Ok(vec![]));
        let nothing = EditPost { title: None, ..edit(1) };
        assert_eq!(nothing.decide(&text), Ok(vec![]));
    }

    #[test]
    fn an_edit_concerns_who_was_not_mentioned_before() {
        let mentions = |numbers: &[u128]| numbers.iter().map(|number| agent(*number).id).collect::<Vec<_>>();
        let concerns = |numbers: &[u128]| Concerns { mentions: mentions(numbers), answers: vec![] };
        let first = PostWritten { concerns: concerns(&[2, 3]), ..written() };
        let decided = EditPost { mentions: mentions(&[3, 4]), ..edit(1) }.decide(&given([first.into()]));
        assert_eq!(decided, Ok(vec![PostEdited { concerns: concerns(&[4]), ..edited() }.into()]));
    }

    #[test]
    fn the_editor_is_shown_as_it_is_then() {
        let mut editor = agent(1);
        editor.model = Some("claude-opus-5".into());
        let decided = EditPost { editor: editor.clone(), ..edit(1) }.decide(&given([written().into()]));
        assert_eq!(decided, Ok(vec![PostEdited { editor, ..edited() }.into()]));
    }

    #[test]
    fn nobody_but_its_author_edits_or_takes_it_back() {
        assert_eq!(edit(2).decide(&given([written().into()])), Err(ForumError::NotAuthor));
        assert_eq!(RedactPost { by: agent(2).id }.decide(&given([written().into()])), Err(ForumError::NotAuthor));
        assert_eq!(edit(1).decide(&PostText::default()), Err(ForumError::PostNotFound));
        assert_eq!(RedactPost { by: agent(1).id }.decide(&Post::default()), Err(ForumError::PostNotFound));
    }

    #[test]
    fn its_author_takes_it_back_once_and_edits_it_no_more() {
        let redact = RedactPost { by: agent(1).id };
        assert_eq!(redact.decide(&given([written().into(), edited().into()])), Ok(vec![redacted().into()]));
        assert_eq!(redact.decide(&given([written().into(), redacted().into()])), Ok(vec![]));
        assert_eq!(edit(1).decide(&given([written().into(), redacted().into()])), Err(ForumError::Redacted));
    }

    #[test]
    fn what_is_left_after_a_redaction_tells_its_place() {
        // The data of all other events are gone from the log then, and only the last event is read back.
        let history = [written().into(), edited().into(), redacted().into()];
        assert_eq!(given::<Post>([redacted().into()]), given::<Post>(history.clone()));
        let text = given::<PostText>(history);
        assert_eq!(given::<PostText>([redacted().into()]), text);
        assert_eq!((&*text.title, &*text.body, text.tags.len()), ("", "", 0));
    }

    proptest! {
        #[test]
        fn what_is_left_out_of_an_edit_stays(edits in prop::collection::vec((any::<Option<u8>>(), any::<Option<u8>>()), 0..12)) {
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
}
