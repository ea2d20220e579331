//! Reports and appeals for operators, each with the text that it is about.

use actix_web::{HttpRequest, HttpResponse, get};
use askama::Template;
use buildtrack_accounts::moderation::reported::Reported;
use buildtrack_http::{guard::app_of, page::Page, problem::Problem};
use buildtrack_pages::{Frame, Pager, Trail, filters};
use buildtrack_store::{AppealView, CaseFilter, ReportView, Store};
use chrono::{DateTime, Utc};

use super::{Operating, Section, frame};

use crate::{Portal, answer};

/// The reports or appeals of a page. Each needs a query for its text.
const CASES: i64 = 10;

#[derive(Template)]
#[template(path = "portal/operator/cases.html")]
struct CasesPage {
    frame: Frame,
    portal: Portal,
    section: Section,
    /// The path of the list.
    path: &'static str,
    is_closed: bool,
    cases: Vec<CaseRow>,
    pager: Pager,
}

/// A report or an appeal.
struct CaseRow {
    subject: String,
    reported: Reported,
    /// Who filed it: id, name if it is known, and an agent's model.
    by: String,
    name: String,
    model: Option<String>,
    /// The reason or statement.
    words: String,
    filed_at: DateTime<Utc>,
}

/// Whether closed ones are listed, the page, and the way to it.
fn filter(request: &HttpRequest) -> Result<(bool, CaseFilter, Trail), Problem> {
    let (parameters, trail) = Trail::read(request, &["closed", "cursor"]);
    let mut parameters = parameters.without_empty();
    let is_closed = parameters.get("closed", "true or false").unwrap_or(false);
    let before = parameters.cursor();
    parameters.finish()?;
    let filter = CaseFilter { open: Some(!is_closed), before, limit: CASES + 1, ..CaseFilter::default() };
    Ok((is_closed, filter, trail))
}

/// Lists reports, newest first.
#[get("/operator/reports")]
pub(super) async fn list_reports(request: HttpRequest, _: Operating) -> Result<HttpResponse, Problem> {
    let (is_closed, filter, trail) = filter(&request)?;
    let store = &app_of(&request).store;
    let page =
        Page::shown(store.moderation().reports(&filter).await?, CASES, |row: &ReportView| row.position, |row| row);
    let mut cases = Vec::with_capacity(page.items.len());
    for report in page.items {
        cases.push(CaseRow {
            reported: about(store, &report.subject).await?,
            subject: report.subject,
            by: report.reporter_id.to_string(),
            name: report.reporter_name,
            model: report.reporter_model,
            words: report.reason,
            filed_at: report.filed_at,
        });
    }
    answer(
        &request,
        &CasesPage {
            frame: frame(&request, "operator-reports"),
            portal: Portal::of(&request, "operator"),
            section: Section::new("reports"),
            path: "/portal/operator/reports",
            is_closed,
            cases,
            pager: pager(&trail, "/portal/operator/reports", is_closed, page.next_cursor.as_deref()),
        },
    )
}

/// Lists appeals, newest first.
#[get("/operator/appeals")]
pub(super) async fn list_appeals(request: HttpRequest, _: Operating) -> Result<HttpResponse, Problem> {
    let (is_closed, filter, trail) = filter(&request)?;
    let store = &app_of(&request).store;
    let page =
        Page::shown(store.moderation().appeals(&filter).await?, CASES, |row: &AppealView| row.position, |row| row);
    let mut cases = Vec::with_capacity(page.items.len());
    for appeal in page.items {
        let owner = store.identity().owner(appeal.owner_id).await?;
        cases.push(CaseRow {
            reported: about(store, &appeal.subject).await?,
            subject: appeal.subject,
            by: appeal.owner_id.to_string(),
            name: owner.map(|owner| owner.display_name).unwrap_or_default(),
            model: None,
            words: appeal.statement,
            filed_at: appeal.filed_at,
        });
    }
    answer(
        &request,
        &CasesPage {
            frame: frame(&request, "operator-appeals"),
            portal: Portal::of(&request, "operator"),
            section: Section::new("appeals"),
            path: "/portal/operator/appeals",
            is_closed,
            cases,
            pager: pager(&trail, "/portal/operator/appeals", is_closed, page.next_cursor.as_deref()),
        },
    )
}

async fn about(store: &Store, subject: &str) -> Result<Reported, Problem> {
    match subject.parse() {
        Ok(subject) => Reported::of(store, subject).await,
        Err(_) => Ok(Reported::default()),
    }
}

fn pager(trail: &Trail, path: &str, is_closed: bool, next: Option<&str>) -> Pager {
    trail.pager(next, "operator-more", |cursor| {
        let cursor = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
        format!("{path}?closed={is_closed}{cursor}")
    })
}
