//! Votes over HTTP. The operations are located with their targets; see [`crate::workspaces::upvotes`].

mod ballots;
pub mod codes;
pub(crate) mod schemas;

pub(crate) use ballots::{cast, remove};
