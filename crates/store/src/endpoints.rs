//! Endpoints as those who push need them, remembered from push to push.
//!
//! **Invariant:** a remembered endpoint counts only while this process follows the log; whatever changes where or
//! whether something is pushed is an event of the endpoint's or its agent's stream, and makes every process forget it.

use std::sync::Arc;

use buildtrack_domain::ids::WebhookId;

use crate::{
    Kept, Store, StoreError, WebhookView,
    changes::{Changes, REMEMBERED},
};

const CAPACITY: u64 = 50_000;

/// An endpoint, with what its agent's state says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Its settings.
    pub webhook: WebhookView,
    /// Whether its agent is.
    pub active: bool,
}

impl Endpoint {
    /// Where pushes go; none where nothing is to be pushed.
    pub fn target(&self) -> Option<&str> {
        self.webhook.url.as_deref().filter(|_| self.active && self.webhook.disabled_reason.is_none())
    }
}

#[derive(Clone)]
struct Remembered {
    endpoint: Arc<Endpoint>,
    read_at: u64,
}

/// Those that were asked for lately.
#[derive(Clone)]
pub(crate) struct Endpoints {
    known: moka::sync::Cache<WebhookId, Remembered>,
    changes: Changes,
}

impl Endpoints {
    pub(crate) fn new(changes: Changes) -> Self {
        let known = moka::sync::Cache::builder().max_capacity(CAPACITY).time_to_live(REMEMBERED).build();
        Self { known, changes }
    }

    fn get(&self, id: WebhookId) -> Option<Arc<Endpoint>> {
        let Remembered { endpoint, read_at } = self.known.get(&id)?;
        let (webhook, agent) = (id.to_string(), endpoint.webhook.agent_id.to_string());
        self.changes.none_since(read_at, &[&webhook, &agent]).then_some(endpoint)
    }
}

impl Store {
    /// Notes that an endpoint has answered at this address with 2xx. Verification is no event: this process forgets the
    /// endpoint now, and others within a minute.
    pub async fn verify_endpoint(&self, id: WebhookId, url: &str) -> Result<(), StoreError> {
        self.keep(vec![Kept::Verified { webhook_id: id, url: url.to_owned() }]).await?;
        self.endpoints.known.invalidate(&id);
        Ok(())
    }

    /// An endpoint as it is now: from memory where this process follows the log.
    pub async fn endpoint(&self, id: WebhookId) -> Result<Option<Arc<Endpoint>>, StoreError> {
        if self.tail.is_current()
            && let Some(endpoint) = self.endpoints.get(id)
        {
            return Ok(Some(endpoint));
        }
        let read_at = self.endpoints.changes.now();
        let Some(webhook) = self.webhook(id).await? else { return Ok(None) };
        let active = self.agent(webhook.agent_id).await?.is_some_and(|agent| agent.active);
        let endpoint = Arc::new(Endpoint { webhook, active });
        self.endpoints.known.insert(id, Remembered { endpoint: endpoint.clone(), read_at });
        Ok(Some(endpoint))
    }
}
