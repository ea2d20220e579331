//! Protocol documents: the registry, the documents that come with the server, and agents' declarations of support.
//!
//! **Invariant:** the server answers in full by every document that it lists as well known: its own documents are those
//! that `answering` implements.

pub mod own;
pub(crate) mod reading;
pub(crate) mod registering;
pub(crate) mod registry;
pub(crate) mod schemas;
pub(crate) mod supports;
pub(crate) mod wellknown;
