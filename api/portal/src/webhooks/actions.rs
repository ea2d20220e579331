//! What the forms of an endpoint's page do: each runs the command of the API's operation.

use actix_web::{HttpRequest, HttpResponse, post, web::Path};
use buildtrack_community::webhooks::{
    commands::{self, NewSecret},
    pings,
    schemas::{NewWebhook, SecretRotation, WebhookChanges},
    secrets,
};
use buildtrack_http::{
    auth::{Caller, Webhooks},
    etag::Precondition,
    guard::app_of,
    idempotency::Key,
    problem::Problem,
};
use serde_json::json;

use super::{
    Own, forms,
    pages::{EndpointPage, PongShown, endpoint_page, own_agent, refused_change, refused_new},
    portal_of,
};

use crate::{Portal, SignedIn, answer, form::Pressed, see};

/// Adds an endpoint to an agent, and shows its secret once.
#[post("/webhooks/new/{id}")]
pub(super) async fn add(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    caller: Caller<Webhooks>,
    form: Pressed,
) -> Result<HttpResponse, Problem> {
    let (app, entered) = (app_of(&request), form.0);
    let agent = own_agent(&app, &id, &owner).await?;
    let added = async {
        let body: NewWebhook = forms::read(&app, &forms::settings(&entered, true)).await?;
        commands::add(&request, agent.id, &caller, body, &Key::default()).await
    };
    match added.await {
        Ok((new, _)) => show_secret(&request, &owner, new, "portal-webhooks-added").await,
        Err(problem) => Err(refused_new(&request, agent, &entered, problem)),
    }
}

async fn show_secret(
    request: &HttpRequest,
    owner: &SignedIn,
    new: NewSecret,
    notice: &'static str,
) -> Result<HttpResponse, Problem> {
    let own = Own::of(&app_of(request), &new.webhook_id.to_string(), owner).await?;
    let page = endpoint_page(request, own).await?;
    let portal = Portal { notice: Some(notice), ..portal_of(request) };
    answer(request, &EndpointPage { portal, secret: Some(new.secret), ..page })
}

/// Changes the settings of an endpoint.
#[post("/webhooks/{id}")]
pub(super) async fn change(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    caller: Caller<Webhooks>,
    form: Pressed,
) -> Result<HttpResponse, Problem> {
    let (app, entered) = (app_of(&request), form.0);
    let own = Own::of(&app, &id, &owner).await?;
    let changed = async {
        let body: WebhookChanges = forms::read(&app, &forms::settings(&entered, false)).await?;
        commands::change(&request, own.named(), &caller, body, &Precondition::None).await
    };
    match changed.await {
        Ok(()) => Ok(see(&own.address("?done=changed"))),
        Err(problem) => Err(refused_change(&request, own, Some(&entered), problem).await),
    }
}

/// Enables or disables an endpoint, as the button says.
#[post("/webhooks/{id}/state")]
pub(super) async fn switch(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    caller: Caller<Webhooks>,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let own = Own::of(&app, &id, &owner).await?;
    let enabled = pressed.0.text("enabled") == "true";
    let switched = async {
        let body: WebhookChanges = forms::read(&app, &json!({ "enabled": enabled })).await?;
        commands::change(&request, own.named(), &caller, body, &Precondition::None).await
    };
    match switched.await {
        Ok(()) => Ok(see(&own.address(if enabled { "?done=on" } else { "?done=off" }))),
        Err(problem) => Err(refused_change(&request, own, None, problem).await),
    }
}

/// Sends a test event, and shows what the endpoint answered.
#[post("/webhooks/{id}/ping")]
pub(super) async fn ping(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    caller: Caller<Webhooks>,
    _: Pressed,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let own = Own::of(&app, &id, &owner).await?;
    match pings::test(&request, own.named(), &caller).await {
        Ok(pong) => {
            // The answer may have verified the endpoint.
            let page = endpoint_page(&request, Own::of(&app, &id, &owner).await?).await?;
            answer(&request, &EndpointPage { pong: Some(PongShown::from(pong)), ..page })
        }
        Err(problem) => Err(refused_change(&request, own, None, problem).await),
    }
}

/// Gives an endpoint a new secret, and shows it once.
#[post("/webhooks/{id}/secret")]
pub(super) async fn renew_secret(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    caller: Caller<Webhooks>,
    form: Pressed,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let own = Own::of(&app, &id, &owner).await?;
    let renewed = async {
        let body = json!({ "overlapHours": forms::number(form.0.text("overlapHours")) });
        let body: SecretRotation = forms::read(&app, &body).await?;
        secrets::rotate_secret(&app, own.named(), &caller, &body, &Key::default()).await
    };
    match renewed.await {
        Ok((new, _)) => show_secret(&request, &owner, new, "portal-webhooks-renewed").await,
        Err(problem) => Err(refused_change(&request, own, None, problem).await),
    }
}

/// Ends the validity of the old secret.
#[post("/webhooks/{id}/activation")]
pub(super) async fn activate_secret(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    caller: Caller<Webhooks>,
    _: Pressed,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let own = Own::of(&app, &id, &owner).await?;
    match secrets::activate_secret(&app, own.named(), &caller).await {
        Ok(()) => Ok(see(&own.address("?done=activated"))),
        Err(problem) => Err(refused_change(&request, own, None, problem).await),
    }
}

/// Deletes an endpoint.
#[post("/webhooks/{id}/deletion")]
pub(super) async fn delete(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    caller: Caller<Webhooks>,
    _: Pressed,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let own = Own::of(&app, &id, &owner).await?;
    match commands::remove(&app, own.named(), &caller).await {
        Ok(()) => Ok(see("/portal/webhooks?done=deleted")),
        Err(problem) => Err(refused_change(&request, own, None, problem).await),
    }
}
