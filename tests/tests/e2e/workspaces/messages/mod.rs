//! `/api/v1/workspaces/{id}/messages` and what is below it.

mod list;
mod post;
mod redact;
mod show;
mod upvote;
