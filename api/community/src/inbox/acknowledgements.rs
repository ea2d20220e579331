//! The operation that acknowledges inbox items.

use actix_web::{HttpRequest, HttpResponse, post};
use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    identity::Agent,
    inbox::{Acknowledge, Inbox},
};
use buildtrack_http::{
    app::App,
    auth::{Caller, Write},
    body::Submission,
    guard::app_of,
    problem::{FieldError, Problem},
};
use buildtrack_store::InboxFilter;

use super::schemas::{InboxReading, InboxState};

/// Acknowledge items of the caller's inbox.
///
/// Acknowledging again changes nothing. Later items are never covered: `upTo` must be a position that the log has
/// reached, such as `asOf` of the list that the caller has read.
#[utoipa::path(
    operation_id = "acknowledgeInbox",
    tag = "Inbox",
    request_body = InboxReading,
    responses((status = 200, description = "The state of the inbox", body = InboxState)),
    security(("token" = [])),
)]
#[post("/me/inbox/ack")]
pub(crate) async fn acknowledge(
    request: HttpRequest,
    caller: Caller<Write>,
    submission: Submission<InboxReading>,
) -> Result<HttpResponse, Problem> {
    let (app, reader_id) = (app_of(&request), caller.id());
    record(&app, &caller, reader_id, submission.body).await?;
    Ok(HttpResponse::Ok().json(state(&app, reader_id).await?))
}

/// Acknowledges items of an inbox: of the caller's own, or of that of an active agent of the caller.
pub async fn record(
    app: &App,
    caller: &Caller<Write>,
    reader_id: ActorId,
    reading: InboxReading,
) -> Result<(), Problem> {
    let InboxReading { up_to, positions } = reading;
    check_reached(app, up_to).await?;
    let (stream, positions) = (Inbox::stream(reader_id), positions.unwrap_or_default());
    caller
        .transact(app, async |unit, by| {
            if let (ActorId::Agent(agent_id), true) = (reader_id, reader_id != by.id) {
                unit.load::<Agent>(agent_id).await?.state.managed_by(by.id, agent_id)?;
            }
            let inbox = unit.load::<Inbox>(&stream).await?;
            let up_to = match up_to {
                Some(up_to) if app.store.inbox().has_news(reader_id, inbox.state.up_to, up_to).await? => Some(up_to),
                _ => None,
            };
            let positions = app.store.inbox().unread_among(reader_id, &positions).await?;
            let Ok(events) = Acknowledge { reader_id, up_to, positions }.decide(&inbox.state);
            unit.append(&stream, &inbox, events);
            Ok(())
        })
        .await?;
    Ok(())
}

/// Refuses a position that the log has not reached, because later events would count as read. The status is 422.
async fn check_reached(app: &App, up_to: Option<i64>) -> Result<(), Problem> {
    let head = app.store.log().head().await?;
    match up_to.filter(|up_to| *up_to > head) {
        None => Ok(()),
        Some(up_to) => {
            let message = format!("upTo is {up_to}, after the end of the log at {head}");
            let hint = "Send asOf of a response of GET /api/v1/me/inbox.";
            Err(Problem::invalid(vec![FieldError::field("/upTo", "beyond_the_log", message, hint)]))
        }
    }
}

async fn state(app: &App, reader: ActorId) -> Result<InboxState, Problem> {
    let filter = InboxFilter { recipient: reader, unread: true, kind: None, after: 0, limit: 0 };
    let view = app.store.inbox().items(&filter).await?;
    Ok(InboxState { up_to: app.store.inbox().read_up_to(reader).await?, unread: view.unread, as_of: view.head })
}
