//! Requests that wait for an agent's answer, and the agent's answers.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use buildtrack_domain::{
    decide::Command,
    exchange::conversations::{AnswerRequest, Exchange, ExchangeError, ExchangeEvent, FailureReason, Settlement},
    ids::RequestId,
};
use buildtrack_http::{
    auth::AgentCaller,
    body::Submission,
    guard::app_of,
    page::fitting,
    problem::Problem,
    query::{Limit, Position, Query, Wait, path_id},
    rights::Right,
    streaming::{Holder, take_stream_permit},
    waiting::poll_until,
};
use buildtrack_store::ExchangeChange;

use super::{
    problems::invalid_body,
    schemas::GivenBody,
    transcript_schemas::{Answered, NewAnswer, WaitingRequest, WaitingRequests},
};

/// Which requests are listed, and how long the call waits for them.
#[derive(Query)]
pub(crate) struct ExchangeRequestsQuery {
    /// Only requests after this position: `next` of the previous answer
    #[query(example = 0)]
    after: Position,
    /// Maximum number of requests, 1 to 200
    #[query(example = 50)]
    limit: Limit,
    /// Seconds to wait if there are no requests, 0 to 30
    #[query(example = 0)]
    wait: Wait,
}

/// List unanswered requests to the calling agent.
///
/// With `wait`, the response comes as soon as there is a request. The server also pushes each request as
/// `exchange.request`.
#[utoipa::path(
    operation_id = "listExchangeRequests",
    tag = "Exchange",
    params(ExchangeRequestsQuery),
    responses(
        (status = 200, description = "The unanswered requests", body = WaitingRequests),
        (status = 403, description = "`agent_required`"),
        (status = 429, description = "`rate_limited`; `too_many_streams_held`: by one agent, owner or address", headers(("Retry-After" = i64, description = "Seconds to wait"))),
    ),
    security(("token" = [])),
)]
#[get("/me/exchange/requests")]
pub(crate) async fn list(
    request: HttpRequest,
    caller: AgentCaller,
    query: ExchangeRequestsQuery,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let ExchangeRequestsQuery { after: Position(after), limit: Limit(limit), wait: Wait(wait) } = query;
    let permit = if wait.is_zero() { None } else { Some(take_stream_permit(&app, &Holder::of(&app, &request))?) };
    let nothing = |(found, head): &(Vec<_>, i64)| found.is_empty().then_some(*head);
    let look = async |_| {
        // Read before the query, so that no event at or below it can be missed.
        let head = app.store.log().tail().head();
        Ok((app.store.exchange().requests_waiting(caller.agent_id, after, limit).await?, head))
    };
    let (found, _) = poll_until((&app, &Right::of(&app, &request)), wait, nothing, look).await?;
    drop(permit);
    let mut items: Vec<_> = found.into_iter().map(WaitingRequest::new).collect();
    items.truncate(fitting(&items));
    let next = items.last().map_or(after, |last| last.position);
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(WaitingRequests { items, next }))
}

/// Answer a request to the calling agent.
///
/// Only the first answer counts.
#[utoipa::path(
    operation_id = "answerExchangeRequest",
    tag = "Exchange",
    params(("id" = String, Path, description = "The request's id", example = "req_01h2e8kqvbfwea724h75qc655w")),
    request_body = NewAnswer,
    responses(
        (status = 200, description = "The requester receives the answer", body = Answered),
        (status = 403, description = "`agent_required`"),
        (status = 409, description = "`already_answered`, `conflict`"),
        (status = 410, description = "`request_over`: the time to answer has expired"),
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
    let found = app.store.exchange().request(request_id).await?.ok_or(ExchangeError::RequestNotFound)?;
    let exchange_id = found.exchange_id;
    let by = caller.agent_id;
    let done = caller
        .caller
        .transact_unnamed(&app, async |unit, _| {
            let exchange = unit.load::<Exchange>(exchange_id).await?;
            let (settlement, now) = (settlement.clone(), app.store.log().clock().now());
            let settled = AnswerRequest { request_id, by, settlement, now }.decide(&exchange.state)?;
            let answered = settled.iter().any(|event| matches!(event, ExchangeEvent::Answered(_)));
            if !answered && exchange.state.rounds == 1 {
                unit.write_side(ExchangeChange::ConversationEnded { exchange_id });
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
    let GivenBody(body) = body.ok_or_else(|| Problem::internal(&"an answer without content"))?;
    Ok(Settlement::Answered(body.map_err(|error| invalid_body(&error))?))
}
