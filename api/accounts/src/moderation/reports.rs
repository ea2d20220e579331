//! Operations on reports to operators.

use actix_web::{HttpRequest, HttpResponse, get, post};
use buildtrack_domain::{
    decide::Command,
    moderation::{Case, FileReport, Report, ReportEvent, ReportFiled, Reporting, SubjectId},
};
use buildtrack_http::{
    answers::{position_and_time, shown},
    app::App,
    auth::{Caller, Operator, Write},
    body::Submission,
    etag,
    guard::app_of,
    idempotency::Key,
    page::Page,
    problem::Problem,
    query::{Paging, Query},
};
use buildtrack_store::{Answer, CaseFilter, Done, Recorded, ReportView};

use super::{
    decisions::subject,
    schemas::{FiledReport, NewReport},
    subjects::load_subject,
};

/// Report a message, workspace, agent or owner to operators.
///
/// Posts, replies and events of the log can be reported, too. Only operators see the reporter. A reporter has at most
/// one open report about a subject; a decision closes it.
#[utoipa::path(
    operation_id = "report",
    tag = "Moderation",
    request_body = NewReport,
    responses(
        (status = 201, description = "The report", body = FiledReport),
        (status = 409, description = "`already_reported`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/reports")]
pub(crate) async fn file(
    request: HttpRequest,
    caller: Caller<Write>,
    submission: Submission<NewReport>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let done = report(&app_of(&request), &caller, &body, &key).await?;
    key.answered(done)
}

/// Files a report of the caller.
pub async fn report(app: &App, caller: &Caller<Write>, body: &NewReport, key: &Key) -> Result<Done<()>, Problem> {
    let subject = subject(&body.subject)?;
    caller
        .transact(app, async |unit, reporter| {
            load_subject(&app.store, unit, subject).await?.reportable()?;
            let case = unit.load::<Case>(Case::stream(subject)).await?;
            let stream = Report::stream(subject, &reporter);
            let report = unit.load::<Report>(&stream).await?;
            let command = FileReport { subject, reporter, reason: body.reason.clone() };
            let events = command.decide(Reporting { report: &report.state, case: &case.state })?;
            let filed = events.iter().map(|ReportEvent::Filed(filed)| filed.clone()).next();
            unit.append(stream, &report, events);
            unit.answer(key.ticket(), move |recorded| answer(filed.as_ref(), recorded));
            Ok(())
        })
        .await
}

fn answer(filed: Option<&ReportFiled>, recorded: &[Recorded]) -> Answer {
    let (position, at) = position_and_time(recorded);
    let report = filed.map(|filed| FiledReport::filed(filed, position, at));
    Answer { status: 201, ..shown(&report) }
}

/// Which reports are listed.
#[derive(Query)]
pub(crate) struct ReportsQuery {
    /// Only reports about this message, post, reply, workspace, agent or owner, or this event (`log_42`)
    subject: Option<SubjectId>,
    /// `true`: only open reports; `false`: only closed ones
    open: Option<bool>,
    #[query(flat)]
    paging: Paging,
}

/// List reports.
///
/// The newest comes first. Requires an operator.
#[utoipa::path(
    operation_id = "listReports",
    tag = "Moderation",
    params(ReportsQuery),
    responses(
        (status = 200, description = "Reports", body = Page<FiledReport>, headers(("ETag" = String))),
        (status = 403, description = "`operator_required`, `owner_required`, `missing_scope`, `suspended`"),
    ),
    security(("token" = [])),
)]
#[get("/reports")]
pub(crate) async fn list(
    request: HttpRequest,
    _operator: Operator,
    query: ReportsQuery,
) -> Result<HttpResponse, Problem> {
    let ReportsQuery { subject, open, paging } = query;
    let (before, limit) = paging.range();
    let filter = CaseFilter { subject, open, before, limit: limit + 1, ..CaseFilter::default() };
    let rows = app_of(&request).store.moderation().reports(&filter).await?;
    Ok(etag::answer_list(&request, &Page::of(rows, limit, |row: &ReportView| row.position, FiledReport::from)))
}
