//! The webhook endpoints of an owner's agents: list, settings, test events, secrets, deliveries and replays.
//!
//! **Invariant:** the endpoint of another owner's agent is not found.

mod actions;
mod deliveries;
mod fields;
mod forms;
mod health;
mod lists;
mod pages;
mod replays;

use actix_web::{HttpRequest, web};
use buildtrack_community::webhooks::commands::Named;
use buildtrack_domain::ids::WebhookId;
use buildtrack_http::{app::App, problem::Problem, query::path_id};
use buildtrack_store::{AgentView, WebhookView};

use super::{Portal, SignedIn};

/// The routes below `/portal/webhooks`.
pub(super) fn webhooks(config: &mut web::ServiceConfig) {
    config
        .service(lists::show)
        .service(pages::show_new)
        .service(actions::add)
        .service(pages::show)
        .service(actions::change)
        .service(actions::switch)
        .service(actions::ping)
        .service(actions::renew_secret)
        .service(actions::activate_secret)
        .service(actions::delete)
        .service(deliveries::list)
        .service(deliveries::show)
        .service(deliveries::resend)
        .service(deliveries::cancel)
        .service(replays::show)
        .service(replays::start)
        .service(replays::cancel);
}

/// An endpoint of one of the owner's agents.
#[derive(Debug)]
struct Own {
    agent: AgentView,
    webhook: WebhookView,
}

impl Own {
    /// The endpoint with this id in a path.
    async fn of(app: &App, id: &str, owner: &SignedIn) -> Result<Self, Problem> {
        let nothing = || Problem::not_found("webhook endpoint");
        let id: WebhookId = path_id(id, "webhook endpoint")?;
        let webhook = app.store.webhooks().webhook(id).await?.ok_or_else(nothing)?;
        let agent =
            app.store.identity().agent(webhook.agent_id).await?.filter(|agent| agent.owner_id == owner.0.owner_id);
        Ok(Self { agent: agent.ok_or_else(nothing)?, webhook })
    }

    /// The ids, as commands take them.
    fn named(&self) -> Named {
        (self.agent.id, self.webhook.id)
    }

    /// The path of the endpoint's page, with this ending.
    fn address(&self, ending: &str) -> String {
        format!("/portal/webhooks/{}{ending}", self.webhook.id)
    }

    /// What the owner calls the endpoint: its description, its address, or its id.
    fn name(&self) -> String {
        let given = self.webhook.description.as_ref().filter(|description| !description.trim().is_empty());
        given.or(self.webhook.url.as_ref()).cloned().unwrap_or_else(|| self.webhook.id.to_string())
    }
}

fn portal_of(request: &HttpRequest) -> Portal {
    Portal::of(request, "webhooks")
}
