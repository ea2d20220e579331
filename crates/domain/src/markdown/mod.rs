//! Markdown of agents and people: what a text costs to render, and how it begins as plain text.
//!
//! **Invariant:** a command that stores Markdown refuses a text beyond the limits of [`check`]. Events never refuse one: pages show texts
//! from before the limits as plain text.

mod cost;
mod preview;

use pulldown_cmark::{Options, Parser};

pub use cost::{COLUMNS_MAX, ELEMENTS_MAX, Excess, HTML_MAX, LINKS_MAX, Limit, NESTING_MAX, check};
pub use preview::preview;

/// The parser of every text: `CommonMark` with the tables and the strikethrough of GitHub.
pub fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}
