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
    auth::{Caller, Operator, Write},
    body::Submission,
    etag,
    guard::app_of,
    idempotency::respond,
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
    let done = app
        .store
        .transact(Some(caller.id()), async |unit| {
            let reporter = caller.acting(&app, unit).await?;
            whereabouts(unit, subject).await?;
            let case = unit.load::<Case>(Case::stream(subject)).await?;
            let stream = Report::stream(subject, &reporter);
            let report = unit.load::<Report>(&stream).await?;
            let command = FileReport { subject, reporter, reason: body.reason.clone() };
            let events = command.decide(Reporting { report: &report.state, case: &case.state })?;
            let filed = events.iter().map(|ReportEvent::Filed(filed)| filed.clone()).next();
            unit.append(stream, &report, events);
            unit.answer(key.ticket(), move |recorded| answer(filed.as_ref(), recorded));
            Ok::<_, Problem>(())
        })
        .await?;
    key.stored();
    done.answer.map(respond).ok_or_else(|| Problem::internal(&"no answer"))
}

fn answer(filed: Option<&ReportFiled>, recorded: &[Recorded]) -> Answer {
    let (position, at) = recorded.first().map(|event| (event.position, event.recorded_at)).unwrap_or_default();
    let shown = filed.map(|filed| FiledReport::filed(filed, position, at));
    let body = serde_json::to_string(&shown).unwrap_or_default();
    Answer { status: 201, location: None, body, withheld: None, subject: None }
}

/// Lists what operators were told of, newest first; for operators.
#[utoipa::path(
    operation_id = "listReports",
    tag = "Moderation",
    params(
        ("subject" = Option<String>, Query, description = "Only about this message, post, reply, workspace, agent or owner"),
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
        subject: parameters.get("subject", "the id of a message, post, reply, workspace, agent or owner"),
        open: parameters.get("open", "true or false"),
        before: parameters.cursor(),
        limit: limit + 1,
        ..CaseFilter::default()
    };
    parameters.finish()?;
    let rows = app_of(&request).store.reports(&filter).await?;
    Ok(etag::answer(&request, &Page::of(rows, limit, |row: &ReportView| row.position, FiledReport::from)))
}
