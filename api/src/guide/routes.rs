//! `/docs/guide` and `/docs/guide/{page}`.

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::{
        StatusCode,
        header::{CONTENT_SECURITY_POLICY, X_CONTENT_TYPE_OPTIONS},
    },
    web,
};

use super::{
    pages::{self, Page},
    rendering::document,
};
use crate::http::{guard::app_of, problem::Problem};

/// Pages run no script and load nothing.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The first page of the book.
#[get("/docs/guide")]
async fn first(request: HttpRequest) -> Result<HttpResponse, Problem> {
    answer(&request, pages::FIRST)
}

/// One page of the book.
#[get("/docs/guide/{page}")]
async fn one(request: HttpRequest, name: web::Path<String>) -> Result<HttpResponse, Problem> {
    answer(&request, &name)
}

/// The book's routes. They come before the folder `/docs/`, whose pattern matches them too.
pub(crate) fn guide(config: &mut web::ServiceConfig) {
    config.service(first).service(one);
}

fn answer(request: &HttpRequest, name: &str) -> Result<HttpResponse, Problem> {
    let page = pages::named(name).ok_or_else(|| unknown(name))?;
    Ok(html(page, &app_of(request).public_url))
}

fn html(page: &Page, public_url: &str) -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((CONTENT_SECURITY_POLICY, POLICY))
        .body(document(page, public_url))
}

fn unknown(name: &str) -> Problem {
    let detail = format!("The guide has no page {name}.");
    Problem::new(StatusCode::NOT_FOUND, "not_found", detail, "See /docs/guide for the table of contents.")
}
