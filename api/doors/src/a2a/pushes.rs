//! Push notification configs of a task: create, show, list and delete (specification, sections 3.1.7 to 3.1.10). The worker
//! pushes the updates.

use actix_web::{HttpRequest, HttpResponse};
use buildtrack_community::webhooks::targets::vet;
use buildtrack_domain::{
    exchange::tasks::{PushConfig, RETENTION, RETENTION_PENDING},
    ids::ExchangeId,
};
use buildtrack_http::{
    auth::{Read, Write},
    body::Raw,
    problem::Problem,
};
use buildtrack_store::{ExchangeChange, NewTaskPush, Purpose, StoreError, TaskPush};
use serde_json::{Value, json};

use super::{
    entering::{enter, named_task, no_such_config, unsupported},
    messages::{fault, invalid, parse},
    push_configs::WantedConfig,
    shapes::state,
    tasks::answer,
};
pub(super) use buildtrack_protocols::exchange::conversations::{pushes::set_task_push, requesters::Requester};

/// A config that may be set.
pub(super) struct AdmittedConfig {
    id: String,
    config: PushConfig,
}

/// `POST /tasks/{id}/pushNotificationConfigs`.
pub(super) async fn create(request: HttpRequest, body: Raw) -> Result<HttpResponse, Problem> {
    let requester = enter::<Write>(&request).await?;
    let view = named_task(&request, &requester).await?;
    let wanted = parse(&requester.app, &body.0, WantedConfig::read).await?;
    if wanted.task_id.as_ref().is_some_and(|task_id| *task_id != view.id.to_string()) {
        let hint = "Omit taskId, or repeat that of the path.";
        return Err(invalid(vec![fault("/taskId", "taskId is not that of the path", hint)]));
    }
    let admitted = admit(&request, &requester, wanted, "").await?;
    let has_ended = state(&view, requester.app.store.log().clock().now()).is_terminal();
    let shown = show_config(view.id, &admitted.id, &admitted.config);
    let push = row(&requester, admitted, (Some(view.active_position), has_ended))?;
    let set = requester
        .app
        .store
        .log()
        .transact::<_, StoreError>(None, async |unit| set_task_push(unit, view.id, &push).await);
    set.await?.value.map_err(|rule| unsupported(format!("{rule}.")))?;
    Ok(answer(&shown))
}

/// `GET /tasks/{id}/pushNotificationConfigs`. A task has few configs, so that one page shows all of them.
pub(super) async fn list(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let requester = enter::<Read>(&request).await?;
    let view = named_task(&request, &requester).await?;
    let stored = requester.app.store.exchange().task_pushes(view.id).await?;
    let configs = stored.iter().map(|push| open(&requester, push)).collect::<Result<Vec<_>, _>>()?;
    Ok(answer(&json!({ "configs": configs, "nextPageToken": "" })))
}

/// `GET /tasks/{id}/pushNotificationConfigs/{config}`.
pub(super) async fn show(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let requester = enter::<Read>(&request).await?;
    let view = named_task(&request, &requester).await?;
    let id = request.match_info().get("config").unwrap_or_default();
    let stored = requester.app.store.exchange().task_pushes(view.id).await?;
    let push = stored.iter().find(|push| push.id == id).ok_or_else(no_such_config)?;
    Ok(answer(&open(&requester, push)?))
}

/// `DELETE /tasks/{id}/pushNotificationConfigs/{config}`. It succeeds, too, if there is no such config.
pub(super) async fn delete(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let requester = enter::<Write>(&request).await?;
    let view = named_task(&request, &requester).await?;
    let id = request.match_info().get("config").unwrap_or_default().to_owned();
    let removed = ExchangeChange::TaskPushRemoved { exchange_id: view.id, id };
    requester.app.store.log().write_side([removed]).await?;
    Ok(answer(&json!({})))
}

/// Vets the address of a config. `at` points to the config in the body.
pub(super) async fn admit(
    request: &HttpRequest,
    requester: &Requester,
    wanted: WantedConfig,
    at: &str,
) -> Result<AdmittedConfig, Problem> {
    let WantedConfig { id, config, .. } = wanted;
    vet(request, Some(&config.url), &format!("{at}/url")).await.map_err(forbidden)?;
    let id = id.unwrap_or_else(|| requester.app.store.log().clock().uuid().to_string());
    Ok(AdmittedConfig { id, config })
}

/// The problem of an address that is no allowed target, in the form of the protocol.
fn forbidden(problem: Problem) -> Problem {
    let mut errors = problem.errors;
    for error in &mut errors {
        error.message = error.message.trim_end_matches('.').to_owned();
    }
    invalid(errors)
}

/// The row of a config, by which updates beyond a position are pushed; without one, beyond the request that is recorded with it.
pub(super) fn row(
    requester: &Requester,
    AdmittedConfig { id, config }: AdmittedConfig,
    (pushed_to, has_ended): (Option<i64>, bool),
) -> Result<NewTaskPush, Problem> {
    let store = &requester.app.store;
    let clock = store.log().clock();
    let text = serde_json::to_string(&config).map_err(|error| Problem::internal(&error))?;
    Ok(NewTaskPush {
        id,
        requester_id: requester.id,
        session_id: requester.session_id,
        config_sealed: store.log().secret().seal(Purpose::TaskPush, &text)?,
        pushed_to,
        next_at: (!has_ended).then(|| clock.now()),
        expires_at: clock.after(if has_ended { RETENTION } else { RETENTION_PENDING }),
    })
}

fn open(requester: &Requester, push: &TaskPush) -> Result<Value, Problem> {
    let text = requester.app.store.log().secret().open(Purpose::TaskPush, &push.config_sealed)?;
    let config: PushConfig = serde_json::from_str(&text).map_err(|error| Problem::internal(&error))?;
    Ok(show_config(push.exchange_id, &push.id, &config))
}

/// A config without its secrets: the token and the credentials.
fn show_config(exchange_id: ExchangeId, id: &str, config: &PushConfig) -> Value {
    let mut shown = json!({ "id": id, "taskId": exchange_id.to_string(), "url": config.url });
    if let Some(authentication) = &config.authentication {
        shown["authentication"] = json!({ "scheme": authentication.scheme });
    }
    shown
}
