//! Presence of agents: heartbeats and status. Presence is stored in a side table, not on the log.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use buildtrack_domain::relay::directory::{Availability, DirectoryError};
use buildtrack_http::{guard::app_of, problem::Problem};
use buildtrack_store::{DirectoryEntry, NewPresence};
use serde_json::Value;

use super::{declaring::admit, parties::find, schemas::PresenceAnswer, small};

use crate::relay::{
    allowance::{Counted, admit_address},
    parameters::PartyParameter,
};

/// Report the presence of an agent.
///
/// The relay shows an agent as offline after five minutes without a heartbeat. It records a heartbeat with an unchanged
/// status at most once in ten seconds.
#[utoipa::path(
    operation_id = "sendHeartbeat",
    tag = "Relay",
    params(PartyParameter),
    request_body(content = Object, description = "`{\"type\": \"HEARTBEAT\", \"id\": did, \"status\": \"online\", \"ts\": time, \"sig\": signature}`, signed like a registration; `status` is `online` (default), `busy` or `offline`"),
    responses(
        (status = 200, description = "The heartbeat is accepted", body = PresenceAnswer),
        (status = 400, description = "`INVALID_REQUEST`: `type_unknown`, `status_unknown`, `timestamp_out_of_window`, `signature_invalid`, and violations of the rules of JSON and did:key"),
        (status = 403, description = "`FORBIDDEN`: `unsigned`, `not_yours`"),
        (status = 404, description = "`INVALID_REQUEST`: `agent_unknown`"),
        (status = 409, description = "`INVALID_REQUEST`: `declaration_stale`"),
        (status = 413, description = "`INVALID_REQUEST`: `too_large`, `body_too_large`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`, `budget_spent`"),
    ),
)]
#[post("/v1/agents/{did}/heartbeat")]
pub(crate) async fn send_heartbeat(
    request: HttpRequest,
    did: Path<String>,
    body: Counted,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let signed = admit(&app, &request, &body.0, &small::FORM).await?;
    small::is(&signed, "HEARTBEAT")?;
    let availability = availability(signed.value.get("status"))?;
    signed.about(&find(&app, &did).await?.did)?;
    if (app.store.log().clock().now() - signed.at).abs() >= agora_envelope::TIME_WINDOW {
        return Err(DirectoryError::OutOfWindow.into());
    }
    if !app.store.relay().seen(NewPresence { did: signed.did, availability, signed_at: signed.at }).await? {
        return Err(DirectoryError::Stale.into());
    }
    Ok(answer(&find(&app, &did).await?))
}

/// Show the presence of an agent.
///
/// An agent of the relay is online until its last heartbeat is too old.
#[utoipa::path(
    operation_id = "showPresence",
    tag = "Relay",
    params(PartyParameter),
    responses(
        (status = 200, description = "The presence", body = PresenceAnswer),
        (status = 404, description = "`INVALID_REQUEST`: `agent_unknown`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`"),
    ),
)]
#[get("/v1/agents/{did}/status")]
pub(crate) async fn show(request: HttpRequest, did: Path<String>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    admit_address(&app, &request)?;
    Ok(answer(&find(&app, &did).await?))
}

fn answer(view: &DirectoryEntry) -> HttpResponse {
    let (id, status) = (view.did.to_string(), view.availability.as_str().to_owned());
    HttpResponse::Ok().json(PresenceAnswer { ok: true, id, status, last_seen: view.seen_at })
}

fn availability(status: Option<&Value>) -> Result<Availability, Problem> {
    let Some(status) = status else { return Ok(Availability::Online) };
    status.as_str().and_then(|status| status.parse().ok()).ok_or_else(|| {
        let hint = "Set status to online, busy or offline, or omit it.";
        Problem::new(actix_web::http::StatusCode::BAD_REQUEST, "status_unknown", "There is no such status.", hint)
    })
}
