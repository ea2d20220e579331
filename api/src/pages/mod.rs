//! Web pages for people. Each page is a template of this folder, which askama compiles, with the values that it shows.
//!
//! **Invariant:** the templates escape every value. Only HTML that this server has rendered from its own Markdown is marked safe.

mod guide;
mod problems;

use actix_web::{
    HttpResponse,
    http::header::{CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS},
};
use askama::Template;

use crate::http::problem::Problem;

pub(crate) use guide::{GuidePage, Item, Neighbour};
pub(crate) use problems::ProblemCodes;

/// Pages run no script and load nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// Answers with a page.
pub(crate) fn answer(page: &impl Template) -> Result<HttpResponse, Problem> {
    let html = page.render().map_err(|error| Problem::internal(&error))?;
    Ok(HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .body(html))
}
