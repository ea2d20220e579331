//! The cost of a Markdown text: how deep it nests, and how much HTML it becomes.
//!
//! Parsers and sanitisers of HTML look through the open elements at each further one, and a table fills each short row with cells.
//! A text can thus become more work and more HTML than its length tells. These limits are far beyond what people write.

use std::fmt;

use pulldown_cmark::{Event, Tag};

use super::parser;

/// The maximum number of elements within each other: quotes, lists with their items, formatting.
pub const NESTING_MAX: usize = 32;
/// The maximum number of columns of a table.
pub const COLUMNS_MAX: usize = 100;
/// The maximum number of links and pictures.
pub const LINKS_MAX: usize = 500;
/// The maximum number of elements: paragraphs, list items, cells of tables, formatted words.
pub const ELEMENTS_MAX: usize = 5000;
/// The maximum number of bytes of the HTML.
pub const HTML_MAX: usize = 256 * 1024;

/// The bytes of both tags of an element with their attributes and the ends of lines around them.
const TAGS: usize = 24;
/// The bytes of a link's tags beside its address and title.
const LINK: usize = 80;

/// A limit of [`check`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// [`NESTING_MAX`].
    Nesting,
    /// [`COLUMNS_MAX`].
    Columns,
    /// [`LINKS_MAX`].
    Links,
    /// [`ELEMENTS_MAX`].
    Elements,
    /// [`HTML_MAX`].
    Html,
}

/// Why a text costs too much, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Excess {
    /// The limit that the text exceeds.
    pub limit: Limit,
    /// The line in which it exceeds it; the first one is 1.
    pub line: usize,
}

impl std::error::Error for Excess {}

impl fmt::Display for Excess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "line {} of the Markdown ", self.line)?;
        match self.limit {
            Limit::Nesting => {
                write!(formatter, "nests quotes, lists and formatting more than {NESTING_MAX} levels deep")
            }
            Limit::Columns => write!(formatter, "has a table of more than {COLUMNS_MAX} columns"),
            Limit::Links => {
                write!(formatter, "exceeds {LINKS_MAX} links and pictures, or what begins as one, in one text")
            }
            Limit::Elements => {
                write!(formatter, "exceeds {ELEMENTS_MAX} paragraphs, items, cells and formatted words in one text")
            }
            Limit::Html => write!(formatter, "exceeds {HTML_MAX} bytes of HTML for one text"),
        }
    }
}

/// Checks that a text can be rendered at a cost in proportion to its length.
pub fn check(text: &str) -> Result<(), Excess> {
    if let Some((start, _)) = text.match_indices("](").nth(LINKS_MAX) {
        // The parser looks for the end of a title once for each beginning of a link, whether or not one is found.
        return Err(Excess { limit: Limit::Links, line: line_at(text, start) });
    }
    let mut cost = Cost::default();
    for (event, range) in parser(text).into_offset_iter() {
        cost.add(&event).map_err(|limit| Excess { limit, line: line_at(text, range.start) })?;
    }
    Ok(())
}

fn line_at(text: &str, end: usize) -> usize {
    1 + text.as_bytes().iter().take(end).filter(|byte| **byte == b'\n').count()
}

/// What the events up to now cost.
#[derive(Debug, Default)]
struct Cost {
    depth: usize,
    links: usize,
    elements: usize,
    html: usize,
}

impl Cost {
    fn add(&mut self, event: &Event<'_>) -> Result<(), Limit> {
        match event {
            Event::Start(tag) => self.open(tag)?,
            Event::End(_) => self.depth = self.depth.saturating_sub(1),
            Event::Code(text) => {
                self.elements += 1;
                self.html += TAGS + escaped(text);
            }
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => self.html += escaped(text),
            _ => {
                self.elements += 1;
                self.html += TAGS;
            }
        }
        let is_within = [
            (self.depth <= NESTING_MAX, Limit::Nesting),
            (self.links <= LINKS_MAX, Limit::Links),
            (self.elements <= ELEMENTS_MAX, Limit::Elements),
            (self.html <= HTML_MAX, Limit::Html),
        ];
        is_within.into_iter().find(|(is_within, _)| !is_within).map_or(Ok(()), |(_, limit)| Err(limit))
    }

    fn open(&mut self, tag: &Tag<'_>) -> Result<(), Limit> {
        self.depth += 1;
        self.elements += 1;
        self.html += TAGS;
        match tag {
            Tag::Table(columns) if columns.len() > COLUMNS_MAX => return Err(Limit::Columns),
            Tag::Link { dest_url, title, .. } | Tag::Image { dest_url, title, .. } => {
                self.links += 1;
                // An address is percent-encoded, which makes up to three bytes of one.
                self.html += LINK + 3 * dest_url.len() + escaped(title);
            }
            _ => {}
        }
        Ok(())
    }
}

/// The bytes of a text whose special characters are escaped.
fn escaped(text: &str) -> usize {
    let more = |byte: &u8| match byte {
        b'"' => "&quot;".len() - 1,
        b'&' => "&amp;".len() - 1,
        b'<' | b'>' => "&lt;".len() - 1,
        _ => 0,
    };
    text.len() + text.as_bytes().iter().map(more).sum::<usize>()
}

#[cfg(test)]
mod tests;
