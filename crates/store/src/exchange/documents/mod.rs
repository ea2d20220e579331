//! Read models of protocol documents, and of the agents that support them.
//!
//! **Invariant:** a document's text is stored only in the event that registered it.

mod projection;
mod reading;
mod supports;

pub(crate) use projection::{DOCUMENT_WORDS, fold_document_words, project, rewrite_text};
pub use reading::{DocumentFilter, DocumentView};
pub use supports::{SupportView, SupporterView};
