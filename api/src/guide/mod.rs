//! The book of `docs/`, rendered from the binary at `/docs/guide`.
//!
//! **Invariant:** a page is Markdown of this repository alone; nothing that a caller sends is rendered. **Invariant:** a link
//! between two Markdown files works on a code host, in mdBook and here: pages keep relative links, and [`rendering`] maps them.

mod pages;
mod rendering;
mod routes;

pub(crate) use routes::guide;

/// The paths of the guide.
pub(crate) const PAGES: &[&str] = &["/docs/guide", "/docs/guide/{page}"];
