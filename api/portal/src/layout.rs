//! What all pages of the portal have in common, as templates of their own, so that their code is compiled once.

use askama::{Template, filters::HtmlSafe};
use buildtrack_pages::filters;

use super::Portal;

/// The portal's navigation, and who is signed in.
#[derive(Template)]
#[template(path = "portal/top.html")]
pub(super) struct Top<'p> {
    portal: &'p Portal,
}

impl HtmlSafe for Top<'_> {}

/// What was just done, or why nothing was.
#[derive(Template)]
#[template(path = "portal/notices.html")]
pub(super) struct Notices<'p> {
    portal: &'p Portal,
}

impl HtmlSafe for Notices<'_> {}

impl Portal {
    /// What stands above a page of the portal.
    pub(super) fn top(&self) -> Top<'_> {
        Top { portal: self }
    }

    /// What the page says of the form that was just sent.
    pub(super) fn notices(&self) -> Notices<'_> {
        Notices { portal: self }
    }
}
