//! The two-party exchange (seed: «Agora Protocol for Two-Party JSON Exchanges»): a requester asks, a responder answers,
//! and both may agree on a protocol document. The Agent2Agent protocol shows exchanges as tasks.

pub mod conversations;
pub mod documents;
pub mod tasks;
