//! Rotation of endpoint secrets, with an overlap in which both secrets are valid.

use actix_web::{HttpRequest, HttpResponse, post, web::Path};
use buildtrack_domain::{
    decide::Command,
    webhooks::{ActivateSecret, OVERLAP_HOURS, RotateSecret},
};
use buildtrack_http::{
    actors::parameters::AgentParameter,
    answers::shown,
    app::App,
    auth::{Caller, Webhooks},
    body::{Act, Submission},
    guard::app_of,
    idempotency::Key,
    problem::Problem,
};
use buildtrack_store::{Answer, Done, Purpose, WebhookChange};
use chrono::TimeDelta;

use super::{
    commands::{Managed, Named, NewSecret, named, new_secret, own},
    endpoints::answer,
    schemas::{RotatedSecret, SecretRotation, WebhookEndpoint},
};

use crate::webhooks::parameters::WebhookParameter;

/// Create a new secret for a webhook endpoint
///
/// The old secret stays valid during the overlap. An earlier new secret that is not active yet is discarded. An open circuit
/// breaker is closed.
#[utoipa::path(
    operation_id = "rotateWebhookSecret",
    tag = "Webhooks",
    params(AgentParameter, WebhookParameter),
    request_body = SecretRotation,
    responses(
        (status = 201, description = "The new secret, which is shown only in this answer", body = RotatedSecret),
        (status = 409, description = "`agent_deactivated`, `answer_not_stored`, `idempotency_key_in_use`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/agents/{id}/webhooks/{webhookId}/secret")]
pub(crate) async fn rotate(
    request: HttpRequest,
    path: Path<(String, String)>,
    caller: Caller<Webhooks>,
    submission: Submission<SecretRotation>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let (_, done) = rotate_secret(&app_of(&request), named(&path)?, &caller, &body, &key).await?;
    key.answered(done)
}

/// Gives an endpoint a new secret.
pub async fn rotate_secret(
    app: &App,
    named: Named,
    caller: &Caller<Webhooks>,
    body: &SecretRotation,
    idempotency: &Key,
) -> Result<(NewSecret, Done<()>), Problem> {
    let overlap = TimeDelta::hours(body.overlap_hours.unwrap_or(OVERLAP_HOURS));
    let command = RotateSecret { now: app.store.log().clock().now(), overlap };
    let secret = new_secret();
    let sealed = app.store.log().secret().seal(Purpose::WebhookSecret, &secret)?;
    let shown_once = rotated(named.1.to_string(), secret.clone(), &command);
    let done = caller
        .transact(app, async |unit, by| {
            let managed = Managed::load(app, unit, by.id, named).await?;
            unit.append(named.1, &managed.loaded, command.decide(managed.addressed())?);
            let rotated = managed.stored.rotated(sealed.clone(), command.now, command.ends_at());
            unit.write_side(WebhookChange::Webhook(Box::new(rotated)));
            unit.write_side(WebhookChange::FailuresForgiven { webhook_id: named.1 });
            let answer = shown_once.clone();
            unit.answer(idempotency.ticket(), move |_| answer.clone());
            Ok(())
        })
        .await?;
    Ok((NewSecret { webhook_id: named.1, secret }, done))
}

fn rotated(webhook_id: String, secret: String, command: &RotateSecret) -> Answer {
    let overlap_ends_at = Some(command.ends_at()).filter(|ends_at| command.now < *ends_at);
    let body = RotatedSecret { webhook_id, secret, overlap_ends_at };
    let withheld =
        "The new secret was shown once. Repeat the request with another Idempotency-Key to create another one.";
    Answer { status: 201, withheld: Some(withheld.into()), ..shown(&body) }
}

/// Activate the new secret before the overlap ends
///
/// From then on, every push is signed with the new secret alone. An open circuit breaker is closed.
#[utoipa::path(
    operation_id = "activateWebhookSecret",
    tag = "Webhooks",
    params(AgentParameter, WebhookParameter),
    responses(
        (status = 200, description = "The endpoint; the old secret is no longer valid", body = WebhookEndpoint),
        (status = 409, description = "`no_next_secret`, `agent_deactivated`, `idempotency_key_in_use`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/agents/{id}/webhooks/{webhookId}/secret/activate")]
pub(crate) async fn activate(
    request: HttpRequest,
    path: Path<(String, String)>,
    caller: Caller<Webhooks>,
    _act: Act,
) -> Result<HttpResponse, Problem> {
    let (app, named) = (app_of(&request), named(&path)?);
    activate_secret(&app, named, &caller).await?;
    let webhook = own(&app, named, caller.id()).await?;
    answer(&request, &app, webhook).await
}

/// Ends the validity of an endpoint's old secret.
pub async fn activate_secret(app: &App, named: Named, caller: &Caller<Webhooks>) -> Result<(), Problem> {
    let command = ActivateSecret { now: app.store.log().clock().now() };
    caller
        .transact(app, async |unit, by| {
            let managed = Managed::load(app, unit, by.id, named).await?;
            unit.append(named.1, &managed.loaded, command.decide(managed.addressed())?);
            unit.write_side(WebhookChange::Webhook(Box::new(managed.stored.activated())));
            unit.write_side(WebhookChange::FailuresForgiven { webhook_id: named.1 });
            Ok(())
        })
        .await?;
    Ok(())
}
