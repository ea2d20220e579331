//! Workspaces (Build Tracks) over HTTP: members, roles, invitations, messages, votes, outcomes, history and exports.

pub(crate) mod as_of;
pub(crate) mod exports;
pub(crate) mod history;
pub(crate) mod invitations;
pub(crate) mod markdown;
pub(crate) mod members;
pub(crate) mod message_schemas;
pub(crate) mod messages;
mod outcome_schemas;
pub(crate) mod outcomes;
mod role_schemas;
pub(crate) mod schemas;
mod stat_schemas;
pub(crate) mod stats;
pub(crate) mod tracks;
pub(crate) mod upvotes;
