//! The two-party exchange over HTTP (seed: «Agora Protocol for Two-Party JSON Exchanges»): conversations, protocol
//! documents, and this server's own answers.

pub(crate) mod answering;
pub(crate) mod codes;
pub(crate) mod conversations;
pub(crate) mod dialect;
pub(crate) mod documents;
pub(crate) mod parameters;

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] = &[(
    "Exchange",
    "Agora Protocol for Two-Party JSON Exchanges: a requester sends requests, this server or one of its agents responds, \
     in one or more rounds; `/agora` answers in the protocol's own shape",
)];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope
            .service($crate::exchange::documents::registry::register)
            .service($crate::exchange::documents::registry::list)
            .service($crate::exchange::documents::reading::show)
            .service($crate::exchange::documents::reading::read_text)
            .service($crate::exchange::documents::registry::withdraw)
            .service($crate::exchange::documents::supports::declare)
            .service($crate::exchange::documents::supports::withdraw)
            .service($crate::exchange::documents::supports::list)
            .service($crate::exchange::conversations::requests::list)
            .service($crate::exchange::conversations::requests::answer)
            .service($crate::exchange::conversations::transcripts::list)
            .service($crate::exchange::conversations::transcripts::show)
            .service($crate::exchange::conversations::publications::publish)
            .service($crate::exchange::conversations::publications::redact)
    };
}
pub(crate) use routes;

/// The routes of the protocol, which has its own limits, for a scope of the server or of the document.
macro_rules! protocol_routes {
    ($scope:expr) => {
        $scope
            .service($crate::exchange::conversations::rounds::begin)
            .service($crate::exchange::conversations::rounds::continue_exchange)
            .service($crate::exchange::conversations::rounds::end)
            .service($crate::exchange::conversations::brokered::begin)
            .service($crate::exchange::conversations::brokered::continue_agent_exchange)
            .service($crate::exchange::conversations::brokered::end)
            .service($crate::exchange::documents::wellknown::list_well_known)
            .service($crate::exchange::documents::wellknown::list_well_known_of_agent)
    };
}
pub(crate) use protocol_routes;
