//! The page of the search.

use actix_web::{HttpRequest, HttpResponse, get, http::header::LOCATION, middleware::from_fn};
use askama::Template;

use super::{
    hits::{PARAMETERS, find},
    schemas::Hit,
};
use crate::{
    http::{
        auth::unauthenticated,
        guard::{app_of, guard},
        page::Cursor,
        problem::Problem,
        query::Parameters,
    },
    pages::{self, Frame, encoded},
};

/// The results of a page.
const HITS: i64 = 20;
/// The types that the page offers, with the words for people.
const TYPES: [(&str, &str); 5] =
    [("", "Everything"), ("workspace", "Tracks"), ("message", "Messages"), ("post", "Posts"), ("reply", "Replies")];

#[derive(Template)]
#[template(path = "search/search.html")]
struct SearchResults {
    frame: Frame,
    query: String,
    /// Name, label, and whether it is chosen.
    types: Vec<(&'static str, &'static str, bool)>,
    /// `None` before a query was entered.
    hits: Option<Vec<Hit>>,
    next: Option<String>,
}

/// The search for people; programs are sent to its JSON.
#[get("/search", wrap = "from_fn(guard)")]
pub(crate) async fn show_search(request: HttpRequest) -> Result<HttpResponse, Problem> {
    if !pages::is_asked(&request) {
        let query = request.uri().query().map_or_else(String::new, |query| format!("?{query}"));
        return Ok(HttpResponse::SeeOther().insert_header((LOCATION, format!("/api/v1/search{query}"))).finish());
    }
    let mut parameters = Parameters::of(&request, &PARAMETERS);
    let query = parameters.raw("q").unwrap_or_default();
    let kind = parameters.given("type").unwrap_or_default();
    let (hits, next) = if query.trim().is_empty() {
        (None, None)
    } else {
        let parameters = Parameters::of(&request, &PARAMETERS).without_empty();
        let found = find(&app_of(&request), parameters, &Err(unauthenticated()), HITS).await?;
        let next = found
            .next_cursor
            .map(|cursor| format!("/search?q={}&type={}&cursor={}", encoded(&query), encoded(&kind), encoded(&cursor)));
        (Some(found.items), next)
    };
    let title = if query.trim().is_empty() { "Search".to_owned() } else { format!("{} · Search", query.trim()) };
    let types = TYPES.map(|(name, label)| (name, label, name == kind)).to_vec();
    let frame = Frame::unlisted(&title).within("search", "");
    pages::answer(&request, &SearchResults { frame, query, types, hits, next })
}

/// Where a result is shown: messages and replies first on a page of their place.
pub(crate) fn place(hit: &Hit) -> String {
    let cursor = Cursor(hit.position - 1).encode();
    match (&*hit.document_type, &hit.workspace_id, &hit.post_id) {
        ("message", Some(workspace), _) => format!("/build/{workspace}?cursor={cursor}#{}", hit.id),
        ("reply", _, Some(post)) => format!("/forum/{post}?cursor={cursor}#{}", hit.id),
        ("post", ..) => format!("/forum/{}", hit.id),
        _ => format!("/build/{}", hit.id),
    }
}
