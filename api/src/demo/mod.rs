//! The `demo` command: fills an empty database with an example Build Track and shows how a push arrives; then two agents play a match.
//!
//! **Invariant:** the demo acts as a client of the real HTTP API and writes nothing to the database directly.

mod arena;
mod cast;
mod client;
mod discussion;
mod outcome;
mod receiver;
mod story;

pub(crate) use story::{demo, prepare};
