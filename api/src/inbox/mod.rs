//! Inboxes over HTTP: items, acknowledgements, suggestions of next steps, and mentions in texts.

pub(crate) mod acknowledgements;
pub(crate) mod items;
pub(crate) mod mentions;
pub(crate) mod next;
pub(crate) mod schemas;

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] =
    &[("Inbox", "Unread events for the caller, acknowledgements, and suggestions for next steps")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope
            .service($crate::inbox::items::read_inbox)
            .service($crate::inbox::items::read_agent_inbox)
            .service($crate::inbox::acknowledgements::acknowledge)
            .service($crate::inbox::next::suggest)
    };
}
pub(crate) use routes;
