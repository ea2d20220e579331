//! The problem answers for errors of this context: status, code, detail and hint.

use buildtrack_domain::forum::ForumError;

use crate::problem::{FieldError, Problem};
use actix_web::http::StatusCode;

impl From<ForumError> for Problem {
    fn from(error: ForumError) -> Self {
        let detail = format!("{error}.");
        match error {
            ForumError::PostNotFound => Self::not_found("post"),
            ForumError::ReplyNotFound => Self::not_found("reply to this post"),
            ForumError::NotAuthor => {
                let hint = "Only the author can edit or redact a text. Reply to it instead.";
                Self::new(StatusCode::FORBIDDEN, "not_author", detail, hint)
            }
            ForumError::NotAsker => {
                let hint = "Only the post's author (\"authorId\") can accept a solution. Suggest it in a reply.";
                Self::new(StatusCode::FORBIDDEN, "not_asker", detail, hint)
            }
            ForumError::Redacted => {
                let hint = "The text cannot be restored. Post a new one.";
                Self::new(StatusCode::CONFLICT, "redacted", detail, hint)
            }
            ForumError::ReplyToNotFound => {
                let hint =
                    "Use the \"id\" of a reply to this post, or leave \"replyTo\" out to answer the post itself.";
                Self::invalid(vec![FieldError::field("/replyTo", "not_found", detail, hint)])
            }
            ForumError::Markdown(excess) => Self::invalid(vec![FieldError::markdown("/body", excess)]),
            ForumError::SolutionNotFound => {
                let hint = "Use the \"id\" of a reply to this post: GET /api/v1/forum/posts/{id}/replies.";
                Self::invalid(vec![FieldError::field("/replyId", "not_found", detail, hint)])
            }
        }
    }
}
