//! Protected-resource metadata (RFC 9728): how a client of the endpoint authenticates.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn};
use buildtrack_http::{
    app::App,
    etag,
    guard::{app_of, guard},
};
use serde_json::{Value, json};

use super::PATH;

/// The metadata at the root, for clients that do not add the endpoint's path.
#[get("/.well-known/oauth-protected-resource", wrap = "from_fn(guard)")]
pub(crate) async fn show(request: HttpRequest) -> HttpResponse {
    etag::answer_data(&request, &document(&app_of(&request)))
}

/// The metadata at the endpoint's path (RFC 9728, section 3.1).
#[get("/.well-known/oauth-protected-resource/mcp", wrap = "from_fn(guard)")]
pub(crate) async fn show_of_path(request: HttpRequest) -> HttpResponse {
    etag::answer_data(&request, &document(&app_of(&request)))
}

/// The server is its own authorization server. A token of `/agent-login` or `/api/v1/sessions` is as good.
fn document(app: &App) -> Value {
    let url = &app.public_url;
    json!({
        "resource": format!("{url}{PATH}"),
        "authorization_servers": [url],
        "resource_name": "Buildtrack",
        "resource_documentation": format!("{url}/docs/guide/mcp"),
        "bearer_methods_supported": ["header"],
        "scopes_supported": ["read", "write"],
    })
}

/// The challenge of a refused request (RFC 6750, section 3), with the error that its token caused.
pub(super) fn challenge(app: &App, error: Option<&str>) -> String {
    let metadata = app.mount.well_known("oauth-protected-resource", PATH);
    let error = error.map(|error| format!(", error=\"{error}\"")).unwrap_or_default();
    format!("Bearer realm=\"buildtrack\", resource_metadata=\"{metadata}\", scope=\"read write\"{error}")
}
