//! The contexts of workspaces and what surrounds them, over HTTP.

pub mod forum;
pub mod inbox;
pub mod log;
pub mod points;
pub mod reputation;
pub mod search;
pub mod votes;
pub mod webhooks;
pub mod workspaces;
