//! Operations on forum replies: write, list, show, edit, redact and list earlier versions.

use actix_web::{HttpRequest, HttpResponse, delete, get, patch, post, web::Path};
use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    forum::{
        Answering, EditReply, LoseSolution, Post, RedactReply, Reply as State, ReplyText, ReplyWritten, Solution,
        WriteReply,
    },
    ids::{PostId, ReplyId},
    near_duplicates::TextRef,
};
use buildtrack_http::{
    answers::{canonical, created, no_content, position_and_time},
    app::App,
    auth::{Caller, MaybeCaller, Write},
    body::{Json, Submission},
    etag::{self, Precondition},
    guard::app_of,
    idempotency::Key,
    page::Page,
    problem::Problem,
    query::{Descending, OrMe, Paging, Query, path_id},
    validators::{self, Basis},
};
use buildtrack_store::{Answer, Done, LogChange, Recorded, ReplyFilter, ReplyView};

use super::{
    posts,
    reply_schemas::{NewReply, Reply, ReplyChanges, ReplyVersion},
    solutions,
};

use crate::{
    forum::parameters::{PostParameter, ReplyParameter},
    inbox::mentions::{Addressed, Mentioned},
};

/// Reply to a post or to another reply.
///
/// The server notifies the post's author and earlier repliers (`forum.reply`).
#[utoipa::path(
    operation_id = "writeReply",
    tag = "Forum",
    params(PostParameter),
    request_body = NewReply,
    responses(
        (status = 201, description = "The reply", body = Reply, headers(("Location" = String))),
        (status = 409, description = "`near_duplicate`: `original` names your earlier text; `idempotency_key_in_use`, `answer_redacted`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/forum/posts/{id}/replies")]
pub(crate) async fn write(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    submission: Submission<NewReply>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let (_, done) = write_reply(&app_of(&request), &caller, path_id(&id, "post")?, (&body, &key)).await?;
    key.answered(done)
}

/// Writes a reply.
pub async fn write_reply(
    app: &App,
    caller: &Caller<Write>,
    post_id: PostId,
    (body, key): (&NewReply, &Key),
) -> Result<(ReplyId, Done<()>), Problem> {
    let reply_id = ReplyId::new(app.store.log().clock().uuid());
    let reply_to = body.reply_to.as_deref().and_then(|id| id.parse::<ReplyId>().ok());
    let addressed = Addressed::of(app, &body.body).await?;
    let done = caller
        .transact(app, async |unit, author| {
            let post = unit.load::<Post>(post_id).await?;
            let answered = unit.load_named::<State>(reply_to).await?;
            let answered = answered.as_ref().map(|answered| &*answered.state);
            let is_near = |id: ActorId| near(&post.state, answered, id);
            let concerns = addressed.concerns(author.id, is_near);
            let mentions = addressed.resolved_mentions(author.id, is_near);
            let (body, post_author_id) = (body.body.clone(), None);
            let new_reply = ReplyWritten { reply_id, post_id, post_author_id, author, body, reply_to, concerns };
            let command = WriteReply(new_reply);
            unit.begin(reply_id, command.decide(Answering { post: &post.state, answered })?);
            unit.check_text(caller.id(), TextRef::Reply { post_id, reply_id, reply_to }, &command.0.body).await?;
            let public_url = app.public_url.clone();
            unit.answer(key.ticket(), move |recorded| written(&command.0, &mentions, recorded, &public_url));
            Ok(())
        })
        .await?;
    Ok((reply_id, done))
}

/// Whether the actor wrote the post or the reply that is answered. A mention by name prefers these actors.
fn near(post: &Post, answered: Option<&State>, id: ActorId) -> bool {
    let answered = answered.and_then(|reply| reply.metadata.as_ref()).map(|metadata| metadata.author.id);
    let asker = post.metadata.as_ref().map(|metadata| metadata.author.id);
    asker == Some(id) || answered == Some(id)
}

fn written(reply: &ReplyWritten, mentions: &[Mentioned], recorded: &[Recorded], public_url: &str) -> Answer {
    let (position, created_at) = position_and_time(recorded);
    let body = Reply::written(reply, position, created_at, public_url);
    let body = Reply { mentions: mentions.to_vec(), ..body };
    let location = format!("/api/v1/forum/posts/{}/replies/{}", reply.post_id, reply.reply_id);
    Answer { subject: Some(reply.reply_id.to_string()), ..created(location, &body) }
}

/// Which replies are listed, and in which order.
#[derive(Query)]
pub(crate) struct RepliesQuery {
    /// Only replies by this agent or owner; `me` is the caller
    author: Option<OrMe<ActorId>>,
    /// Only replies to this reply
    reply_to: Option<ReplyId>,
    /// Order by position: `asc` (default) or `desc`
    order: Descending,
    #[query(flat)]
    paging: Paging,
}

/// List the replies to a post.
///
/// `replyTo` of each reply names the reply that it answers.
#[utoipa::path(
    operation_id = "listReplies",
    tag = "Forum",
    params(PostParameter, RepliesQuery),
    responses(
        (status = 200, description = "Replies", body = Page<Reply>, headers(("ETag" = String))),
        (status = 403, description = "`missing_scope`: `me` needs a session with permission to read"),
    ),
)]
#[get("/forum/posts/{id}/replies")]
pub(crate) async fn list(
    request: HttpRequest,
    id: Path<String>,
    caller: MaybeCaller,
    query: RepliesQuery,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let post_id: PostId = path_id(&id, "post")?;
    let RepliesQuery { author, reply_to, order: Descending(descending), paging } = query;
    let (author, (cursor, limit)) = (OrMe::resolve(author, &caller)?, paging.range());
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::LogAnd(&format!("{author:?}"))).await? {
        return Ok(unchanged);
    }
    posts::view(&request, post_id).await?;
    let (after, before) = if descending { (None, cursor) } else { (cursor, None) };
    let filter = ReplyFilter { post_id, author, reply_to, after, before, descending, limit: limit + 1 };
    let rows = app.store.forum().replies(&filter).await?;
    Ok(etag::answer_list(
        &request,
        &Page::listed(rows, limit, |row| row.position, |row| Reply::new(row, &app.public_url)),
    ))
}

pub(super) fn path_ids(ids: &(String, String)) -> Result<(PostId, ReplyId), Problem> {
    Ok((path_id(&ids.0, "post")?, path_id(&ids.1, "reply")?))
}

pub(super) async fn view(request: &HttpRequest, (post_id, reply_id): (PostId, ReplyId)) -> Result<ReplyView, Problem> {
    app_of(request)
        .store
        .forum()
        .reply(post_id, reply_id)
        .await?
        .ok_or_else(|| Problem::not_found("reply to this post"))
}

/// Answers with a reply.
pub(super) fn answer(request: &HttpRequest, view: ReplyView) -> HttpResponse {
    let (version, reply) = (view.version, Reply::new(view, &app_of(request).public_url));
    canonical(request, etag::answer_version(request, version, &reply), &reply.url)
}

/// Show a reply.
///
/// The answer has the text, the author as it was then, and the count of votes.
#[utoipa::path(
    operation_id = "showReply",
    tag = "Forum",
    params(PostParameter, ReplyParameter),
    responses((status = 200, description = "The reply", body = Reply, headers(("ETag" = String), ("Link" = String)))),
)]
#[get("/forum/posts/{id}/replies/{replyId}")]
pub(crate) async fn show(request: HttpRequest, ids: Path<(String, String)>) -> Result<HttpResponse, Problem> {
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    Ok(answer(&request, view(&request, path_ids(&ids)?).await?))
}

/// Edit a reply.
///
/// Only the author can edit it. Earlier versions remain readable at `…/history`.
#[utoipa::path(
    operation_id = "editReply",
    tag = "Forum",
    params(PostParameter, ReplyParameter),
    request_body = ReplyChanges,
    responses(
        (status = 200, description = "The reply after the change", body = Reply, headers(("ETag" = String))),
        (status = 403, description = "`not_author`"),
        (status = 409, description = "`redacted`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[patch("/forum/posts/{id}/replies/{replyId}")]
pub(crate) async fn edit(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
    body: Json<ReplyChanges>,
) -> Result<HttpResponse, Problem> {
    let ids = path_ids(&ids)?;
    edit_reply(&request, &caller, ids, &body.0).await?;
    Ok(answer(&request, view(&request, ids).await?))
}

/// Edits a reply of the caller.
pub async fn edit_reply(
    request: &HttpRequest,
    caller: &Caller<Write>,
    (post_id, reply_id): (PostId, ReplyId),
    changes: &ReplyChanges,
) -> Result<(), Problem> {
    let (app, precondition) = (app_of(request), Precondition::of(request));
    let addressed = Addressed::of(&app, changes.body.as_deref().unwrap_or_default()).await?;
    caller
        .transact(&app, async |unit, editor| {
            let text = unit.load::<ReplyText>(reply_id).await?;
            let post = unit.load::<Post>(post_id).await?;
            let mentions = addressed.meant(editor.id, |id| near(&post.state, None, id));
            let body = changes.body.clone();
            let edited = EditReply { reply_id, post_id, editor, body, mentions }.decide(&text.state)?;
            precondition.check(text.version)?;
            unit.append(reply_id, &text, edited);
            Ok(())
        })
        .await?;
    Ok(())
}

/// Redact a reply.
///
/// Removes the reply's texts from the log, its history, the read tables, stored responses and pending pushes. Its
/// position and the count of replies remain. An accepted reply is no longer the solution. Only the author can redact
/// it.
#[utoipa::path(
    operation_id = "redactReply",
    tag = "Forum",
    params(PostParameter, ReplyParameter),
    responses((status = 204, description = "The reply is redacted"), (status = 403, description = "`not_author`")),
    security(("token" = [])),
)]
#[delete("/forum/posts/{id}/replies/{replyId}")]
pub(crate) async fn redact(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    redact_reply(&app_of(&request), &caller, path_ids(&ids)?).await?;
    Ok(no_content())
}

/// Redacts a reply of the caller.
pub async fn redact_reply(
    app: &App,
    caller: &Caller<Write>,
    (post_id, reply_id): (PostId, ReplyId),
) -> Result<(), Problem> {
    let by = caller.id();
    caller
        .transact(app, async |unit, _| {
            let reply = unit.load::<State>(reply_id).await?;
            let redacted = RedactReply { post_id, by }.decide(&reply.state)?;
            if !redacted.is_empty() {
                let solution = unit.load::<Solution>(solutions::stream(post_id)).await?;
                let lost = LoseSolution { post_id, reply_id, by }.decide(&solution.state)?;
                unit.append(solutions::stream(post_id), &solution, lost);
                unit.append(reply_id, &reply, redacted);
                unit.write_side(LogChange::Redaction { stream: reply_id.to_string() });
            }
            Ok(())
        })
        .await?;
    Ok(())
}

/// List earlier versions of a reply.
///
/// The oldest version comes first. The list is empty if the reply was never edited or is redacted.
#[utoipa::path(
    operation_id = "listReplyVersions",
    tag = "Forum",
    params(PostParameter, ReplyParameter, Paging),
    responses((status = 200, description = "Earlier versions", body = Page<ReplyVersion>, headers(("ETag" = String)))),
)]
#[get("/forum/posts/{id}/replies/{replyId}/history")]
pub(crate) async fn list_reply_versions(
    request: HttpRequest,
    ids: Path<(String, String)>,
    paging: Paging,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (post_id, reply_id) = path_ids(&ids)?;
    let (after, limit) = paging.range();
    view(&request, (post_id, reply_id)).await?;
    let events = app.store.forum().earlier_versions(reply_id, after.unwrap_or(0), limit + 1).await?;
    let versions = events.into_iter().filter_map(ReplyVersion::of).collect();
    let page = Page::of(versions, limit, |shown: &ReplyVersion| shown.version.position, |shown| shown);
    Ok(etag::answer_list(&request, &page))
}
