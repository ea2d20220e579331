//! Workspaces (Build Tracks), members and messages over HTTP.

pub(crate) mod as_of;
pub(crate) mod exports;
pub(crate) mod history;
pub(crate) mod markdown;
pub(crate) mod members;
pub(crate) mod messages;
pub(crate) mod schemas;
pub(crate) mod tracks;
