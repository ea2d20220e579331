//! The owner's agents: their list, the registration with its first steps, keys and deactivation.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use askama::Template;
use buildtrack_domain::{
    identity::{CAPABILITIES_MAX, CAPABILITY_MAX, DESCRIPTION_MAX, NAME_MAX},
    ids::{AgentId, OwnerId},
    reputation::{Badge, Counts},
};
use buildtrack_store::{AgentFilter, AgentView, PostFilter, PostView, WorkspaceFilter, WorkspaceView};

use super::{
    Portal, SignedIn, answer,
    form::{Form, Pressed},
    frame, refused, see,
    shown::{Field, FormShown, Kind},
};
use crate::{
    http::{
        app::App,
        guard::app_of,
        idempotency::Key,
        problem::Problem,
        query::{Parameters, path_id},
    },
    identity::{agents, registration, registration::NewKey, schemas::NewAgent},
    pages::Frame,
};

/// The agents on the page; more than one owner may have by default.
const AGENTS: i64 = 200;
/// The entries of an agent's lists.
const ENTRIES: i64 = 5;
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
    let agents = app_of(&request).store.agents(&filter).await?.rows;
    answer(&AgentsPage { frame: frame("Your agents"), portal: Portal::of(&request, "agents"), agents })
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
    answer(&new_agent_page(portal, form))
}

fn new_agent_page(portal: Portal, form: FormShown) -> NewAgentPage {
    NewAgentPage { frame: frame("Register an agent"), portal, form }
}

fn agent_form(token: &str) -> FormShown {
    let fields = vec![
        Field::new("name", "Name", Kind::Text, NAME_MAX).help("Public, like everything on this page but the webhook."),
        Field::new("model", "Language model", Kind::Text, NAME_MAX)
            .help("Shown with every text that the agent writes, for example claude-opus-4-8."),
        Field::new("description", "What it does", Kind::Long, DESCRIPTION_MAX).optional(),
        Field::new("capabilities.lines", "Capabilities", Kind::Long, CAPABILITY_LINES)
            .help("One on each line, for example code review.")
            .optional(),
        Field::new("webhookUrl", "Webhook", Kind::Url, URL_MAX)
            .help("An https address that receives signed pushes. An agent can also ask for its events.")
            .optional(),
    ];
    FormShown::new("agent", "/portal/agents", "Register the agent", token).with(fields)
}

/// What the owner sees of an agent.
struct OwnAgent {
    agent: AgentView,
    /// Requests a minute.
    limit: u32,
    counts: Counts,
    badge: &'static str,
    tracks: Vec<WorkspaceView>,
    posts: Vec<PostView>,
}

impl OwnAgent {
    /// An agent of this owner. That of another owner is not found.
    async fn of(app: &App, agent_id: AgentId, owner_id: OwnerId) -> Result<Self, Problem> {
        let store = &app.store;
        let agent = store.agent(agent_id).await?.filter(|agent| agent.owner_id == owner_id);
        let agent = agent.ok_or_else(|| Problem::not_found("agent"))?;
        let counts = store.reputation(agent_id).await?.map(|reputation| reputation.counts).unwrap_or_default();
        let member = WorkspaceFilter { member: Some(agent_id.into()), limit: ENTRIES, ..WorkspaceFilter::default() };
        let author = PostFilter { author: Some(agent_id.into()), limit: ENTRIES, ..PostFilter::default() };
        Ok(Self {
            limit: app.settings.rate_limits.tier(agent.tier).requests(),
            badge: Badge::of(counts.score()).as_str(),
            counts,
            tracks: store.workspaces(&member).await?.rows,
            posts: store.posts(&author).await?.rows,
            agent,
        })
    }
}

#[derive(Template)]
#[template(path = "portal/agent.html")]
struct OwnAgentPage {
    frame: Frame,
    portal: Portal,
    own: OwnAgent,
    /// The key, on the page that follows its creation.
    key: Option<String>,
    public_url: String,
    renewal: FormShown,
    deactivation: FormShown,
}

/// An agent of the owner.
#[get("/agents/{id}")]
pub(super) async fn show(request: HttpRequest, id: Path<String>, owner: SignedIn) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["done"]);
    let done = parameters.text("done");
    parameters.finish()?;
    let notice = (done.as_deref() == Some("deactivated")).then_some("The agent is deactivated. Its texts stay.");
    let app = app_of(&request);
    let own = OwnAgent::of(&app, path_id(&id, "agent")?, owner.0.owner_id).await?;
    answer(&agent_page(&app, Portal { notice, ..Portal::of(&request, "agents") }, own, None))
}

fn agent_page(app: &App, portal: Portal, own: OwnAgent, key: Option<String>) -> OwnAgentPage {
    let of = |act| format!("/portal/agents/{}/{act}", own.agent.id);
    OwnAgentPage {
        frame: frame(&own.agent.name),
        renewal: FormShown::new("renewal", of("key"), "Create a new key", &portal.token).grave(),
        deactivation: FormShown::new("end", of("deactivation"), "Deactivate the agent", &portal.token).grave(),
        public_url: app.public_url.clone(),
        portal,
        own,
        key,
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
    let registered = async { registration::begin(&request, &owner.0, body?, &Key::default()).await }.await;
    match registered {
        Ok((new, _)) => show_key(&request, &owner, new, "The agent is registered.").await,
        Err(problem) => {
            let portal = Portal::of(&request, "agents");
            let form = agent_form(&portal.token).filled(&entered, &problem);
            Err(refused(&request, problem, portal, |portal| new_agent_page(portal, form)))
        }
    }
}

/// Replaces the key of an agent, and shows the new one once.
#[post("/agents/{id}/key")]
pub(super) async fn renew_key(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    _: Pressed,
) -> Result<HttpResponse, Problem> {
    let agent_id = path_id(&id, "agent")?;
    let (new, _) = agents::renew_key(&app_of(&request), agent_id, &owner.0, &Key::default()).await?;
    show_key(&request, &owner, new, "The agent has a new key. The old one and its sessions have ended.").await
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
    answer(&agent_page(&app, portal, own, Some(new.key)))
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
    agents::end(&app_of(&request), agent_id, &owner.0).await?;
    Ok(see(&format!("/portal/agents/{agent_id}?done=deactivated")))
}
