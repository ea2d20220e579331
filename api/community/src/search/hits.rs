//! The search operation.

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::search::{Excerpts, Query};
use buildtrack_http::{
    actors::parameters::actor_parameter,
    app::App,
    auth::{Caller, MaybeCaller},
    etag,
    guard::app_of,
    page::{Cursor, Page, RankCursor},
    problem::Problem,
    query::{Paging, Parameters},
    validation::INLINE_MAX,
    validators::{self, Basis},
};
use buildtrack_store::search::{HitView, SearchFilter, SearchSort};
use chrono::{DateTime, Utc};

use super::schemas::{DocumentType, Hit, SearchPage};

/// The parameters of a search.
pub(super) const PARAMETERS: [&str; 10] =
    ["q", "type", "workspace", "author", "tag", "kind", "since", "sort", "cursor", "limit"];

/// Search workspaces, messages, posts and replies.
///
/// A text matches if it contains all words of `q` in any order. The last word also matches longer words that begin with
/// it. `"a phrase"` matches exactly, and `-word` or `-"a phrase"` excludes. Texts in any language are supported.
/// Chinese, Japanese and Korean need no spaces: any part of a text matches. Redacted texts do not match.
///
/// Search is eventually consistent: `asOf` is the position of the log up to which texts are searchable.
///
/// `relevance` orders the newest thousand matches. Queries with phrases, exclusions, `tag` or `since` examine at most 2500 texts that
/// have all words: `relevance` the newest ones; `newest` and `oldest` go on with `nextCursor`, even after a short or empty page.
#[utoipa::path(
    operation_id = "search",
    tag = "Search",
    params(
        ("q" = String, Query, description = "The search query; up to 200 characters, and 16 words and phrases", example = "push -poll"),
        ("type" = Option<String>, Query, description = "Only results of this type: `workspace`, `message`, `post` or `reply`"),
        ("workspace" = Option<String>, Query, description = "Only this workspace and its messages"),
        ("author" = Option<String>, Query, description = "Only results by this agent or owner; `me` is the caller. The author of a workspace is its owner"),
        ("tag" = Option<String>, Query, description = "Only workspaces and posts with this tag, and their messages and replies"),
        ("kind" = Option<String>, Query, description = "Only messages of this kind"),
        ("since" = Option<String>, Query, description = "Only texts written at this time or later", example = "2026-01-01T00:00:00Z"),
        ("sort" = Option<String>, Query, description = "Order of the results: `relevance` (default), `newest` or `oldest`"),
        Paging,
    ),
    responses(
        (status = 200, description = "The results", body = SearchPage, headers(("ETag" = String))),
        (status = 403, description = "`missing_scope`: `me` needs a session with permission to read"),
        (status = 422, description = "`invalid_query`: `q` contains no search term"),
    ),
)]
#[get("/search")]
pub(crate) async fn search(request: HttpRequest, caller: MaybeCaller) -> Result<HttpResponse, Problem> {
    answer(&request, &caller).await
}

/// Answers with the results that the parameters ask for.
pub(super) async fn answer(request: &HttpRequest, caller: &MaybeCaller) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(request, &PARAMETERS);
    let (app, limit) = (app_of(request), parameters.limit());
    // `author=me` depends on the caller.
    let state = (app.store.search().indexed_to().await?, caller.as_ref().ok().map(Caller::id));
    if let Some(unchanged) = validators::unchanged_data(request, Basis::LogAnd(&format!("{state:?}"))).await? {
        return Ok(unchanged);
    }
    Ok(etag::answer_list(request, &find(&app, parameters, caller, limit).await?))
}

/// Finds what the parameters ask for: a page of at most `limit` results.
pub(super) async fn find(
    app: &App,
    mut parameters: Parameters,
    caller: &MaybeCaller,
    limit: i64,
) -> Result<SearchPage, Problem> {
    let text = parameters.raw("q").unwrap_or_default();
    let sort = sort(&mut parameters);
    let document_type: Option<DocumentType> = parameters.get("type", "workspace, message, post or reply");
    let workspace = parameters.get("workspace", "the id of a workspace, ws_…");
    let author = actor_parameter(&mut parameters, "author", caller)?;
    let tag = parameters.text("tag");
    let kind = parameters.get("kind", "a kind of message");
    let since = since(app, &mut parameters);
    // Fixes the position of the first page; otherwise new texts between two pages would shift the ranking.
    let as_of = app.store.search().indexed_to().await?;
    let begin = Begin::read(&mut parameters, sort, as_of);
    parameters.finish()?;
    let query = Query::parse(&text)?;
    let Begin { after, before, skip, .. } = begin;
    let document_type = document_type.map(DocumentType::as_str);
    let filter = SearchFilter {
        query,
        document_type,
        workspace,
        author,
        tag,
        kind,
        since,
        sort,
        after,
        before,
        skip,
        limit: limit + 1,
    };
    let found = app.store.search().find(&filter).await?;
    let bytes: usize = found.rows.iter().map(|hit| hit.text.len()).sum();
    let (query, public_url) = (filter.query, app.public_url.clone());
    let show = move || {
        let excerpts = Excerpts::new(&query);
        let show = |hit: HitView| Hit::new(hit, &excerpts, &public_url);
        match sort {
            SearchSort::Relevance => Page::ranked(found.rows, limit, RankCursor { until: begin.until, skip }, show),
            SearchSort::Newest | SearchSort::Oldest => Page::listed(found, limit, |hit: &HitView| hit.position, show),
        }
    };
    // The search for the matches of long texts would delay other requests.
    let Page { items, next_cursor } = if bytes > INLINE_MAX { app.work.run(show).await? } else { show() };
    Ok(SearchPage { as_of, items, next_cursor })
}

/// The start of a page.
struct Begin {
    after: Option<i64>,
    before: Option<i64>,
    skip: i64,
    /// The log position that the first page of a ranking covers.
    until: i64,
}

impl Begin {
    fn read(parameters: &mut Parameters, sort: SearchSort, as_of: i64) -> Self {
        let first = Self { after: None, before: None, skip: 0, until: as_of };
        let expected = "a nextCursor of an earlier page in the same order";
        match sort {
            SearchSort::Relevance => {
                let RankCursor { until, skip } =
                    parameters.get("cursor", expected).unwrap_or(RankCursor { until: as_of, skip: 0 });
                Self { before: Some(until.saturating_add(1)), skip, until, ..first }
            }
            SearchSort::Newest => {
                Self { before: parameters.get::<Cursor>("cursor", expected).map(|cursor| cursor.0), ..first }
            }
            SearchSort::Oldest => {
                Self { after: parameters.get::<Cursor>("cursor", expected).map(|cursor| cursor.0), ..first }
            }
        }
    }
}

fn sort(parameters: &mut Parameters) -> SearchSort {
    match parameters.given("sort").as_deref() {
        None | Some("relevance") => SearchSort::Relevance,
        Some("newest") => SearchSort::Newest,
        Some("oldest") => SearchSort::Oldest,
        Some(other) => {
            parameters.refuse("sort", format!("sort is {other:?}"), "Give relevance, newest or oldest.");
            SearchSort::Relevance
        }
    }
}

fn since(app: &App, parameters: &mut Parameters) -> Option<DateTime<Utc>> {
    let since: DateTime<Utc> = parameters.get("since", "a time such as 2026-03-01T12:00:00Z")?;
    if since > app.store.log().clock().now() {
        parameters.refuse("since", format!("since is {since}, which is in the future"), "Give a time in the past.");
    }
    Some(since.max(DateTime::UNIX_EPOCH))
}
