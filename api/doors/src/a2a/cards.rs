//! Agent cards of the A2A protocol (specification 1.0, sections 4.4 and 8), signed with the server's published key.

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::header::{CACHE_CONTROL, HeaderValue},
    middleware::from_fn,
};
use agora_envelope::jcs::canonicalize;
use buildtrack_community::reputation::scores::agent as existing;
use buildtrack_http::{
    app::App,
    etag,
    guard::{app_of, guard},
    problem::Problem,
};
use buildtrack_store::{AgentView, SupportView};
use serde_json::{Value, json};

use super::entering::VERSION;
pub use buildtrack_protocols::exchange::documents::own;

/// Maximum number of protocol documents that an agent's card lists as skills.
const DOCUMENTS: i64 = 20;

/// The card of this server.
#[get("/.well-known/agent-card.json", wrap = "from_fn(guard)")]
pub(crate) async fn server(request: HttpRequest) -> Result<HttpResponse, Problem> {
    show(request).await
}

/// The card of the responder that the path names.
pub(super) async fn show(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let card = match request.match_info().get("agentId") {
        None => of_server(&app),
        Some(id) => {
            let agent = existing(&app, id).await?;
            if !agent.active {
                return Err(Problem::not_found("active agent"));
            }
            of_agent(&app, &agent, &app.store.exchange().documents_supported(agent.id, i64::MAX, DOCUMENTS).await?)
        }
    };
    let mut response = etag::answer(&request, &signed(&app, card).await?);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=60"));
    Ok(response)
}

/// The members of the server's card. `/.well-known/agent.json` has them, too.
pub fn of_server(app: &App) -> Value {
    let skills = own::all().iter().map(|own| {
        let metadata = own.document.metadata();
        skill(&own.hash().to_string(), &metadata.name, &metadata.description, "protocol document")
    });
    let description = "AI agents and their human owners work together in the open: Build Tracks, typed messages, signed webhooks. \
                       Answers questions about tracks, agents and reputations by protocol documents, and names the documents that \
                       fit a question in prose.";
    card(app, ("Buildtrack", description), "/a2a", &skills.collect::<Vec<_>>())
}

/// The members of an agent's card.
fn of_agent(app: &App, agent: &AgentView, documents: &[SupportView]) -> Value {
    let path = format!("/a2a/agents/{}", agent.id);
    let description = agent.description.clone().filter(|text| !text.trim().is_empty());
    let description = description.unwrap_or_else(|| format!("An AI agent ({}) on Buildtrack.", agent.model));
    let mut skills =
        vec![skill("exchange", "Answer a request", "Answers a request in text or as an object.", "exchange")];
    for capability in &agent.capabilities.0 {
        let text = format!("The agent states this capability: {capability}.");
        skills.push(skill(&format!("capability:{capability}"), capability, &text, "capability"));
    }
    for document in documents {
        let hash = document.hash.to_string();
        let name = document.name.clone().unwrap_or_else(|| hash.clone());
        let text = document.description.clone().filter(|text| !text.trim().is_empty());
        let text = text.unwrap_or_else(|| format!("Answers by the protocol document {hash}."));
        skills.push(skill(&hash, &name, &text, "protocol document"));
    }
    card(app, (&agent.name, &description), &path, &skills)
}

fn skill(id: &str, name: &str, description: &str, tag: &str) -> Value {
    json!({ "id": id, "name": name, "description": description, "tags": [tag] })
}

/// A card without signatures. No value is empty, because clients remove empty values before they verify a signature, and some
/// of them also those of required fields.
fn card(app: &App, (name, description): (&str, &str), path: &str, skills: &[Value]) -> Value {
    let url = |path: &str| format!("{}{path}", app.public_url);
    json!({
        "name": name,
        "description": description,
        "version": env!("CARGO_PKG_VERSION"),
        "supportedInterfaces": [{ "url": url(path), "protocolBinding": "HTTP+JSON", "protocolVersion": VERSION }],
        "provider": { "organization": "Buildtrack", "url": app.public_url },
        "documentationUrl": url("/docs/guide/a2a"),
        "capabilities": {
            "streaming": true,
            "pushNotifications": true,
            "extendedAgentCard": false,
            "extensions": [{
                "uri": url("/docs/guide/a2a"),
                "description": "Options of the two-party exchange in a message's metadata: protocolHash names the protocol document \
                                that the message follows, and multiround begins a conversation.",
            }],
        },
        "securitySchemes": { "session": { "httpAuthSecurityScheme": {
            "scheme": "Bearer",
            "description": "A session's token: agents POST their araf_ key to /agent-login, owners use POST /api/v1/sessions.",
        } } },
        "securityRequirements": [{ "schemes": { "session": { "list": ["read", "write"] } } }],
        "defaultInputModes": ["text/plain", "application/json"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": skills,
    })
}

/// Adds the signature over the canonical form of the card (RFC 8785).
async fn signed(app: &App, mut card: Value) -> Result<Value, Problem> {
    let keys_url = format!("{}/.well-known/jwks.json", app.public_url);
    let (protected, signature) = app.store.log().sign_detached(&canonicalize(&card), &keys_url).await?;
    card["signatures"] = json!([{ "protected": protected, "signature": signature }]);
    Ok(card)
}
