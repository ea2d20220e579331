//! Operations about the relay itself: health, demonstration data, identity and limits, receipts.

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, post, web::Path};
use agora_envelope::Limits as EnvelopeLimits;
use buildtrack_domain::relay::{Did, EnvelopeId, OFFERS_MAX, TTL, TTL_MAX};
use buildtrack_http::{
    guard::{app_of, state_of},
    problem::Problem,
    query::Query,
    query_values,
};

use super::{
    Relay,
    about_schemas::{Limits, Receipt, Receipted, RelayHealth, Seeded},
    allowance::admit_address,
    batches::BATCH,
    parameters::name,
    seeding,
};

use crate::given::Given;

query_values! {
    Given<Did> = "a did:key", name();
}

/// Check that the relay is up.
///
/// The answer names the version of the protocol. The request is not counted against a limit.
#[utoipa::path(
    operation_id = "showRelayHealth",
    tag = "Relay",
    responses((status = 200, description = "The relay is up", body = RelayHealth)),
)]
#[get("/health")]
pub(crate) async fn show_relay_health() -> HttpResponse {
    HttpResponse::Ok().json(RelayHealth { ok: true, version: "1.0.0" })
}

/// Store signed envelopes for demonstrations.
///
/// Stores twelve envelopes in three threads. Requires a server that runs with `BUILDTRACK_DEMO=on`.
#[utoipa::path(
    operation_id = "seedRelay",
    tag = "Relay",
    responses(
        (status = 200, description = "The envelopes are recorded", body = Seeded),
        (status = 403, description = "`FORBIDDEN`: `no_demo`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`"),
    ),
)]
#[post("/seed")]
pub(crate) async fn seed(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    admit_address(&app, &request)?;
    if !app.settings.demo {
        let detail = "Demonstration data is disabled on this server.";
        let hint = "Start one with BUILDTRACK_DEMO=on, or send envelopes of your own: POST /events.";
        return Err(Problem::new(StatusCode::FORBIDDEN, "no_demo", detail, hint));
    }
    let envelopes = seeding::envelopes(app.store.log().clock());
    for envelope in &envelopes {
        seeding::store(&app, envelope).await?;
    }
    Ok(HttpResponse::Ok().json(Seeded { ok: true, count: envelopes.len() }))
}

/// Whose allowance is shown.
#[derive(Query)]
struct LimitsQuery {
    /// An agent's did:key
    #[query(example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")]
    sender: Option<Given<Did>>,
}

/// Show the relay's identity and limits.
///
/// The limits cover sizes, times and rates. `sender` adds the current allowance of that agent.
#[utoipa::path(
    operation_id = "showRelayLimits",
    tag = "Relay",
    params(LimitsQuery),
    responses(
        (status = 200, description = "The limits", body = Limits),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`"),
    ),
)]
#[get("/v1/limits")]
pub(crate) async fn show_relay_limits(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    admit_address(&app, &request)?;
    let LimitsQuery { sender } = LimitsQuery::of(&request)?;
    let sender_a_minute = match &sender {
        Some(Given(sender)) => {
            Some(state_of::<Relay>(&request).senders.quota_of(&app, sender.as_str()).await?.requests())
        }
        None => None,
    };
    let EnvelopeLimits { bytes, depth } = EnvelopeLimits::default();
    let (rates, timeouts) = (app.settings.rate_limits, app.settings.relay_timeouts());
    Ok(HttpResponse::Ok().json(Limits {
        ok: true,
        relay: app.store.relay().did().await?.to_string(),
        envelope_bytes: bytes,
        envelope_depth: depth,
        envelopes_per_batch: BATCH,
        clock_skew_seconds: agora_envelope::TIME_WINDOW.num_seconds(),
        ttl_seconds: TTL,
        ttl_seconds_max: TTL_MAX,
        offers_per_thread: OFFERS_MAX,
        offer_timeout_seconds: timeouts.offer.num_seconds(),
        result_timeout_seconds: timeouts.result.num_seconds(),
        address_per_minute: rates.relay_address().requests(),
        new_sender_per_minute: rates.relay().requests(),
        sender_per_minute: sender_a_minute,
        growth: "A sender's allowance grows by a sixth of a new sender's for each of 30 days, and by a twelfth for each of the \
                 first 60 threads that it has delivered, multiplied by the share of its threads that it has delivered.",
    }))
}

/// Show the signed receipt of an envelope.
///
/// The receipt states the envelope's position on the log and carries the relay's signature. A client can check it
/// offline with the envelope: `dataHash` is SHA-256 of salt and data, `hash` is SHA-256 of `previousHash`, header and
/// `dataHash`, and `jws` (RFC 7515, `EdDSA`) signs position and hash with the relay's key.
#[utoipa::path(
    operation_id = "showReceipt",
    tag = "Relay",
    params(("id" = String, Path, description = "The envelope's id", example = "msg_01jqk7z8x8r9q3z5v2w4y6u8")),
    responses(
        (status = 200, description = "The receipt", body = Receipted),
        (status = 404, description = "`INVALID_REQUEST`: `not_found`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`"),
    ),
)]
#[get("/v1/receipts/{id}")]
pub(crate) async fn show_receipt(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    admit_address(&app, &request)?;
    let missing = || {
        let hint =
            "Only accepted envelopes have receipts. GET /v1/messages/{id} shows whether an envelope was accepted.";
        Problem::new(StatusCode::NOT_FOUND, "not_found", "No accepted envelope has this id.", hint)
    };
    let id: EnvelopeId = id.parse().map_err(|_| missing())?;
    let receipt = app.store.relay().receipt(&id).await?.ok_or_else(missing)?;
    Ok(HttpResponse::Ok().json(Receipted { ok: true, receipt: Receipt::new(receipt) }))
}
