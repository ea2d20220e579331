//! `/docs/guide` and `/docs/guide/{page}`.

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, web};
use buildtrack_http::{guard::app_of, problem::Problem, validators::Basis};
use buildtrack_pages as pages;

use super::{
    pages::{FIRST, named},
    rendering::document,
};

/// The first page of the book.
#[get("/docs/guide")]
async fn first(request: HttpRequest) -> Result<HttpResponse, Problem> {
    answer(&request, FIRST).await
}

/// One page of the book.
#[get("/docs/guide/{page}")]
async fn one(request: HttpRequest, name: web::Path<String>) -> Result<HttpResponse, Problem> {
    answer(&request, &name).await
}

/// The book's routes.
pub(crate) fn guide(config: &mut web::ServiceConfig) {
    config.service(first).service(one);
}

async fn answer(request: &HttpRequest, name: &str) -> Result<HttpResponse, Problem> {
    let page = named(name).ok_or_else(|| unknown(name))?;
    if let Some(unchanged) = pages::unchanged_as_of(request, Basis::State("")).await? {
        return Ok(unchanged);
    }
    pages::answer(request, &document(page, &app_of(request).public_url))
}

fn unknown(name: &str) -> Problem {
    let detail = format!("The guide has no page {name}.");
    Problem::new(StatusCode::NOT_FOUND, "not_found", detail, "See /docs/guide for the table of contents.")
}
