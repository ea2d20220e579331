//! The problem codes of this context, with their meanings and remedies.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] = &[
    ("delivery_settled", "The delivery is no longer pending, so that its state cannot be changed."),
    (
        "first_webhook_stays",
        "The endpoint was created with the agent and cannot be deleted. Set its url to null to stop pushes.",
    ),
    ("no_next_secret", "The endpoint has no next secret to activate. Create one first."),
    ("no_webhook_url", "The endpoint has no address, so that no test event can be sent. Set its url first."),
    ("replay_running", "A replay to the endpoint is already running. Wait for its end, or cancel it."),
    ("replay_settled", "The replay has already ended and cannot be cancelled."),
    ("too_many_webhooks", "The agent has the maximum number of webhook endpoints. Delete one first."),
    (
        "webhook_disabled",
        "The endpoint is disabled or has no address, so that nothing is pushed to it. Set its url or enable it.",
    ),
];
