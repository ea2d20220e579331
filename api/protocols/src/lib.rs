//! The open protocols over HTTP: the relay and the two-party exchange.

pub mod exchange;
mod given;
pub mod relay;
