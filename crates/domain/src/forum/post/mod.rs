//! Forum posts: written, edited and redacted by their author.

use serde::{Deserialize, Serialize};

use super::ForumError;
use crate::{
    actors::{Actor, ActorId},
    decide::{Command, State},
    event::event_set,
    ids::PostId,
    markdown,
    mentions::Recipients,
};

event_set! {
    /// The events of one post; stream `post_…`.
    pub enum PostEvent: Uncached {
        /// The author published the post.
        Written(PostWritten) = "post.written", Public, [Indexed];
        /// The author edited the post.
        Edited(PostEdited) = "post.edited", Public, [Indexed];
        /// The author redacted the post. Its texts are removed from the log; its ids remain.
        Redacted(PostRedacted) = "post.redacted", Public, [Redacts];
    }
}

/// See [`PostEvent::Written`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostWritten {
    /// The post.
    pub post_id: PostId,
    /// The author, with its profile at that time.
    pub author: Actor,
    /// The title.
    pub title: String,
    /// The text, in Markdown.
    pub body: String,
    /// The tags, in the order given.
    pub tags: Vec<String>,
    /// The recipients of the event.
    #[serde(skip_serializing_if = "Recipients::is_empty", default)]
    pub concerns: Recipients,
}

/// See [`PostEvent::Edited`]: the editable fields after the edit, all of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostEdited {
    /// The post.
    pub post_id: PostId,
    /// The editor, with its profile at that time.
    pub editor: Actor,
    /// The title.
    pub title: String,
    /// The text, in Markdown.
    pub body: String,
    /// The tags, in the order given.
    pub tags: Vec<String>,
    /// The recipients of the edit: actors that the post did not mention before.
    #[serde(skip_serializing_if = "Recipients::is_empty", default)]
    pub concerns: Recipients,
}

/// See [`PostEvent::Redacted`]: all that remains of the post.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PostRedacted {
    /// The post.
    pub post_id: PostId,
    /// The author, with its profile at that time.
    pub author: Actor,
}

/// A post, folded from its stream, without its texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Post {
    /// The fields that remain after a redaction; `None` before the post was written.
    pub metadata: Option<PostRedacted>,
    /// Whether the author redacted it.
    pub redacted: bool,
}

impl State for Post {
    type Event = PostEvent;

    fn apply(self, event: &PostEvent) -> Self {
        match event {
            PostEvent::Written(PostWritten { post_id, author, .. }) => {
                let metadata = PostRedacted { post_id: *post_id, author: author.clone() };
                Self { metadata: Some(metadata), redacted: false }
            }
            PostEvent::Edited(_) => self,
            PostEvent::Redacted(data) => Self { metadata: Some(data.clone()), redacted: true },
        }
    }
}

impl Post {
    /// The remaining fields, or an error if the post does not exist.
    pub fn existing(&self) -> Result<&PostRedacted, ForumError> {
        self.metadata.as_ref().ok_or(ForumError::PostNotFound)
    }

    /// The author, who receives the reputation for votes. A redacted post accepts no votes.
    pub fn votable(&self) -> Result<ActorId, ForumError> {
        let metadata = self.existing()?;
        if self.redacted { Err(ForumError::Redacted) } else { Ok(metadata.author.id) }
    }

    fn written_by(&self, actor: ActorId) -> Result<&PostRedacted, ForumError> {
        self.existing()
            .and_then(|metadata| if metadata.author.id == actor { Ok(metadata) } else { Err(ForumError::NotAuthor) })
    }
}

/// A post with its current texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PostText {
    /// The post without its texts.
    pub post: Post,
    /// The title.
    pub title: String,
    /// The text, in Markdown.
    pub body: String,
    /// The tags, in the order given.
    pub tags: Vec<String>,
    /// All actors that were ever mentioned in it.
    pub mentioned: Vec<ActorId>,
}

impl State for PostText {
    type Event = PostEvent;

    const CACHED: bool = false;

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
        markdown::check(&self.0.body)?;
        Ok(vec![self.0.clone().into()])
    }
}

/// Edits a post. Fields that are `None` stay as they are.
#[derive(Debug, Clone)]
pub struct EditPost {
    /// The post.
    pub post_id: PostId,
    /// The caller, with its current profile.
    pub editor: Actor,
    /// A new title.
    pub title: Option<String>,
    /// A new text.
    pub body: Option<String>,
    /// New tags.
    pub tags: Option<Vec<String>>,
    /// The actors mentioned in the new title and text.
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
            concerns: Recipients::first(&self.mentions, &text.mentioned),
        };
        if edited.body != text.body {
            markdown::check(&edited.body)?;
        }
        let unchanged = edited.title == text.title && edited.body == text.body && edited.tags == text.tags;
        Ok(if unchanged { vec![] } else { vec![edited.into()] })
    }
}

/// Redacts a post. Redacting it twice changes nothing.
#[derive(Debug, Clone)]
pub struct RedactPost {
    /// The caller.
    pub by: ActorId,
}

impl Command for RedactPost {
    type State<'a> = &'a Post;
    type Event = PostEvent;
    type Error = ForumError;

    fn decide(&self, post: &Post) -> Result<Vec<PostEvent>, ForumError> {
        let metadata = post.written_by(self.by)?;
        Ok(if post.redacted { vec![] } else { vec![metadata.clone().into()] })
    }
}

#[cfg(test)]
mod tests;
