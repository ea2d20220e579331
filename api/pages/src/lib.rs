//! Web pages for people. Each page is a template of this folder, which askama compiles, with the values that it shows.
//!
//! A page is written in its reader's [`Language`]: templates and handlers name messages of the catalogues (`texts/`).
//!
//! **Invariant:** the templates escape every value. Only HTML that this server has rendered from its own Markdown is marked safe.
//! **Invariant:** a page loads nothing but [`assets`] of this binary, runs no inline script, and can be read without scripts.

// Templates name the functions of this crate by its name, in whichever crate they are compiled.
extern crate self as buildtrack_pages;

mod assets;
pub mod cards;
mod catalogues;
pub mod charts;
#[cfg(test)]
mod checks;
mod compression;
pub mod feeds;
pub mod filters;
mod fragment;
mod frame;
mod guide;
mod languages;
mod layout;
mod markdown;
mod meta;
mod numbers;
mod problem;
mod problems;
mod reader;
mod rebasing;
mod spans;
mod switch;
mod texts;
mod times;
mod trail;

use actix_web::{
    HttpRequest, HttpResponse,
    http::header::{
        CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue, LOCATION,
        REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
    },
    web,
};
use askama::Template;
use buildtrack_http::{
    accept::Accept,
    etag,
    problem::Problem,
    validators::{self, Basis},
};

pub use assets::asset;
pub use compression::{accepts_gzip, compressed};
pub use fragment::Fragment;
pub use frame::{Choice, Frame, address, agent_address, beginning, encoded, list_address, words};
pub use guide::{GuidePage, Item, Neighbour};
pub use languages::{Language, language};
pub use layout::Footer;
pub use markdown::{Markdown, Renderer};
pub use meta::Meta;
pub use numbers::{change, thousandths};
pub use problem::{explained, problem};
pub use problems::ProblemCodes;
pub use reader::{Reader, is_local};
pub use spans::{Bounds, Span, Texts};
pub use texts::{AuthorShown, TextAct, TextShown, Written, citation, threaded};
pub use times::{seconds, time, time_within};
pub use trail::{Pager, Trail};

/// The paths of what all pages share.
pub const PAGES: &[&str] = &["/assets/{file}", "/cards/buildtrack.png", "/favicon.ico", "/language/{tag}"];

/// The routes of what all pages share.
pub fn routes(config: &mut web::ServiceConfig) {
    config.configure(assets::assets).service(switch::choose_language).service(cards::default_card);
}

/// Pages load styles, scripts and pictures of this server alone, connect to it alone, and are shown in no frame.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The media type of pages.
const HTML: &str = "text/html; charset=utf-8";

/// Whether a browser asks for the page at an address that answers programs with JSON.
pub fn is_asked(request: &HttpRequest) -> bool {
    Accept::of(request).prefers_page()
}

/// Answers with a page in the reader's language, or with 304 if the browser has it.
pub fn answer(request: &HttpRequest, page: &impl Template) -> Result<HttpResponse, Problem> {
    let reader = Reader::of(request);
    let html = reader.render_page(page).map_err(|error| Problem::internal(&error))?;
    let mut response = etag::answer_page(request, html);
    describe(response.headers_mut(), reader.language);
    let response = compressed(request, response);
    validators::remember(request, &response);
    Ok(response)
}

/// Answers with 304 if the browser has the page as of the log's end, before anything is read or rendered. Only for pages that are a
/// function of the log and of the day: not of the time, of the search documents, or of side tables.
pub async fn unchanged(request: &HttpRequest) -> Result<Option<HttpResponse>, Problem> {
    unchanged_as_of(request, Basis::Log).await
}

/// As [`unchanged`], for the JSON of the same address, too.
pub async fn unchanged_either(request: &HttpRequest) -> Result<Option<HttpResponse>, Problem> {
    if is_asked(request) { unchanged(request).await } else { validators::unchanged_data(request, Basis::Log).await }
}

/// As [`unchanged`], for pages that are a function of another basis.
pub async fn unchanged_as_of(request: &HttpRequest, basis: Basis<'_>) -> Result<Option<HttpResponse>, Problem> {
    validators::unchanged(request, language(request).tag(), basis).await
}

/// Answers with a page for one reader alone, which nothing keeps.
pub fn answer_private(request: &HttpRequest, page: &impl Template) -> Result<HttpResponse, Problem> {
    let reader = Reader::of(request);
    let html = reader.render_page(page).map_err(|error| Problem::internal(&error))?;
    let mut response = HttpResponse::Ok().content_type(HTML).insert_header((CACHE_CONTROL, "no-store")).body(html);
    describe(response.headers_mut(), reader.language);
    Ok(response)
}

/// Sends the browser on to another page of this server. After a form has been carried out, loading that page again repeats nothing.
pub fn see(path: &str) -> HttpResponse {
    HttpResponse::SeeOther().insert_header((LOCATION, path)).finish()
}

/// Sets the headers that bound what a page may do, and the one that names its language.
fn describe(headers: &mut HeaderMap, language: Language) {
    let values: [(HeaderName, &'static str); 4] = [
        (CONTENT_LANGUAGE, language.tag()),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "strict-origin-when-cross-origin"),
    ];
    for (name, value) in values {
        headers.insert(name, HeaderValue::from_static(value));
    }
}
