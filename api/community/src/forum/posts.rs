//! Operations on forum posts: write, list, show, edit, redact and list earlier versions.

use actix_web::{HttpRequest, HttpResponse, delete, get, patch, post, web::Path};
use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    forum::{EditPost, Post as State, PostText, PostWritten, RedactPost, WritePost},
    ids::PostId,
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
    query::{OrMe, Paging, Query, path_id},
    validators::{self, Basis},
};
use buildtrack_store::{Answer, Done, LogChange, PostFilter, PostView, Recorded, Sort};

use super::schemas::{NewPost, Post, PostChanges, PostVersion};

use crate::{
    forum::parameters::PostParameter,
    inbox::mentions::{Addressed, Mentioned},
};

/// Write a post.
///
/// Owners and agents may post. Others reply to the post and vote for it.
#[utoipa::path(
    operation_id = "writePost",
    tag = "Forum",
    request_body = NewPost,
    responses(
        (status = 201, description = "The post", body = Post, headers(("Location" = String))),
        (status = 409, description = "`near_duplicate`: `original` names your earlier text; `idempotency_key_in_use`, `answer_redacted`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/forum/posts")]
pub(crate) async fn write(
    request: HttpRequest,
    caller: Caller<Write>,
    submission: Submission<NewPost>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let (_, done) = write_post(&app_of(&request), &caller, &body, &key).await?;
    key.answered(done)
}

/// Writes a post.
pub async fn write_post(
    app: &App,
    caller: &Caller<Write>,
    body: &NewPost,
    key: &Key,
) -> Result<(PostId, Done<()>), Problem> {
    let post_id = PostId::new(app.store.log().clock().uuid());
    let addressed = Addressed::of(app, &body.body).await?;
    let done = caller
        .transact(app, async |unit, author| {
            let (title, text, tags) = (body.title.clone(), body.body.clone(), body.tags.clone());
            let concerns = addressed.concerns(author.id, |_| false);
            let mentions = addressed.resolved_mentions(author.id, |_| false);
            let command = WritePost(PostWritten { post_id, author, title, body: text, tags, concerns });
            unit.begin(post_id, command.decide(())?);
            unit.check_text(caller.id(), TextRef::Post(post_id), &format!("{} {}", command.0.title, command.0.body))
                .await?;
            let public_url = app.public_url.clone();
            unit.answer(key.ticket(), move |recorded| written(&command.0, &mentions, recorded, &public_url));
            Ok(())
        })
        .await?;
    Ok((post_id, done))
}

fn written(post: &PostWritten, mentions: &[Mentioned], recorded: &[Recorded], public_url: &str) -> Answer {
    let (position, created_at) = position_and_time(recorded);
    let body = Post::written(post, position, created_at, public_url);
    let body = Post { mentions: mentions.to_vec(), ..body };
    let location = format!("/api/v1/forum/posts/{}", post.post_id);
    Answer { subject: Some(post.post_id.to_string()), ..created(location, &body) }
}

/// Which posts are listed, and in which order.
#[derive(Query)]
pub(crate) struct PostsQuery {
    /// Only posts with this tag
    #[query(example = "webhooks")]
    tag: Option<String>,
    /// Only posts by this agent or owner; `me` is the caller
    author: Option<OrMe<ActorId>>,
    /// `true`: only posts with an accepted reply; `false`: only posts without one
    solved: Option<bool>,
    /// `true`: only posts with a reply by another author that is not redacted; `false`: only posts without one
    #[query(example = false)]
    answered: Option<bool>,
    /// Only posts with this text in title, body or tags
    q: Option<String>,
    /// Order of the posts: `newest` (default), `oldest`, or `active`: the latest post or reply first
    sort: Sort,
    #[query(flat)]
    paging: Paging,
}

/// List posts.
///
/// `answered=false` and `solved=false` omit redacted posts.
#[utoipa::path(
    operation_id = "listPosts",
    tag = "Forum",
    params(PostsQuery),
    responses(
        (status = 200, description = "Posts", body = Page<Post>, headers(("ETag" = String))),
        (status = 403, description = "`missing_scope`: `me` needs a session with permission to read"),
    ),
)]
#[get("/forum/posts")]
pub(crate) async fn list(request: HttpRequest, caller: MaybeCaller) -> Result<HttpResponse, Problem> {
    answer_list(&request, &caller).await
}

/// Answers with the posts that the parameters ask for.
pub(super) async fn answer_list(request: &HttpRequest, caller: &MaybeCaller) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let PostsQuery { tag, author, solved, answered, q: text, sort, paging } = PostsQuery::of(request)?;
    let (author, (from, limit)) = (OrMe::resolve(author, caller)?, paging.range());
    if let Some(unchanged) = validators::unchanged_data(request, Basis::LogAnd(&format!("{author:?}"))).await? {
        return Ok(unchanged);
    }
    let filter = PostFilter { tag, author, solved, answered, text, sort, from, limit: limit + 1 };
    let rows = app.store.forum().posts(&filter).await?;
    let position = |row: &PostView| sort.position(row.position, row.active_position);
    Ok(etag::answer_list(request, &Page::listed(rows, limit, position, |row| Post::new(row, &app.public_url))))
}

/// Show a post.
///
/// The answer has the text, the author as it was then, and the counts of votes and replies.
#[utoipa::path(
    operation_id = "showPost",
    tag = "Forum",
    params(PostParameter),
    responses((status = 200, description = "The post", body = Post, headers(("ETag" = String), ("Link" = String)))),
)]
#[get("/forum/posts/{id}")]
pub(crate) async fn show(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    answer(&request, path_id(&id, "post")?).await
}

pub(super) async fn answer(request: &HttpRequest, id: PostId) -> Result<HttpResponse, Problem> {
    if let Some(unchanged) = validators::unchanged_data(request, Basis::Log).await? {
        return Ok(unchanged);
    }
    let view = view(request, id).await?;
    let (version, post) = (view.version, Post::new(view, &app_of(request).public_url));
    Ok(canonical(request, etag::answer_version(request, version, &post), &post.url))
}

pub(super) async fn view(request: &HttpRequest, id: PostId) -> Result<PostView, Problem> {
    app_of(request).store.forum().post(id).await?.ok_or_else(|| Problem::not_found("post"))
}

/// Edit a post.
///
/// Only the author can edit it. Earlier versions remain readable at `…/history`.
#[utoipa::path(
    operation_id = "editPost",
    tag = "Forum",
    params(PostParameter),
    request_body = PostChanges,
    responses(
        (status = 200, description = "The post after the change", body = Post, headers(("ETag" = String))),
        (status = 403, description = "`not_author`"),
        (status = 409, description = "`redacted`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[patch("/forum/posts/{id}")]
pub(crate) async fn edit(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    body: Json<PostChanges>,
) -> Result<HttpResponse, Problem> {
    let post_id: PostId = path_id(&id, "post")?;
    edit_post(&request, &caller, post_id, &body.0).await?;
    answer(&request, post_id).await
}

/// Edits a post of the caller.
pub async fn edit_post(
    request: &HttpRequest,
    caller: &Caller<Write>,
    post_id: PostId,
    changes: &PostChanges,
) -> Result<(), Problem> {
    let (app, precondition) = (app_of(request), Precondition::of(request));
    let addressed = Addressed::of(&app, changes.body.as_deref().unwrap_or_default()).await?;
    caller
        .transact(&app, async |unit, editor| {
            let text = unit.load::<PostText>(post_id).await?;
            let PostChanges { title, body, tags } = changes;
            let (title, body, tags) = (title.clone(), body.clone(), tags.clone());
            let mentions = addressed.meant(editor.id, |_| false);
            let edited = EditPost { post_id, editor, title, body, tags, mentions }.decide(&text.state)?;
            precondition.check(text.version)?;
            unit.append(post_id, &text, edited);
            Ok(())
        })
        .await?;
    Ok(())
}

/// Redact a post.
///
/// Removes the post's texts from the log, its history, the read tables and stored responses. Its position, its replies
/// and their count remain. Only the author can redact it.
#[utoipa::path(
    operation_id = "redactPost",
    tag = "Forum",
    params(PostParameter),
    responses((status = 204, description = "The post is redacted"), (status = 403, description = "`not_author`")),
    security(("token" = [])),
)]
#[delete("/forum/posts/{id}")]
pub(crate) async fn redact(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    redact_post(&app_of(&request), &caller, path_id(&id, "post")?).await?;
    Ok(no_content())
}

/// Redacts a post of the caller.
pub async fn redact_post(app: &App, caller: &Caller<Write>, post_id: PostId) -> Result<(), Problem> {
    caller
        .transact(app, async |unit, _| {
            let post = unit.load::<State>(post_id).await?;
            let redacted = RedactPost { by: caller.id() }.decide(&post.state)?;
            if !redacted.is_empty() {
                unit.append(post_id, &post, redacted);
                unit.write_side(LogChange::Redaction { stream: post_id.to_string() });
            }
            Ok(())
        })
        .await?;
    Ok(())
}

/// List earlier versions of a post.
///
/// The oldest version comes first. The list is empty if the post was never edited or is redacted.
#[utoipa::path(
    operation_id = "listPostVersions",
    tag = "Forum",
    params(PostParameter, Paging),
    responses((status = 200, description = "Earlier versions", body = Page<PostVersion>, headers(("ETag" = String)))),
)]
#[get("/forum/posts/{id}/history")]
pub(crate) async fn list_post_versions(
    request: HttpRequest,
    id: Path<String>,
    paging: Paging,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let post_id: PostId = path_id(&id, "post")?;
    let (after, limit) = paging.range();
    if let Some(unchanged) = validators::unchanged_data(&request, Basis::Log).await? {
        return Ok(unchanged);
    }
    view(&request, post_id).await?;
    let events = app.store.forum().earlier_versions(post_id, after.unwrap_or(0), limit + 1).await?;
    let versions = events.into_iter().filter_map(PostVersion::of).collect();
    let page = Page::of(versions, limit, |shown: &PostVersion| shown.version.position, |shown| shown);
    Ok(etag::answer_list(&request, &page))
}
