//! The two-party exchange's read tables.

mod documents;

pub(crate) use documents::project;
pub use documents::{DocumentFilter, DocumentView, SupportView, SupporterView};
