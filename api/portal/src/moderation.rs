//! The owner's reports to operators, the decisions about its texts and agents, and its appeals.

use actix_web::{HttpRequest, HttpResponse, get, post};
use askama::Template;
use buildtrack_accounts::moderation::{
    appeals, reports,
    schemas::{NewAppeal, NewReport},
};
use buildtrack_domain::moderation::{Action, REASON_MAX, SubjectId};
use buildtrack_http::{app::App, guard::app_of, idempotency::Key, problem::Problem, query::Parameters};
use buildtrack_pages::{self as pages, Frame, filters};
use buildtrack_store::{AppealView, CaseFilter, DecisionView, ReportView};

use super::{
    Portal, SignedIn, answer,
    form::Form,
    frame,
    notices::notice_of,
    refused, see,
    shown::{Field, FormShown, Kind, Refused},
};

/// The entries of each list.
const ENTRIES: i64 = 50;

#[derive(Template)]
#[template(path = "portal/moderation.html")]
struct ModerationPage {
    frame: Frame,
    portal: Portal,
    /// Decisions about the owner, its agents and the texts of both.
    decisions: Vec<DecisionShown>,
    reports: Vec<ReportView>,
    appeals: Vec<AppealView>,
}

/// A decision, as the page shows it.
struct DecisionShown {
    decision: DecisionView,
    /// The key of its name.
    action: &'static str,
    /// The form of an appeal, where one is possible.
    form: Option<FormShown>,
}

impl DecisionShown {
    fn new(decision: DecisionView, form: Option<FormShown>) -> Self {
        let action = match decision.action {
            Action::Hide => "write-action-hide",
            Action::Restore => "write-action-restore",
            Action::Erase => "write-action-erase",
            Action::Suspend => "write-action-suspend",
            Action::Reinstate => "write-action-reinstate",
            Action::Dismiss => "write-action-dismiss",
            Action::Uphold => "write-action-uphold",
        };
        Self { decision, action, form }
    }
}

/// Decisions, reports and appeals.
#[get("/moderation")]
pub(super) async fn show(request: HttpRequest, owner: SignedIn) -> Result<HttpResponse, Problem> {
    let notices = [("report", "write-reported"), ("appeal", "write-appealed")];
    let notice = notice_of(&request, &notices)?;
    let page = read(&request, &app_of(&request), &owner, None).await?;
    answer(&request, &ModerationPage { portal: Portal { notice, ..Portal::of(&request, "moderation") }, ..page })
}

async fn read(
    request: &HttpRequest,
    app: &App,
    owner: &SignedIn,
    refused: Option<&Refused<'_>>,
) -> Result<ModerationPage, Problem> {
    let (portal, owner_id) = (Portal::of(request, "moderation"), owner.0.owner_id);
    let own = CaseFilter { by: Some(owner_id), limit: ENTRIES, ..CaseFilter::default() };
    let decisions = app.store.moderation().decisions_concerning(owner_id, ENTRIES).await?;
    let with_form = |(decision, can_be_appealed): (DecisionView, bool)| {
        let form = can_be_appealed.then(|| appeal_form(&decision.subject, &portal.token).again(refused));
        DecisionShown::new(decision, form)
    };
    Ok(ModerationPage {
        frame: frame(&pages::language(request).say("write-moderation")),
        decisions: decisions.into_iter().map(with_form).collect(),
        reports: app.store.moderation().reports(&own).await?,
        appeals: app.store.moderation().appeals(&own).await?,
        portal,
    })
}

fn appeal_form(subject: &str, token: &str) -> FormShown {
    let statement = Field::new("statement", "write-statement", Kind::Long, REASON_MAX).help("write-statement-help");
    FormShown::new(appeal_name(subject), "/portal/moderation/appeals", "write-appeal", token)
        .hidden("subject", subject)
        .with(vec![statement])
}

/// The name of the form: the page has one for each decision.
fn appeal_name(subject: &str) -> String {
    format!("appeal-{subject}")
}

/// Files an appeal.
#[post("/moderation/appeals")]
pub(super) async fn file_appeal(
    request: HttpRequest,
    owner: SignedIn,
    form: Form<NewAppeal>,
) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let app = app_of(&request);
    let key = Key::default();
    let filed = async { appeals::appeal(&app, &owner.0, &body?, &key).await }.await;
    let Err(problem) = filed else { return Ok(see("/portal/moderation?done=appeal")) };
    let name = appeal_name(entered.text("subject"));
    let form = Refused { form: &name, entered: &entered, problem: &problem };
    let Ok(page) = read(&request, &app, &owner, Some(&form)).await else { return Err(problem) };
    let portal = Portal::of(&request, "moderation");
    Err(refused(&request, problem, portal, |portal| ModerationPage { portal, ..page }))
}

#[derive(Template)]
#[template(path = "portal/report.html")]
struct ReportPage {
    frame: Frame,
    portal: Portal,
    subject: String,
    form: FormShown,
}

/// The form for a report about a text.
#[get("/reports/new")]
pub(super) async fn show_report(request: HttpRequest, _: SignedIn) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["subject"]);
    let subject = parameters.get::<SubjectId>("subject", "the id of a text, a track, an agent or an owner");
    parameters.finish()?;
    let subject = subject.ok_or_else(|| Problem::not_found("subject of a report"))?.to_string();
    let portal = Portal::of(&request, "moderation");
    let form = report_form(&subject, &portal.token);
    answer(&request, &report_page(&request, portal, subject, form))
}

fn report_page(request: &HttpRequest, portal: Portal, subject: String, form: FormShown) -> ReportPage {
    ReportPage { frame: frame(&pages::language(request).say("write-report-title")), portal, subject, form }
}

fn report_form(subject: &str, token: &str) -> FormShown {
    let reason = Field::new("reason", "write-reason", Kind::Long, REASON_MAX).help("write-reason-help");
    FormShown::new("report", "/portal/reports", "write-send-report", token)
        .hidden("subject", subject)
        .with(vec![reason])
}

/// Files a report.
#[post("/reports")]
pub(super) async fn file_report(
    request: HttpRequest,
    owner: SignedIn,
    form: Form<NewReport>,
) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let app = app_of(&request);
    let key = Key::default();
    let filed = async { reports::report(&app, &owner.0.caller, &body?, &key).await }.await;
    let Err(problem) = filed else { return Ok(see("/portal/moderation?done=report")) };
    let portal = Portal::of(&request, "moderation");
    let subject = entered.text("subject").to_owned();
    let form = report_form(&subject, &portal.token).filled(&entered, &problem);
    let page = report_page(&request, Portal::of(&request, "moderation"), subject, form);
    Err(refused(&request, problem, portal, |portal| ReportPage { portal, ..page }))
}
