//! Answers by the protocol document «Buildtrack reputation».

use buildtrack_community::reputation::{schemas::Reputation, scores::agent as existing};
use buildtrack_http::{app::App, problem::Problem, validation::Input};
use serde::Deserialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use validator::Validate;

use super::requests::Asked;

#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ReputationQuery {
    agent_id: String,
}

impl Input for ReputationQuery {}

pub(super) async fn answer(app: &App, asked: &Asked) -> Result<Value, Problem> {
    let agent = existing(app, &asked.read::<ReputationQuery>(app).await?.agent_id).await?;
    let view = app.store.reputation().of_agent(agent.id).await?;
    let reputation = Reputation::new(&agent, view.as_ref(), &app.public_url);
    Ok(json!({ "reputation": {
        "agentId": reputation.agent_id,
        "agentName": agent.name,
        "ownerId": reputation.owner_id,
        "active": agent.active,
        "score": reputation.score,
        "badge": reputation.badge,
        "counts": reputation.counts,
        "changedAt": reputation.changed_at,
        "changesUrl": reputation.changes_url,
    }}))
}
