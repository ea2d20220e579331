//! A cache of endpoints with the state of their agents, for the sender.
//!
//! **Invariant:** a cached endpoint is valid only while this process follows the log. Every change of an endpoint's target is an
//! event in the stream of the endpoint or its agent, and invalidates it in every process.

use std::sync::Arc;

use buildtrack_domain::ids::WebhookId;
use buildtrack_macros::boxed;

use super::{Change, WebhookView};
use crate::{
    StoreError,
    log::changes::{CACHE_LIFETIME, Changes},
    webhooks::Webhooks,
};

const CAPACITY: u64 = 50_000;

/// An endpoint with its agent's state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// The endpoint's settings.
    pub webhook: WebhookView,
    /// Whether the agent is active.
    pub active: bool,
}

impl Endpoint {
    /// The address for pushes; `None` if the endpoint receives none.
    pub fn target(&self) -> Option<&str> {
        self.webhook.url.as_deref().filter(|_| self.active && self.webhook.disabled_reason.is_none())
    }
}

#[derive(Clone)]
struct CachedEndpoint {
    endpoint: Arc<Endpoint>,
    read_at: u64,
}

/// The cache of endpoints.
#[derive(Clone)]
pub(crate) struct Endpoints {
    known: moka::sync::Cache<WebhookId, CachedEndpoint>,
    changes: Changes,
}

impl Endpoints {
    pub(crate) fn new(changes: Changes) -> Self {
        let known = moka::sync::Cache::builder().max_capacity(CAPACITY).time_to_live(CACHE_LIFETIME).build();
        Self { known, changes }
    }

    fn get(&self, id: WebhookId) -> Option<Arc<Endpoint>> {
        let CachedEndpoint { endpoint, read_at } = self.known.get(&id)?;
        let (webhook, agent) = (id.to_string(), endpoint.webhook.agent_id.to_string());
        self.changes.none_since(read_at, &[&webhook, &agent]).then_some(endpoint)
    }
}

#[boxed]
impl Webhooks {
    /// Records that an endpoint at this address responded with 2xx. Verification is not an event: this process invalidates the
    /// cached endpoint at once, others within a minute.
    pub async fn verify_endpoint(&self, id: WebhookId, url: &str) -> Result<(), StoreError> {
        self.log.write_side([Change::Verified { webhook_id: id, url: url.to_owned() }]).await?;
        self.endpoints.known.invalidate(&id);
        Ok(())
    }

    /// The current endpoint. Uses the cache if this process follows the log.
    pub async fn endpoint(&self, id: WebhookId) -> Result<Option<Arc<Endpoint>>, StoreError> {
        if self.log.tail.is_current()
            && let Some(endpoint) = self.endpoints.get(id)
        {
            return Ok(Some(endpoint));
        }
        let read_at = self.endpoints.changes.now();
        let Some(webhook) = self.webhook(id).await? else { return Ok(None) };
        let active = self.identity.agent(webhook.agent_id).await?.is_some_and(|agent| agent.active);
        let endpoint = Arc::new(Endpoint { webhook, active });
        self.endpoints.known.insert(id, CachedEndpoint { endpoint: endpoint.clone(), read_at });
        Ok(Some(endpoint))
    }
}
