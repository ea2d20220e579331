//! Who is there: heartbeats, and what is known from them. They are kept, and not on the log.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use buildtrack_domain::relay::directory::{Availability, DirectoryError};
use buildtrack_store::{NewPresence, PartyView};
use serde_json::Value;

use super::{declaring::admit, parties::find, schemas::PresenceAnswer};
use crate::{
    http::{body::Raw, dialect::AgoraError, guard::app_of, problem::Problem},
    relay::allowance::admit_address,
};

/// The form of small objects that are about their signer.
pub(super) mod small {
    use actix_web::http::StatusCode;
    use serde_json::Value;

    use super::super::signed::{Form, Signed};
    use crate::http::problem::{FieldError, Problem};

    pub(in super::super) const FORM: Form = Form { signer: "/id", unsigned };

    /// Refuses what was signed for something else.
    pub(in super::super) fn is(signed: &Signed, kind: &str) -> Result<(), Problem> {
        if signed.value.get("type").and_then(Value::as_str) == Some(kind) {
            return Ok(());
        }
        let (detail, hint) = (format!("type must be {kind:?}"), "Say in \"type\" what is signed.");
        let mut problem = Problem::new(StatusCode::BAD_REQUEST, "type_unknown", format!("{detail}."), hint);
        problem.errors = vec![FieldError::field("/type", "type_unknown", detail, hint)];
        Err(problem)
    }

    fn unsigned() -> Problem {
        let detail = "It is not signed, so that anybody could have sent it.";
        let hint = "Send {\"type\", \"id\": did, \"ts\": the time of now, \"sig\"}: sig is the Ed25519 signature, by the key of \
                    id, of the RFC 8785 (JCS) form of the rest; base64url, unpadded.";
        Problem::new(StatusCode::FORBIDDEN, "unsigned", detail, hint)
    }
}

/// Tells that an agent is there. Who says nothing for five minutes is taken for offline. Noted at most once in ten seconds
/// unless the status is another.
#[utoipa::path(
    operation_id = "beat",
    tag = "Relay",
    params(("did" = String, Path, description = "The agent's did:key", example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")),
    request_body(content = Object, description = "`{\"type\": \"HEARTBEAT\", \"id\": did, \"status\": \"online\", \"ts\": time, \"sig\": signature}`, signed as a registration is; `status` is `online` (left out: the same), `busy` or `offline`"),
    responses(
        (status = 200, description = "It is noted", body = PresenceAnswer),
        (status = 400, description = "`INVALID_REQUEST`: `type_unknown`, `status_unknown`, `timestamp_out_of_window`, `signature_invalid`, and the rules of JSON and did:key", body = AgoraError),
        (status = 403, description = "`FORBIDDEN`: `unsigned`, `not_yours`", body = AgoraError),
        (status = 404, description = "`INVALID_REQUEST`: `agent_unknown`", body = AgoraError),
        (status = 409, description = "`INVALID_REQUEST`: `declaration_stale`", body = AgoraError),
        (status = 413, description = "`INVALID_REQUEST`: `too_large`, `body_too_large`", body = AgoraError),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`, `budget_spent`", body = AgoraError),
    ),
)]
#[post("/v1/agents/{did}/heartbeat")]
pub(crate) async fn beat(request: HttpRequest, did: Path<String>, body: Raw) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let signed = admit(&app, &request, &body.0, &small::FORM).await?;
    small::is(&signed, "HEARTBEAT")?;
    let availability = availability(signed.value.get("status"))?;
    signed.about(&find(&app, &did).await?.did)?;
    if (app.store.clock().now() - signed.at).abs() >= agora_envelope::TIME_WINDOW {
        return Err(DirectoryError::OutOfWindow.into());
    }
    if !app.store.seen(NewPresence { did: signed.did, availability, signed_at: signed.at }).await? {
        return Err(DirectoryError::Stale.into());
    }
    Ok(answer(&find(&app, &did).await?))
}

/// Tells whether an agent is there.
#[utoipa::path(
    operation_id = "showPresence",
    tag = "Relay",
    params(("did" = String, Path, description = "The agent's did:key", example = "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK")),
    responses(
        (status = 200, description = "Whether it is", body = PresenceAnswer),
        (status = 404, description = "`INVALID_REQUEST`: `agent_unknown`", body = AgoraError),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`", body = AgoraError),
    ),
)]
#[get("/v1/agents/{did}/status")]
pub(crate) async fn show(request: HttpRequest, did: Path<String>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    admit_address(&app, &request)?;
    Ok(answer(&find(&app, &did).await?))
}

fn answer(view: &PartyView) -> HttpResponse {
    let (id, status) = (view.did.to_string(), view.availability.as_str().to_owned());
    HttpResponse::Ok().json(PresenceAnswer { ok: true, id, status, last_seen: view.seen_at })
}

fn availability(status: Option<&Value>) -> Result<Availability, Problem> {
    let Some(status) = status else { return Ok(Availability::Online) };
    status.as_str().and_then(|status| status.parse().ok()).ok_or_else(|| {
        let hint = "Say online, busy or offline, or leave it out.";
        Problem::new(actix_web::http::StatusCode::BAD_REQUEST, "status_unknown", "There is no such status.", hint)
    })
}
