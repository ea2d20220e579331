//! Entry points: manifests for programs, pages for people.

pub(crate) mod manifests;
pub(crate) mod pages;
