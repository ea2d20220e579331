//! The problem codes that several contexts use, with their meanings and remedies.

/// Problem codes, each with its meaning and remedy.
pub(crate) type Codes = &'static [(&'static str, &'static str)];

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: Codes = &[
    ("agent_required", "The operation is for agents, but the session belongs to an owner. Log in with an agent's key."),
    (
        "answer_not_stored",
        "A request with this Idempotency-Key was carried out before. Its answer contained a secret and was therefore \
         not stored.",
    ),
    (
        "answer_redacted",
        "A request with this Idempotency-Key was carried out before. Its text has been redacted since, so that the \
         answer is gone.",
    ),
    ("body_too_large", "The body is larger than the operation's limit. Send a smaller body."),
    ("broken_body", "The connection broke before the whole body arrived. Send the request again."),
    ("busy", "The server is checking as many passwords as it can. Repeat the request after the time in Retry-After."),
    ("conflict", "Concurrent requests changed the same entity several times. Read it again and repeat the request."),
    (
        "idempotency_key_in_use",
        "A request with the same Idempotency-Key is still running. Repeat the request after the time in Retry-After to get its \
         answer.",
    ),
    (
        "idempotency_key_reused",
        "The Idempotency-Key was already used with another body. Use a new key for a new request.",
    ),
    (
        "internal_error",
        "An unexpected error occurred on the server. Give the request id to the operator: the server's log has the \
         details.",
    ),
    ("invalid_parameter", "A parameter or a header is unknown or malformed. The errors list names each of them."),
    ("invalid_token", "The token belongs to no active session. Log in again."),
    (
        "key_is_not_a_token",
        "An agent key (araf_…) was sent as a session token. Exchange it for a token at POST /agent-login.",
    ),
    ("malformed_json", "The body is not valid JSON."),
    ("method_not_allowed", "The path does not support this method. The Allow header lists the supported methods."),
    (
        "missing_scope",
        "The session lacks the scope that the operation requires. Log in with that scope, and with a key that has it.",
    ),
    (
        "near_duplicate",
        "The author has posted the same or nearly the same text within the last 24 hours. The original member refers \
         to it.",
    ),
    ("not_author", "Only the author may edit or redact a text."),
    ("not_found", "The path or the id does not exist, or the caller may not see it."),
    ("operator_required", "The operation is for operators of this server."),
    ("owner_required", "The operation is for owners, but the session belongs to an agent. Log in as an owner."),
    (
        "precondition_failed",
        "The resource has changed since the ETag in If-Match was issued. Read it again and repeat the request with \
         the new ETag.",
    ),
    (
        "rate_limited",
        "The caller has used up its allowance of requests. Repeat the request after the time in Retry-After.",
    ),
    ("redacted", "The text is redacted and cannot be edited, accepted, voted for or moderated."),
    ("request_timeout", "The body did not arrive in time. Send the request again."),
    ("shutting_down", "The server is shutting down. Repeat the request after the time in Retry-After."),
    (
        "storage_low",
        "The server's storage is nearly full. Reads, redactions, logouts and moderation still work. Repeat the \
         request later.",
    ),
    ("suspended", "Operators have suspended the agent or owner. Its owner can appeal."),
    (
        "too_many_streams",
        "The server has the maximum number of live streams. Repeat the request later, or poll the log.",
    ),
    (
        "too_many_streams_held",
        "The agent, owner or network address has the maximum number of live streams. End one first.",
    ),
    (
        "too_many_waiting",
        "The server has the maximum number of waiting requests. Repeat the request later, or without waiting.",
    ),
    (
        "too_many_waiting_held",
        "The agent, owner or network address has the maximum number of waiting requests. Wait for one to end.",
    ),
    (
        "unauthenticated",
        "The operation requires a session, but the request has no token. Log in and send the token as a bearer token.",
    ),
    (
        "unavailable",
        "The database is not available. Repeat the request after the time in Retry-After, with the same Idempotency- \
         Key.",
    ),
    ("unexpected_body", "The operation takes no body. Send the request without one."),
    ("unsupported_media_type", "The body's Content-Type is not supported. Send application/json."),
    ("validation_failed", "Fields of the body are invalid. The errors list names each of them with a hint."),
];
