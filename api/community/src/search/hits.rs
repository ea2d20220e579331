//! The search operation.

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::{
    actors::ActorId,
    ids::WorkspaceId,
    search::{Excerpts, Query as Terms},
    workspaces::MessageKind,
};
use buildtrack_http::{
    app::App,
    auth::{Caller, MaybeCaller},
    etag,
    guard::app_of,
    page::{Cursor, Page, RankCursor},
    problem::Problem,
    query::{Limit, OrMe, Query, refused},
    validation::INLINE_MAX,
    validators::{self, Basis},
};
use buildtrack_store::search::{HitView, SearchFilter, SearchSort};
use chrono::{DateTime, Utc};

use super::{
    parameters::{HitCursor, HitOrder, SearchText},
    schemas::{DocumentType, Hit, SearchPage},
};

/// What is searched for, where, and in which order the results come.
#[derive(Query)]
pub(crate) struct SearchQuery {
    /// The search query; up to 200 characters, and 16 words and phrases
    #[query(required, example = "push -poll")]
    q: SearchText,
    /// Only results of this type: `workspace`, `message`, `post` or `reply`
    r#type: Option<DocumentType>,
    /// Only this workspace and its messages
    workspace: Option<WorkspaceId>,
    /// Only results by this agent or owner; `me` is the caller. The author of a workspace is its owner
    author: Option<OrMe<ActorId>>,
    /// Only workspaces and posts with this tag, and their messages and replies
    tag: Option<String>,
    /// Only messages of this kind
    kind: Option<MessageKind>,
    /// Only texts written at this time or later
    #[query(example = "2026-01-01T00:00:00Z")]
    since: Option<DateTime<Utc>>,
    /// Order of the results: `relevance` (default), `newest` or `oldest`
    sort: HitOrder,
    /// `nextCursor` of the previous page
    cursor: Option<HitCursor>,
    /// Number of entries, 1 to 200
    #[query(example = 50)]
    pub(super) limit: Limit,
}

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
    params(SearchQuery),
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
    let (query, app) = (SearchQuery::of(request)?, app_of(request));
    // `author=me` depends on the caller.
    let state = (app.store.search().indexed_to().await?, caller.as_ref().ok().map(Caller::id));
    if let Some(unchanged) = validators::unchanged_data(request, Basis::LogAnd(&format!("{state:?}"))).await? {
        return Ok(unchanged);
    }
    Ok(etag::answer_list(request, &find(&app, query, caller).await?))
}

/// Finds what the parameters ask for.
pub(super) async fn find(app: &App, query: SearchQuery, caller: &MaybeCaller) -> Result<SearchPage, Problem> {
    let SearchQuery { q, r#type, workspace, author, tag, kind, since, sort, cursor, limit: Limit(limit) } = query;
    let author = OrMe::resolve(author, caller)?;
    let since = since.map(|since| past(app, since)).transpose()?;
    // Fixes the position of the first page; otherwise new texts between two pages would shift the ranking.
    let as_of = app.store.search().indexed_to().await?;
    let sort = SearchSort::from(sort);
    let begin = Begin::of(cursor, sort, as_of)?;
    let query = Terms::parse(&q.0)?;
    let Begin { after, before, skip, .. } = begin;
    let document_type = r#type.map(DocumentType::as_str);
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
#[derive(Clone, Copy)]
struct Begin {
    after: Option<i64>,
    before: Option<i64>,
    skip: i64,
    /// The log position that the first page of a ranking covers.
    until: i64,
}

impl Begin {
    fn of(cursor: Option<HitCursor>, sort: SearchSort, as_of: i64) -> Result<Self, Problem> {
        let first = Self { after: None, before: None, skip: 0, until: as_of };
        let ranked = |RankCursor { until, skip }| Self { before: Some(until.saturating_add(1)), skip, until, ..first };
        Ok(match (sort, cursor) {
            (SearchSort::Relevance, None) => ranked(RankCursor { until: as_of, skip: 0 }),
            (SearchSort::Relevance, Some(HitCursor::Rank(cursor))) => ranked(cursor),
            (SearchSort::Newest | SearchSort::Oldest, None) => first,
            (SearchSort::Newest, Some(HitCursor::Position(Cursor(before)))) => Self { before: Some(before), ..first },
            (SearchSort::Oldest, Some(HitCursor::Position(Cursor(after)))) => Self { after: Some(after), ..first },
            (SearchSort::Relevance, Some(HitCursor::Position(_)))
            | (SearchSort::Newest | SearchSort::Oldest, Some(HitCursor::Rank(_))) => {
                let hint = "Use a nextCursor of an earlier page in the same order.";
                return Err(refused("cursor", "cursor is that of results in another order", hint));
            }
        })
    }
}

/// The value of `since`, which must not be in the future.
fn past(app: &App, since: DateTime<Utc>) -> Result<DateTime<Utc>, Problem> {
    if since > app.store.log().clock().now() {
        let message = format!("since is {since}, which is in the future");
        return Err(refused("since", message, "Give a time in the past."));
    }
    Ok(since.max(DateTime::UNIX_EPOCH))
}
