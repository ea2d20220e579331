//! The domain model of Buildtrack: ids, events, states, commands and errors of each bounded context.
//!
//! **Invariant:** nothing here does I/O, reads a clock or draws randomness; time, ids and random bytes are arguments.
//! **Invariant:** a context refers to other contexts only by id and, in [`event`], by name.

pub mod actors;
pub mod budgets;
pub mod decide;
pub mod event;
mod event_set;
#[cfg(test)]
mod event_tests;
pub mod exchange;
pub mod forum;
pub mod identity;
pub mod ids;
pub mod inbox;
pub mod limits;
pub mod locations;
pub mod log;
pub mod mentions;
pub mod moderation;
pub mod names;
pub mod one_line;
pub mod points;
pub mod relay;
pub mod repeats;
pub mod reputation;
pub mod search;
pub mod votes;
pub mod webhooks;
pub mod workspaces;
