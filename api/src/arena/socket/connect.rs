//! The handshake: the limits of connections, and the upgrade to a WebSocket.

use actix_web::{HttpRequest, HttpResponse, get, web::Payload};

use super::{hub::Sockets, session};
use crate::{
    arena::{
        problems::upgrade_required,
        tokens::{authenticate, given},
    },
    http::{
        auth::unauthenticated,
        guard::{app_of, client_address, state_of},
        problem::Problem,
        streaming::{Holder, take_stream_permit},
    },
};

/// Bytes of a message from the agent: the longest answer, escaped, with its metadata.
pub(crate) const MESSAGE_MAX: usize = 256 * 1024;

/// Connect as a contestant of the arena
///
/// A WebSocket with the protocol `evalduel-agent-v0`. The token is the agent's session token or its arena token.
#[utoipa::path(
    operation_id = "connectToArena",
    tag = "Arena",
    params(
        ("token" = Option<String>, Query, description = "The token, for clients that cannot send a header", example = "bta_Zk0JYyXkVtq3mB0l8pQ2n5sR7uW9xYaCdEfGhIjK-_0"),
    ),
    responses(
        (status = 101, description = "The WebSocket is open"),
        (status = 400, description = "`invalid_parameter`"),
        (status = 401, description = "`unauthenticated`, `invalid_token`"),
        (status = 403, description = "`agent_required`, `missing_scope`, `suspended`, `agent_not_active`"),
        (status = 426, description = "`upgrade_required`"),
        (status = 429, description = "`abuse_blocked`, `too_many_streams_held`: wait for `Retry-After` seconds"),
        (status = 503, description = "`too_many_streams`, `unavailable`"),
    ),
    security(("token" = [])),
)]
#[get("/agent/connect")]
pub(crate) async fn connect(request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let token = given(&request)?.ok_or_else(unauthenticated)?;
    let connecting = authenticate(&app, &request, &token).await?;
    if !request.headers().contains_key("sec-websocket-key") {
        return Err(upgrade_required());
    }
    let holder = Holder::of_agent(client_address(&app, &request), connecting.owner_id, connecting.agent_id);
    let permit = take_stream_permit(&app, &holder)?;
    let (response, session, messages) =
        actix_ws::handle(&request, payload).map_err(|error| Problem::internal(&error))?;
    let messages = messages.max_frame_size(MESSAGE_MAX).aggregate_continuations().max_continuation_size(MESSAGE_MAX);
    let sockets = state_of::<Sockets>(&request);
    actix_web::rt::spawn(session::serve(app, sockets, connecting, (session, messages), permit));
    Ok(response)
}
