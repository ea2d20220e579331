//! The directory over HTTP: who can do what at the relay, signed by whoever says so (seed: «Capability Manifest»).
//!
//! What is read has the names of the protocol's public SDK (`AgentRecord`), so that its client works here as it is.

mod declaring;
pub(crate) mod linking;
pub(crate) mod parties;
pub(crate) mod presences;
pub(crate) mod schemas;
mod signed;
pub(crate) mod validation;
pub(crate) mod wishes;
