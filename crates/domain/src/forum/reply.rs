//! Replies to a post, or to another reply to it.

use serde::{Deserialize, Serialize};

use super::{ForumError, Post};
use crate::{
    actors::{Actor, ActorId},
    decide::{Command, State},
    event::event_set,
    ids::{PostId, ReplyId},
};

event_set! {
    /// The life of one reply; stream `reply_…`.
    pub enum ReplyEvent {
        /// It was written.
        Written(ReplyWritten) = "reply.written", Public;
        /// Its author put it into other words.
        Edited(ReplyEdited) = "reply.edited", Public;
        /// Its author took it back: all its words are gone from the log, its place stays.
        Redacted(ReplyRedacted) = "reply.redacted", Public;
    }
}

/// See [`ReplyEvent::Written`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyWritten {
    /// The reply.
    pub reply_id: ReplyId,
    /// What it was written to.
    pub post_id: PostId,
    /// Who wrote the post; not told of replies that are older than this field.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub post_author_id: Option<ActorId>,
    /// Who wrote it, as shown at that moment.
    pub author: Actor,
    /// The text, in Markdown.
    pub body: String,
    /// The reply it answers, where it is not the post itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reply_to: Option<ReplyId>,
}

/// See [`ReplyEvent::Edited`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyEdited {
    /// The reply.
    pub reply_id: ReplyId,
    /// What it was written to.
    pub post_id: PostId,
    /// Who wrote the post; not told of replies that are older than this field.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub post_author_id: Option<ActorId>,
    /// Who put it into these words, as shown at that moment.
    pub editor: Actor,
    /// The text, in Markdown, as it is from here on.
    pub body: String,
}

/// See [`ReplyEvent::Redacted`]: all that stays of the reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyRedacted {
    /// The reply.
    pub reply_id: ReplyId,
    /// What it was written to.
    pub post_id: PostId,
    /// Who wrote the post; not told of replies that are older than this field.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub post_author_id: Option<ActorId>,
    /// Who wrote it, as shown at that moment.
    pub author: Actor,
    /// The reply it answered, where it was not the post itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reply_to: Option<ReplyId>,
}

/// A reply as its stream tells it, without its words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// What stays of it when it is redacted; none before it was written.
    pub place: Option<ReplyRedacted>,
    /// Whether its author took it back.
    pub redacted: bool,
}

impl State for Reply {
    type Event = ReplyEvent;

    fn apply(self, event: &ReplyEvent) -> Self {
        match event {
            ReplyEvent::Written(ReplyWritten { reply_id, post_id, post_author_id, author, reply_to, .. }) => {
                let (reply_id, post_id, post_author_id, reply_to) = (*reply_id, *post_id, *post_author_id, *reply_to);
                let place = ReplyRedacted { reply_id, post_id, post_author_id, author: author.clone(), reply_to };
                Self { place: Some(place), redacted: false }
            }
            ReplyEvent::Edited(_) => self,
            ReplyEvent::Redacted(data) => Self { place: Some(data.clone()), redacted: true },
        }
    }
}

impl Reply {
    /// Its place, where it is one to this post.
    pub fn to(&self, post_id: PostId) -> Result<&ReplyRedacted, ForumError> {
        self.place.as_ref().filter(|place| place.post_id == post_id).ok_or(ForumError::ReplyNotFound)
    }

    /// Who a vote for it is for: its author. What was taken back takes no votes.
    pub fn votable(&self, post_id: PostId) -> Result<ActorId, ForumError> {
        let place = self.to(post_id)?;
        if self.redacted { Err(ForumError::Redacted) } else { Ok(place.author.id) }
    }

    fn written_by(&self, post_id: PostId, actor: ActorId) -> Result<&ReplyRedacted, ForumError> {
        let place = self.to(post_id)?;
        if place.author.id == actor { Ok(place) } else { Err(ForumError::NotAuthor) }
    }
}

/// A reply with its words as they are now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyText {
    /// What it is without them.
    pub reply: Reply,
    /// The text, in Markdown.
    pub body: String,
}

impl State for ReplyText {
    type Event = ReplyEvent;

    const REMEMBERED: bool = false;

    fn apply(self, event: &ReplyEvent) -> Self {
        let reply = self.reply.clone().apply(event);
        match event {
            ReplyEvent::Written(ReplyWritten { body, .. }) | ReplyEvent::Edited(ReplyEdited { body, .. }) => {
                Self { reply, body: body.clone() }
            }
            ReplyEvent::Redacted(_) => Self { reply, body: String::new() },
        }
    }
}

/// Writes a reply; see [`ReplyWritten`] for the fields. Who wrote the post is known here.
#[derive(Debug, Clone)]
pub struct WriteReply(pub ReplyWritten);

/// What answering looks at.
#[derive(Debug)]
pub struct Answering<'a> {
    /// The post.
    pub post: &'a Post,
    /// The reply it answers, where it answers one.
    pub answered: Option<&'a Reply>,
}

impl Command for WriteReply {
    type State<'a> = Answering<'a>;
    type Event = ReplyEvent;
    type Error = ForumError;

    fn decide(&self, Answering { post, answered }: Answering<'_>) -> Result<Vec<ReplyEvent>, ForumError> {
        let post_author_id = Some(post.existing()?.author.id);
        let found = answered.is_some_and(|reply| reply.to(self.0.post_id).is_ok());
        if self.0.reply_to.is_some() && !found {
            return Err(ForumError::ReplyToNotFound);
        }
        Ok(vec![ReplyWritten { post_author_id, ..self.0.clone() }.into()])
    }
}

/// Puts a reply into other words.
#[derive(Debug, Clone)]
pub struct EditReply {
    /// The reply.
    pub reply_id: ReplyId,
    /// What it was written to.
    pub post_id: PostId,
    /// Who asks, as shown now.
    pub editor: Actor,
    /// The new text; the old one where there is none.
    pub body: Option<String>,
}

impl Command for EditReply {
    type State<'a> = &'a ReplyText;
    type Event = ReplyEvent;
    type Error = ForumError;

    fn decide(&self, text: &ReplyText) -> Result<Vec<ReplyEvent>, ForumError> {
        let post_author_id = text.reply.written_by(self.post_id, self.editor.id)?.post_author_id;
        if text.reply.redacted {
            return Err(ForumError::Redacted);
        }
        let Self { reply_id, post_id, editor, body } = self.clone();
        Ok(match body {
            Some(body) if body != text.body => {
                vec![ReplyEdited { reply_id, post_id, post_author_id, editor, body }.into()]
            }
            _ => vec![],
        })
    }
}

/// Takes a reply back. Taking it back twice changes nothing.
#[derive(Debug, Clone)]
pub struct RedactReply {
    /// What it was written to.
    pub post_id: PostId,
    /// Who asks.
    pub by: ActorId,
}

impl Command for RedactReply {
    type State<'a> = &'a Reply;
    type Event = ReplyEvent;
    type Error = ForumError;

    fn decide(&self, reply: &Reply) -> Result<Vec<ReplyEvent>, ForumError> {
        let place = reply.written_by(self.post_id, self.by)?;
        Ok(if reply.redacted { vec![] } else { vec![place.clone().into()] })
    }
}

#[cfg(test)]
mod tests {
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
        EditReply { reply_id: reply_id(20), post_id: POST, editor: agent(editor), body }
    }

    fn write(reply: ReplyWritten, post: &Post, answered: Option<&Reply>) -> Result<Vec<ReplyEvent>, ForumError> {
        WriteReply(reply).decide(Answering { post, answered })
    }

    #[test]
    fn anyone_replies_to_a_post_even_to_one_that_was_taken_back() {
        let gone = PostRedacted { post_id: POST, author: agent(1) };
        for post in [given([written().into()]), given([gone.into()])] {
            assert_eq!(write(reply(2), &post, None), Ok(vec![reply(2).into()]));
        }
        assert_eq!(write(reply(2), &Post::default(), None), Err(ForumError::PostNotFound));
    }

    #[test]
    fn a_reply_answers_another_one_to_the_same_post() {
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
    fn its_author_edits_it_and_an_edit_that_changes_nothing_is_none() {
        let text = given::<ReplyText>([reply(2).into()]);
        let edited = edit(2).decide(&text).unwrap();
        assert_eq!(edited.len(), 1);
        assert_eq!(edit(2).decide(&text.clone().apply(&edited[0])), Ok(vec![]));
        assert_eq!(EditReply { body: None, ..edit(2) }.decide(&text), Ok(vec![]));
    }

    #[test]
    fn nobody_but_its_author_edits_or_takes_it_back_and_nobody_at_another_post() {
        let text = given::<ReplyText>([reply(2).into()]);
        assert_eq!(edit(3).decide(&text), Err(ForumError::NotAuthor));
        assert_eq!(EditReply { post_id: ELSEWHERE, ..edit(2) }.decide(&text), Err(ForumError::ReplyNotFound));
        let redact = |post_id, by| RedactReply { post_id, by: agent(by).id }.decide(&text.reply);
        assert_eq!(redact(POST, 1), Err(ForumError::NotAuthor));
        assert_eq!(redact(ELSEWHERE, 2), Err(ForumError::ReplyNotFound));
        assert_eq!(redact(POST, 2), Ok(vec![redacted(2).into()]));
    }

    #[test]
    fn what_was_taken_back_is_not_edited_nor_taken_back_again() {
        // The data of all other events are gone from the log then, and only the last event is read back.
        let text = given::<ReplyText>([redacted(2).into()]);
        assert_eq!(text, given([reply(2).into(), redacted(2).into()]));
        assert_eq!(edit(2).decide(&text), Err(ForumError::Redacted));
        assert_eq!(RedactReply { post_id: POST, by: agent(2).id }.decide(&text.reply), Ok(vec![]));
    }
}
