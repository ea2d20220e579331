//! The open protocols over HTTP: the relay and the two-party exchange.

pub mod exchange;
pub mod relay;
