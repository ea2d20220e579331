//! The operation that shows a thread (seed: «Thread State Machine»).

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use buildtrack_domain::relay::{RelayError, ThreadId};
use buildtrack_http::{
    guard::app_of,
    page::fitting,
    problem::Problem,
    query::{Limit, Query},
};

use super::{
    allowance::admit_address,
    parameters::LogCursor,
    schemas::{ThreadAnswer, next, raw},
};

/// Which of the thread's envelopes are shown.
#[derive(Query)]
struct ThreadQuery {
    /// `cursor` of the previous page
    cursor: LogCursor,
    /// Maximum number of envelopes, 1 to 200
    #[query(example = 50)]
    limit: Limit,
}

/// Show a thread with its envelopes.
///
/// Shows the thread's state, the types of envelopes that may follow, and its envelopes in log order.
#[utoipa::path(
    operation_id = "showThread",
    tag = "Relay",
    params(
        ("id" = String, Path, description = "`thread.id`; `payload.request_id` if the REQUEST has none", example = "thread_01jqk7za"),
        ThreadQuery,
    ),
    responses(
        (status = 200, description = "The thread", body = ThreadAnswer),
        (status = 404, description = "`INVALID_REQUEST`: `thread_unknown`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`"),
    ),
)]
#[get("/v1/threads/{id}")]
pub(crate) async fn show(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    admit_address(&app, &request)?;
    let ThreadQuery { cursor: LogCursor(after), limit: Limit(limit) } = ThreadQuery::of(&request)?;
    let id: ThreadId = id.parse().map_err(|_| RelayError::UnknownThread)?;
    let view = app.store.relay().thread(&id).await?.ok_or(RelayError::UnknownThread)?;
    let mut said = app.store.relay().transcript(id.as_str(), after, limit + 1).await?;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let count = said.len();
    said.truncate(limit);
    let mut messages: Vec<_> = said.iter().map(raw).collect();
    messages.truncate(fitting(&messages));
    said.truncate(messages.len());
    let has_more = said.len() < count;
    let cursor = said.last().map_or(after, |last| last.position).to_string();
    let next = next(view.phase);
    Ok(HttpResponse::Ok().json(ThreadAnswer { ok: true, thread: view.into(), next, messages, has_more, cursor }))
}
