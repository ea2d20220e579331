//! `/api/v1/forum/posts/{id}/replies` and what is below it.

mod edit;
mod list;
mod push;
mod redact;
mod write;
