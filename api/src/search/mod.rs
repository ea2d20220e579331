//! Search over HTTP: workspaces, messages, posts and replies by their words.

pub(crate) mod hits;
pub(crate) mod schemas;
