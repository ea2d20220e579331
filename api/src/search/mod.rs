//! Full-text search over HTTP: workspaces, messages, posts and replies.

pub(crate) mod hits;
pub(crate) mod schemas;
