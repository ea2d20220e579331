//! Web pages for people. Each page is a template of this folder, which askama compiles, with the values that it shows.
//!
//! **Invariant:** the templates escape every value. Only HTML that this server has rendered from its own Markdown is marked safe.
//! **Invariant:** a page loads nothing but [`assets`] of this binary, runs no inline script, and can be read without scripts.

mod assets;
mod frame;
mod guide;
mod markdown;
mod numbers;
mod problem;
mod problems;
mod texts;
mod times;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{
        CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, LOCATION, REFERRER_POLICY, VARY,
        X_CONTENT_TYPE_OPTIONS,
    },
};
use askama::Template;

use crate::http::{accept::Accept, etag, problem::Problem};

pub(crate) use assets::{asset, assets};
pub(crate) use frame::{Choice, Frame, agent_address, beginning, encoded, words};
pub(crate) use guide::{GuidePage, Item, Neighbour};
pub(crate) use markdown::{Markdown, Renderer};
pub(crate) use numbers::{change, thousandths};
pub(crate) use problem::{explained, problem};
pub(crate) use problems::ProblemCodes;
pub(crate) use texts::{AuthorShown, TextShown, Written, threaded};
pub(crate) use times::{seconds, time};

/// Pages load styles, scripts and pictures of this server alone, connect to it alone, and are shown in no frame.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The media type of pages.
const HTML: &str = "text/html; charset=utf-8";

/// Whether a browser asks for the page at an address that answers programs with JSON.
pub(crate) fn is_asked(request: &HttpRequest) -> bool {
    Accept::of(request).prefers_page()
}

/// Answers with a page, or with 304 if the browser has it.
pub(crate) fn answer(request: &HttpRequest, page: &impl Template) -> Result<HttpResponse, Problem> {
    let html = page.render().map_err(|error| Problem::internal(&error))?;
    let mut response = etag::answer_page(request, html);
    protect(response.headers_mut());
    Ok(response)
}

/// Answers with a page for one reader alone, which nothing keeps.
pub(crate) fn answer_private(page: &impl Template) -> Result<HttpResponse, Problem> {
    let html = page.render().map_err(|error| Problem::internal(&error))?;
    let mut response = HttpResponse::Ok().content_type(HTML).insert_header((CACHE_CONTROL, "no-store")).body(html);
    protect(response.headers_mut());
    Ok(response)
}

/// Sends a program from a page's address to the data that the page shows.
pub(crate) fn see_data(path: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, path)).insert_header((VARY, "accept")).finish()
}

/// Sets the headers that bound what a page may do.
fn protect(headers: &mut HeaderMap) {
    let bounds: [(HeaderName, &'static str); 3] = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "strict-origin-when-cross-origin"),
    ];
    for (name, value) in bounds {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
