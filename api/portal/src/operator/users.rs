//! The list of users for operators.

use actix_web::{HttpRequest, HttpResponse, get};
use askama::Template;
use buildtrack_domain::ids::{AgentId, OwnerId};
use buildtrack_http::{
    app::App,
    guard::app_of,
    page::{IdCursor, Page},
    problem::Problem,
};
use buildtrack_pages::{Frame, Pager, Trail, encoded, filters};
use buildtrack_store::{ListedOwners, OwnerFilter, OwnerView};

use super::{Operating, Section, frame};

use crate::{Portal, answer, see};

/// The users of a page.
const USERS: i64 = 30;

#[derive(Template)]
#[template(path = "portal/operator/users.html")]
struct UsersPage {
    frame: Frame,
    portal: Portal,
    section: Section,
    query: String,
    users: Vec<OwnerView>,
    pager: Pager,
}

/// Users, newest first. A search for an id or an e-mail address leads to its user.
#[get("/operator/users")]
pub(super) async fn list(request: HttpRequest, _: Operating) -> Result<HttpResponse, Problem> {
    let (parameters, trail) = Trail::read(&request, &["q", "cursor"]);
    let mut parameters = parameters.without_empty();
    let query = parameters.text("q").unwrap_or_default().trim().to_owned();
    let before = parameters.get::<IdCursor<OwnerId>>("cursor", "the cursor of a previous page").map(|cursor| cursor.0);
    parameters.finish()?;
    let app = app_of(&request);
    if let Some(owner_id) = find(&app, &query).await? {
        return Ok(see(&format!("/portal/operator/users/{owner_id}")));
    }
    let text = Some(query.clone()).filter(|text| !text.is_empty());
    let ListedOwners { rows, scanned_to } =
        app.store.identity().owners(&OwnerFilter { text, before, limit: USERS + 1 }).await?;
    let Page { items: users, next_cursor } =
        Page::shown_by_id(rows, USERS, |owner: &OwnerView| owner.id, |owner| owner);
    let next = next_cursor.or_else(|| scanned_to.map(|id| format!("{}{id}", IdCursor::<OwnerId>::MARK)));
    answer(
        &request,
        &UsersPage {
            frame: frame(&request, "operator-users"),
            portal: Portal::of(&request, "operator"),
            section: Section::new("users"),
            pager: trail.pager(next.as_deref(), "operator-more", |cursor| {
                let cursor = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
                format!("/portal/operator/users?q={}{cursor}", encoded(&query))
            }),
            query,
            users,
        },
    )
}

/// The user with this id or e-mail address, or with an agent of this id.
async fn find(app: &App, query: &str) -> Result<Option<OwnerId>, Problem> {
    let store = &app.store;
    if let Ok(owner_id) = query.parse::<OwnerId>() {
        return Ok(store.identity().owner(owner_id).await?.map(|owner| owner.id));
    }
    if let Ok(agent_id) = query.parse::<AgentId>() {
        return Ok(store.identity().agent(agent_id).await?.map(|agent| agent.owner_id));
    }
    if query.contains('@') {
        return Ok(store.identity().account_with_email(query).await?.map(|(owner_id, _)| owner_id));
    }
    Ok(None)
}
