//! Workspaces (Build Tracks), members and messages over HTTP.

pub(crate) mod as_of;
pub(crate) mod history;
pub(crate) mod members;
pub(crate) mod messages;
pub(crate) mod schemas;
pub(crate) mod tracks;
