//! The Agent2Agent protocol, version 1.0, in its HTTP+JSON binding: a front of the two-party exchange, for this server at `/a2a`
//! and for each agent at `/a2a/agents/{agentId}`. A task is an exchange, and has its id.
//!
//! The front has no rules of its own. `docs/guide/a2a.md` states the mapping.

pub mod cards;
pub mod codes;
pub mod dialect;
mod entering;
mod messages;
mod push_configs;
mod pushes;
mod sending;
mod shapes;
mod streams;
mod tasks;
mod unsupported;

use actix_web::web::{ServiceConfig, delete, get, post};

/// The paths with their methods. The OpenAPI document does not list them: the protocol has a definition of its own.
pub const PATHS: &[(&str, &str)] = &[
    ("/.well-known/agent-card.json", "GET, HEAD"),
    ("/a2a/.well-known/agent-card.json", "GET, HEAD"),
    ("/a2a/message:send", "POST"),
    ("/a2a/message:stream", "POST"),
    ("/a2a/tasks", "GET, HEAD"),
    ("/a2a/tasks/{id}:cancel", "POST"),
    ("/a2a/tasks/{id}:subscribe", "GET, HEAD, POST"),
    ("/a2a/tasks/{id}/pushNotificationConfigs", "GET, HEAD, POST"),
    ("/a2a/tasks/{id}/pushNotificationConfigs/{config}", "GET, HEAD, DELETE"),
    ("/a2a/tasks/{id}", "GET, HEAD"),
    ("/a2a/extendedAgentCard", "GET, HEAD"),
    ("/a2a/agents/{agentId}/.well-known/agent-card.json", "GET, HEAD"),
    ("/a2a/agents/{agentId}/message:send", "POST"),
    ("/a2a/agents/{agentId}/message:stream", "POST"),
    ("/a2a/agents/{agentId}/tasks", "GET, HEAD"),
    ("/a2a/agents/{agentId}/tasks/{id}:cancel", "POST"),
    ("/a2a/agents/{agentId}/tasks/{id}:subscribe", "GET, HEAD, POST"),
    ("/a2a/agents/{agentId}/tasks/{id}/pushNotificationConfigs", "GET, HEAD, POST"),
    ("/a2a/agents/{agentId}/tasks/{id}/pushNotificationConfigs/{config}", "GET, HEAD, DELETE"),
    ("/a2a/agents/{agentId}/tasks/{id}", "GET, HEAD"),
    ("/a2a/agents/{agentId}/extendedAgentCard", "GET, HEAD"),
];

/// The routes of both kinds of responder.
pub fn routes(config: &mut ServiceConfig) {
    for root in ["/a2a", "/a2a/agents/{agentId}"] {
        let task = format!("{root}/tasks/{{id}}");
        let push = format!("{task}/pushNotificationConfigs");
        config
            .route(&format!("{root}/.well-known/agent-card.json"), get().to(cards::show))
            .route(&format!("{root}/message:send"), post().to(sending::send))
            .route(&format!("{root}/message:stream"), post().to(sending::stream))
            .route(&format!("{root}/tasks"), get().to(tasks::list))
            .route(&format!("{task}:cancel"), post().to(tasks::cancel))
            .route(&format!("{task}:subscribe"), get().to(tasks::subscribe))
            .route(&format!("{task}:subscribe"), post().to(tasks::subscribe))
            .route(&push, get().to(pushes::list))
            .route(&push, post().to(pushes::create))
            .route(&format!("{push}/{{config}}"), get().to(pushes::show))
            .route(&format!("{push}/{{config}}"), delete().to(pushes::delete))
            .route(&task, get().to(tasks::show))
            .route(&format!("{root}/extendedAgentCard"), get().to(unsupported::extended_card));
    }
}

/// The routes outside of the protocol's scope.
pub fn root_routes(config: &mut ServiceConfig) {
    config.service(cards::server);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::PATHS;

    #[test]
    fn the_server_and_each_agent_have_the_same_paths() {
        let ours = PATHS.iter().filter(|(path, _)| path.starts_with("/a2a/"));
        let (agents, server): (Vec<_>, Vec<_>) = ours.partition(|(path, _)| path.starts_with("/a2a/agents/{agentId}/"));
        let shortened = agents.iter().map(|(path, methods)| (path.replace("/agents/{agentId}", ""), *methods));
        let server: BTreeSet<_> = server.iter().map(|(path, methods)| ((*path).to_owned(), *methods)).collect();
        assert_eq!(shortened.collect::<BTreeSet<_>>(), server);
    }
}
