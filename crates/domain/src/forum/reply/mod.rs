//! Replies to a post, or to another reply to it.

use serde::{Deserialize, Serialize};

use super::{ForumError, Post};
use crate::{
    actors::{Actor, ActorId},
    decide::{Command, State},
    event::event_set,
    ids::{PostId, ReplyId},
    markdown,
    mentions::Recipients,
};

event_set! {
    /// The events of one reply; stream `reply_…`.
    pub enum ReplyEvent: Uncached {
        /// The author published the reply.
        Written(ReplyWritten) = "reply.written", Public, [Pushed(ForumReply), Indexed];
        /// The author edited the reply.
        Edited(ReplyEdited) = "reply.edited", Public, [Indexed];
        /// The author redacted the reply. Its texts are removed from the log; its ids remain.
        Redacted(ReplyRedacted) = "reply.redacted", Public, [Redacts];
    }
}

/// See [`ReplyEvent::Written`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyWritten {
    /// The reply.
    pub reply_id: ReplyId,
    /// The post that it answers.
    pub post_id: PostId,
    /// The post's author; `None` in events that are older than this field.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub post_author_id: Option<ActorId>,
    /// The author, with its profile at that time.
    pub author: Actor,
    /// The text, in Markdown.
    pub body: String,
    /// The reply that it answers; `None` if it answers the post itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reply_to: Option<ReplyId>,
    /// The recipients of the event.
    #[serde(skip_serializing_if = "Recipients::is_empty", default)]
    pub concerns: Recipients,
}

/// See [`ReplyEvent::Edited`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyEdited {
    /// The reply.
    pub reply_id: ReplyId,
    /// The post that it answers.
    pub post_id: PostId,
    /// The post's author; `None` in events that are older than this field.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub post_author_id: Option<ActorId>,
    /// The editor, with its profile at that time.
    pub editor: Actor,
    /// The new text, in Markdown.
    pub body: String,
    /// The recipients of the edit: actors that the reply did not mention before.
    #[serde(skip_serializing_if = "Recipients::is_empty", default)]
    pub concerns: Recipients,
}

/// See [`ReplyEvent::Redacted`]: all that remains of the reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReplyRedacted {
    /// The reply.
    pub reply_id: ReplyId,
    /// The post that it answers.
    pub post_id: PostId,
    /// The post's author; `None` in events that are older than this field.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub post_author_id: Option<ActorId>,
    /// The author, with its profile at that time.
    pub author: Actor,
    /// The reply that it answered; `None` if it answered the post itself.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reply_to: Option<ReplyId>,
}

/// A reply, folded from its stream, without its texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reply {
    /// The fields that remain after a redaction; `None` before the reply was written.
    pub metadata: Option<ReplyRedacted>,
    /// Whether the author redacted it.
    pub redacted: bool,
}

impl State for Reply {
    type Event = ReplyEvent;

    fn apply(self, event: &ReplyEvent) -> Self {
        match event {
            ReplyEvent::Written(ReplyWritten { reply_id, post_id, post_author_id, author, reply_to, .. }) => {
                let (reply_id, post_id, post_author_id, reply_to) = (*reply_id, *post_id, *post_author_id, *reply_to);
                let metadata = ReplyRedacted { reply_id, post_id, post_author_id, author: author.clone(), reply_to };
                Self { metadata: Some(metadata), redacted: false }
            }
            ReplyEvent::Edited(_) => self,
            ReplyEvent::Redacted(data) => Self { metadata: Some(data.clone()), redacted: true },
        }
    }
}

impl Reply {
    /// The remaining fields, or an error if the reply does not belong to this post.
    pub fn to(&self, post_id: PostId) -> Result<&ReplyRedacted, ForumError> {
        self.metadata.as_ref().filter(|metadata| metadata.post_id == post_id).ok_or(ForumError::ReplyNotFound)
    }

    /// The author, who receives the reputation for votes. A redacted reply accepts no votes.
    pub fn votable(&self, post_id: PostId) -> Result<ActorId, ForumError> {
        let metadata = self.to(post_id)?;
        if self.redacted { Err(ForumError::Redacted) } else { Ok(metadata.author.id) }
    }

    fn written_by(&self, post_id: PostId, actor: ActorId) -> Result<&ReplyRedacted, ForumError> {
        let metadata = self.to(post_id)?;
        if metadata.author.id == actor { Ok(metadata) } else { Err(ForumError::NotAuthor) }
    }
}

/// A reply with its current text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReplyText {
    /// The reply without its text.
    pub reply: Reply,
    /// The text, in Markdown.
    pub body: String,
    /// All actors that were ever mentioned in it.
    pub mentioned: Vec<ActorId>,
}

impl State for ReplyText {
    type Event = ReplyEvent;

    const CACHED: bool = false;

    fn apply(self, event: &ReplyEvent) -> Self {
        let reply = self.reply.clone().apply(event);
        match event {
            ReplyEvent::Written(ReplyWritten { body, concerns, .. })
            | ReplyEvent::Edited(ReplyEdited { body, concerns, .. }) => {
                let mentioned = [self.mentioned, concerns.mentions.clone()].concat();
                Self { reply, body: body.clone(), mentioned }
            }
            ReplyEvent::Redacted(_) => Self { reply, ..Self::default() },
        }
    }
}

/// Writes a reply; see [`ReplyWritten`] for the fields. The command fills in the post's author.
#[derive(Debug, Clone)]
pub struct WriteReply(pub ReplyWritten);

/// The input of [`WriteReply`].
#[derive(Debug)]
pub struct Answering<'a> {
    /// The post.
    pub post: &'a Post,
    /// The reply that it answers, if any.
    pub answered: Option<&'a Reply>,
}

impl Command for WriteReply {
    type State<'a> = Answering<'a>;
    type Event = ReplyEvent;
    type Error = ForumError;

    fn decide(&self, Answering { post, answered }: Answering<'_>) -> Result<Vec<ReplyEvent>, ForumError> {
        let asker = post.existing()?.author.id;
        let answered = answered.and_then(|reply| reply.to(self.0.post_id).ok());
        if self.0.reply_to.is_some() && answered.is_none() {
            return Err(ForumError::ReplyToNotFound);
        }
        markdown::check(&self.0.body)?;
        let answered = answered.map(|metadata| metadata.author.id).into_iter().chain([asker]);
        let concerns = self.0.concerns.answering(self.0.author.id, answered);
        Ok(vec![ReplyWritten { post_author_id: Some(asker), concerns, ..self.0.clone() }.into()])
    }
}

/// Edits a reply.
#[derive(Debug, Clone)]
pub struct EditReply {
    /// The reply.
    pub reply_id: ReplyId,
    /// The post that it answers.
    pub post_id: PostId,
    /// The caller, with its current profile.
    pub editor: Actor,
    /// The new text; `None` leaves the text as it is.
    pub body: Option<String>,
    /// The actors mentioned in the new text.
    pub mentions: Vec<ActorId>,
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
        let Self { reply_id, post_id, editor, body, mentions } = self.clone();
        let concerns = Recipients::first(&mentions, &text.mentioned);
        Ok(match body {
            Some(body) if body != text.body => {
                markdown::check(&body)?;
                vec![ReplyEdited { reply_id, post_id, post_author_id, editor, body, concerns }.into()]
            }
            _ => vec![],
        })
    }
}

/// Redacts a reply. Redacting it twice changes nothing.
#[derive(Debug, Clone)]
pub struct RedactReply {
    /// The post that it answers.
    pub post_id: PostId,
    /// The caller.
    pub by: ActorId,
}

impl Command for RedactReply {
    type State<'a> = &'a Reply;
    type Event = ReplyEvent;
    type Error = ForumError;

    fn decide(&self, reply: &Reply) -> Result<Vec<ReplyEvent>, ForumError> {
        let metadata = reply.written_by(self.post_id, self.by)?;
        Ok(if reply.redacted { vec![] } else { vec![metadata.clone().into()] })
    }
}

#[cfg(test)]
mod tests;
