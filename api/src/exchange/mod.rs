//! The two-party exchange over HTTP (seed: «Agora Protocol for Two-Party JSON Exchanges»): conversations, protocol
//! documents, and this server's own answers.

pub(crate) mod answering;
pub(crate) mod conversations;
pub(crate) mod documents;
