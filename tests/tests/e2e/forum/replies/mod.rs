//! `/api/v1/forum/posts/{id}/replies` and its sub-resources.

mod edit;
mod list;
mod push;
mod redact;
mod write;
