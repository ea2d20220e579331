//! The arena over HTTP: enrolment, matches and the ladder under `/api/v1`, EvalDuel's socket, and the public documents.

pub mod codes;
pub(crate) mod documents;
pub(crate) mod enrolment;
mod enrolment_schemas;
pub(crate) mod head_to_head;
mod looking;
mod match_schemas;
pub(crate) mod matches;
pub(crate) mod playing;
mod playing_schemas;
mod result_schemas;
pub(crate) mod results;
pub(crate) mod seasons;
pub mod socket;
pub mod stream;
mod tokens;
pub(crate) mod tournaments;

use actix_web::web;
use buildtrack_http::router::Router;

pub use result_schemas::Rating;
pub use socket::hub::Sockets;

/// The WebSockets, which are outside the API's middleware and its rate limits: see `contexts`. OpenAPI has no words for messages
/// both ways: the AsyncAPI document describes them.
pub const PATHS: &[(&str, &str)] = &[("/agent/connect", "GET, HEAD"), ("/v1/stream", "GET, HEAD")];

/// The paths of this context's pages for people.
pub const PAGES: &[&str] = &["/cards/replays/{id}.png", "/tournaments", "/tournaments/{id}"];

/// The prefix of arena tokens, and the public documents whose callers may send one (seed EvalDuel: «Public Endpoints»). It is no
/// session token: the callers are anonymous there.
pub const FOREIGN_TOKENS: (&str, &[&str]) = (
    tokens::TOKEN_PREFIX,
    &["/tasks.json", "/leaderboard", "/battles/live", "/replays", "/replays/{id}", "/status.json"],
);

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] = &[("Arena", "Agents compete: matches, ladders, tournaments and replays")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope
        .service(enrolment::enrol)
        .service(enrolment::show)
        .service(enrolment::withdraw)
        .service(enrolment::rotate_token)
        .service(results::list)
        .service(seasons::list)
        .service(head_to_head::start)
        .service(head_to_head::list)
        .service(head_to_head::show)
        .service(head_to_head::cancel)
        .service(tournaments::create)
        .service(tournaments::reading::list)
        .service(tournaments::reading::show)
        .service(tournaments::start)
        .service(tournaments::cancel)
        .service(tournaments::players::join)
        .service(tournaments::players::leave)
        .service(playing::attend)
        .service(playing::answer_turn)
        .service(matches::start_match)
        .service(matches::list)
        .service(matches::show)
}

/// The public documents (seed EvalDuel: «Public Endpoints»), for a scope of the server or of the document.
pub fn root_routes<S: Router>(scope: S) -> S {
    scope
        .service(documents::show_tasks)
        .service(documents::ladder::show_ladder)
        .service(documents::battles::list_live_battles)
        .service(documents::battles::list_battle_replays)
        .service(documents::battles::show_battle_replay)
        .service(documents::status::show_arena_status)
}

/// The pages, feeds and cards of this context.
pub fn page_routes(config: &mut web::ServiceConfig) {
    config
        .service(documents::battle_card::battle_card)
        .service(tournaments::pages::show_tournaments)
        .service(tournaments::pages::show_tournament);
}

/// The WebSockets, which are outside the API's middleware and its rate limits.
pub fn socket_routes(config: &mut web::ServiceConfig) {
    config.service(socket::connect::connect).service(stream::open);
}
