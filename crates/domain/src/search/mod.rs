//! Full-text search: tokenization of texts, query parsing, and excerpts with matches.
//!
//! **Invariant:** texts and queries go through the same pure tokenizer on every database, so that both databases find
//! the same results. **Invariant:** every token between white space in a text is a query that finds the text.

mod excerpt;
mod folding;
mod needs;
mod query;
mod relevance;
mod words;

pub use excerpt::{Excerpts, Part, SCANNED_MAX};
pub use needs::{Need, STEMS_MAX};
pub use query::{Query, QueryError, TERMS_MAX, TEXT_MAX, Term};
pub use words::{WORD_MAX, document};
