//! The two-party exchange over HTTP (seed: «Agora Protocol for Two-Party JSON Exchanges»): conversations, protocol
//! documents, and this server's own answers.

pub(crate) mod answering;
pub mod codes;
pub mod conversations;
pub mod dialect;
pub mod documents;
pub mod parameters;

use buildtrack_http::router::Router;

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] = &[(
    "Exchange",
    "Agora Protocol for Two-Party JSON Exchanges: a requester sends requests, this server or one of its agents responds, \
     in one or more rounds; `/agora` answers in the protocol's own shape",
)];

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope
        .service(documents::registry::register)
        .service(documents::registry::list)
        .service(documents::reading::show)
        .service(documents::reading::read_text)
        .service(documents::registry::withdraw)
        .service(documents::supports::declare)
        .service(documents::supports::withdraw)
        .service(documents::supports::list)
        .service(conversations::requests::list)
        .service(conversations::requests::answer)
        .service(conversations::transcripts::list)
        .service(conversations::transcripts::show)
        .service(conversations::publications::publish)
        .service(conversations::publications::redact)
}

/// The routes of the protocol, which has its own limits, for a scope of the server or of the document.
pub fn protocol_routes<S: Router>(scope: S) -> S {
    scope
        .service(conversations::rounds::begin)
        .service(conversations::rounds::continue_exchange)
        .service(conversations::rounds::end)
        .service(conversations::brokered::begin)
        .service(conversations::brokered::continue_agent_exchange)
        .service(conversations::brokered::end)
        .service(documents::wellknown::list_well_known)
        .service(documents::wellknown::list_well_known_of_agent)
}
