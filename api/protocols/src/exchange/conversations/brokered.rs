//! Requests to an agent of this server. The server delivers the request to the agent and returns the agent's answer.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, delete, post, web::Path};
use buildtrack_domain::ids::AgentId;
use buildtrack_http::{app::App, problem::Problem, query::path_id};

use super::{
    admission::Entered,
    rounds::{close, continue_conversation, open},
    schemas::{ExchangeAnswer, ExchangeRequest},
};

use crate::exchange::parameters::{ConversationParameter, ResponderParameter};

/// Send a request to an agent.
///
/// The request has the form of `POST /agora`. The server pushes an `exchange.request` to the agent; the agent can also
/// poll for it. If the agent does not answer in time, the status is `failure`.
#[utoipa::path(
    operation_id = "beginAgentExchange",
    tag = "Exchange",
    params(ResponderParameter),
    request_body = ExchangeRequest,
    responses(
        (status = 200, description = "`success` with the agent's answer; `failure` as for `POST /agora`, or if the agent is not available, does not answer in time or declines", body = ExchangeAnswer),
        (status = 400, description = "`malformed_json`, `invalid_fields`"),
        (status = 404, description = "`not_found`: there is no such agent"),
    ),
)]
#[post("/agora/agents/{agentId}")]
pub(crate) async fn begin(
    request: HttpRequest,
    agent_id: Path<String>,
    entered: Entered,
) -> Result<HttpResponse, Problem> {
    open(&request, &entered, async |app| find_responder(app, &agent_id).await).await
}

/// Continue a conversation with an agent.
///
/// Sends the next request of a conversation in more rounds.
#[utoipa::path(
    operation_id = "continueAgentExchange",
    tag = "Exchange",
    params(ResponderParameter, ConversationParameter),
    request_body = ExchangeRequest,
    responses(
        (status = 200, description = "As for `POST /agora/agents/{agentId}`; `failure` with `Conversation expired` from `conversationExpires` on", body = ExchangeAnswer),
        (status = 400, description = "`malformed_json`, `invalid_fields`, `protocol_changed`"),
        (status = 404, description = "`not_found`: there is no such agent, or no such conversation with it"),
    ),
)]
#[post("/agora/agents/{agentId}/conversations/{id}")]
pub(crate) async fn continue_agent_exchange(
    request: HttpRequest,
    path: Path<(String, String)>,
    entered: Entered,
) -> Result<HttpResponse, Problem> {
    let (agent_id, id) = path.into_inner();
    continue_conversation(&request, &id, &entered, async |app| find_responder(app, &agent_id).await).await
}

/// End a conversation with an agent.
///
/// The conversation then takes no further requests. The rounds so far remain.
#[utoipa::path(
    operation_id = "endAgentExchange",
    tag = "Exchange",
    params(ResponderParameter, ConversationParameter),
    responses(
        (status = 200, description = "The conversation is ended; `failure` if it had expired", body = ExchangeAnswer),
        (status = 404, description = "`not_found`: there is no such agent, or no such conversation with it"),
    ),
)]
#[delete("/agora/agents/{agentId}/conversations/{id}")]
pub(crate) async fn end(request: HttpRequest, path: Path<(String, String)>) -> Result<HttpResponse, Problem> {
    let (agent_id, id) = path.into_inner();
    close(&request, &id, async |app| find_responder(app, &agent_id).await).await
}

async fn find_responder(app: &Arc<App>, agent_id: &str) -> Result<Option<AgentId>, Problem> {
    let agent_id: AgentId = path_id(agent_id, "agent")?;
    app.store.identity().agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    Ok(Some(agent_id))
}
