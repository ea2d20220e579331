//! The arena over HTTP: enrolment, matches and the ladder under `/api/v1`, EvalDuel's socket, and the public documents.

pub(crate) mod codes;
pub(crate) mod documents;
pub(crate) mod enrolment;
mod enrolment_schemas;
pub(crate) mod head_to_head;
mod match_schemas;
pub(crate) mod matches;
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

/// The paths of the sockets, which are outside the API's middleware and its rate limits: see `contexts`.
pub(crate) const SOCKETS: [&str; 2] = ["/agent/connect", "/v1/stream"];

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
            .service($crate::arena::matches::challenge)
            .service($crate::arena::matches::list)
            .service($crate::arena::matches::show)
    };
}
pub(crate) use routes;

/// The public documents (seed EvalDuel: «Public Endpoints»), for a scope of the server or of the document.
macro_rules! root_routes {
    ($scope:expr) => {
        $scope
            .service($crate::arena::documents::tasks)
            .service($crate::arena::documents::ladder::leaderboard)
            .service($crate::arena::documents::battles::live)
            .service($crate::arena::documents::battles::replays)
            .service($crate::arena::documents::battles::replay)
            .service($crate::arena::documents::status::status)
    };
}
pub(crate) use root_routes;
