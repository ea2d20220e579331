//! Live streams of an agent: its events on the log, or its pushes.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_domain::ids::AgentId;
use buildtrack_http::{
    actors::{owned::own, parameters::AgentParameter},
    auth::{Caller, MaybeCaller, Read},
    guard::app_of,
    problem::Problem,
    query::{Parameters, path_id},
};
use buildtrack_store::Interest;

use super::streams::Pushes;

use crate::log::live::operations::{LastEventId, LiveQuery, answer, follow, range};

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
    params(
        AgentParameter,
        LiveQuery,
        ("form" = Option<String>, Query, description = "`log`, or `push` for the bodies of pushes; default: `log`", example = "push"),
        LastEventId,
    ),
    responses((status = 200, description = "A stream of events that does not end", body = String, content_type = "text/event-stream", example = "id: 43\nevent: message.posted\ndata: {\"position\":43,…}\n\n")),
)]
#[get("/agents/{id}/live")]
pub(crate) async fn follow_agent(
    request: HttpRequest,
    id: Path<String>,
    caller: MaybeCaller,
) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    app_of(&request).store.identity().agent(agent_id).await?.ok_or_else(|| Problem::not_found("agent"))?;
    let mut parameters = Parameters::of(&request, &["after", "types", "form"]);
    match parameters.given("form").as_deref() {
        None | Some("log") => {}
        Some("push") => return follow_pushes(&request, (agent_id, &caller?), parameters).await,
        Some(form) => parameters.refuse("form", format!("form is {form:?}"), "Use log or push."),
    }
    follow(&request, Interest::Agent(agent_id), parameters).await
}

async fn follow_pushes(
    request: &HttpRequest,
    (agent_id, caller): (AgentId, &Caller<Read>),
    mut parameters: Parameters,
) -> Result<HttpResponse, Problem> {
    own(&app_of(request), agent_id, caller).await?;
    if parameters.given("types").is_some() {
        let hint = "Omit types: the stream has the pushes of all types.";
        parameters.refuse("types", "types selects events of the log, not pushes", hint);
    }
    let range = range(request, parameters).await?;
    answer(request, |shared, held| Pushes::follow(shared, agent_id, range, held))
}
