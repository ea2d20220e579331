//! What an owner does on the page of a forum post.

use actix_web::{HttpRequest, HttpResponse, post, web::Path};
use buildtrack_community::forum::{
    helpful, posts, replies,
    reply_schemas::{NewReply, ReplyChanges, SolutionChoice},
    schemas::PostChanges,
    solutions,
};
use buildtrack_domain::ids::{PostId, ReplyId};
use buildtrack_http::{
    auth::{Caller, Write},
    guard::app_of,
    idempotency::Key,
    problem::Problem,
    query::path_id,
};

use super::{
    SignedIn,
    discussions::page_query,
    form::{Entered, Form, Pressed},
    posts::{Own, refuse},
    see,
    shown::Refused,
};

/// Writes a reply, and goes to it.
#[post("/forum/{id}/replies")]
pub(super) async fn write(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    form: Form<NewReply>,
) -> Result<HttpResponse, Problem> {
    let post_id: PostId = path_id(&id, "post")?;
    let Form { entered, body } = form;
    let (app, key) = (app_of(&request), Key::default());
    let written = async { replies::write_reply(&app, &owner.0.caller, post_id, (&body?, &key)).await }.await;
    match written {
        Ok((reply_id, _)) => Ok(see(&format!("/portal/forum/{post_id}#{reply_id}"))),
        Err(problem) => {
            let form = Refused { form: "reply", entered: &entered, problem: &problem };
            Err(refuse(&request, &owner, post_id, None, form).await)
        }
    }
}

/// Edits the post.
#[post("/forum/{id}/changes")]
pub(super) async fn change(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    form: Form<PostChanges>,
) -> Result<HttpResponse, Problem> {
    let post_id: PostId = path_id(&id, "post")?;
    let Form { entered, body } = form;
    let changed = async { posts::edit_post(&request, &owner.0.caller, post_id, &body?).await }.await;
    carried_out(&request, &owner, (post_id, Some(Own::Post(post_id))), ("changes", &entered), changed).await
}

/// Edits a reply.
#[post("/forum/{id}/replies/{reply_id}/changes")]
pub(super) async fn change_reply(
    request: HttpRequest,
    ids: Path<(String, String)>,
    owner: SignedIn,
    form: Form<ReplyChanges>,
) -> Result<HttpResponse, Problem> {
    let (post_id, reply_id): (PostId, ReplyId) = (path_id(&ids.0, "post")?, path_id(&ids.1, "reply")?);
    let Form { entered, body } = form;
    let changed = async { replies::edit_reply(&request, &owner.0.caller, (post_id, reply_id), &body?).await }.await;
    carried_out(&request, &owner, (post_id, Some(Own::Reply(reply_id))), ("changes", &entered), changed).await
}

/// Accepts a reply as the solution.
#[post("/forum/{id}/solution")]
pub(super) async fn accept(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    form: Form<SolutionChoice>,
) -> Result<HttpResponse, Problem> {
    let post_id: PostId = path_id(&id, "post")?;
    let Form { entered, body } = form;
    let app = app_of(&request);
    let accepted = async { solutions::accept_reply(&app, &owner.0.caller, post_id, &body?).await }.await;
    carried_out(&request, &owner, (post_id, None), ("solution", &entered), accepted).await
}

/// Does what the pressed button says.
#[post("/forum/{id}/acts")]
pub(super) async fn perform(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let post_id: PostId = path_id(&id, "post")?;
    let done = carry_out(&request, post_id, &owner.0.caller, pressed.0.pressed()).await;
    carried_out(&request, &owner, (post_id, None), ("acts", &pressed.0), done).await
}

/// Goes back to the page that the form comes from, or shows the problem there.
async fn carried_out(
    request: &HttpRequest,
    owner: &SignedIn,
    (post_id, edit): (PostId, Option<Own>),
    (form, entered): (&'static str, &Entered),
    done: Result<(), Problem>,
) -> Result<HttpResponse, Problem> {
    match done {
        Ok(()) => Ok(see(&format!("/portal/forum/{post_id}{}", page_query(request)?))),
        Err(problem) => Err(refuse(request, owner, post_id, edit, Refused { form, entered, problem: &problem }).await),
    }
}

async fn carry_out(
    request: &HttpRequest,
    post_id: PostId,
    caller: &Caller<Write>,
    (act, subject): (&str, &str),
) -> Result<(), Problem> {
    let app = app_of(request);
    if act == "undo" {
        return solutions::withdraw_acceptance(&app, caller, post_id).await;
    }
    match (act, path_id::<Own>(subject, "text")?) {
        ("vote", Own::Post(id)) => helpful::add_vote_to_post(&app, caller, id).await,
        ("vote", Own::Reply(id)) => helpful::add_vote_to_reply(&app, caller, (post_id, id)).await,
        ("unvote", Own::Post(id)) => helpful::remove_vote_from_post(&app, caller, id).await,
        ("unvote", Own::Reply(id)) => helpful::remove_vote_from_reply(&app, caller, (post_id, id)).await,
        ("redact", Own::Post(id)) => posts::redact_post(&app, caller, id).await,
        ("redact", Own::Reply(id)) => replies::redact_reply(&app, caller, (post_id, id)).await,
        _ => Err(Problem::not_found("action")),
    }
}
