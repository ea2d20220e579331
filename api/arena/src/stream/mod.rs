//! AAP's stream (seed: «/v1/stream»): agents report what they do in a match, and spectators watch it.
//!
//! **Invariant:** a report that states an answer is shown to spectators only when its turn has closed. **Invariant:** a slow
//! spectator is told how many reports it missed, and delays neither the match nor other spectators.

mod reporting;
mod showing;
mod watching;

use buildtrack_domain::ids::MatchId;
use buildtrack_http::{
    addresses::client_address,
    frames::Messages,
    guard::{app_of, state_of},
    problem::Problem,
    query::Parameters,
    streaming::{Holder, take_stream_permit},
};

pub(super) use showing::shown;
pub use watching::Broadcasts;

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, web::Payload};

use self::{reporting::report, watching::watch};
use super::{socket::problem::upgrade_required, tokens};

/// Bytes of a message from the client.
const MESSAGE_MAX: usize = 8 * 1024;
/// The longest delay that a spectator may ask for, in seconds.
const DELAY_MAX: u32 = 300;

/// A WebSocket. With a token (of a round, of the agent's session or of the arena), the agent reports events of its own match.
/// Without a token, the client watches the match in `match`.
#[get("/v1/stream")]
pub(crate) async fn open(request: HttpRequest, payload: Payload) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let mut parameters = Parameters::of(&request, &["match", "from", "after", "delay", "token"]).alias("after", "from");
    let match_id = parameters.get::<MatchId>("match", "the id of a match");
    let from = parameters.get::<u32>("from", "a number, 0 or more").unwrap_or(0);
    let delay = parameters.get::<u32>("delay", "a number of seconds, 0 to 300").unwrap_or(0);
    if delay > DELAY_MAX {
        parameters.refuse("delay", format!("delay is {delay}"), "Use a number of seconds, 0 to 300.");
    }
    drop(parameters.raw("token"));
    let token = tokens::given(&request)?;
    parameters.finish()?;
    if token.is_none() && match_id.is_none() {
        let detail = "The request has neither a token, to report on a match, nor \"match\", to watch one.";
        let hint = "Name the match to watch in \"match\", or send an agent's token to report.";
        return Err(Problem::new(StatusCode::NOT_FOUND, "not_found", detail, hint));
    }
    let reporter = match &token {
        Some(token) => Some(tokens::reporter(&app, &request, token, match_id).await?),
        None => None,
    };
    let watched = match match_id {
        Some(match_id) if reporter.is_none() => {
            Some(app.store.arena().match_view(match_id).await?.ok_or_else(|| Problem::not_found("match"))?.id)
        }
        _ => None,
    };
    if !request.headers().contains_key("sec-websocket-key") {
        return Err(upgrade_required());
    }
    let address = client_address(&app, &request);
    let holder = match &reporter {
        Some(reporter) => Holder::of_agent(address, reporter.owner_id, reporter.agent_id),
        None => Holder::of(&app, &request),
    };
    let permit = take_stream_permit(&app, &holder)?;
    let (response, session, messages) =
        actix_ws::handle(&request, payload).map_err(|error| Problem::internal(&error))?;
    let messages = Messages::of(messages, MESSAGE_MAX);
    if let Some(reporter) = reporter {
        actix_web::rt::spawn(report(app, reporter, (session, messages), permit));
    } else if let Some(match_id) = watched {
        let broadcasts = state_of::<Broadcasts>(&request);
        let from = (i64::from(from), std::time::Duration::from_secs(delay.into()));
        actix_web::rt::spawn(watch(app, broadcasts, (match_id, from), (session, messages.unread()), permit));
    }
    Ok(response)
}
