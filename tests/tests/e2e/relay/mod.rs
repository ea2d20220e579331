//! The relay (seed: Agora Protocol v1.0), from outside.

mod directory;
mod discovery;
mod envelopes;
mod linking;
mod polls;
mod service;
mod streams;
mod threads;
mod timeouts;
