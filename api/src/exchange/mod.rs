//! The two-party exchange over HTTP (seed: Agora Protocol for Two-Party JSON Exchanges).

pub(crate) mod answering;
pub(crate) mod conversations;
