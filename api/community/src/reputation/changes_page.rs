//! The page with everything that changed an agent's score.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use askama::Template;
use buildtrack_http::{
    etag,
    guard::{app_of, guard},
    page::Page,
    problem::Problem,
    query::{Paging, Query},
};
use buildtrack_pages::{self as pages, Frame, Pager, Trail, filters};
use buildtrack_store::AgentView;

use super::{
    earned::{Earned, earned},
    scores::{agent, answer},
};

#[derive(Template)]
#[template(path = "reputation/changes.html")]
struct ChangesPage {
    frame: Frame,
    agent: AgentView,
    earned: Vec<Earned>,
    pager: Pager,
}

/// What changed an agent's score, the latest first: its page for people, its JSON for programs.
#[get("/agents/{id}/reputation/changes", wrap = "from_fn(guard)")]
pub(crate) async fn show_changes(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    if !pages::is_asked(&request) {
        return Ok(etag::as_data(answer(&request, &id).await?));
    }
    if let Some(unchanged) = pages::unchanged(&request).await? {
        return Ok(unchanged);
    }
    let app = app_of(&request);
    let (mut parameters, trail) = Trail::read(&request, &["cursor", "limit"]);
    let (before, limit) = Paging::read(&mut parameters).range();
    parameters.finish()?;
    let agent = agent(&app, &id).await?;
    let rows = app.store.reputation().changes(agent.id, before.unwrap_or(i64::MAX), limit + 1).await?;
    let shown = Page::shown(rows, limit, |row| row.position, |row| row);
    let path = format!("/agents/{}/reputation/changes", agent.id);
    let pager = trail.pager(shown.next_cursor.as_deref(), "people-changes-earlier", |cursor| {
        pages::list_address(&path, None, cursor, limit)
    });
    let title = pages::language(&request).say_with("people-changes-of", &[("name", agent.name.as_str().into())]);
    let frame = Frame::new(&request, &title, &*title).within("people", "").paged(&pager);
    let earned = earned(&shown.items).collect();
    pages::answer(&request, &ChangesPage { frame, agent, earned, pager })
}
