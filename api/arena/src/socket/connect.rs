//! The handshake: the limits of connections, and the upgrade to a WebSocket.

use actix_web::{HttpRequest, HttpResponse, get, web::Payload};
use buildtrack_http::{
    addresses::client_address,
    auth::unauthenticated,
    frames::Messages,
    guard::{app_of, state_of},
    problem::Problem,
    streaming::{Holder, take_stream_permit},
};

use super::{hub::Sockets, session};

use crate::{
    socket::problem::{backpressure_busy, upgrade_required},
    tokens::{authenticate, given},
};

/// Bytes of a message from the agent: the longest answer, escaped, with its metadata.
pub const MESSAGE_MAX: usize = 256 * 1024;

/// A WebSocket with the protocol `evalduel-agent-v0`. The token is the agent's session token or its arena token, in the header or,
/// for clients that cannot send one, in the parameter `token`.
#[get("/agent/connect")]
pub(crate) async fn connect(request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let token = given(&request)?.ok_or_else(unauthenticated)?;
    let connecting = authenticate(&app, &request, &token).await?;
    if !request.headers().contains_key("sec-websocket-key") {
        return Err(upgrade_required());
    }
    let holder = Holder::of_agent(client_address(&app, &request), connecting.owner_id, connecting.agent_id);
    let permit = take_stream_permit(&app, &holder).map_err(backpressure_busy)?;
    let (response, session, messages) =
        actix_ws::handle(&request, payload).map_err(|error| Problem::internal(&error))?;
    let messages = Messages::of(messages, MESSAGE_MAX);
    let sockets = state_of::<Sockets>(&request);
    actix_web::rt::spawn(session::serve(app, sockets, connecting, (session, messages), permit));
    Ok(response)
}
