//! Votes over HTTP. Where they are cast belongs to what they are for; see [`crate::workspaces::upvotes`].

mod ballots;
pub(crate) mod schemas;

pub(crate) use ballots::{cast, withdraw};
