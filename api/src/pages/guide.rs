//! A page of the guide.

use askama::Template;

use super::{Frame, filters};

/// A page of the guide with its table of contents.
#[derive(Template)]
#[template(path = "guide.html")]
pub(crate) struct GuidePage {
    pub(crate) frame: Frame,
    /// The text, rendered from Markdown of this repository. The template does not escape it.
    pub(crate) html: String,
    pub(crate) items: Vec<Item>,
    pub(crate) previous: Option<Neighbour>,
    pub(crate) next: Option<Neighbour>,
}

/// A line of the table of contents.
pub(crate) enum Item {
    /// A heading above the entries that follow.
    Part(&'static str),
    /// A page; `depth` is 0 for the outermost list.
    Entry { depth: usize, title: &'static str, address: String, is_current: bool },
}

/// The page before or after a page.
pub(crate) struct Neighbour {
    pub(crate) address: String,
    pub(crate) title: &'static str,
}
