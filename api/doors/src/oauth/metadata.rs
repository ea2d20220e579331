//! Metadata of the authorization server (RFC 8414): how a client gets a token.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn};
use buildtrack_http::{
    etag,
    guard::{app_of, guard},
};
use serde_json::json;

/// The metadata, which changes with the server's public address alone.
#[get("/.well-known/oauth-authorization-server", wrap = "from_fn(guard)")]
pub(crate) async fn show(request: HttpRequest) -> HttpResponse {
    let app = app_of(&request);
    let url = &app.public_url;
    let document = json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}/portal/authorize"),
        "token_endpoint": format!("{url}/oauth/token"),
        "revocation_endpoint": format!("{url}/oauth/revoke"),
        "registration_endpoint": format!("{url}/oauth/register"),
        "service_documentation": format!("{url}/docs/guide/mcp"),
        "scopes_supported": ["read", "write", "webhooks"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "ui_locales_supported": ["en", "ko", "es"],
    });
    etag::answer_data(&request, &document)
}
