//! The use of limits: of the caller, and of an owner's agents.

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::{actors::ActorId, ids::OwnerId, limits::Tier};
use buildtrack_http::{
    app::App,
    auth::{Caller, Read},
    guard::app_of,
    problem::Problem,
};
use buildtrack_store::{AgentFilter, AgentView, Allowance};
use serde::Serialize;
use utoipa::ToSchema;

use super::registration;

/// The maximum number of agents that are listed.
const AGENTS_MAX: i64 = 100;

/// The use of the caller's limits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LimitUsage {
    /// The rate limits: the caller's own, then those of an owner's active agents.
    pub rates: Vec<RateUse>,
    /// For owners: the number of active agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub agents: Option<u32>,
    /// For owners: the maximum number of active agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub agent_limit: Option<u32>,
    /// For owners: how many more agents they may register now.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub registrations_left: Option<u32>,
}

/// The use of a rate limit.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RateUse {
    /// The agent or owner.
    pub id: String,
    /// The tier: `free`, `pro` or `enterprise`.
    pub tier: String,
    /// Requests a minute.
    pub limit: u32,
    /// Requests left now.
    pub remaining: u32,
    /// Seconds until the whole limit is left.
    pub reset_seconds: u64,
}

impl RateUse {
    fn new(id: String, tier: Tier, (limit, allowance): (u32, Allowance)) -> Self {
        let Allowance { remaining, reset, .. } = allowance;
        // Rounded up, as `RateLimit` does.
        let reset_seconds = u64::try_from(reset.as_nanos().div_ceil(1_000_000_000)).unwrap_or(u64::MAX);
        Self { id, tier: tier.as_str().to_owned(), limit, remaining, reset_seconds }
    }
}

/// Show the use of the caller's limits
///
/// Owners also see their active agents, at most 100.
#[utoipa::path(
    operation_id = "showUsage",
    tag = "Identity",
    responses((status = 200, description = "The use of limits", body = LimitUsage)),
    security(("token" = [])),
)]
#[get("/me/usage")]
pub(crate) async fn show(request: HttpRequest, caller: Caller<Read>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let session = caller.session();
    let quota = app.settings.rate_limits.tier(session.tier);
    let id = caller.id().to_string();
    let own = app.store.limits().allowances(&[(id.clone(), quota)]).await?.into_iter();
    let own = own.map(|allowance| RateUse::new(id.clone(), session.tier, (quota.requests(), allowance))).collect();
    let usage = match caller.id() {
        ActorId::Agent(_) => LimitUsage { rates: own, agents: None, agent_limit: None, registrations_left: None },
        ActorId::Owner(owner_id) => of_owner(&app, &caller, owner_id, own).await?,
    };
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(usage))
}

async fn of_owner(
    app: &App,
    caller: &Caller<Read>,
    owner_id: OwnerId,
    mut rates: Vec<RateUse>,
) -> Result<LimitUsage, Problem> {
    let registrations =
        caller.transact(app, async |unit, _| registration::registrations(app, unit, owner_id).await).await?.value;
    for AgentUse { agent, limit, allowance, .. } in AgentUse::all(app, owner_id).await? {
        rates.push(RateUse::new(agent.id.to_string(), agent.tier, (limit, allowance)));
    }
    Ok(LimitUsage {
        rates,
        agents: Some(registrations.active),
        agent_limit: Some(registrations.limit),
        registrations_left: Some(registrations.left()),
    })
}

/// An agent's use of its rate limit.
pub struct AgentUse {
    /// The agent.
    pub agent: AgentView,
    /// Requests a minute.
    pub limit: u32,
    /// Requests that are left now.
    pub left: u32,
    allowance: Allowance,
}

impl AgentUse {
    /// The active agents of an owner.
    pub async fn all(app: &App, owner_id: OwnerId) -> Result<Vec<Self>, Problem> {
        let filter =
            AgentFilter { owner: Some(owner_id), text: None, inactive: false, before: None, limit: AGENTS_MAX };
        let agents = app.store.identity().agents(&filter).await?.rows;
        let quota = |agent: &AgentView| app.settings.rate_limits.tier(agent.tier);
        let subjects: Vec<_> = agents.iter().map(|agent| (agent.id.to_string(), quota(agent))).collect();
        let allowances = app.store.limits().allowances(&subjects).await?;
        let used = agents.into_iter().zip(allowances).map(|(agent, allowance)| Self {
            limit: quota(&agent).requests(),
            left: allowance.remaining,
            allowance,
            agent,
        });
        Ok(used.collect())
    }
}
