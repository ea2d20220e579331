//! The relay (seed: Agora Protocol v1.0), from outside.

mod envelopes;
mod polls;
mod service;
mod streams;
mod threads;
mod timeouts;
