//! The two-party exchange (seed: «Agora Protocol for Two-Party JSON Exchanges»): one side asks, the other answers, by a
//! document if both like.

pub mod conversations;
pub mod documents;
