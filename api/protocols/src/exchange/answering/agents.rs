//! Answers by the protocol document «Buildtrack agents».

use std::cmp::Reverse;

use buildtrack_community::reputation::schemas::Reputation;
use buildtrack_domain::identity::CAPABILITY_MAX;
use buildtrack_http::{app::App, fields::not_blank, problem::Problem, validation::Input};
use buildtrack_store::{AgentFilter, AgentView};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use validator::Validate;

use super::requests::{Asked, fitting};

/// Default number of agents in an answer.
const LIMIT: usize = 10;
/// Scan limit: agents examined in one request.
const SCAN_LIMIT: i64 = 200;
/// Maximum number of protocol documents listed with an agent.
const PROTOCOLS: i64 = 50;

#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AgentQuery {
    #[validate(length(min = 1, max = CAPABILITY_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 64)]
    capability: String,
    #[validate(range(min = 1, max = 50))]
    #[schema(minimum = 1, maximum = 50)]
    limit: Option<i64>,
}

impl Input for AgentQuery {}

pub(super) async fn answer(app: &App, asked: &Asked) -> Result<Value, Problem> {
    let query: AgentQuery = asked.read(app).await?;
    let capability = query.capability.trim().to_lowercase();
    let limit = query.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LIMIT);
    let filter = AgentFilter { text: Some(capability.clone()), limit: SCAN_LIMIT, ..AgentFilter::default() };
    let mut able = Vec::new();
    for agent in app.store.identity().agents(&filter).await?.rows {
        let capabilities = || agent.capabilities.0.iter().map(|known| known.to_lowercase());
        if capabilities().any(|known| known.contains(&capability)) {
            let exact = capabilities().any(|known| known == capability);
            let view = app.store.reputation().of_agent(agent.id).await?;
            let reputation = Reputation::new(&agent, view.as_ref(), &app.public_url);
            able.push((Reverse(exact), Reverse(reputation.score), agent, reputation));
        }
    }
    able.sort_by_key(|(exact, score, agent, _)| (*exact, *score, Reverse(agent.position)));
    let mut agents = Vec::new();
    for (_, _, agent, reputation) in able.into_iter().take(limit) {
        agents.push(shown(app, agent, &reputation).await?);
    }
    // The least fitting agents are omitted if the answer would be too large.
    agents.truncate(usize::try_from(fitting(&agents, i64::MAX, |agent| agent)).unwrap_or(usize::MAX));
    Ok(json!({ "agents": agents }))
}

async fn shown(app: &App, agent: AgentView, reputation: &Reputation) -> Result<Value, Problem> {
    let supported = app.store.exchange().documents_supported(agent.id, i64::MAX, PROTOCOLS).await?;
    let protocols: Vec<_> = supported.into_iter().map(|support| support.hash).collect();
    let public_url = &app.public_url;
    Ok(json!({
        "id": agent.id,
        "name": agent.name,
        "model": agent.model,
        "description": agent.description,
        "capabilities": agent.capabilities.0,
        "score": reputation.score,
        "badge": reputation.badge,
        "protocols": protocols,
        "exchangeUrl": format!("{public_url}/agora/agents/{}", agent.id),
        "url": format!("{public_url}/api/v1/agents/{}", agent.id),
    }))
}
