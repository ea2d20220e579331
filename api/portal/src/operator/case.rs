//! One case: the text beside the reports and appeals about it, the decisions so far, and the next one.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use askama::Template;
use buildtrack_accounts::moderation::{decisions, reported::Reported, schemas::NewDecision};
use buildtrack_domain::moderation::{Action, SubjectId};
use buildtrack_http::{app::App, guard::app_of, idempotency::Key, problem::Problem, query::path_id};
use buildtrack_pages::{Frame, filters};
use buildtrack_store::{AppealView, CaseFilter, DecisionView, ReportView};

use super::{Operating, Section, named_frame};

use crate::{
    Portal, answer,
    form::{Entered, Form},
    notices::notice_of,
    refused, see,
};

/// The reports, appeals and decisions on the page, of each.
const ROWS: i64 = 50;

/// A subject with all that is known about its case.
struct Case {
    subject: SubjectId,
    reported: Reported,
    reports: Vec<ReportView>,
    appeals: Vec<AppealView>,
    /// The decisions with the keys of their actions' names.
    decisions: Vec<(DecisionView, &'static str)>,
}

impl Case {
    /// Reads a case. A subject without texts and without a case is not found.
    async fn of(app: &App, subject: SubjectId) -> Result<Self, Problem> {
        let store = &app.store;
        let filter = CaseFilter { subject: Some(subject), limit: ROWS, ..CaseFilter::default() };
        let case = Self {
            subject,
            reported: Reported::of(store, subject).await?,
            reports: store.moderation().reports(&filter).await?,
            appeals: store.moderation().appeals(&filter).await?,
            decisions: named(store.moderation().decisions(&filter).await?),
        };
        let is_known = case.has_text() || !case.reports.is_empty() || !case.decisions.is_empty();
        if is_known { Ok(case) } else { Err(Problem::not_found("subject")) }
    }

    fn has_text(&self) -> bool {
        !self.reported.title.is_empty() || !self.reported.text.is_empty()
    }

    fn is_reported(&self) -> bool {
        self.reports.iter().any(|report| report.closed_position.is_none())
    }

    fn is_appealed(&self) -> bool {
        self.appeals.iter().any(|appeal| appeal.closed_position.is_none())
    }

    /// The actions that change something, with the keys of their names.
    fn actions(&self) -> Vec<(&'static str, &'static str)> {
        let (is_actor, is_suspended) = (self.subject.actor().is_some(), self.reported.is_suspended);
        let fits = |action: &Action| match action {
            Action::Hide => self.has_text() && !self.reported.is_hidden,
            Action::Restore => self.reported.is_hidden,
            Action::Erase => self.has_text(),
            Action::Suspend => is_actor && !is_suspended,
            Action::Reinstate => is_actor && is_suspended,
            Action::Dismiss => self.is_reported(),
            Action::Uphold => self.is_appealed(),
        };
        Action::ALL.into_iter().filter(fits).map(|action| (action.as_str(), action_text(action))).collect()
    }
}

/// Decisions with the keys of their actions' names.
pub(super) fn named(decisions: Vec<DecisionView>) -> Vec<(DecisionView, &'static str)> {
    let name = |decision: DecisionView| {
        let action = decision.action;
        (decision, action_text(action))
    };
    decisions.into_iter().map(name).collect()
}

/// The key of an action's name.
pub(super) fn action_text(action: Action) -> &'static str {
    match action {
        Action::Hide => "operator-action-hide",
        Action::Restore => "operator-action-restore",
        Action::Erase => "operator-action-erase",
        Action::Suspend => "operator-action-suspend",
        Action::Reinstate => "operator-action-reinstate",
        Action::Dismiss => "operator-action-dismiss",
        Action::Uphold => "operator-action-uphold",
    }
}

#[derive(Template)]
#[template(path = "portal/operator/case.html")]
struct CasePage {
    frame: Frame,
    portal: Portal,
    section: Section,
    case: Case,
    /// What was entered into the form.
    entered: Entered,
}

impl CasePage {
    fn new(portal: Portal, done: Option<&'static str>, case: Case, entered: Entered) -> Self {
        let tab = if case.is_appealed() { "appeals" } else { "reports" };
        let title = case.subject.to_string();
        Self { frame: named_frame(&title), portal, section: Section { tab, done }, case, entered }
    }
}

/// Shows a case.
#[get("/operator/cases/{subject}")]
pub(super) async fn show(request: HttpRequest, subject: Path<String>, _: Operating) -> Result<HttpResponse, Problem> {
    let done = notice_of(&request, &[("decided", "operator-decided")])?;
    let case = Case::of(&app_of(&request), path_id(&subject, "subject")?).await?;
    answer(&request, &CasePage::new(Portal::of(&request, "operator"), done, case, Entered::default()))
}

/// Decides a case.
#[post("/operator/decisions")]
pub(super) async fn decide(
    request: HttpRequest,
    operator: Operating,
    form: Form<NewDecision>,
) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let app = app_of(&request);
    let subject = decisions::subject(entered.text("subject"))?;
    let decided = async { decisions::make(&app, &operator.0, &body?, &Key::default()).await }.await;
    let Err(problem) = decided else { return Ok(see(&format!("/portal/operator/cases/{subject}?done=decided"))) };
    let case = Case::of(&app, subject).await?;
    Err(refused(&request, problem, Portal::of(&request, "operator"), |portal| {
        CasePage::new(portal, None, case, entered)
    }))
}
