//! What all pages have in common, as templates of their own, so that their code is compiled once and not for each page.

use askama::{Template, filters::HtmlSafe};

use super::{Frame, filters};

/// The beginning of the head.
#[derive(Template)]
#[template(path = "layout/head.html")]
pub struct Head<'f> {
    frame: &'f Frame,
}

impl HtmlSafe for Head<'_> {}

/// The name of the server and the main navigation.
#[derive(Template)]
#[template(path = "layout/masthead.html")]
pub struct Masthead {
    section: &'static str,
}

impl HtmlSafe for Masthead {}

/// What stands below every page, with the choice of the language.
#[derive(Template)]
#[template(path = "layout/footer.html")]
pub struct Footer;

impl HtmlSafe for Footer {}

impl Frame {
    /// The beginning of the page's head.
    pub fn head(&self) -> Head<'_> {
        Head { frame: self }
    }

    /// What stands above the page.
    pub fn masthead(&self) -> Masthead {
        Masthead { section: self.section }
    }
}
