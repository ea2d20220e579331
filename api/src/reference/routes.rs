//! `/docs` and `/docs/api/{group}`: the pages of the reference.

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::StatusCode,
    routes,
    web::{self, Data},
};
use askama::Template;
use buildtrack_http::{guard::app_of, problem::Problem, query::Parameters};
use buildtrack_pages::{self as pages, Frame, filters};

use super::{
    Reference,
    catalogue::{Catalogue, Group},
    fields::Bound,
    operations::{Kind, Operation},
};

/// The characters of a search that are compared.
const QUERY_MAX: usize = 100;

/// All operations, or those that a search finds.
#[derive(Template)]
#[template(path = "reference/index.html")]
struct IndexPage<'a> {
    frame: Frame,
    catalogue: &'a Catalogue,
    /// The slug of the group that is shown: none.
    current: &'static str,
    query: String,
    found: Vec<Found<'a>>,
    /// The number of operations that are listed.
    count: usize,
}

/// A group with those of its operations that a search finds.
struct Found<'a> {
    group: &'a Group,
    operations: Vec<&'a Operation>,
}

/// The operations of a group.
#[derive(Template)]
#[template(path = "reference/group.html")]
struct GroupPage<'a> {
    frame: Frame,
    catalogue: &'a Catalogue,
    /// The slug of the group that is shown.
    current: &'a str,
    /// The words in the field of the search, which leads to the list of all operations.
    query: &'static str,
    group: &'a Group,
}

/// The list of all operations. With `q`, those whose words match.
#[routes]
#[get("/docs")]
#[get("/docs/")]
async fn show_index(request: HttpRequest, reference: Data<Reference>) -> Result<HttpResponse, Problem> {
    reference.page_cache.answer(&request, || {
        let language = pages::language(&request);
        let query = Parameters::among(&request, &["q"]).raw("q").unwrap_or_default();
        let query: String = query.trim().chars().take(QUERY_MAX).collect();
        let catalogue = reference.catalogue();
        let found = search(catalogue, &query);
        let count = found.iter().map(|found| found.operations.len()).sum();
        let title = language.say("reference-title");
        let frame = Frame {
            address: Some(format!("{}/docs", app_of(&request).public_url)),
            ..Frame::new(&request, &title, language.say("reference-description")).within("api", "")
        };
        pages::answer(&request, &IndexPage { frame, catalogue, current: "", query, found, count })
    })
}

/// The operations of a group with their parameters, bodies, answers, errors and samples.
#[get("/docs/api/{group}")]
async fn show_group(
    request: HttpRequest,
    reference: Data<Reference>,
    slug: web::Path<String>,
) -> Result<HttpResponse, Problem> {
    let catalogue = reference.catalogue();
    let group = catalogue.group(&slug).ok_or_else(|| unknown(&slug))?;
    reference.page_cache.answer(&request, || {
        let language = pages::language(&request);
        let title = format!("{} · {}", group.name, language.say("reference-title"));
        let description = language.say_with("reference-group-description", &[("group", group.name.as_str().into())]);
        let frame = Frame::new(&request, &title, description).within("api", "");
        pages::answer(&request, &GroupPage { frame, catalogue, current: &group.slug, query: "", group })
    })
}

/// The routes of the reference.
pub(crate) fn reference(config: &mut web::ServiceConfig) {
    config.service(show_index).service(show_group);
}

fn unknown(slug: &str) -> Problem {
    let detail = format!("The API has no group {slug}.");
    Problem::new(StatusCode::NOT_FOUND, "not_found", detail, "See /docs for all groups.")
}

/// The operations that match every word.
fn search<'a>(catalogue: &'a Catalogue, query: &str) -> Vec<Found<'a>> {
    let query = query.to_lowercase();
    let words: Vec<_> = query.split_whitespace().collect();
    let groups = catalogue.groups.iter().map(|group| Found {
        group,
        operations: group.operations.iter().filter(|operation| matches(group, operation, &words)).collect(),
    });
    groups.filter(|found| !found.operations.is_empty()).collect()
}

/// Whether an operation has all words, in any of its names. The words are in lower case.
fn matches(group: &Group, operation: &Operation, words: &[&str]) -> bool {
    let Operation { id, method, path, summary, .. } = operation;
    let text = format!("{method} {path} {summary} {id} {}", group.name).to_lowercase();
    words.iter().all(|word| text.contains(word))
}
