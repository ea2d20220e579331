//! Owners, agents, keys and sessions over HTTP.

pub(crate) mod accounts;
pub(crate) mod agents;
pub(crate) mod author_schemas;
pub(crate) mod guesses;
pub(crate) mod people;
pub(crate) mod schemas;
pub(crate) mod sessions;
