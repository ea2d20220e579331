//! Helpful votes on posts and replies: one for each voter, by any caller with a session, never on the voter's own work.

use actix_web::{HttpRequest, HttpResponse, delete, put, web::Path};
use buildtrack_domain::{
    forum::{Post as PostState, Reply as ReplyState},
    ids::{PostId, ReplyId},
    votes::VoteCast,
};
use buildtrack_http::{
    answers::no_content,
    app::App,
    auth::{Caller, Write},
    guard::app_of,
    problem::Problem,
    query::path_id,
};

use super::{posts, replies, reply_schemas::Reply, schemas::Post};

use crate::{
    forum::parameters::{PostParameter, ReplyParameter},
    votes,
};

/// Vote a post helpful.
///
/// A second vote changes nothing.
#[utoipa::path(
    operation_id = "votePostHelpful",
    tag = "Forum",
    params(PostParameter),
    responses(
        (status = 200, description = "The post, with the caller's vote counted", body = Post, headers(("ETag" = String))),
        (status = 403, description = "`own_work`: authors cannot vote for their own work"),
        (status = 409, description = "`redacted`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[put("/forum/posts/{id}/helpful")]
pub(crate) async fn vote_post_helpful(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let post_id: PostId = path_id(&id, "post")?;
    add_vote_to_post(&app_of(&request), &caller, post_id).await?;
    posts::answer(&request, post_id).await
}

/// Votes for a post.
pub async fn add_vote_to_post(app: &App, caller: &Caller<Write>, post_id: PostId) -> Result<(), Problem> {
    caller
        .transact(app, async |unit, voter| {
            let target_author_id = unit.load::<PostState>(post_id).await?.state.votable()?;
            let target = post_id.into();
            votes::cast(unit, VoteCast { target, workspace_id: None, target_author_id, voter }).await
        })
        .await?;
    Ok(())
}

/// Withdraw a helpful vote from a post.
///
/// This is possible in any state of the post. Without a vote nothing changes.
#[utoipa::path(
    operation_id = "withdrawPostHelpful",
    tag = "Forum",
    params(PostParameter),
    responses((status = 204, description = "The caller has no vote on the post")),
    security(("token" = [])),
)]
#[delete("/forum/posts/{id}/helpful")]
pub(crate) async fn withdraw_post_helpful(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    remove_vote_from_post(&app_of(&request), &caller, path_id(&id, "post")?).await?;
    Ok(no_content())
}

/// Withdraws the caller's vote from a post.
pub async fn remove_vote_from_post(app: &App, caller: &Caller<Write>, post_id: PostId) -> Result<(), Problem> {
    caller
        .transact(app, async |unit, _| {
            unit.load::<PostState>(post_id).await?.state.existing()?;
            votes::remove(unit, post_id.into(), caller.id()).await
        })
        .await?;
    Ok(())
}

/// Vote a reply helpful.
///
/// A second vote changes nothing.
#[utoipa::path(
    operation_id = "voteReplyHelpful",
    tag = "Forum",
    params(PostParameter, ReplyParameter),
    responses(
        (status = 200, description = "The reply, with the caller's vote counted", body = Reply, headers(("ETag" = String))),
        (status = 403, description = "`own_work`: authors cannot vote for their own work"),
        (status = 409, description = "`redacted`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[put("/forum/posts/{id}/replies/{replyId}/helpful")]
pub(crate) async fn vote_reply_helpful(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let ids = replies::path_ids(&ids)?;
    add_vote_to_reply(&app_of(&request), &caller, ids).await?;
    Ok(replies::answer(&request, replies::view(&request, ids).await?))
}

/// Votes for a reply.
pub async fn add_vote_to_reply(
    app: &App,
    caller: &Caller<Write>,
    (post_id, reply_id): (PostId, ReplyId),
) -> Result<(), Problem> {
    caller
        .transact(app, async |unit, voter| {
            let target_author_id = unit.load::<ReplyState>(reply_id).await?.state.votable(post_id)?;
            let target = reply_id.into();
            votes::cast(unit, VoteCast { target, workspace_id: None, target_author_id, voter }).await
        })
        .await?;
    Ok(())
}

/// Withdraw a helpful vote from a reply.
///
/// This is possible in any state of the reply. Without a vote nothing changes.
#[utoipa::path(
    operation_id = "withdrawReplyHelpful",
    tag = "Forum",
    params(PostParameter, ReplyParameter),
    responses((status = 204, description = "The caller has no vote on the reply")),
    security(("token" = [])),
)]
#[delete("/forum/posts/{id}/replies/{replyId}/helpful")]
pub(crate) async fn withdraw_reply_helpful(
    request: HttpRequest,
    ids: Path<(String, String)>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    remove_vote_from_reply(&app_of(&request), &caller, replies::path_ids(&ids)?).await?;
    Ok(no_content())
}

/// Withdraws the caller's vote from a reply.
pub async fn remove_vote_from_reply(
    app: &App,
    caller: &Caller<Write>,
    (post_id, reply_id): (PostId, ReplyId),
) -> Result<(), Problem> {
    caller
        .transact(app, async |unit, _| {
            unit.load::<ReplyState>(reply_id).await?.state.to(post_id)?;
            votes::remove(unit, reply_id.into(), caller.id()).await
        })
        .await?;
    Ok(())
}
