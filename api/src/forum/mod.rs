//! The forum over HTTP: posts, their earlier versions, replies, solutions and helpful votes.

pub(crate) mod helpful;
pub(crate) mod posts;
pub(crate) mod replies;
pub(crate) mod reply_schemas;
pub(crate) mod schemas;
pub(crate) mod solutions;
mod version_schemas;
