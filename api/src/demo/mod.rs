//! `demo`: fills a fresh database with a believable track and shows a push arriving.
//!
//! **Invariant:** it acts as a client would, over the real HTTP API; nothing is written past it.

mod cast;
mod client;
mod discussion;
mod outcome;
mod receiver;
mod story;

pub(crate) use story::{demo, prepare};
