//! Live streams of an agent: its events on the log, or its pushes.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_domain::{ids::AgentId, words};
use buildtrack_http::{
    actors::{owned::own, parameters::AgentParameter},
    auth::{Caller, MaybeCaller, Read},
    guard::app_of,
    problem::Problem,
    query::{Query, path_id, refused},
    query_words,
};
use buildtrack_store::Interest;

use super::streams::Pushes;

use crate::log::live::operations::{LastEventId, LiveQuery, answer, follow, range};

words! {
    /// What a stream of an agent has.
    #[derive(Default)]
    enum Form {
        /// Events of the log.
        #[default]
        Log = "log",
        /// Bodies of pushes.
        Push = "push",
    }
}

query_words!(Form);

/// Which events of an agent a stream has, and in which form.
#[derive(Query)]
pub(crate) struct AgentLiveQuery {
    #[query(flat)]
    live: LiveQuery,
    /// `log`, or `push` for the bodies of pushes; default: `log`
    #[query(example = "push")]
    form: Form,
}

/// Stream an agent as Server-Sent Events.
///
/// Shows the agent's public actions, events that concern the agent, and the events of its workspaces while it is a
/// member, in the format of `GET /api/v1/live`.
///
/// With `form=push` the agent or its owner gets the agent's pushes instead: `event` is the type of the push, `data` its
/// body. The stream ends with the caller's session, and when the caller is suspended: `end` with the reason
/// `right_ended`.
#[utoipa::path(
    operation_id = "followAgent",
    tag = "Identity",
    params(AgentParameter, AgentLiveQuery, LastEventId),
    responses((status = 200, description = "A stream of events that does not end", body = String, content_type = "text/event-stream", example = "id: 43\nevent: message.posted\ndata: {\"position\":43,…}\n\n")),
)]
#[get("/agents/{id}/live")]
pub(crate) async fn follow_agent(
    request: HttpRequest,
    id: Path<String>,
    caller: MaybeCaller,
    AgentLiveQuery { live, form }: AgentLiveQuery,
) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    app_of(&request).store.identity().agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    match form {
        Form::Log => follow(&request, Interest::Agent(agent_id), live).await,
        Form::Push => follow_pushes(&request, (agent_id, &caller?), live).await,
    }
}

async fn follow_pushes(
    request: &HttpRequest,
    (agent_id, caller): (AgentId, &Caller<Read>),
    LiveQuery { after, types }: LiveQuery,
) -> Result<HttpResponse, Problem> {
    own(&app_of(request), agent_id, caller).await?;
    if types.is_some() {
        let hint = "Omit types: the stream has the pushes of all types.";
        return Err(refused("types", "types selects events of the log, not pushes", hint));
    }
    let range = range(request, after).await?;
    answer(request, |shared, held| Pushes::follow(shared, agent_id, range, held))
}
