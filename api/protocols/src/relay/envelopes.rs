//! Operations that submit envelopes and show their status (seed: «Submit Event»).

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, post, web::Path};
use buildtrack_domain::relay::EnvelopeId;
use buildtrack_http::{guard::app_of, problem::Problem};

use super::{
    allowance::{Counted, admit_address},
    batches::take_all,
    schemas::{EnvelopeStatus, Refusal, Submitted, SubmittedBatch, raw},
    submission::take,
};

/// Submit a signed envelope.
///
/// A repeated submission of an accepted envelope receives the same answer, with `duplicate`.
#[utoipa::path(
    operation_id = "submitEvent",
    tag = "Relay",
    request_body(content = Object, description = "A signed envelope"),
    responses(
        (status = 200, description = "The envelope is recorded", body = Submitted),
        (status = 400, description = "`INVALID_REQUEST`: `reason` names the violated rule"),
        (status = 403, description = "`FORBIDDEN`: the sender may not send this envelope: `not_requester`, `not_chosen`, `not_addressed`, `own_request`, `not_participant`"),
        (status = 404, description = "`INVALID_REQUEST`: `thread_unknown`"),
        (status = 409, description = "`INVALID_REQUEST`: `id_taken`, `thread_begun`, `out_of_turn`, `no_offer`, `offer_expired`, `too_many_offers`; `TIMEOUT`: `thread_timed_out`"),
        (status = 413, description = "`INVALID_REQUEST`: `json_too_large`, `body_too_large`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`, `budget_spent`"),
    ),
)]
#[post("/events")]
pub(crate) async fn submit(request: HttpRequest, body: Counted) -> Result<HttpResponse, Problem> {
    answer(&request, &body, false).await
}

/// Submit a signed envelope, optionally wrapped.
///
/// The body is the envelope itself or `{"envelope": …}`.
#[utoipa::path(
    operation_id = "submitMessage",
    tag = "Relay",
    request_body(content = Object, description = "A signed envelope, or `{\"envelope\": …}` with one"),
    responses(
        (status = 200, description = "The envelope is recorded", body = Submitted),
        (status = 400, description = "As for `POST /events`"),
        (status = 403, description = "As for `POST /events`"),
        (status = 404, description = "As for `POST /events`"),
        (status = 409, description = "As for `POST /events`"),
        (status = 413, description = "As for `POST /events`"),
        (status = 429, description = "As for `POST /events`"),
    ),
)]
#[post("/v1/messages")]
pub(crate) async fn submit_wrapped(request: HttpRequest, body: Counted) -> Result<HttpResponse, Problem> {
    answer(&request, &body, true).await
}

async fn answer(request: &HttpRequest, body: &Counted, wrapped: bool) -> Result<HttpResponse, Problem> {
    let taken = take(&app_of(request), request, &body.0, wrapped).await?;
    Ok(HttpResponse::Ok().json(Submitted { ok: true, id: taken.id, duplicate: taken.duplicate }))
}

/// Submit up to 64 signed envelopes.
///
/// The relay accepts or refuses each envelope separately, and processes those of one thread in order. Each counts as
/// one request. This suits another relay, or an agent that was offline.
#[utoipa::path(
    operation_id = "submitBatch",
    tag = "Relay",
    request_body(content = Object, description = "`{\"envelopes\": […]}` with 1 to 64 signed envelopes, 320 KiB in all"),
    responses(
        (status = 200, description = "The result of each envelope, with the errors of `POST /events`", body = SubmittedBatch),
        (status = 400, description = "`INVALID_REQUEST`: `batch_size`, or the JSON is invalid"),
        (status = 413, description = "`INVALID_REQUEST`: `body_too_large`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`"),
    ),
)]
#[post("/v1/messages/batch")]
pub(crate) async fn submit_batch(request: HttpRequest, body: Counted) -> Result<HttpResponse, Problem> {
    let outcomes = take_all(&app_of(&request), &request, &body.0).await?;
    Ok(HttpResponse::Ok().json(SubmittedBatch::new(outcomes)))
}

/// Show the status of an envelope.
///
/// Shows whether the relay accepted the envelope, and why it refused it.
#[utoipa::path(
    operation_id = "showEnvelope",
    tag = "Relay",
    params(("id" = String, Path, description = "The envelope's id", example = "msg_01jqk7z8x8r9q3z5v2w4y6u8")),
    responses(
        (status = 200, description = "The envelope's status", body = EnvelopeStatus),
        (status = 404, description = "`INVALID_REQUEST`: `not_found`: no such envelope was accepted, or refused within the last day"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`"),
    ),
)]
#[get("/v1/messages/{id}")]
pub(crate) async fn show(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    admit_address(&app, &request)?;
    let missing =
        || Problem::new(StatusCode::NOT_FOUND, "not_found", "There is no such envelope.", "Check the \"id\".");
    let id: EnvelopeId = id.parse().map_err(|_| missing())?;
    let accepted = app.store.relay().envelope(&id).await?;
    let refusals: Vec<_> = app.store.relay().refusals(&id).await?.into_iter().map(Refusal::from).collect();
    if accepted.is_none() && refusals.is_empty() {
        return Err(missing());
    }
    let status = if accepted.is_some() { "accepted" } else { "refused" };
    Ok(HttpResponse::Ok().json(EnvelopeStatus {
        ok: true,
        id: id.to_string(),
        status: status.to_owned(),
        position: accepted.as_ref().map(|view| view.position),
        thread_id: accepted.as_ref().map(|view| view.accepted.thread_id.to_string()),
        recorded_at: accepted.as_ref().map(|view| view.recorded_at),
        envelope: accepted.as_ref().map(raw),
        refusals,
    }))
}
