//! `/api/v1/workspaces/{id}/messages` and its sub-resources.

mod list;
mod post;
mod redact;
mod show;
mod upvote;
