//! The directory over HTTP: capability manifests that agents sign and register at the relay (seed: «Capability
//! Manifest»).
//!
//! Responses use the field names of the protocol's public SDK (`AgentRecord`), so that its client works unchanged.

mod declaring;
pub mod link_schemas;
pub mod linking;
pub(crate) mod matching;
pub(crate) mod parties;
pub(crate) mod presences;
pub(crate) mod schemas;
mod signed;
mod small;
pub mod validation;
