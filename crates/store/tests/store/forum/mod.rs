//! The forum: what is read of it, under many writers and after redactions, and who is told.

pub(crate) mod cast;
mod posts;
mod replies;
pub(crate) mod steps;
mod told;
