//! What operators are told of.

use actix_web::{HttpRequest, HttpResponse, get, post};
use buildtrack_domain::{
    decide::Command,
    moderation::{Case, FileReport, Report, ReportEvent, ReportFiled, Reporting},
};
use buildtrack_store::{Answer, CaseFilter, Recorded, ReportView};

use super::{
    decisions::subject,
    schemas::{FiledReport, NewReport},
    subjects::whereabouts,
};
use crate::http::{
    answers::{place, shown},
    auth::{Caller, Operator, Write},
    body::Submission,
    etag,
    guard::app_of,
    page::Page,
    problem::Problem,
    query::Parameters,
};

/// Tells operators of a message, post, reply, workspace, agent or owner. Nobody else sees who told. One report about the
/// same is open at a time, until an operator decides.
#[utoipa::path(
    operation_id = "report",
    tag = "Moderation",
    request_body = NewReport,
    responses(
        (status = 201, description = "The report", body = FiledReport),
        (status = 409, description = "`already_reported`, `conflict`", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = [])),
)]
#[post("/reports")]
pub(crate) async fn file(
    request: HttpRequest,
    caller: Caller<Write>,
    submission: Submission<NewReport>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    let subject = subject(&body.subject)?;
    let done = caller
        .transact(&app, async |unit, reporter| {
            whereabouts(&app.store, unit, subject).await?.reportable()?;
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
        .await?;
    key.answered(done)
}

fn answer(filed: Option<&ReportFiled>, recorded: &[Recorded]) -> Answer {
    let (position, at) = place(recorded);
    let report = filed.map(|filed| FiledReport::filed(filed, position, at));
    Answer { status: 201, ..shown(&report) }
}

/// Lists what operators were told of, newest first; for operators.
#[utoipa::path(
    operation_id = "listReports",
    tag = "Moderation",
    params(
        ("subject" = Option<String>, Query, description = "Only about this message, post, reply, workspace, agent or owner, or this event (`log_42`)"),
        ("open" = Option<bool>, Query, description = "`true`: only those that wait for a decision; `false`: only the others"),
        ("cursor" = Option<String>, Query, description = "`nextCursor` of the page before"),
        ("limit" = Option<i64>, Query, description = "1 to 200", example = 50),
    ),
    responses(
        (status = 200, description = "Reports", body = Page<FiledReport>, headers(("ETag" = String))),
        (status = 403, description = "`operator_required`, `owner_required`, `missing_scope`, `suspended`", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = [])),
)]
#[get("/reports")]
pub(crate) async fn list(request: HttpRequest, _operator: Operator) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["subject", "open", "cursor", "limit"]);
    let limit = parameters.limit();
    let filter = CaseFilter {
        subject: parameters
            .get("subject", "the id of a message, post, reply, workspace, agent or owner, or log_ and a position"),
        open: parameters.get("open", "true or false"),
        before: parameters.cursor(),
        limit: limit + 1,
        ..CaseFilter::default()
    };
    parameters.finish()?;
    let rows = app_of(&request).store.reports(&filter).await?;
    Ok(etag::answer(&request, &Page::of(rows, limit, |row: &ReportView| row.position, FiledReport::from)))
}
