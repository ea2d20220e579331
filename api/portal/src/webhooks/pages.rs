//! The page of one endpoint, and the form for a new one.

use actix_web::{HttpRequest, HttpResponse, get, web::Path};
use askama::Template;
use buildtrack_domain::{ids::AgentId, webhooks::Pong};
use buildtrack_http::{
    app::App,
    auth::{Caller, Read},
    guard::app_of,
    problem::{Problem, shortened},
    query::{Parameters, path_id},
};
use buildtrack_pages::{self as pages, Frame, filters};
use buildtrack_store::AgentView;
use chrono::{DateTime, Utc};

use super::{
    Own,
    forms::{self, EndpointForm},
    health::HealthShown,
    portal_of,
};

use crate::{Portal, SignedIn, answer, form::Entered, frame, notices::notice_of, refused};

/// The number up to which pending deliveries are counted.
const WAITING_MAX: i64 = 1000;
/// The characters of a receiver's answer that pages show.
pub(super) const EXCERPT: usize = 1000;

#[derive(Template)]
#[template(path = "portal/new-webhook.html")]
struct NewEndpointPage {
    frame: Frame,
    portal: Portal,
    agent: AgentView,
    form: EndpointForm,
}

/// The form for a new endpoint of an agent.
#[get("/webhooks/new/{id}")]
pub(super) async fn show_new(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    _: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    let agent = own_agent(&app_of(&request), &id, &owner).await?;
    answer(&request, &new_endpoint_page(&request, portal_of(&request), agent, &forms::of_new_endpoint()))
}

/// One of the owner's agents, by its id in a path.
pub(super) async fn own_agent(app: &App, id: &str, owner: &SignedIn) -> Result<AgentView, Problem> {
    let agent_id: AgentId = path_id(id, "agent")?;
    let agent = app.store.identity().agent(agent_id).await?.filter(|agent| agent.owner_id == owner.0.owner_id);
    agent.ok_or_else(|| Problem::not_found("agent"))
}

fn new_endpoint_page(request: &HttpRequest, portal: Portal, agent: AgentView, entered: &Entered) -> NewEndpointPage {
    let title = pages::language(request).say("portal-webhooks-add");
    let form = EndpointForm::new(format!("/portal/webhooks/new/{}", agent.id), "portal-webhooks-add", entered);
    NewEndpointPage { frame: frame(&title), portal, agent, form }
}

/// Returns the problem, and keeps the form for a new endpoint with what was entered.
pub(super) fn refused_new(request: &HttpRequest, agent: AgentView, entered: &Entered, problem: Problem) -> Problem {
    let page = new_endpoint_page(request, portal_of(request), agent, entered);
    let page = NewEndpointPage { form: page.form.refused(&problem), ..page };
    refused(request, problem, portal_of(request), move |portal| NewEndpointPage { portal, ..page })
}

/// The result of a test event.
#[derive(Debug)]
pub(super) struct PongShown {
    is_delivered: bool,
    status: Option<u16>,
    error: Option<String>,
    took: String,
    /// The beginning of the answer.
    response: Option<String>,
}

impl From<Pong> for PongShown {
    fn from(pong: Pong) -> Self {
        Self {
            is_delivered: pong.delivered(),
            status: pong.status_code,
            took: pages::seconds(pong.duration_ms.unsigned_abs()),
            error: pong.error,
            response: pong.response.map(|text| shortened(text, EXCERPT)).filter(|text| !text.is_empty()),
        }
    }
}

#[derive(Template)]
#[template(path = "portal/webhook.html")]
pub(super) struct EndpointPage {
    pub(super) frame: Frame,
    pub(super) portal: Portal,
    pub(super) own: Own,
    /// The entry of the endpoint's own navigation that is marked.
    pub(super) section: &'static str,
    pub(super) health: HealthShown,
    /// Pending deliveries, counted up to a limit.
    pub(super) waiting: i64,
    /// The end of the overlap in which two secrets are valid.
    pub(super) overlap_ends_at: Option<DateTime<Utc>>,
    /// A new secret, on the page that follows its creation.
    pub(super) secret: Option<String>,
    /// The result of a test event, on the page that follows it.
    pub(super) pong: Option<PongShown>,
    pub(super) form: EndpointForm,
}

/// An endpoint of one of the owner's agents.
#[get("/webhooks/{id}")]
pub(super) async fn show(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    _: Caller<Read>,
) -> Result<HttpResponse, Problem> {
    let notices = [
        ("changed", "portal-webhooks-changed"),
        ("on", "portal-webhooks-enabled"),
        ("off", "portal-webhooks-disabled-now"),
        ("activated", "portal-webhooks-activated"),
    ];
    let notice = notice_of(&request, &notices)?;
    let own = Own::of(&app_of(&request), &id, &owner).await?;
    let page = endpoint_page(&request, own).await?;
    answer(&request, &EndpointPage { portal: Portal { notice, ..portal_of(&request) }, ..page })
}

/// The page of an endpoint as it is now.
pub(super) async fn endpoint_page(request: &HttpRequest, own: Own) -> Result<EndpointPage, Problem> {
    let app = app_of(request);
    let (store, webhook) = (&app.store, &own.webhook);
    let now = store.log().clock().now();
    let health = HealthShown::of(webhook, store.webhooks().endpoint_health(webhook.id).await?, now);
    let form = EndpointForm::new(own.address(""), "portal-webhooks-save", &forms::of_endpoint(webhook));
    Ok(EndpointPage {
        frame: frame(&own.name()),
        portal: portal_of(request),
        section: "settings",
        health,
        waiting: store.webhooks().waiting(own.agent.id, webhook.id, WAITING_MAX).await?,
        overlap_ends_at: webhook.overlap_ends_at.filter(|ends_at| now < *ends_at),
        secret: None,
        pong: None,
        form,
        own,
    })
}

/// Returns the problem, and keeps the endpoint's page with what was entered into the form of its settings.
pub(super) async fn refused_change(
    request: &HttpRequest,
    own: Own,
    entered: Option<&Entered>,
    problem: Problem,
) -> Problem {
    let mut page = match endpoint_page(request, own).await {
        Ok(page) => page,
        Err(problem) => return problem,
    };
    if let Some(entered) = entered {
        page.form = EndpointForm::new(page.form.action, page.form.button, entered).refused(&problem);
    }
    refused(request, problem, portal_of(request), move |portal| EndpointPage { portal, ..page })
}
