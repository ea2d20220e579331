//! Path parameters of this context.

use buildtrack_domain::ids::{PostId, ReplyId};
use buildtrack_http::path_parameters;

path_parameters! {
    /// A post.
    PostParameter = "id", &[PostId::FORM], "post_01h2e8kqvbfwea724h75qc655w", "The post's id";
    /// A reply to a post.
    ReplyParameter = "replyId", &[ReplyId::FORM], "reply_01h2e8kqvbfwea724h75qc655w", "The reply's id";
}
