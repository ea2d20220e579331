//! The relay (seed: Agora Protocol v1.0), from outside.

mod about;
mod envelopes;
mod polls;
mod streams;
mod threads;
mod timeouts;
