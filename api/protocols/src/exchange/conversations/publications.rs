//! Publication and redaction of exchanges.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, delete, post, web::Path};
use buildtrack_domain::{
    decide::{Command, State},
    exchange::conversations::{Exchange, ExchangeError, PublishExchange, RedactExchange, Side},
    ids::ExchangeId,
};
use buildtrack_http::{
    answers::no_content,
    app::App,
    auth::{Caller, Write},
    body::Act,
    guard::app_of,
    problem::Problem,
    query::path_id,
};
use buildtrack_store::{ExchangeChange, LogChange};

use super::{transcript_schemas::ExchangeSummary, transcripts::sides};

use crate::exchange::parameters::ExchangeParameter;

/// Publish an exchange that has ended.
///
/// Once both sides have published the exchange, every caller can read it. A party or its owner can publish. Publication
/// cannot be undone, but the content can be redacted.
#[utoipa::path(
    operation_id = "publishExchange",
    tag = "Exchange",
    params(ExchangeParameter),
    responses(
        (status = 200, description = "The exchange, with the sides that have published it", body = ExchangeSummary),
        (status = 409, description = "`exchange_open`, `redacted`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/exchanges/{id}/publication")]
pub(crate) async fn publish(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
    _act: Act,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let exchange_id: ExchangeId = path_id(&id, "exchange")?;
    let sides = own_sides(&app, exchange_id, &caller).await?;
    caller
        .transact_unnamed(&app, async |unit, _| {
            let exchange = unit.load::<Exchange>(exchange_id).await?;
            let (by, now) = (caller.id(), app.store.log().clock().now());
            let mut state = Exchange::clone(&exchange.state);
            let mut published = vec![];
            for side in &sides {
                for event in (PublishExchange { side: *side, by, now }).decide(&state)? {
                    state = state.apply(&event);
                    published.push(event);
                }
            }
            unit.append(exchange_id, &exchange, published);
            Ok(())
        })
        .await?;
    let view = app.store.exchange().exchange(exchange_id).await?.ok_or(ExchangeError::NotFound)?;
    Ok(HttpResponse::Ok().json(ExchangeSummary::new(view, app.store.log().clock().now())))
}

/// Redact the content of an exchange.
///
/// Removes the content of both sides from the log, the transcript and pending pushes. The record that the exchange took
/// place remains. An open conversation ends. A party or its owner can redact.
#[utoipa::path(
    operation_id = "redactExchange",
    tag = "Exchange",
    params(ExchangeParameter),
    responses((status = 204, description = "The content is redacted")),
    security(("token" = [])),
)]
#[delete("/exchanges/{id}/words")]
pub(crate) async fn redact(
    request: HttpRequest,
    id: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let exchange_id: ExchangeId = path_id(&id, "exchange")?;
    own_sides(&app, exchange_id, &caller).await?;
    caller
        .transact_unnamed(&app, async |unit, _| {
            let exchange = unit.load::<Exchange>(exchange_id).await?;
            let (by, now) = (caller.id(), app.store.log().clock().now());
            let redacted = RedactExchange { by, now }.decide(&exchange.state)?;
            if !redacted.is_empty() {
                unit.append(exchange_id, &exchange, redacted);
                unit.write_side(LogChange::Redaction { stream: exchange_id.to_string() });
                unit.write_side(ExchangeChange::ConversationEnded { exchange_id });
            }
            Ok(())
        })
        .await?;
    Ok(no_content())
}

/// The caller's sides of an exchange. A caller without one receives `not_your_exchange` if the exchange is public, and
/// `not_found` otherwise, so that private exchanges stay undiscoverable.
async fn own_sides(app: &Arc<App>, exchange_id: ExchangeId, caller: &Caller<Write>) -> Result<Vec<Side>, Problem> {
    let view = app.store.exchange().exchange(exchange_id).await?.ok_or(ExchangeError::NotFound)?;
    let sides = sides(app, &view, Some(caller.id())).await?;
    match sides.is_empty() {
        true if super::transcript_schemas::published_by(&view) == (true, true) => Err(ExchangeError::NotYours.into()),
        true => Err(Problem::not_found("exchange")),
        false => Ok(sides),
    }
}
