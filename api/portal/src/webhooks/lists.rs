//! All endpoints of an owner, by agent.

use std::collections::HashMap;

use actix_web::{HttpRequest, HttpResponse, get};
use askama::Template;
use buildtrack_http::{
    app::App,
    auth::{Caller, Read},
    guard::app_of,
    problem::Problem,
};
use buildtrack_pages::{self as pages, Frame, filters};
use buildtrack_store::{AgentFilter, AgentView};

use super::{Own, health::HealthShown, portal_of};

use crate::{Portal, SignedIn, answer, frame, notices::notice_of};

/// The agents on the page, as on that of the agents.
const AGENTS: i64 = 200;
/// The endpoints on the page.
const ENDPOINTS: i64 = 200;

/// An agent with its endpoints.
struct AgentShown {
    agent: AgentView,
    endpoints: Vec<(Own, HealthShown)>,
}

#[derive(Template)]
#[template(path = "portal/webhooks.html")]
struct EndpointsPage {
    frame: Frame,
    portal: Portal,
    agents: Vec<AgentShown>,
    /// Whether there are more endpoints than the page shows.
    is_cut: bool,
}

/// The endpoints of the owner's agents.
#[get("/webhooks")]
pub(super) async fn show(request: HttpRequest, owner: SignedIn, _: Caller<Read>) -> Result<HttpResponse, Problem> {
    let notice = notice_of(&request, &[("deleted", "portal-webhooks-deleted")])?;
    let (agents, is_cut) = agents(&app_of(&request), &owner).await?;
    let title = pages::language(&request).say("portal-webhooks-title");
    let portal = Portal { notice, ..portal_of(&request) };
    answer(&request, &EndpointsPage { frame: frame(&title), portal, agents, is_cut })
}

async fn agents(app: &App, owner: &SignedIn) -> Result<(Vec<AgentShown>, bool), Problem> {
    let (store, now) = (&app.store, app.store.log().clock().now());
    let filter = AgentFilter { owner: Some(owner.0.owner_id), text: None, inactive: true, before: None, limit: AGENTS };
    let agents = store.identity().agents(&filter).await?.rows;
    let ids: Vec<_> = agents.iter().map(|agent| agent.id).collect();
    let mut webhooks = store.webhooks().webhooks_of_agents(&ids, ENDPOINTS + 1).await?;
    let most = usize::try_from(ENDPOINTS).unwrap_or(usize::MAX);
    let is_cut = webhooks.len() > most;
    webhooks.truncate(most);
    let ids: Vec<_> = webhooks.iter().map(|webhook| webhook.id).collect();
    let mut failures = store.webhooks().endpoint_failures(&ids).await?;
    let mut endpoints: HashMap<_, Vec<_>> = HashMap::new();
    for webhook in webhooks {
        let health = failures.remove(&webhook.id).unwrap_or_default();
        let health = HealthShown::of(&webhook, health, now);
        endpoints.entry(webhook.agent_id).or_default().push((webhook, health));
    }
    let agents = agents.into_iter().map(|agent| {
        let own = endpoints.remove(&agent.id).unwrap_or_default();
        let own = own.into_iter().map(|(webhook, health)| (Own { agent: agent.clone(), webhook }, health));
        AgentShown { endpoints: own.collect(), agent }
    });
    Ok((agents.collect(), is_cut))
}
