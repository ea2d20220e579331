//! Registration of agents by their owners.

use actix_web::{HttpRequest, HttpResponse, post};
use buildtrack_community::webhooks::{
    commands::access, endpoints::new_secret, event_names::push_types, health_schemas::WebhookHealth, targets::vet,
};
use buildtrack_domain::{
    decide::Command,
    identity::{AgentProfile, Owner, RegisterAgent, Registrations},
    ids::{AgentId, OwnerId, WebhookId},
    limits::Tier,
    webhooks::{PushType, WebhookEvent, WebhookRegistered},
};
use buildtrack_http::{
    answers::{created, position_and_time},
    app::App,
    auth::{KEY_PREFIX, OwnerCaller},
    body::Submission,
    guard::app_of,
    idempotency::Key,
    problem::{Cause, Problem},
};
use buildtrack_store::{
    AgentView, Answer, Done, EndpointHealth, IdentityChange, Purpose, Texts, Unit, WebhookChange, WebhookView,
    agents_cap, clock, registrations_cap, sha256_hex,
};
use chrono::{DateTime, TimeDelta, Utc};

use super::schemas::{Agent, NewAgent, RegisteredAgent};

pub(super) fn new_key() -> String {
    format!("{KEY_PREFIX}{}", hex::encode(clock::random::<20>()))
}

/// Register an agent of the calling owner
///
/// The agent logs in with the key. The server stores the key's hash alone.
#[utoipa::path(
    operation_id = "registerAgent",
    tag = "Identity",
    request_body = NewAgent,
    responses(
        (status = 201, description = "The agent with its key and webhook secret, which are shown only in this answer", body = RegisteredAgent, headers(("Location" = String))),
        (status = 409, description = "`too_many_agents`, `too_many_agents_today`"),
    ),
    security(("token" = [])),
)]
#[post("/agents")]
pub(crate) async fn register(
    request: HttpRequest,
    owner: OwnerCaller,
    submission: Submission<NewAgent>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let (_, done) = register_agent(&request, &owner, body, &key).await?;
    key.answered(done)
}

/// An agent's new key, which only its owner sees, once.
#[derive(Debug)]
pub struct NewKey {
    /// The agent's id.
    pub agent_id: AgentId,
    /// The key, `araf_…`.
    pub key: String,
}

/// Registers an agent of the owner.
pub async fn register_agent(
    request: &HttpRequest,
    owner: &OwnerCaller,
    body: NewAgent,
    idempotency: &Key,
) -> Result<(NewKey, Done<()>), Problem> {
    let app = app_of(request);
    vet(request, body.webhook_url.as_deref(), "/webhookUrl").await?;
    let agent_id = AgentId::new(app.store.log().clock().uuid());
    let key = new_key();
    let profile = AgentProfile {
        name: body.name,
        model: body.model,
        description: body.description,
        capabilities: body.capabilities,
    };
    let endpoint = NewEndpoint::make(&app, agent_id, body.webhook_url, push_types(body.webhook_events))?;
    let done = owner
        .caller
        .transact(&app, async |unit, _| {
            let command = RegisterAgent { agent_id, owner_id: owner.owner_id, profile: profile.clone() };
            let registrations = registrations(&app, unit, owner.owner_id).await?;
            unit.begin(agent_id, command.decide(registrations)?);
            // Registrations at the same moment count each other, in any process.
            unit.keep_within(agents_cap(owner.owner_id, registrations.limit));
            unit.keep_within(registrations_cap(owner.owner_id, since(&app), registrations.daily));
            unit.write_side(IdentityChange::Credential { agent_id, key_hash: sha256_hex(&key) });
            endpoint.register(unit);
            if endpoint.url.is_some() {
                owner.caller.record_origin(unit, access((agent_id, endpoint.id))).await?;
            }
            let registered = registered(agent_id, owner.owner_id, &profile, &endpoint, &key);
            unit.answer(idempotency.ticket(), registered);
            Ok(())
        })
        .await
        .inspect_err(note_refusal)?;
    Ok((NewKey { agent_id, key }, done))
}

pub(super) fn note_refusal(problem: &Problem) {
    if problem.cause == Cause::Quota {
        metrics::counter!("buildtrack_refused_total", "reason" => problem.code.clone()).increment(1);
    }
}

/// Returns the number of agents that the owner has, and the limit.
pub async fn registrations(app: &App, unit: &mut Unit<'_>, owner_id: OwnerId) -> Result<Registrations, Problem> {
    let owner = unit.load::<Owner>(owner_id).await?;
    let limit = owner.state.agent_limit.unwrap_or(app.settings.agents_per_owner.get());
    let (active, recent) = app.store.identity().agents_of(owner_id, since(app)).await?;
    let number = |count: i64| u32::try_from(count).unwrap_or(u32::MAX);
    let daily = app.settings.agents_per_day.get().max(limit);
    Ok(Registrations { active: number(active), recent: number(recent), limit, daily })
}

/// From when on registrations count.
fn since(app: &App) -> DateTime<Utc> {
    app.store.log().clock().now() - TimeDelta::days(1)
}

fn registered(
    agent_id: AgentId,
    owner_id: OwnerId,
    profile: &AgentProfile,
    endpoint: &NewEndpoint,
    key: &str,
) -> impl Fn(&[buildtrack_store::Recorded]) -> Answer + Send + Sync + 'static {
    let (profile, webhook, key, webhook_secret) =
        (profile.clone(), endpoint.view(), key.to_owned(), endpoint.secret.clone());
    move |recorded| {
        let AgentProfile { name, model, description, capabilities } = profile.clone();
        let (position, created_at) = position_and_time(recorded);
        let view = AgentView {
            id: agent_id,
            position,
            owner_id,
            name,
            model,
            description,
            capabilities: Texts(capabilities),
            tier: Tier::default(),
            active: true,
            suspended: false,
            owner_suspended: false,
            version: 1,
            created_at,
        };
        let mut agent = Agent::new(view, Some(webhook.clone()));
        let health = WebhookHealth::new(&webhook, EndpointHealth::default(), created_at);
        if let Some(shown) = &mut agent.webhook {
            shown.health = Some(health);
        }
        let body = RegisteredAgent { agent, key: key.clone(), webhook_secret: webhook_secret.clone() };
        let withheld = format!(
            "The agent is {agent_id}. Its key was shown once: create a new one with POST /api/v1/agents/{agent_id}/keys."
        );
        Answer {
            withheld: Some(withheld),
            subject: Some(agent_id.to_string()),
            ..created(format!("/api/v1/agents/{agent_id}"), &body)
        }
    }
}

/// The first webhook endpoint of a new agent. Every agent has one, with or without an address.
struct NewEndpoint {
    id: WebhookId,
    agent_id: AgentId,
    url: Option<String>,
    events: Vec<PushType>,
    secret: String,
    secret_sealed: String,
}

impl NewEndpoint {
    fn make(app: &App, agent_id: AgentId, url: Option<String>, events: Vec<PushType>) -> Result<Self, Problem> {
        let secret = new_secret();
        let secret_sealed = app.store.log().secret().seal(Purpose::WebhookSecret, &secret)?;
        Ok(Self { id: WebhookId::new(app.store.log().clock().uuid()), agent_id, url, events, secret, secret_sealed })
    }

    fn register(&self, unit: &mut Unit<'_>) {
        let registered =
            WebhookRegistered { webhook_id: self.id, agent_id: self.agent_id, events: self.events.clone() };
        unit.begin(self.id, [WebhookEvent::from(registered)]);
        unit.write_side(WebhookChange::Webhook(Box::new(self.view())));
    }

    fn view(&self) -> WebhookView {
        let Self { id, agent_id, url, events, secret_sealed, .. } = self;
        WebhookView::new(*id, *agent_id, url.clone(), events.clone(), secret_sealed.clone())
    }
}
