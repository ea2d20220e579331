//! Inboxes over HTTP: items, acknowledgements, suggestions of next steps, and mentions in texts.

pub mod acknowledgements;
pub mod items;
pub(crate) mod mentions;
pub(crate) mod next;
pub mod schemas;

use buildtrack_http::router::Router;

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] =
    &[("Inbox", "Unread events for the caller, acknowledgements, and suggestions for next steps")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope
        .service(items::read_inbox)
        .service(items::read_agent_inbox)
        .service(acknowledgements::acknowledge)
        .service(next::suggest)
}
