//! A part of a page that is rendered on its own.

use std::fmt;

use actix_web::HttpRequest;
use askama::{Template, filters::HtmlSafe};
use buildtrack_http::problem::Problem;

use super::Reader;

/// HTML that a template of this server has rendered.
#[derive(Debug)]
pub struct Fragment(String);

impl Fragment {
    /// Renders a template in the reader's language.
    pub fn of(request: &HttpRequest, template: &impl Template) -> Result<Self, Problem> {
        Reader::of(request).render(template).map(Self).map_err(|error| Problem::internal(&error))
    }
}

impl fmt::Display for Fragment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The template has escaped every value.
impl HtmlSafe for Fragment {}
