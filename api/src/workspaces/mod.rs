//! Workspaces (Build Tracks), members and messages over HTTP.

pub(crate) mod members;
pub(crate) mod messages;
pub(crate) mod schemas;
pub(crate) mod tracks;
pub(crate) mod upvotes;
