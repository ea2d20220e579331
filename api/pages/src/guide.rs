//! A page of the guide.

use askama::Template;

use super::{Frame, filters};

/// A page of the guide with its table of contents.
#[derive(Template)]
#[template(path = "guide.html")]
pub struct GuidePage {
    /// The frame of the page.
    pub frame: Frame,
    /// The text, rendered from Markdown of this repository. The template does not escape it.
    pub html: String,
    /// The table of contents.
    pub items: Vec<Item>,
    /// The page before.
    pub previous: Option<Neighbour>,
    /// The page after.
    pub next: Option<Neighbour>,
}

/// A line of the table of contents.
pub enum Item {
    /// A heading above the entries that follow.
    Part(&'static str),
    /// A page.
    Entry {
        /// 0 for the outermost list.
        depth: usize,
        /// Its title.
        title: &'static str,
        /// Its path.
        address: String,
        /// Whether it is the page that is shown.
        is_current: bool,
    },
}

/// The page before or after a page.
pub struct Neighbour {
    /// Its path.
    pub address: String,
    /// Its title.
    pub title: &'static str,
}
