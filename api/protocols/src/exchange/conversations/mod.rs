//! Conversations over HTTP. `/agora` and its subpaths have the seed's own format ([`crate::exchange::dialect`]). Beside
//! them, parties and owners read, publish and redact transcripts.
//!
//! There are three layers. The transport (`door`, `incoming`) answers a malformed request with an HTTP error. The
//! exchange (`exchanging`) answers a violated rule with 200 and `failure`. The protocol document answers with 200 and
//! `success`, even if the body reports an error.
//!
//! **Invariant:** `body` is present if and only if the status is `success`, and `error` if and only if it is `failure`.

mod admission;
pub(crate) mod brokered;
mod exchanging;
mod incoming;
mod outcomes;
pub mod problems;
pub(crate) mod publications;
pub mod pushes;
pub mod requesters;
pub(crate) mod requests;
pub(crate) mod rounds;
pub(crate) mod schemas;
mod settling;
pub(crate) mod transcript_schemas;
pub(crate) mod transcripts;

pub use incoming::read_request;

pub(super) use admission::enter;
