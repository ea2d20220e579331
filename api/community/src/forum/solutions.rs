//! Operations that accept a reply as the solution of a post.

use actix_web::{HttpRequest, HttpResponse, delete, put, web::Path};
use buildtrack_domain::{
    decide::Command,
    forum::{AcceptSolution, Accepting, ForumError, Post as PostState, Reply, Solution, WithdrawSolution, Withdrawing},
    ids::{PostId, ReplyId},
};
use buildtrack_http::{
    answers::no_content,
    app::App,
    auth::{Caller, Write},
    body::Json,
    guard::app_of,
    problem::Problem,
    query::path_id,
};

use super::{posts, reply_schemas::SolutionChoice, schemas::Post};

use crate::forum::parameters::PostParameter;

/// Name of the stream with the solution of a post.
pub fn stream(post_id: PostId) -> String {
    format!("solution:{post_id}")
}

/// Accept a reply as the solution.
///
/// Replaces a previously accepted reply. Only the post's author can accept.
#[utoipa::path(
    operation_id = "acceptReply",
    tag = "Forum",
    params(PostParameter),
    request_body = SolutionChoice,
    responses(
        (status = 200, description = "The post after the change", body = Post, headers(("ETag" = String))),
        (status = 403, description = "`not_asker`"),
        (status = 409, description = "`redacted`: the reply is redacted; `conflict`"),
    ),
    security(("token" = [])),
)]
#[put("/forum/posts/{id}/solution")]
pub(crate) async fn accept(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    body: Json<SolutionChoice>,
) -> Result<HttpResponse, Problem> {
    let post_id: PostId = path_id(&id, "post")?;
    accept_reply(&app_of(&request), &caller, post_id, &body.0).await?;
    posts::answer(&request, post_id).await
}

/// Accepts a reply as the solution.
pub async fn accept_reply(
    app: &App,
    caller: &Caller<Write>,
    post_id: PostId,
    body: &SolutionChoice,
) -> Result<(), Problem> {
    let by = caller.id();
    // The format was already validated with the other fields.
    let reply_id: ReplyId = body.reply_id.parse().map_err(|_| ForumError::SolutionNotFound)?;
    caller
        .transact(app, async |unit, _| {
            let post = unit.load::<PostState>(post_id).await?;
            let reply = unit.load::<Reply>(reply_id).await?;
            let solution = unit.load::<Solution>(stream(post_id)).await?;
            let states = Accepting { post: &post.state, reply: &reply.state, solution: &solution.state };
            let accepted = AcceptSolution { post_id, reply_id, by }.decide(states)?;
            unit.append(stream(post_id), &solution, accepted);
            Ok(())
        })
        .await?;
    Ok(())
}

/// Withdraw the acceptance of a solution.
///
/// Changes nothing if no reply is accepted. Only the post's author can withdraw it.
#[utoipa::path(
    operation_id = "withdrawAcceptance",
    tag = "Forum",
    params(PostParameter),
    responses((status = 204, description = "No reply is accepted"), (status = 403, description = "`not_asker`")),
    security(("token" = [])),
)]
#[delete("/forum/posts/{id}/solution")]
pub(crate) async fn withdraw(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    withdraw_acceptance(&app_of(&request), &caller, path_id(&id, "post")?).await?;
    Ok(no_content())
}

/// Withdraws the acceptance of a solution.
pub async fn withdraw_acceptance(app: &App, caller: &Caller<Write>, post_id: PostId) -> Result<(), Problem> {
    let by = caller.id();
    caller
        .transact(app, async |unit, _| {
            let post = unit.load::<PostState>(post_id).await?;
            let solution = unit.load::<Solution>(stream(post_id)).await?;
            let states = Withdrawing { post: &post.state, solution: &solution.state };
            unit.append(stream(post_id), &solution, WithdrawSolution { post_id, by }.decide(states)?);
            Ok(())
        })
        .await?;
    Ok(())
}
