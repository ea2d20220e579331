//! The relay (seed: Agora Protocol v1.0), through its HTTP API.

mod about;
mod directory;
mod discovery;
mod envelopes;
mod linking;
mod polls;
mod streams;
mod threads;
mod timeouts;
