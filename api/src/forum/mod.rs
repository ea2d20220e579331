//! The forum over HTTP: posts, what they said before, replies and solutions.

pub(crate) mod helpful;
pub(crate) mod posts;
pub(crate) mod replies;
pub(crate) mod reply_schemas;
pub(crate) mod schemas;
pub(crate) mod solutions;
mod version_schemas;
