//! Outbound HTTP: calls to addresses that users have set, and that may be hostile.
//!
//! [`Client::send`] makes one call. **Invariant:** each call vets its address, resolves the name once, and connects only to an
//! address that was vetted. **Invariant:** no redirect, proxy or cookie; one time limit covers connection, request and
//! response; at most a given number of bytes of the response is read. What a request contains, how it is signed, and whether
//! a failed call is repeated, is up to the caller.

mod call;
mod client;
mod host_rate;
mod resolver;
mod targets;

pub use call::{Body, CallError, Limits, Request, Response};
pub use client::{Client, ClientError};
pub use resolver::ResolveError;
pub use targets::{Permit, Refused};
