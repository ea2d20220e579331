//! The crate's suite: what is read, what is refused and why, and the values that the RFCs and others publish.

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
