//! The two-party exchange (seed: «Agora Protocol for Two-Party JSON Exchanges»).

pub mod documents;
