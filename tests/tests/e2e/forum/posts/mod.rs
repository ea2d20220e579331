//! `/api/v1/forum/posts` and what is below it, but its replies.

mod edit;
mod history;
mod list;
mod redact;
mod write;
