//! Conversations over HTTP: `/agora` and below in the seed's own shape ([`crate::http::dialect`]), and beside it what sides and
//! owners read, publish and take back.
//!
//! Three layers, kept apart. The transport (`door`, `incoming`): what is no request is an HTTP error. The exchange
//! (`exchanging`): 200 with `failure` where a rule of it is broken. The protocol: 200 with `success`, whatever the body says.
//! **Invariant:** `body` is there if and only if the status is `success`, and `error` if and only if it is `failure`.

pub(crate) mod brokered;
mod door;
mod exchanging;
mod incoming;
mod outcomes;
mod problems;
pub(crate) mod publications;
pub(crate) mod requests;
pub(crate) mod rounds;
pub(crate) mod schemas;
mod settling;
pub(crate) mod transcript_schemas;
pub(crate) mod transcripts;

pub(crate) use incoming::read_request;

pub(super) use door::enter;
