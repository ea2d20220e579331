//! What waits for an agent's answer, and its answer.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use buildtrack_domain::{
    decide::Command,
    exchange::conversations::{AnswerRequest, Body, Exchange, ExchangeError, ExchangeEvent, FailureReason, Settlement},
    ids::RequestId,
};
use buildtrack_store::Kept;

use super::transcript_schemas::{Answered, NewAnswer, WaitingRequest, WaitingRequests};
use crate::http::{
    auth::AgentCaller,
    body::Submission,
    guard::app_of,
    problem::Problem,
    query::{Parameters, path_id},
    streaming::{Holder, place},
    waiting::{keep_looking, wait_parameter},
};

/// Lists what the calling agent is asked and has not answered. With `wait` the answer comes as soon as there is something.
/// Each is also pushed, as `exchange.request`.
#[utoipa::path(
    operation_id = "listExchangeRequests",
    tag = "Exchange",
    params(
        ("after" = Option<i64>, Query, description = "Only beyond this position: `next` of the answer before", example = 0),
        ("limit" = Option<i64>, Query, description = "1 to 200", example = 50),
        ("wait" = Option<u64>, Query, description = "Seconds to wait where there is nothing yet, 0 to 30", example = 0),
    ),
    responses(
        (status = 200, description = "What waits for an answer", body = WaitingRequests),
        (status = 403, description = "`agent_required`", body = Problem, content_type = "application/problem+json"),
        (status = 429, description = "`rate_limited`; `too_many_streams_held`: of one agent, owner or address", body = Problem, content_type = "application/problem+json", headers(("Retry-After" = i64, description = "Seconds to wait"))),
    ),
    security(("token" = [])),
)]
#[get("/me/exchange/requests")]
pub(crate) async fn list(request: HttpRequest, caller: AgentCaller) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let mut parameters = Parameters::of(&request, &["after", "limit", "wait"]);
    let after: i64 = parameters.get("after", "a position, 0 or more").unwrap_or(0);
    if after < 0 {
        parameters.refuse("after", format!("after is {after}"), "Give a position, 0 or more.");
    }
    let limit = parameters.limit();
    let wait = wait_parameter(&mut parameters);
    parameters.finish()?;
    let place = if wait.is_zero() { None } else { Some(place(&app, &Holder::of(&app, &request))?) };
    let nothing = |(found, head): &(Vec<_>, i64)| found.is_empty().then_some(*head);
    let look = async |_| {
        // Known before the look, so that nothing below it is still to come.
        let head = app.store.tail().head();
        Ok((app.store.requests_waiting(caller.agent_id, after, limit).await?, head))
    };
    let (found, _) = keep_looking(&app, wait, nothing, look).await?;
    drop(place);
    let items: Vec<_> = found.into_iter().map(WaitingRequest::new).collect();
    let next = items.last().map_or(after, |last| last.position);
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(WaitingRequests { items, next }))
}

/// Answers what the calling agent was asked, once: the first answer counts.
#[utoipa::path(
    operation_id = "answerExchangeRequest",
    tag = "Exchange",
    params(("id" = String, Path, example = "req_01h2e8kqvbfwea724h75qc655w")),
    request_body = NewAnswer,
    responses(
        (status = 200, description = "The asker is told", body = Answered),
        (status = 403, description = "`agent_required`", body = Problem, content_type = "application/problem+json"),
        (status = 409, description = "`already_answered`, `conflict`", body = Problem, content_type = "application/problem+json"),
        (status = 410, description = "`request_over`: it is too late", body = Problem, content_type = "application/problem+json"),
    ),
    security(("token" = [])),
)]
#[post("/exchange/requests/{id}/answer")]
pub(crate) async fn answer(
    request: HttpRequest,
    id: Path<String>,
    caller: AgentCaller,
    submission: Submission<NewAnswer>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let request_id: RequestId = path_id(&id, "request")?;
    let settlement = settlement(submission.body)?;
    let found = app.store.exchange_request(request_id).await?.ok_or(ExchangeError::RequestNotFound)?;
    let exchange_id = found.exchange_id;
    let by = caller.agent_id;
    let done = caller
        .caller
        .transact_unnamed(&app, async |unit, _| {
            let exchange = unit.load::<Exchange>(exchange_id).await?;
            let (settlement, now) = (settlement.clone(), app.store.clock().now());
            let settled = AnswerRequest { request_id, by, settlement, now }.decide(&exchange.state)?;
            let answered = settled.iter().any(|event| matches!(event, ExchangeEvent::Answered(_)));
            if !answered && exchange.state.rounds == 1 {
                unit.keep(Kept::ConversationEnded { exchange_id });
            }
            unit.append(exchange_id, &exchange, settled);
            Ok(answered)
        })
        .await?;
    let status = if done.value { "answered" } else { "failed" }.to_owned();
    Ok(HttpResponse::Ok().json(Answered { id: request_id.to_string(), exchange_id: exchange_id.to_string(), status }))
}

fn settlement(NewAnswer { body, failure }: NewAnswer) -> Result<Settlement, Problem> {
    if let Some(failure) = failure {
        return Ok(Settlement::Failed(FailureReason::Refused, failure));
    }
    let value = serde_json::to_value(body).unwrap_or_default();
    let body = Body::try_from(value).map_err(|error| Problem::internal(&error))?;
    Ok(Settlement::Answered(body))
}
