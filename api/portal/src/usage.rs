//! The use of limits, requests for higher ones, and the operators' decisions about them.

use actix_web::{HttpRequest, HttpResponse, get, post};
use askama::Template;
use buildtrack_accounts::identity::{
    limit_requests::{self, LimitDecision, NewLimitRequest},
    registration,
    usage::AgentUse,
};
use buildtrack_domain::{
    identity::{LIMIT_REASON_MAX, Registrations},
    ids::AgentId,
};
use buildtrack_http::{app::App, auth::Operator, guard::app_of, problem::Problem, query::Parameters};
use buildtrack_pages::{self as pages, Frame, filters};
use buildtrack_store::{LimitRequestFilter, LimitRequestView};

use super::{
    Portal, SignedIn, answer,
    form::Form,
    frame, refused, see,
    shown::{Field, FormShown, Kind, Refused},
};

/// The requests in each list.
const REQUESTS: i64 = 50;
/// The digits of a number of agents.
const DIGITS: u64 = 5;
const TIERS: &[(&str, &str)] = &[("pro", "write-tier-pro"), ("enterprise", "write-tier-enterprise")];
const OUTCOMES: &[(&str, &str)] = &[("grant", "write-grant"), ("refuse", "write-refuse")];

#[derive(Template)]
#[template(path = "portal/usage.html")]
struct UsagePage {
    frame: Frame,
    portal: Portal,
    registrations: Registrations,
    agents: Vec<AgentUse>,
    /// The owner's own requests.
    requests: Vec<LimitRequestView>,
    /// `None` while a request is open.
    form: Option<FormShown>,
    /// For operators: the open requests of all owners, each with the form of the decision.
    open: Vec<(LimitRequestView, FormShown)>,
}

/// The use of limits.
#[get("/usage")]
pub(super) async fn show(request: HttpRequest, owner: SignedIn) -> Result<HttpResponse, Problem> {
    let mut parameters = Parameters::of(&request, &["done", "agent"]);
    let (done, agent) = (parameters.text("done"), parameters.get::<AgentId>("agent", "the id of an agent"));
    parameters.finish()?;
    let notice = match done.as_deref() {
        Some("asked") => Some("write-asked"),
        Some("decided") => Some("write-request-decided"),
        _ => None,
    };
    let page = read(&request, &owner, agent, None).await?;
    answer(&request, &UsagePage { portal: Portal { notice, ..Portal::of(&request, "usage") }, ..page })
}

async fn read(
    request: &HttpRequest,
    owner: &SignedIn,
    agent: Option<AgentId>,
    refused: Option<&Refused<'_>>,
) -> Result<UsagePage, Problem> {
    let (app, portal, owner_id) = (app_of(request), Portal::of(request, "usage"), owner.0.owner_id);
    let registrations =
        owner.0.caller.transact(&app, async |unit, _| registration::registrations(&app, unit, owner_id).await).await?;
    let own = LimitRequestFilter { owner: Some(owner_id), limit: REQUESTS, ..LimitRequestFilter::default() };
    let requests = app.store.identity().limit_requests(&own).await?;
    let is_waiting = requests.iter().any(|request| request.granted.is_none());
    let open =
        if owner.0.caller.session().operator { open_requests(&app, &portal.token, refused).await? } else { vec![] };
    Ok(UsagePage {
        frame: frame(&pages::language(request).say("write-usage")),
        registrations: registrations.value,
        agents: AgentUse::all(&app, owner_id).await?,
        requests,
        form: (!is_waiting).then(|| request_form(agent, &portal.token).again(refused)),
        open,
        portal,
    })
}

async fn open_requests(
    app: &App,
    token: &str,
    refused: Option<&Refused<'_>>,
) -> Result<Vec<(LimitRequestView, FormShown)>, Problem> {
    let filter = LimitRequestFilter { open: Some(true), limit: REQUESTS, ..LimitRequestFilter::default() };
    let open = app.store.identity().limit_requests(&filter).await?.into_iter();
    let with_form = |request: LimitRequestView| {
        let form = decision_form(&request.owner_id.to_string(), token).again(refused);
        (request, form)
    };
    Ok(open.map(with_form).collect())
}

/// The form that asks for more agents, or for a higher tier of one.
fn request_form(agent: Option<AgentId>, token: &str) -> FormShown {
    let reason = Field::new("reason", "write-limit-reason", Kind::Long, LIMIT_REASON_MAX).help("write-reason-help");
    let form = FormShown::new("request", "/portal/usage/requests", "write-ask", token);
    match agent {
        Some(agent_id) => form
            .hidden("agentId", agent_id.to_string())
            .with(vec![Field::new("tier", "write-tier", Kind::Choice(TIERS), 0), reason]),
        None => form.with(vec![Field::new("agents.number", "write-agents-asked", Kind::Text, DIGITS), reason]),
    }
}

/// The name of the form of a decision: the page has one for each request.
fn decision_name(owner_id: &str) -> String {
    format!("decision-{owner_id}")
}

fn decision_form(owner_id: &str, token: &str) -> FormShown {
    let fields = vec![
        Field::new("outcome", "write-outcome", Kind::Choice(OUTCOMES), 0),
        Field::new("reason", "write-decision-reason", Kind::Long, LIMIT_REASON_MAX).help("write-decision-reason-help"),
    ];
    FormShown::new(decision_name(owner_id), "/portal/usage/decisions", "write-decide", token)
        .hidden("ownerId", owner_id)
        .with(fields)
}

/// Files a request for a higher limit.
#[post("/usage/requests")]
pub(super) async fn ask(
    request: HttpRequest,
    owner: SignedIn,
    form: Form<NewLimitRequest>,
) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let app = app_of(&request);
    let asked = async { limit_requests::ask(&app, &owner.0, &body?).await }.await;
    let Err(problem) = asked else { return Ok(see("/portal/usage?done=asked")) };
    let form = Refused { form: "request", entered: &entered, problem: &problem };
    let page = read(&request, &owner, entered.text("agentId").parse().ok(), Some(&form)).await;
    Err(explain(&request, problem, page))
}

/// Decides the request of an owner, as an operator.
#[post("/usage/decisions")]
pub(super) async fn decide(
    request: HttpRequest,
    owner: SignedIn,
    operator: Operator,
    form: Form<LimitDecision>,
) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let app = app_of(&request);
    let decided = async { limit_requests::decide(&app, &operator, &body?).await }.await;
    let Err(problem) = decided else { return Ok(see("/portal/usage?done=decided")) };
    let name = decision_name(entered.text("ownerId"));
    let form = Refused { form: &name, entered: &entered, problem: &problem };
    let page = read(&request, &owner, None, Some(&form)).await;
    Err(explain(&request, problem, page))
}

fn explain(request: &HttpRequest, problem: Problem, page: Result<UsagePage, Problem>) -> Problem {
    let Ok(page) = page else { return problem };
    let portal = Portal::of(request, "usage");
    refused(request, problem, portal, move |portal| UsagePage { portal, ..page })
}
