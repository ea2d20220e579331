//! The page on which an owner lets a client act as one of the owner's agents (OAuth 2.1), and the way back to the client.
//!
//! **Invariant:** a browser leaves for a client only after the owner has pressed a button or a link, and only for an address that the
//! client has registered.

use actix_web::{HttpRequest, HttpResponse, get, http::StatusCode, post, web::Path};
use askama::Template;
use buildtrack_accounts::identity::consents::{self, Asked};
use buildtrack_domain::ids::AgentId;
use buildtrack_doors::oauth::requests::{AuthorizationRequest, Back, Refused};
use buildtrack_http::{
    app::App,
    auth::OwnerCaller,
    guard::app_of,
    problem::{FieldError, Problem},
    query::path_id,
};
use buildtrack_pages::{Frame, filters, is_local};
use buildtrack_store::{AgentFilter, AgentView, Scope};

use super::{
    Portal, SignedIn, answer,
    form::{Entered, Pressed},
    frame, refused, see,
};

/// The agents on the page; more than one owner may have by default.
const AGENTS: i64 = 200;

#[derive(Template)]
#[template(path = "portal/consent.html")]
struct ConsentPage {
    frame: Frame,
    portal: Portal,
    back: Back,
    /// Where the form is sent: the address of the page, which holds the client's request.
    action: String,
    agents: Vec<AgentView>,
    /// The scopes with the keys of their explanations.
    scopes: Vec<(&'static str, &'static str)>,
}

#[derive(Template)]
#[template(path = "portal/consent-return.html")]
struct ReturnPage {
    frame: Frame,
    portal: Portal,
    back: Back,
    /// The key of the title.
    title: &'static str,
    /// The client's address, with what the client is told.
    address: String,
    /// Whether the browser goes there by itself.
    is_automatic: bool,
}

/// What a client asks for, to an owner who is signed in.
#[get("/authorize")]
pub(super) async fn show(request: HttpRequest, owner: SignedIn) -> Result<HttpResponse, Problem> {
    let (action, asked) = read(&request)?;
    let page = consent_page(&request, &owner, action, &asked).await?;
    answer(&request, &page)
}

/// The address of the page and the client's request in it. A refused request is shown with a link to the client, which the owner may
/// follow or not: anyone can make such an address.
fn read(request: &HttpRequest) -> Result<(String, AuthorizationRequest), Problem> {
    let address = request.uri().path_and_query().map(ToString::to_string).filter(|address| is_local(address));
    let address = address.ok_or_else(|| {
        let detail = "The address of the request is too long, or has characters that addresses do not have.";
        Problem::new(StatusCode::BAD_REQUEST, "invalid_request", detail, "Connect the client again.")
    })?;
    match AuthorizationRequest::of(&app_of(request), request.query_string()) {
        Ok(asked) => Ok((address, asked)),
        Err(refusal) => Err(explained(request, *refusal)),
    }
}

fn explained(request: &HttpRequest, refusal: Refused) -> Problem {
    let Refused { problem, back } = refusal;
    let Some(back) = back else { return problem };
    let address = back.refused(&problem);
    refused(request, problem, Portal::of(request, "agents"), move |portal| {
        return_page(portal, back, "portal-consent-refused", address, false)
    })
}

fn return_page(portal: Portal, back: Back, title: &'static str, address: String, is_automatic: bool) -> ReturnPage {
    ReturnPage { frame: frame(&portal.language.say(title)), portal, back, title, address, is_automatic }
}

async fn consent_page(
    request: &HttpRequest,
    owner: &SignedIn,
    action: String,
    asked: &AuthorizationRequest,
) -> Result<ConsentPage, Problem> {
    let owner = Some(owner.0.owner_id);
    let filter = AgentFilter { owner, text: None, inactive: false, before: None, limit: AGENTS };
    let portal = Portal::of(request, "agents");
    Ok(ConsentPage {
        frame: frame(&portal.language.say("portal-consent")),
        portal,
        back: asked.back.clone(),
        action,
        agents: app_of(request).store.identity().agents(&filter).await?.rows,
        scopes: asked.scopes.iter().map(|scope| (scope.as_str(), explanation(*scope))).collect(),
    })
}

/// The key of what a scope permits.
fn explanation(scope: Scope) -> &'static str {
    match scope {
        Scope::Read => "portal-consent-read",
        Scope::Write => "portal-consent-write",
        Scope::Webhooks => "portal-consent-webhooks",
    }
}

/// Approves or denies, and sends the browser back to the client. A page does so and no redirect, because browsers apply the policy of
/// the form's page to redirects, too.
#[post("/authorize")]
pub(super) async fn decide(request: HttpRequest, owner: SignedIn, pressed: Pressed) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let (action, asked) = read(&request)?;
    let (title, address) = match decided(&app, &owner.0, &asked, &pressed.0).await {
        Ok(Some(code)) => ("portal-consent-given", asked.back.with_code(&code)),
        Ok(None) => ("portal-consent-denied", asked.back.denied()),
        Err(problem) => {
            let page = consent_page(&request, &owner, action, &asked).await?;
            let portal = Portal::of(&request, "agents");
            return Err(refused(&request, problem, portal, move |portal| ConsentPage { portal, ..page }));
        }
    };
    answer(&request, &return_page(Portal::of(&request, "agents"), asked.back, title, address, true))
}

/// The client's code; `None` if the owner denied.
async fn decided(
    app: &App,
    owner: &OwnerCaller,
    asked: &AuthorizationRequest,
    entered: &Entered,
) -> Result<Option<String>, Problem> {
    match entered.text("decision") {
        "approve" => {}
        "deny" => return Ok(None),
        _ => return Err(required("/decision", "Press one of the two buttons.")),
    }
    // No agent is chosen before, so that a click which a page of another site lured here approves nothing.
    if entered.text("agent").is_empty() {
        return Err(required("/agent", "Choose the agent as which the program acts."));
    }
    let is_chosen = |scope: &Scope| entered.texts("scope").any(|name| name == scope.as_str());
    let scopes: Vec<Scope> = asked.scopes.iter().copied().filter(is_chosen).collect();
    if scopes.is_empty() {
        return Err(required("/scope", "Choose at least one."));
    }
    let consent = Asked {
        client_hash: &asked.client_hash,
        client_name: &asked.back.name,
        redirect_uri: &asked.back.redirect_uri,
        challenge: &asked.challenge,
        agent_id: path_id(entered.text("agent"), "agent")?,
        scopes: &scopes,
    };
    consents::give(app, owner, &consent).await.map(Some)
}

fn required(pointer: &str, hint: &str) -> Problem {
    Problem::invalid(vec![FieldError::field(pointer, "required", "nothing is chosen", hint)])
}

/// Ends the access of the client whose button was pressed.
#[post("/agents/{id}/consents")]
pub(super) async fn withdraw(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    let consent_id = path_id(pressed.0.text("consent"), "consent")?;
    consents::end(&app_of(&request), &owner.0, agent_id, consent_id).await?;
    Ok(see(&format!("/portal/agents/{agent_id}?done=consent")))
}
