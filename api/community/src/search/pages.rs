//! The page of the search.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn};
use askama::Template;
use buildtrack_http::{
    auth::{MaybeCaller, unauthenticated},
    etag,
    guard::{app_of, guard},
    page::Cursor,
    problem::Problem,
    query::{Limit, Query},
    validators::Basis,
};
use buildtrack_pages::{self as pages, Frame, Pager, Trail, filters};

use super::{
    hits::{SearchQuery, answer, find},
    schemas::Hit,
};

/// The results of a page.
const HITS: i64 = 20;
/// The types that the page offers, with the keys of their names.
const TYPES: [(&str, &str); 5] = [
    ("", "search-everything"),
    ("workspace", "search-tracks"),
    ("message", "search-messages"),
    ("post", "search-posts"),
    ("reply", "search-replies"),
];

#[derive(Template)]
#[template(path = "search/search.html")]
struct SearchResults {
    frame: Frame,
    query: String,
    /// The type, the key of its name, and whether it is chosen.
    types: Vec<(&'static str, &'static str, bool)>,
    /// `None` before a query was entered.
    hits: Option<Vec<Hit>>,
    pager: Pager,
}

/// The search: its page for people, the results as JSON for programs.
#[get("/search", wrap = "from_fn(guard)")]
pub(crate) async fn show_search(request: HttpRequest, caller: MaybeCaller) -> Result<HttpResponse, Problem> {
    if !pages::is_asked(&request) {
        return Ok(etag::as_data(answer(&request, &caller).await?));
    }
    let as_of = app_of(&request).store.search().indexed_to().await?;
    if let Some(unchanged) = pages::unchanged_as_of(&request, Basis::LogAnd(&as_of.to_string())).await? {
        return Ok(unchanged);
    }
    let known = SearchQuery::known();
    let (mut parameters, trail) = Trail::read(&request, &known);
    let query = parameters.raw("q").unwrap_or_default();
    let kind = parameters.given("type").unwrap_or_default();
    let (hits, next) = if query.trim().is_empty() {
        (None, None)
    } else {
        let (parameters, _) = Trail::read(&request, &known);
        let mut parameters = parameters.without_empty();
        // The page has a number of results of its own.
        parameters.raw("limit");
        let mut wanted = SearchQuery::all_of(parameters)?;
        wanted.limit = Limit(HITS);
        let found = find(&app_of(&request), wanted, &Err(unauthenticated())).await?;
        (Some(found.items), found.next_cursor)
    };
    let pager = trail.pager(next.as_deref(), "search-more", |cursor| address(&request, &known, cursor));
    let language = pages::language(&request);
    let title = match query.trim() {
        "" => language.say("search-title"),
        words => language.say_with("search-title-of", &[("query", words.into())]),
    };
    let types = TYPES.map(|(name, label)| (name, label, name == kind)).to_vec();
    let frame = Frame::unlisted(&title).within("search", "");
    pages::answer(&request, &SearchResults { frame, query, types, hits, pager })
}

/// The address of a page of the results that a request asks for.
fn address(request: &HttpRequest, known: &[&str], cursor: Option<&str>) -> String {
    let given = url::form_urlencoded::parse(request.query_string().as_bytes());
    let others = given.filter(|(name, text)| *name != "cursor" && !text.is_empty() && known.contains(&&**name));
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(others).extend_pairs(cursor.map(|cursor| ("cursor", cursor)));
    format!("/search?{}", query.finish())
}

/// Where a result is shown: messages and replies first on a page of their place.
pub(crate) fn hit_address(hit: &Hit) -> String {
    let cursor = Cursor(hit.position - 1).encode();
    match (&*hit.document_type, &hit.workspace_id, &hit.post_id) {
        ("message", Some(workspace), _) => format!("/build/{workspace}?cursor={cursor}#{}", hit.id),
        ("reply", _, Some(post)) => format!("/forum/{post}?cursor={cursor}#{}", hit.id),
        ("post", ..) => format!("/forum/{}", hit.id),
        _ => format!("/build/{}", hit.id),
    }
}
