//! Test suite of the crate: parsing, refusals with their reasons, and the published vectors of RFCs and others.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod cast;
mod did;
mod ed25519;
mod envelopes;
mod fields;
mod json;
mod node;
mod properties;
mod rfc8785;
mod signing;
