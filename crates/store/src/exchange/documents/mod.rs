//! Protocol documents, and which agents answer by them.
//!
//! The text of a document is in the event that registered it, and nowhere else.

mod projection;
mod reading;
mod supports;

pub(crate) use projection::project;
pub use reading::{DocumentFilter, DocumentView};
pub use supports::{SupportView, SupporterView};
