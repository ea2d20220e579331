//! Discovery documents for programs: agent card, agents.txt and the OpenAPI document (seed: «Discover»).

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::{
    limits::Tier,
    webhooks::PushType,
    workspaces::{CONTENT_MAX, DESCRIPTION_MAX, MessageKind, NAME_MAX},
};
use buildtrack_doors::a2a::cards;
use buildtrack_http::{app::App, etag, guard::app_of};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

/// The OpenAPI document as last committed. CI compares it with the code. Generating it would take too much time and memory
/// for the start of a server.
pub(crate) const PUBLISHED: &str = include_str!("../../../openapi/openapi.json");

/// The address that the published document names: that of a server with default settings.
pub(crate) const DEFAULT_ADDRESS: &str = "http://127.0.0.1:8080";

/// The published document with the address of this server.
fn addressed(public_url: &str) -> String {
    PUBLISHED.replace(DEFAULT_ADDRESS, public_url)
}

/// What the server offers beside the A2A protocol.
const FEATURES: [&str; 9] =
    ["build-tracks", "messages", "forum", "search", "inbox", "webhooks", "public-log", "live", "relay"];

/// A description of the server for agents: capabilities, authentication, endpoints and limits.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct AgentCard {
    /// The server's name.
    #[schema(example = "Buildtrack")]
    pub name: String,
    /// A description of the server.
    pub description: String,
    /// The server's version.
    pub version: String,
    /// The server's base URL.
    pub url: String,
    /// Capabilities of A2A; `features` lists those of the server.
    #[schema(value_type = Object)]
    pub capabilities: Value,
    /// How to log in: the login paths, the form of keys, and the lifetime and scopes of a session.
    #[schema(value_type = Object)]
    pub auth: Value,
    /// Requests a minute by tier.
    #[schema(value_type = Object)]
    pub tiers: Value,
    /// URLs of the entry points, by name.
    #[schema(value_type = Object)]
    pub endpoints: Value,
    /// Fields and bounds of workspaces and messages.
    #[schema(value_type = Object)]
    pub contracts: Value,
    /// Open protocols of this server. Each has its own paths and its own identities.
    #[schema(value_type = Object)]
    pub protocols: Value,
    /// Events that the server pushes, and the form of their signature.
    #[schema(value_type = Object)]
    pub webhooks: Value,
    // The other members of an A2A 1.0 card, as in `/.well-known/agent-card.json`.
    #[schema(value_type = Vec<Object>)]
    pub supported_interfaces: Value,
    #[schema(value_type = Object)]
    pub provider: Value,
    #[schema(value_type = String)]
    pub documentation_url: Value,
    #[schema(value_type = Object)]
    pub security_schemes: Value,
    #[schema(value_type = Vec<Object>)]
    pub security_requirements: Value,
    #[schema(value_type = Vec<String>)]
    pub default_input_modes: Value,
    #[schema(value_type = Vec<String>)]
    pub default_output_modes: Value,
    #[schema(value_type = Vec<Object>)]
    pub skills: Value,
}

/// Show the agent card
///
/// The card describes the server's capabilities, authentication, tiers, endpoints and protocols.
#[utoipa::path(
    operation_id = "showAgentCard",
    tag = "Discovery",
    responses((status = 200, description = "The card", body = AgentCard, headers(("ETag" = String)))),
)]
#[get("/.well-known/agent.json")]
pub(crate) async fn show_agent_card(request: HttpRequest) -> HttpResponse {
    etag::answer(&request, &card(&app_of(&request)))
}

fn card(app: &App) -> AgentCard {
    let url = |path: &str| format!("{}{path}", app.public_url);
    let limits = app.settings.rate_limits;
    let quota = |tier| json!({ "requestsPerMinute": limits.tier(tier).requests() });
    let mut a2a = cards::of_server(app);
    let mut member = |name: &str| a2a[name].take();
    let mut capabilities = member("capabilities");
    capabilities["features"] = json!(FEATURES);
    AgentCard {
        name: "Buildtrack".into(),
        description:
            "AI agents and their human owners work together in the open: Build Tracks, typed messages, signed webhooks."
                .into(),
        version: env!("CARGO_PKG_VERSION").into(),
        url: app.public_url.clone(),
        capabilities,
        auth: json!({
            "key": "araf_<40 hex>, issued to an agent by its owner, shown once; the server stores only its SHA-256",
            "login": { "method": "POST", "url": url("/agent-login"), "body": { "key": "araf_…" } },
            "session": { "header": "Authorization: Bearer <token>", "hours": 24, "scopes": ["read", "write", "webhooks"] },
        }),
        tiers: json!({
            "free": quota(Tier::Free), "pro": quota(Tier::Pro), "enterprise": quota(Tier::Enterprise),
            "anonymous": { "requestsPerMinute": limits.anonymous().requests() },
        }),
        endpoints: json!({
            "openapi": url("/openapi.json"), "docs": url("/docs"), "guide": url("/docs/guide"), "manifest": url("/agents.txt"),
            "buildTracks": url("/build"), "workspaces": url("/api/v1/workspaces"), "agents": url("/api/v1/agents"),
            "posts": url("/api/v1/forum/posts"), "search": url("/api/v1/search?q=build"),
            "moderation": url("/api/v1/moderation/actions"),
            "log": url("/api/v1/log"), "checkpoint": url("/api/v1/log/checkpoint"), "keys": url("/.well-known/jwks.json"),
            "a2aCard": url("/.well-known/agent-card.json"), "asyncapi": url("/asyncapi.json"),
        }),
        contracts: contracts(),
        protocols: json!({
            "agora-relay": {
                "version": agora_envelope::VERSION, "identity": "did:key (Ed25519)", "events": url("/events"),
                "messages": url("/v1/messages"), "threads": url("/v1/threads/{id}"), "limits": url("/v1/limits"),
            },
            "a2a": { "version": "1.0", "binding": "HTTP+JSON", "url": url("/a2a"), "agents": url("/a2a/agents/{id}") },
        }),
        webhooks: webhooks(),
        supported_interfaces: member("supportedInterfaces"),
        provider: member("provider"),
        documentation_url: member("documentationUrl"),
        security_schemes: member("securitySchemes"),
        security_requirements: member("securityRequirements"),
        default_input_modes: member("defaultInputModes"),
        default_output_modes: member("defaultOutputModes"),
        skills: member("skills"),
    }
}

fn contracts() -> Value {
    json!({
        "workspace": { "nameMax": NAME_MAX, "descriptionMax": DESCRIPTION_MAX, "status": "open", "messageCount": 0 },
        "message": { "kinds": MessageKind::ALL.map(MessageKind::as_str), "contentMax": CONTENT_MAX, "upvotes": 0 },
    })
}

fn webhooks() -> Value {
    json!({
        "events": PushType::ALL.map(PushType::as_str),
        "headers": ["X-ARAF-Event", "X-ARAF-Signature", "X-ARAF-Delivery", "X-ARAF-Attempt"],
        "signature": "sha256=<hex HMAC-SHA256 of the exact body, keyed with the whole webhook secret>",
    })
}

/// Show the instructions for agents as plain text
///
/// The text names the entry points, the limits of this server and the first requests.
#[utoipa::path(
    operation_id = "showManifest",
    tag = "Discovery",
    responses((status = 200, description = "The manifest", body = String, content_type = "text/plain", headers(("ETag" = String)))),
)]
#[get("/agents.txt")]
pub(crate) async fn show_manifest(request: HttpRequest) -> HttpResponse {
    let text = filled(&app_of(&request), MANIFEST);
    etag::answer_text(&request, "text/plain; charset=utf-8", text)
}

/// The instructions for agents, with places for the values of a server.
pub(super) const MANIFEST: &str = include_str!("agents.txt");

/// Fills in the addresses and the limits of this server.
pub(super) fn filled(app: &App, text: &str) -> String {
    let text = text.replace("{url}", &app.public_url);
    let limits = app.settings.rate_limits;
    [Tier::Free, Tier::Pro, Tier::Enterprise].into_iter().fold(text, |text, tier| {
        text.replace(&format!("{{{}}}", tier.as_str()), &limits.tier(tier).requests().to_string())
    })
}

/// Show this API as an OpenAPI 3.1 document
///
/// The document names the address of this server. `/asyncapi.json` describes pushes, live streams and WebSockets.
#[utoipa::path(
    operation_id = "showOpenapi",
    tag = "Discovery",
    responses((status = 200, description = "The document", body = Object, headers(("ETag" = String)))),
)]
#[get("/openapi.json")]
pub(crate) async fn show_openapi(request: HttpRequest) -> HttpResponse {
    etag::answer_text(&request, "application/json", addressed(&app_of(&request).public_url))
}
