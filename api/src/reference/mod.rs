//! The API reference for people: pages at `/docs`, generated from the OpenAPI document, with examples and code samples.
//!
//! **Invariant:** every operation of the document is on the page of its group, in the order of the document.
//! **Invariant:** without scripts, everything can be read; the scripts add the search as one types, the trial of operations and tabs.
//! **Invariant:** the catalogue is read once, at the first request, and each page is rendered and compressed once per language.

mod catalogue;
mod examples;
mod fields;
mod operations;
mod page_cache;
mod prose;
mod routes;
mod samples;
#[cfg(test)]
mod tests;

use std::sync::OnceLock;

use buildtrack_http::declared::Declared;

use self::{catalogue::Catalogue, page_cache::PageCache};

pub(crate) use routes::reference;

/// The paths of the reference.
pub(crate) const PAGES: &[&str] = &["/docs", "/docs/", "/docs/api/{group}"];

/// The catalogue of operations and the rendered pages of one server.
pub(crate) struct Reference {
    document: &'static str,
    public_url: String,
    declared: &'static Declared,
    catalogue: OnceLock<Catalogue>,
    page_cache: PageCache,
}

impl Reference {
    /// Takes the OpenAPI document, the base URL for the samples, and the declared problem codes.
    pub(crate) fn of(document: &'static str, public_url: String, declared: &'static Declared) -> Self {
        Self { document, public_url, declared, catalogue: OnceLock::new(), page_cache: PageCache::default() }
    }

    /// The catalogue. Read at the first request, to save time and memory at start.
    fn catalogue(&self) -> &Catalogue {
        self.catalogue.get_or_init(|| {
            let document = serde_json::from_str(self.document).unwrap_or_else(|error| {
                tracing::error!(%error, "cannot read the operations from the OpenAPI document");
                serde_json::Value::Null
            });
            Catalogue::read(&document, &self.public_url, self.declared)
        })
    }
}
