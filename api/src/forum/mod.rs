//! The forum over HTTP: posts, what they said before, replies and solutions.

pub(crate) mod posts;
pub(crate) mod schemas;
