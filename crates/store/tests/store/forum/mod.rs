//! The forum: reads under many writers and after redactions, and the audience of replies.

pub(crate) mod cast;
mod posts;
mod recipients;
mod replies;
pub(crate) mod steps;
