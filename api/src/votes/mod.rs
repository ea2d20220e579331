//! Votes over HTTP. The operations are located with their targets; see [`crate::workspaces::upvotes`].

mod ballots;
pub(crate) mod codes;
mod problems;
pub(crate) mod schemas;

pub(crate) use ballots::{cast, remove};
