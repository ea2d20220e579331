//! The problems that errors of the domain and of the store are answered with: a file for each context.
//!
//! They stand here because Rust lets only the crate of [`Problem`](crate::problem::Problem) convert errors of other crates to it.

pub mod arena;
mod exchange;
mod forum;
mod identity;
mod moderation;
mod points;
pub mod relay;
mod search;
mod store;
mod votes;
mod webhooks;
mod workspaces;
