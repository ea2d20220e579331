//! One user for operators: agents, limits, decisions, and the forms that change them.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use askama::Template;
use buildtrack_accounts::identity::acts;
use buildtrack_domain::{
    ids::{AgentId, OwnerId},
    limits::Tier,
    moderation::SubjectId,
};
use buildtrack_http::{app::App, guard::app_of, problem::Problem, query::path_id};
use buildtrack_pages::{Frame, filters};
use buildtrack_store::{AgentFilter, AgentView, CaseFilter, DecisionView, OwnerView};

use super::{Operating, Section, case, invalid, named_frame, reason};

use crate::{
    Portal, answer,
    form::{Entered, Pressed},
    notices::notice_of,
    refused, see,
};

/// The agents on the page; more than one owner may have by default.
const AGENTS: i64 = 200;
/// The decisions on the page.
const DECISIONS: i64 = 20;

/// What operators see of a user.
struct User {
    owner: OwnerView,
    /// The maximum number of active agents, and how many there are.
    limit: u32,
    active: i64,
    /// The agents, newest first, with their requests a minute.
    agents: Vec<(AgentView, u32)>,
    /// The newest decisions, with the keys of their actions' names.
    decisions: Vec<(DecisionView, &'static str)>,
    /// Whether it is the account of the operator who looks at it.
    is_self: bool,
}

impl User {
    async fn of(app: &App, owner_id: OwnerId, operator: &Operating) -> Result<Self, Problem> {
        let store = &app.store;
        let owner = store.identity().owner(owner_id).await?.ok_or_else(|| Problem::not_found("owner"))?;
        let filter = AgentFilter { owner: Some(owner_id), text: None, inactive: true, before: None, limit: AGENTS };
        let agents = store.identity().agents(&filter).await?.rows.into_iter().map(|agent| {
            let requests = app.settings.rate_limits.tier(agent.tier).requests();
            (agent, requests)
        });
        let subject = Some(SubjectId::from(owner_id));
        Ok(Self {
            limit: store.identity().agent_limit(owner_id).await?.unwrap_or(app.settings.agents_per_owner.get()),
            active: store.identity().agents_of(owner_id, store.log().clock().now()).await?.0,
            decisions: case::named(
                store
                    .moderation()
                    .decisions(&CaseFilter { subject, limit: DECISIONS, ..CaseFilter::default() })
                    .await?,
            ),
            is_self: owner_id == operator.0.owner_id,
            agents: agents.collect(),
            owner,
        })
    }
}

#[derive(Template)]
#[template(path = "portal/operator/user.html")]
struct UserPage {
    frame: Frame,
    portal: Portal,
    section: Section,
    user: User,
    /// The form that was sent and changed nothing, with what was entered.
    sent: &'static str,
    entered: Entered,
}

impl UserPage {
    fn new(portal: Portal, section: Section, user: User, (sent, entered): (&'static str, Entered)) -> Self {
        Self { frame: named_frame(&user.owner.display_name), portal, section, user, sent, entered }
    }
}

/// Shows a user.
#[get("/operator/users/{id}")]
pub(super) async fn show(request: HttpRequest, id: Path<String>, operator: Operating) -> Result<HttpResponse, Problem> {
    let done = notice_of(&request, &[("limit", "operator-limit-done"), ("tier", "operator-tier-done")])?;
    let user = User::of(&app_of(&request), path_id(&id, "owner")?, &operator).await?;
    let (portal, section) = (Portal::of(&request, "operator"), Section { tab: "users", done });
    answer(&request, &UserPage::new(portal, section, user, ("", Entered::default())))
}

/// Sets how many active agents a user may have.
#[post("/operator/users/{id}/limit")]
pub(super) async fn set_limit(
    request: HttpRequest,
    id: Path<String>,
    operator: Operating,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let owner_id: OwnerId = path_id(&id, "owner")?;
    let (app, Pressed(entered)) = (app_of(&request), pressed);
    let set = async {
        let limit: Result<u32, _> = entered.text("limit").trim().parse();
        let limit = limit.map_err(|_| invalid("/limit", "The limit: expected a number from 0 to 4294967295"))?;
        acts::set_agent_limit(&app, &operator.0, (owner_id, limit), &reason(&entered)?).await
    }
    .await;
    match set {
        Ok(()) => Ok(see(&format!("/portal/operator/users/{owner_id}?done=limit"))),
        Err(problem) => Err(shown_again(&request, (owner_id, &operator), problem, ("limit", entered)).await),
    }
}

/// Sets the tier of one of a user's agents.
#[post("/operator/users/{id}/tier")]
pub(super) async fn set_tier(
    request: HttpRequest,
    id: Path<String>,
    operator: Operating,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let owner_id: OwnerId = path_id(&id, "owner")?;
    let (app, Pressed(entered)) = (app_of(&request), pressed);
    let set = async {
        let agent_id: Result<AgentId, _> = entered.text("agent").parse();
        let agent_id = agent_id.map_err(|_| invalid("/agent", "The agent: expected one of the list"))?;
        let tier: Result<Tier, _> = entered.text("tier").parse();
        let tier = tier.map_err(|_| invalid("/tier", "The tier: expected free, pro or enterprise"))?;
        acts::set_tier(&app, &operator.0, (agent_id, tier), &reason(&entered)?).await
    }
    .await;
    match set {
        Ok(()) => Ok(see(&format!("/portal/operator/users/{owner_id}?done=tier"))),
        Err(problem) => Err(shown_again(&request, (owner_id, &operator), problem, ("tier", entered)).await),
    }
}

/// Keeps the user's page for a problem, with what was entered.
async fn shown_again(
    request: &HttpRequest,
    (owner_id, operator): (OwnerId, &Operating),
    problem: Problem,
    sent: (&'static str, Entered),
) -> Problem {
    match User::of(&app_of(request), owner_id, operator).await {
        Ok(user) => refused(request, problem, Portal::of(request, "operator"), |portal| {
            UserPage::new(portal, Section::new("users"), user, sent)
        }),
        Err(unknown) => unknown,
    }
}
