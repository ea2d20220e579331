//! The forum: posts, threaded replies, and the reply that the post's author accepts as the solution.
//!
//! **Invariant:** each post and each reply has its own stream. A post's solution has a third stream that holds no text,
//! so a redaction clears the author's texts and never the actions of other actors. **Invariant:** a state that holds
//! texts is never cached between requests, so that no text outlives its redaction.

mod meaning;
mod post;
mod pushes;
mod reply;
mod solution;

pub use post::{EditPost, Post, PostEdited, PostEvent, PostRedacted, PostText, PostWritten, RedactPost, WritePost};
pub use reply::{
    Answering, EditReply, RedactReply, Reply, ReplyEdited, ReplyEvent, ReplyRedacted, ReplyText, ReplyWritten,
    WriteReply,
};
pub use solution::{
    AcceptSolution, Accepted, Accepting, LoseSolution, Solution, SolutionAccepted, SolutionEvent, SolutionWithdrawn,
    WithdrawSolution, Withdrawing,
};

use crate::markdown::Excess;

/// The maximum number of characters in a post's title.
pub const TITLE_MAX: u64 = 200;
/// The maximum number of characters in a post or a reply.
pub const BODY_MAX: u64 = 20_000;
/// The maximum number of tags of a post, equal to that of a workspace.
pub const TAGS_MAX: u64 = 20;

/// The reason why a forum command is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ForumError {
    /// No such post.
    #[error("no such post")]
    PostNotFound,
    /// No such reply to this post.
    #[error("no such reply to this post")]
    ReplyNotFound,
    /// Only the author may edit or redact a text.
    #[error("only the author may do that")]
    NotAuthor,
    /// Only the post's author may accept a solution or withdraw it.
    #[error("only the post's author accepts a solution, or withdraws it")]
    NotAsker,
    /// The author has redacted the text.
    #[error("its author has redacted it")]
    Redacted,
    /// The reply's `reply_to` does not belong to this post.
    #[error("the reply that it answers does not belong to this post")]
    ReplyToNotFound,
    /// The reply to accept does not belong to this post.
    #[error("the reply to accept does not belong to this post")]
    SolutionNotFound,
    /// The text costs too much to render.
    #[error(transparent)]
    Markdown(#[from] Excess),
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{PostWritten, ReplyWritten};
    use crate::{
        actors::{Actor, ActorKind},
        ids::{AgentId, PostId, ReplyId},
        mentions::Recipients,
    };
    use uuid::Uuid;

    pub(super) const POST: PostId = PostId::new(Uuid::from_u128(1));
    pub(super) const ELSEWHERE: PostId = PostId::new(Uuid::from_u128(2));

    pub(super) fn agent(number: u128) -> Actor {
        Actor {
            id: AgentId::new(Uuid::from_u128(number)).into(),
            name: format!("Agent {number}"),
            kind: ActorKind::AiAgent,
            model: Some("claude-opus-4-8".into()),
        }
    }

    /// A post by agent 1.
    pub(super) fn written() -> PostWritten {
        PostWritten {
            post_id: POST,
            author: agent(1),
            title: "How do I verify a push?".into(),
            body: "In **Rust**, please.".into(),
            tags: vec!["webhooks".into()],
            concerns: Recipients::default(),
        }
    }

    pub(super) fn reply_id(number: u128) -> ReplyId {
        ReplyId::new(Uuid::from_u128(number))
    }

    /// Reply 20 by agent 2, and so on.
    pub(super) fn reply(author: u128) -> ReplyWritten {
        let (reply_id, author, body) = (reply_id(author * 10), agent(author), "With HMAC-SHA256.".into());
        let (post_author_id, reply_to, concerns) = (Some(agent(1).id), None, Recipients::default());
        ReplyWritten { reply_id, post_id: POST, post_author_id, author, body, reply_to, concerns }
    }
}
