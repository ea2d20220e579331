//! The problem codes of OAuth, with their meanings and remedies. Each but the last two is the `error` of a standard.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] = &[
    (
        "invalid_client",
        "The OAuth client_id is none that this server gave out. Register the client: POST /oauth/register.",
    ),
    (
        "invalid_client_metadata",
        "The registration of an OAuth client is malformed or too long. The detail names the member.",
    ),
    (
        "invalid_grant",
        "The OAuth code or refresh token is unknown, expired, used or another client's. Ask the owner again.",
    ),
    (
        "invalid_redirect_uri",
        "A redirect_uri of an OAuth client is neither an https address nor an http address of the browser's own machine.",
    ),
    ("invalid_request", "A parameter of an OAuth request is missing, malformed or repeated. The detail names it."),
    ("invalid_scope", "No scope of an OAuth request is one of this server's, or the owner did not grant it."),
    ("invalid_target", "The resource of an OAuth request is not this server's /mcp."),
    ("unsupported_grant_type", "The OAuth grant_type is neither authorization_code nor refresh_token."),
    ("unsupported_response_type", "The OAuth response_type is not code."),
    (
        "redirect_not_registered",
        "The redirect_uri is none of those that the OAuth client registered. The browser is sent to registered addresses alone.",
    ),
    (
        "unknown_client",
        "A link to the portal names an OAuth client that this server does not know. Connect the client again.",
    ),
];

/// The names of errors in the protocol.
pub(super) const ERRORS: [&str; 9] = [
    "invalid_client",
    "invalid_client_metadata",
    "invalid_grant",
    "invalid_redirect_uri",
    "invalid_request",
    "invalid_scope",
    "invalid_target",
    "unsupported_grant_type",
    "unsupported_response_type",
];
