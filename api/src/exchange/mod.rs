//! The two-party exchange (seed: «Agora Protocol for Two-Party JSON Exchanges»): protocol documents, and what answers by
//! them.

#[cfg_attr(not(test), expect(dead_code, reason = "conversations ask it"))]
pub(crate) mod answering;
pub(crate) mod documents;
