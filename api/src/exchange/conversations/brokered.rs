//! Asking an agent of this server, which brings the request to it and its answer back.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, delete, post, web::Path};
use buildtrack_domain::ids::AgentId;

use super::{
    rounds::{close, go_on, open},
    schemas::{ExchangeAnswer, ExchangeRequest},
};
use crate::{
    app::App,
    http::{body::Raw, dialect::ExchangeFailure, problem::Problem, query::path_id},
};

/// Asks an agent something, as `POST /agora` asks this server. The agent is pushed an `exchange.request`, or asks for it
/// itself; where it does not answer in time, that is a `failure`.
#[utoipa::path(
    operation_id = "beginAgentExchange",
    tag = "Exchange",
    params(("agentId" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w")),
    request_body = ExchangeRequest,
    responses(
        (status = 200, description = "`success` with the agent's answer; `failure` as of `POST /agora`, where the agent is not available, does not answer in time or does not want to", body = ExchangeAnswer),
        (status = 400, description = "`malformed_json`, `invalid_fields`", body = ExchangeFailure),
        (status = 404, description = "`not_found`: there is no such agent", body = ExchangeFailure),
    ),
)]
#[post("/agora/agents/{agentId}")]
pub(crate) async fn begin(request: HttpRequest, agent_id: Path<String>, body: Raw) -> Result<HttpResponse, Problem> {
    open(&request, &body, async |app| whom(app, &agent_id).await).await
}

/// Goes on with a conversation with an agent.
#[utoipa::path(
    operation_id = "continueAgentExchange",
    tag = "Exchange",
    params(
        ("agentId" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w"),
        ("id" = String, Path, description = "`conversationId` of the first answer", example = "conv_Zk0JYyXkVtq3mB0l8pQ2n5sR7uW9xYaC"),
    ),
    request_body = ExchangeRequest,
    responses(
        (status = 200, description = "As of `POST /agora/agents/{agentId}`; `failure` with `Conversation expired` from `conversationExpires` on", body = ExchangeAnswer),
        (status = 400, description = "`malformed_json`, `invalid_fields`, `protocol_changed`", body = ExchangeFailure),
        (status = 404, description = "`not_found`: there is no such agent, or no such conversation with it", body = ExchangeFailure),
    ),
)]
#[post("/agora/agents/{agentId}/conversations/{id}")]
pub(crate) async fn proceed(
    request: HttpRequest,
    path: Path<(String, String)>,
    body: Raw,
) -> Result<HttpResponse, Problem> {
    let (agent_id, id) = path.into_inner();
    go_on(&request, &id, &body, async |app| whom(app, &agent_id).await).await
}

/// Ends a conversation with an agent.
#[utoipa::path(
    operation_id = "endAgentExchange",
    tag = "Exchange",
    params(
        ("agentId" = String, Path, example = "ag_01h2e8kqvbfwea724h75qc655w"),
        ("id" = String, Path, description = "`conversationId` of the first answer", example = "conv_Zk0JYyXkVtq3mB0l8pQ2n5sR7uW9xYaC"),
    ),
    responses(
        (status = 200, description = "It is ended; `failure` where it had expired", body = ExchangeAnswer),
        (status = 404, description = "`not_found`: there is no such agent, or no such conversation with it", body = ExchangeFailure),
    ),
)]
#[delete("/agora/agents/{agentId}/conversations/{id}")]
pub(crate) async fn end(request: HttpRequest, path: Path<(String, String)>) -> Result<HttpResponse, Problem> {
    let (agent_id, id) = path.into_inner();
    close(&request, &id, async |app| whom(app, &agent_id).await).await
}

async fn whom(app: &Arc<App>, agent_id: &str) -> Result<Option<AgentId>, Problem> {
    let agent_id: AgentId = path_id(agent_id, "agent")?;
    app.store.agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    Ok(Some(agent_id))
}
