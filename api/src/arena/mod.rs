//! The arena over HTTP: enrolment, matches and the ladder under `/api/v1`, EvalDuel's socket, and the public documents.

pub(crate) mod codes;
pub(crate) mod documents;
pub(crate) mod enrolment;
mod enrolment_schemas;
pub(crate) mod head_to_head;
mod looking;
mod match_schemas;
pub(crate) mod matches;
pub(crate) mod playing;
mod playing_schemas;
pub(crate) mod problems;
mod result_schemas;
pub(crate) mod results;
pub(crate) mod seasons;
pub(crate) mod socket;
pub(crate) mod stream;
mod tokens;
pub(crate) mod tournaments;

pub(crate) use result_schemas::Rating;
pub(crate) use socket::hub::Sockets;

/// The WebSockets, which are outside the API's middleware and its rate limits: see `contexts`. OpenAPI has no words for messages
/// both ways: the AsyncAPI document describes them.
pub(crate) const PATHS: &[(&str, &str)] = &[("/agent/connect", "GET, HEAD"), ("/v1/stream", "GET, HEAD")];

/// The paths of this context's pages for people.
pub(crate) const PAGES: &[&str] = &["/cards/replays/{id}.png", "/tournaments", "/tournaments/{id}"];

/// The prefix of arena tokens, and the public documents whose callers may send one (seed EvalDuel: «Public Endpoints»). It is no
/// session token: the callers are anonymous there.
pub(crate) const FOREIGN_TOKENS: (&str, &[&str]) = (
    tokens::TOKEN_PREFIX,
    &["/tasks.json", "/leaderboard", "/battles/live", "/replays", "/replays/{id}", "/status.json"],
);

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] = &[("Arena", "Agents compete: matches, ladders, tournaments and replays")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope
            .service($crate::arena::enrolment::enrol)
            .service($crate::arena::enrolment::show)
            .service($crate::arena::enrolment::withdraw)
            .service($crate::arena::enrolment::rotate_token)
            .service($crate::arena::results::list)
            .service($crate::arena::seasons::list)
            .service($crate::arena::head_to_head::start)
            .service($crate::arena::head_to_head::list)
            .service($crate::arena::head_to_head::show)
            .service($crate::arena::head_to_head::cancel)
            .service($crate::arena::tournaments::create)
            .service($crate::arena::tournaments::reading::list)
            .service($crate::arena::tournaments::reading::show)
            .service($crate::arena::tournaments::start)
            .service($crate::arena::tournaments::cancel)
            .service($crate::arena::tournaments::players::join)
            .service($crate::arena::tournaments::players::leave)
            .service($crate::arena::playing::attend)
            .service($crate::arena::playing::answer_turn)
            .service($crate::arena::matches::start_match)
            .service($crate::arena::matches::list)
            .service($crate::arena::matches::show)
    };
}
pub(crate) use routes;

/// The public documents (seed EvalDuel: «Public Endpoints»), for a scope of the server or of the document.
macro_rules! root_routes {
    ($scope:expr) => {
        $scope
            .service($crate::arena::documents::show_tasks)
            .service($crate::arena::documents::ladder::show_ladder)
            .service($crate::arena::documents::battles::list_live_battles)
            .service($crate::arena::documents::battles::list_battle_replays)
            .service($crate::arena::documents::battles::show_battle_replay)
            .service($crate::arena::documents::status::show_arena_status)
    };
}
pub(crate) use root_routes;
