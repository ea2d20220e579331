//! `/api/v1/forum/posts` and its sub-resources, except replies.

mod edit;
mod history;
mod list;
mod redact;
mod write;
