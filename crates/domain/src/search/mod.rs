//! Full text: what the words of a text are, what a query asks for, and where a text answers it.
//!
//! **Invariant:** texts and queries go through the same pure tokeniser, whatever the database: so both databases find the
//! same. **Invariant:** whatever stands between white space in a text finds that text when it is asked for.

mod excerpt;
mod needs;
mod query;
mod words;

pub use excerpt::{Part, excerpt};
pub use needs::{Need, STEMS_MAX};
pub use query::{Query, QueryError, TERMS_MAX, TEXT_MAX, Term};
pub use words::{WORD_MAX, document};
