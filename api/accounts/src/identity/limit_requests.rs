//! Requests of owners for higher limits. The portal files them; operators decide, in the portal or with `buildtrack admin`.

use buildtrack_domain::{
    decide::Command,
    identity::{
        AGENTS_ASKED_MAX, Act, Agent, AskedLimit, DecideLimitRequest, FileLimitRequest, FilingLimitRequest,
        LIMIT_REASON_MAX, LimitRequestDecided, LimitRequestError, LimitRequestFiled, LimitRequests, Owner,
        SetAgentLimit, SetTier,
    },
    ids::{AgentId, OwnerId},
    limits::Tier,
};
use buildtrack_http::{
    app::App,
    auth::{Operator, OwnerCaller},
    fields::{id_of, not_blank},
    problem::{FieldError, Problem},
    query::path_id,
    validation::Input,
};
use buildtrack_store::{Store, Unit};
use serde::Deserialize;
use utoipa::ToSchema;
use validator::Validate;

use super::acts::record_act;

/// A request for a higher limit: a number of active agents, or a tier for an agent.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NewLimitRequest {
    /// The number of active agents.
    #[validate(range(min = 1, max = AGENTS_ASKED_MAX))]
    #[schema(minimum = 1, maximum = 10000)]
    pub agents: Option<u32>,
    /// The agent whose tier is to change.
    #[validate(custom(function = id_of::<AgentId>))]
    pub agent_id: Option<String>,
    /// The tier.
    pub tier: Option<AskedTier>,
    /// The reason; 1 to 2000 characters. Operators read it.
    #[validate(length(min = 1, max = LIMIT_REASON_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 2000)]
    pub reason: String,
}

impl Input for NewLimitRequest {}

/// A tier above the first one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AskedTier {
    /// See [`Tier::Pro`].
    Pro,
    /// See [`Tier::Enterprise`].
    Enterprise,
}

impl From<AskedTier> for Tier {
    fn from(tier: AskedTier) -> Self {
        match tier {
            AskedTier::Pro => Self::Pro,
            AskedTier::Enterprise => Self::Enterprise,
        }
    }
}

/// A decision about the open request of an owner.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LimitDecision {
    /// The owner that asks.
    #[validate(custom(function = id_of::<OwnerId>))]
    pub owner_id: String,
    /// The decision.
    pub outcome: LimitOutcome,
    /// The reason; 1 to 2000 characters. The owner reads it.
    #[validate(length(min = 1, max = LIMIT_REASON_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 2000)]
    pub reason: String,
}

impl Input for LimitDecision {}

/// Whether a request is granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LimitOutcome {
    /// The owner gets what it asks for.
    Grant,
    /// The limit stays.
    Refuse,
}

/// Files a request of the owner.
pub async fn ask(app: &App, owner: &OwnerCaller, body: &NewLimitRequest) -> Result<(), Problem> {
    let (owner_id, limit) = (owner.owner_id, asked(body)?);
    let agent_id = match limit {
        AskedLimit::Agents(_) => None,
        AskedLimit::Tier { agent_id, .. } => Some(agent_id),
    };
    owner
        .caller
        .transact(app, async |unit, _| {
            let requests = unit.load::<LimitRequests>(LimitRequests::stream(owner_id)).await?;
            let agent = unit.load_named::<Agent>(agent_id).await?;
            let states =
                FilingLimitRequest { requests: &requests.state, agent: agent.as_ref().map(|agent| &*agent.state) };
            let command = FileLimitRequest(LimitRequestFiled { owner_id, limit, reason: body.reason.clone() });
            unit.append(LimitRequests::stream(owner_id), &requests, command.decide(states)?);
            Ok(())
        })
        .await?;
    Ok(())
}

fn asked(body: &NewLimitRequest) -> Result<AskedLimit, Problem> {
    match (body.agents, &body.agent_id, body.tier) {
        (Some(limit), None, None) => Ok(AskedLimit::Agents(limit)),
        (None, Some(agent_id), Some(tier)) => {
            Ok(AskedLimit::Tier { agent_id: path_id(agent_id, "agent")?, tier: tier.into() })
        }
        _ => {
            let message = "a request is about either a number of agents, or the tier of one agent";
            let hint = "Give \"agents\", or \"agentId\" and \"tier\".";
            Err(Problem::invalid(vec![FieldError::field("/agents", "invalid", message, hint)]))
        }
    }
}

/// Decides the open request of an owner as an operator, and sets the limit if it is granted.
pub async fn decide(app: &App, operator: &Operator, body: &LimitDecision) -> Result<(), Problem> {
    let owner_id: OwnerId = path_id(&body.owner_id, "owner")?;
    let (granted, operator_id) = (body.outcome == LimitOutcome::Grant, Some(operator.owner_id));
    operator
        .caller
        .transact(app, async |unit, _| {
            let decided = LimitRequestDecided { owner_id, granted, reason: body.reason.clone(), operator_id };
            append_decision(&app.store, unit, decided).await
        })
        .await?;
    Ok(())
}

/// Records a decision, and sets the limit if the request is granted: an act of the operator, which the log shows with the reason.
pub async fn append_decision(store: &Store, unit: &mut Unit<'_>, decided: LimitRequestDecided) -> Result<(), Problem> {
    let (owner_id, granted, reason) = (decided.owner_id, decided.granted, decided.reason.clone());
    let requests = unit.load::<LimitRequests>(LimitRequests::stream(owner_id)).await?;
    let asked = requests.state.open.ok_or(LimitRequestError::NothingOpen)?;
    let events = DecideLimitRequest(decided).decide(&requests.state)?;
    unit.append(LimitRequests::stream(owner_id), &requests, events);
    if !granted {
        return Ok(());
    }
    let (act, subject) = match asked {
        AskedLimit::Agents(limit) => {
            let owner = unit.load::<Owner>(owner_id).await?;
            unit.append(owner_id, &owner, SetAgentLimit { owner_id, limit }.decide(&owner.state)?);
            (Act::SetAgentLimit, owner_id.to_string())
        }
        AskedLimit::Tier { agent_id, tier } => {
            let agent = unit.load::<Agent>(agent_id).await?;
            unit.append(agent_id, &agent, SetTier { agent_id, tier }.decide(&agent.state)?);
            (Act::SetTier, agent_id.to_string())
        }
    };
    record_act(store, unit, act, Some(subject), Some(reason));
    Ok(())
}
