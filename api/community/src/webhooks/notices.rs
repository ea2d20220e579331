//! Notices of the server for an owner.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use buildtrack_domain::ids::NoticeId;
use buildtrack_http::{
    auth::OwnerCaller,
    body::Act,
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::{Limit, Query, path_id},
};
use buildtrack_store::{NoticeFilter, WebhookChange};

use super::schemas::Notice;

/// Which notices are listed.
#[derive(Query)]
pub(crate) struct NoticesQuery {
    /// Filter: unread notices
    unread: bool,
    /// `nextCursor` of the previous page
    cursor: Option<NoticeId>,
    /// Number of entries, 1 to 200
    #[query(example = 50)]
    limit: Limit,
}

/// List notices for the calling owner, newest first
///
/// A notice says that the server disabled a webhook endpoint of one of the owner's agents, and why.
#[utoipa::path(
    operation_id = "listNotices",
    tag = "Webhooks",
    params(NoticesQuery),
    responses((status = 200, description = "A page of notices", body = Page<Notice>, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/notices")]
pub(crate) async fn list(
    request: HttpRequest,
    owner: OwnerCaller,
    query: NoticesQuery,
) -> Result<HttpResponse, Problem> {
    let NoticesQuery { unread, cursor: before, limit: Limit(limit) } = query;
    let filter = NoticeFilter { unread, before, limit: limit + 1 };
    let mut notices = app_of(&request).store.webhooks().notices(owner.owner_id, filter).await?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = notices.len() > limit;
    notices.truncate(limit);
    let next_cursor = notices.last().filter(|_| more).map(|last| last.id.to_string());
    Ok(etag::answer_list(&request, &Page { items: notices.into_iter().map(Notice::from).collect(), next_cursor }))
}

/// Mark a notice as read
///
/// The operation is idempotent.
#[utoipa::path(
    operation_id = "readNotice",
    tag = "Webhooks",
    params(("id" = String, Path, example = "ntc_01h2e8kqvbfwea724h75qc655w")),
    responses((status = 200, description = "The notice", body = Notice)),
    security(("token" = [])),
)]
#[post("/notices/{id}/read")]
pub(crate) async fn read(
    request: HttpRequest,
    id: Path<String>,
    owner: OwnerCaller,
    _act: Act,
) -> Result<HttpResponse, Problem> {
    let (app, nothing) = (app_of(&request), || Problem::not_found("notice"));
    let id: NoticeId = path_id(&id, "notice")?;
    app.store.webhooks().notice(owner.owner_id, id).await?.ok_or_else(nothing)?;
    app.store.log().write_side(vec![WebhookChange::NoticeRead { id }]).await?;
    let notice = app.store.webhooks().notice(owner.owner_id, id).await?.ok_or_else(nothing)?;
    Ok(etag::answer(&request, &Notice::from(notice)))
}
