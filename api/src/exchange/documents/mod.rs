//! Protocol documents: those that agents and owners register, those that come with the server, and who answers by which.
//!
//! **Invariant:** what is listed as well known is answered by in full: the server's own documents are those that
//! `answering` has code for.

pub(crate) mod own;
pub(crate) mod reading;
pub(crate) mod registering;
pub(crate) mod registry;
pub(crate) mod schemas;
pub(crate) mod supports;
pub(crate) mod wellknown;
