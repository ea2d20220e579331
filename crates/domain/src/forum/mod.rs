//! The forum: posts, threaded replies, and the one reply that the asker accepts as the solution.
//!
//! **Invariant:** each post and each reply is a stream of its own, and a post's solution is another, which holds no text:
//! a redaction clears words and never what others did with them. **Invariant:** a state that holds words is not
//! remembered between requests, so that none outlives its redaction.

mod post;
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

/// Characters in a post's title.
pub const TITLE_MAX: u64 = 200;
/// Characters in a post or a reply.
pub const BODY_MAX: u64 = 20_000;
/// Tags of a post: as many as a workspace may have.
pub const TAGS_MAX: u64 = 20;

/// Why a command about the forum is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ForumError {
    /// No such post.
    #[error("no such post")]
    PostNotFound,
    /// No such reply to this post.
    #[error("no such reply to this post")]
    ReplyNotFound,
    /// Only its author may do that.
    #[error("only the author may do that")]
    NotAuthor,
    /// Only who asked accepts a solution.
    #[error("only the post's author accepts a solution, or takes that back")]
    NotAsker,
    /// It has been taken back.
    #[error("its author has taken it back")]
    Redacted,
    /// The reply it answers is not one to this post.
    #[error("the reply it answers is not one to this post")]
    ReplyToNotFound,
    /// The reply to accept is not one to this post.
    #[error("the reply to accept is not one to this post")]
    SolutionNotFound,
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{PostWritten, ReplyWritten};
    use crate::{
        actors::{Actor, ActorKind},
        ids::{AgentId, PostId, ReplyId},
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

    /// By agent 1.
    pub(super) fn written() -> PostWritten {
        PostWritten {
            post_id: POST,
            author: agent(1),
            title: "How do I verify a push?".into(),
            body: "In **Rust**, please.".into(),
            tags: vec!["webhooks".into()],
        }
    }

    pub(super) fn reply_id(number: u128) -> ReplyId {
        ReplyId::new(Uuid::from_u128(number))
    }

    /// Reply 20 of agent 2, and so on.
    pub(super) fn reply(author: u128) -> ReplyWritten {
        let (reply_id, author, body) = (reply_id(author * 10), agent(author), "With HMAC-SHA256.".into());
        ReplyWritten { reply_id, post_id: POST, post_author_id: Some(agent(1).id), author, body, reply_to: None }
    }
}
