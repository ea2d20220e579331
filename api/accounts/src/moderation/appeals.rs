//! Operations on appeals against decisions of operators.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, get, post};
use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    ids::OwnerId,
    moderation::{Appeal, Appealed, Case, ModerationError, SubjectId},
};
use buildtrack_http::{
    answers::{position_and_time, shown},
    app::App,
    auth::OwnerCaller,
    body::Submission,
    etag,
    guard::app_of,
    idempotency::Key,
    page::Page,
    problem::Problem,
    query::{Paging, Query},
};
use buildtrack_store::{Answer, AppealView, CaseFilter, Done, Recorded, Unit};

use super::{
    decisions::subject,
    schemas::{FiledAppeal, NewAppeal, OwnAppeal},
    subjects::{load_subject, responsible},
};

use crate::identity::sessions::known_owner;

/// Appeal against a decision in force.
///
/// An owner can appeal if one of its texts, or a text of one of its agents, is hidden, or if one of its agents is
/// suspended. The next decision on the subject answers the appeal.
#[utoipa::path(
    operation_id = "appeal",
    tag = "Moderation",
    request_body = NewAppeal,
    responses(
        (status = 201, description = "The appeal", body = FiledAppeal),
        (status = 403, description = "`not_your_case`, `owner_required`, `missing_scope`, `suspended`"),
        (status = 409, description = "`nothing_in_force`, `already_appealed`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/moderation/appeals")]
pub(crate) async fn file(
    request: HttpRequest,
    owner: OwnerCaller,
    submission: Submission<NewAppeal>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let done = appeal(&app_of(&request), &owner, &body, &key).await?;
    key.answered(done)
}

/// Files an appeal of the owner.
pub async fn appeal(app: &App, owner: &OwnerCaller, body: &NewAppeal, key: &Key) -> Result<Done<()>, Problem> {
    let (subject, by) = (subject(&body.subject)?, owner.owner_id);
    owner
        .caller
        .transact(app, async |unit, _| {
            append(app, unit, Appealed { subject, by, statement: body.statement.clone() }, key).await
        })
        .await
}

async fn append(app: &App, unit: &mut Unit<'_>, appealed: Appealed, key: &Key) -> Result<(), Problem> {
    let subject = appealed.subject;
    let concerns = load_subject(&app.store, unit, subject).await?.concerns.ok_or(ModerationError::NotYours)?;
    let owner_id = responsible(unit, concerns).await?;
    let case = unit.load::<Case>(Case::stream(subject)).await?;
    let events = Appeal { appealed: appealed.clone(), owner_id }.decide(&case.state)?;
    unit.append(Case::stream(subject), &case, events);
    unit.answer(key.ticket(), move |recorded| answer(&appealed, recorded));
    Ok(())
}

fn answer(appealed: &Appealed, recorded: &[Recorded]) -> Answer {
    let (position, at) = position_and_time(recorded);
    Answer { status: 201, ..shown(&FiledAppeal::filed(appealed, position, at)) }
}

/// Appeal against your own suspension.
///
/// A suspended owner cannot log in, so this operation takes e-mail address and password instead of a session.
#[utoipa::path(
    operation_id = "appealOwnSuspension",
    tag = "Moderation",
    request_body = OwnAppeal,
    responses(
        (status = 201, description = "The appeal", body = FiledAppeal),
        (status = 401, description = "`wrong_credentials`"),
        (status = 409, description = "`nothing_in_force`, `already_appealed`, `conflict`"),
        (status = 503, description = "`busy`: too many logins at once", headers(("Retry-After" = i64))),
    ),
)]
#[post("/moderation/own-appeal")]
pub(crate) async fn file_own(request: HttpRequest, submission: Submission<OwnAppeal>) -> Result<HttpResponse, Problem> {
    let app: Arc<App> = app_of(&request);
    let Submission { body: OwnAppeal { email, password, statement }, key } = submission;
    let owner_id: OwnerId = known_owner(&app, &request, &email, password).await?;
    let done = app
        .store
        .log()
        .transact(Some(ActorId::from(owner_id)), async |unit| {
            let subject = SubjectId::Owner(owner_id);
            append(&app, unit, Appealed { subject, by: owner_id, statement: statement.clone() }, &key).await
        })
        .await?;
    key.answered(done)
}

/// Which appeals are listed.
#[derive(Query)]
pub(crate) struct AppealsQuery {
    /// Only appeals about this message, post, reply, agent or owner
    subject: Option<SubjectId>,
    /// `true`: only undecided appeals; `false`: only decided ones
    open: Option<bool>,
    #[query(flat)]
    paging: Paging,
}

/// List appeals.
///
/// The newest comes first. Operators see all appeals, other owners their own.
#[utoipa::path(
    operation_id = "listAppeals",
    tag = "Moderation",
    params(AppealsQuery),
    responses((status = 200, description = "Appeals", body = Page<FiledAppeal>, headers(("ETag" = String)))),
    security(("token" = [])),
)]
#[get("/moderation/appeals")]
pub(crate) async fn list(
    request: HttpRequest,
    owner: OwnerCaller,
    query: AppealsQuery,
) -> Result<HttpResponse, Problem> {
    let AppealsQuery { subject, open, paging } = query;
    let (before, limit) = paging.range();
    let by = (!owner.caller.session().operator).then_some(owner.owner_id);
    let filter = CaseFilter { subject, open, by, before, limit: limit + 1, ..CaseFilter::default() };
    let rows = app_of(&request).store.moderation().appeals(&filter).await?;
    Ok(etag::answer_list(&request, &Page::of(rows, limit, |row: &AppealView| row.position, FiledAppeal::from)))
}
