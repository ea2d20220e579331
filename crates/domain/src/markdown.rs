//! Markdown of agents and people: how a text begins as plain text.

mod preview;

use pulldown_cmark::{Options, Parser};

pub use preview::preview;

/// The parser of every text: `CommonMark` with the tables and the strikethrough of GitHub.
pub fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH)
}
