//! The owner's agents: their list, the registration with its first steps, keys and deactivation.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use askama::Template;
use buildtrack_accounts::identity::{
    agents, registration,
    registration::NewKey,
    schemas::{AgentChanges, NewAgent},
};
use buildtrack_domain::{
    identity::{CAPABILITIES_MAX, CAPABILITY_MAX, DESCRIPTION_MAX, NAME_MAX},
    ids::AgentId,
};
use buildtrack_http::{
    app::App,
    guard::app_of,
    idempotency::Key,
    problem::Problem,
    query::{Parameters, path_id},
};
use buildtrack_pages::{Frame, filters};
use buildtrack_store::{AgentFilter, AgentView};

use super::{
    Portal, SignedIn, answer,
    form::{Form, Pressed},
    frame,
    keys::key_form,
    own_agent::OwnAgent,
    refused, see,
    shown::{Field, FormShown, Kind},
};

/// The agents on the page; more than one owner may have by default.
const AGENTS: i64 = 200;
const URL_MAX: u64 = 2000;
/// The characters of all capabilities with the ends of their lines.
const CAPABILITY_LINES: u64 = CAPABILITIES_MAX * (CAPABILITY_MAX + 2);

#[derive(Template)]
#[template(path = "portal/agents.html")]
struct AgentsPage {
    frame: Frame,
    portal: Portal,
    agents: Vec<AgentView>,
}

/// The owner's agents.
#[get("")]
pub(super) async fn list(request: HttpRequest, owner: SignedIn) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    let filter = AgentFilter { owner: Some(owner.0.owner_id), text: None, inactive: true, before: None, limit: AGENTS };
    let agents = app_of(&request).store.identity().agents(&filter).await?.rows;
    let portal = Portal::of(&request, "agents");
    answer(&request, &AgentsPage { frame: frame(&portal.language.say("portal-agents")), portal, agents })
}

#[derive(Template)]
#[template(path = "portal/new-agent.html")]
struct NewAgentPage {
    frame: Frame,
    portal: Portal,
    form: FormShown,
}

/// The form for a new agent.
#[get("/agents/new")]
pub(super) async fn show_new(request: HttpRequest, _: SignedIn) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    let portal = Portal::of(&request, "agents");
    let form = agent_form(&portal.token);
    answer(&request, &new_agent_page(portal, form))
}

fn new_agent_page(portal: Portal, form: FormShown) -> NewAgentPage {
    NewAgentPage { frame: frame(&portal.language.say("portal-agent-register")), portal, form }
}

fn agent_form(token: &str) -> FormShown {
    let fields = vec![
        Field::new("name", "portal-name", Kind::Text, NAME_MAX).help("portal-agent-name-help"),
        Field::new("model", "portal-agent-model", Kind::Text, NAME_MAX).help("portal-agent-model-help"),
        Field::new("description", "portal-agent-description", Kind::Long, DESCRIPTION_MAX).optional(),
        Field::new("capabilities.lines", "portal-agent-capabilities", Kind::Long, CAPABILITY_LINES)
            .help("portal-agent-capabilities-help")
            .optional(),
        Field::new("webhookUrl", "portal-agent-webhook", Kind::Url, URL_MAX)
            .help("portal-agent-webhook-help")
            .optional(),
    ];
    FormShown::new("agent", "/portal/agents", "portal-agent-register-button", token).with(fields)
}

/// The form that changes an agent's profile.
fn changes_form(agent: &AgentView, action: String, token: &str) -> FormShown {
    let fields = vec![
        Field::new("name", "portal-name", Kind::Text, NAME_MAX).holding(&agent.name),
        Field::new("model", "portal-agent-model", Kind::Text, NAME_MAX)
            .help("portal-agent-model-help")
            .holding(&agent.model),
        Field::new("description.removable", "portal-agent-description", Kind::Long, DESCRIPTION_MAX)
            .optional()
            .holding(agent.description.as_deref().unwrap_or_default()),
        Field::new("capabilities.list", "portal-agent-capabilities", Kind::Long, CAPABILITY_LINES)
            .help("portal-agent-capabilities-help")
            .optional()
            .holding(&agent.capabilities.0.join("\n")),
    ];
    FormShown::new("changes", action, "write-save", token).with(fields)
}

#[derive(Template)]
#[template(path = "portal/agent.html")]
pub(super) struct OwnAgentPage {
    frame: Frame,
    portal: Portal,
    own: OwnAgent,
    /// The primary key, on the page that follows its creation.
    key: Option<String>,
    /// A named key, on the page that follows its creation.
    named_key: Option<String>,
    public_url: String,
    key_form: FormShown,
    changes: FormShown,
    renewal: FormShown,
    deactivation: FormShown,
}

impl OwnAgentPage {
    /// Shows a named key that was just created.
    pub(super) fn with_named_key(self, key: String) -> Self {
        Self { named_key: Some(key), ..self }
    }

    /// Shows another form for a named key: one that was refused.
    pub(super) fn with_key_form(self, key_form: FormShown) -> Self {
        Self { key_form, ..self }
    }
}

/// An agent of the owner.
#[get("/agents/{id}")]
pub(super) async fn show(request: HttpRequest, id: Path<String>, owner: SignedIn) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["done"]);
    let done = parameters.text("done");
    parameters.finish()?;
    let notice = match done.as_deref() {
        Some("changed") => Some("portal-done-changed"),
        Some("deactivated") => Some("portal-done-deactivated"),
        Some("revoked") => Some("portal-done-key-revoked"),
        Some("consent") => Some("portal-done-consent"),
        Some("access") => Some("portal-done-access"),
        _ => None,
    };
    let app = app_of(&request);
    let own = OwnAgent::of(&app, path_id(&id, "agent")?, owner.0.owner_id).await?;
    answer(&request, &agent_page(&app, Portal { notice, ..Portal::of(&request, "agents") }, own))
}

pub(super) fn agent_page(app: &App, portal: Portal, own: OwnAgent) -> OwnAgentPage {
    let of = |act| format!("/portal/agents/{}/{act}", own.agent.id);
    OwnAgentPage {
        frame: frame(&own.agent.name),
        key_form: key_form(own.agent.id, &portal.token),
        changes: changes_form(&own.agent, of("changes"), &portal.token),
        renewal: FormShown::new("renewal", of("key"), "portal-agent-key-button", &portal.token).grave(),
        deactivation: FormShown::new("end", of("deactivation"), "portal-agent-deactivation-button", &portal.token)
            .grave(),
        public_url: app.public_url.clone(),
        portal,
        own,
        key: None,
        named_key: None,
    }
}

/// Registers an agent, and shows its key once.
#[post("/agents")]
pub(super) async fn register(
    request: HttpRequest,
    owner: SignedIn,
    form: Form<NewAgent>,
) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let registered = async { registration::register_agent(&request, &owner.0, body?, &Key::default()).await }.await;
    match registered {
        Ok((new, _)) => show_key(&request, &owner, new, "portal-done-registered").await,
        Err(problem) => {
            let portal = Portal::of(&request, "agents");
            let form = agent_form(&portal.token).filled(&entered, &problem);
            Err(refused(&request, problem, portal, |portal| new_agent_page(portal, form)))
        }
    }
}

/// Changes the profile of an agent.
#[post("/agents/{id}/changes")]
pub(super) async fn change(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    form: Form<AgentChanges>,
) -> Result<HttpResponse, Problem> {
    let (Form { entered, body }, agent_id): (_, AgentId) = (form, path_id(&id, "agent")?);
    let app = app_of(&request);
    let own = OwnAgent::of(&app, agent_id, owner.0.owner_id).await?;
    let changed = async { agents::edit_agent(&request, agent_id, (&owner.0.caller, None), &body?).await }.await;
    let Err(problem) = changed else { return Ok(see(&format!("/portal/agents/{agent_id}?done=changed"))) };
    let portal = Portal::of(&request, "agents");
    let mut page = agent_page(&app, Portal::of(&request, "agents"), own);
    page.changes = page.changes.filled(&entered, &problem);
    Err(refused(&request, problem, portal, |portal| OwnAgentPage { portal, ..page }))
}

/// Replaces the primary key of an agent, and shows the new one once.
#[post("/agents/{id}/key")]
pub(super) async fn renew_key(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    _: Pressed,
) -> Result<HttpResponse, Problem> {
    let agent_id = path_id(&id, "agent")?;
    let (new, _) = agents::rotate_primary_key(&app_of(&request), agent_id, &owner.0, &Key::default()).await?;
    show_key(&request, &owner, new, "portal-done-key").await
}

async fn show_key(
    request: &HttpRequest,
    owner: &SignedIn,
    new: NewKey,
    notice: &'static str,
) -> Result<HttpResponse, Problem> {
    let app = app_of(request);
    let own = OwnAgent::of(&app, new.agent_id, owner.0.owner_id).await?;
    let portal = Portal { notice: Some(notice), ..Portal::of(request, "agents") };
    answer(request, &OwnAgentPage { key: Some(new.key), ..agent_page(&app, portal, own) })
}

/// Deactivates an agent.
#[post("/agents/{id}/deactivation")]
pub(super) async fn deactivate(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    _: Pressed,
) -> Result<HttpResponse, Problem> {
    let agent_id: AgentId = path_id(&id, "agent")?;
    agents::deactivate_agent(&app_of(&request), agent_id, &owner.0).await?;
    Ok(see(&format!("/portal/agents/{agent_id}?done=deactivated")))
}
