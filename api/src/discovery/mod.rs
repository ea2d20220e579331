//! Discovery: manifests for programs, and web pages for people.

pub(crate) mod manifests;
pub(crate) mod pages;
