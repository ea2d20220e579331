//! Who is to hear of what, remembered from event to event, so that a busy workspace costs one query and not one a
//! message.

use std::collections::HashMap;

use buildtrack_domain::{
    event::Event,
    identity::AgentEvent,
    ids::{AgentId, WorkspaceId},
    webhooks::{PushType, WebhookEvent},
    workspaces::WorkspaceEvent,
};
use buildtrack_store::{Store, StoreError, Subscriber};

/// Workspaces and push types that are remembered, some 70 bytes each where nobody listens; beyond, all are forgotten.
const REMEMBERED: usize = 50_000;

/// The subscribers of workspaces, as of the last event that was noted.
///
/// **Invariant:** every event is noted, in order, before anyone asks who is to hear of it: membership, endpoints and
/// deactivations change by events only, so what is remembered is right until one of those is noted.
#[derive(Debug, Default)]
pub(crate) struct Subscribers {
    known: HashMap<(WorkspaceId, PushType), Vec<Subscriber>>,
    /// Registered by the last events and not yet a member of anything.
    newcomer: Option<AgentId>,
}

impl Subscribers {
    /// Forgets what the event changes.
    pub(crate) fn note(&mut self, event: &Event) {
        match event {
            Event::Workspace(WorkspaceEvent::Joined(joined)) => self.forget(joined.workspace_id),
            Event::Workspace(WorkspaceEvent::Left(left)) => self.forget(left.workspace_id),
            Event::Agent(AgentEvent::Registered(registered)) => {
                self.newcomer = Some(registered.agent_id);
                return;
            }
            // The first endpoint comes with its agent, which nobody has waited for.
            Event::Webhook(WebhookEvent::Registered(registered)) if self.newcomer == Some(registered.agent_id) => {
                return;
            }
            Event::Webhook(_) | Event::Agent(AgentEvent::Deactivated(_)) => self.known.clear(),
            _ => {}
        }
        self.newcomer = None;
    }

    fn forget(&mut self, workspace_id: WorkspaceId) {
        for push_type in PushType::ALL {
            self.known.remove(&(workspace_id, push_type));
        }
    }

    /// Who is to hear of an event of the type at the position, its actor included. The event has been noted.
    pub(crate) async fn of(
        &mut self,
        store: &Store,
        workspace_id: WorkspaceId,
        position: i64,
        push_type: PushType,
    ) -> Result<&[Subscriber], StoreError> {
        let key = (workspace_id, push_type);
        if !self.known.contains_key(&key) {
            let subscribers = store.subscribers(workspace_id, position, push_type, "").await?;
            if self.known.len() >= REMEMBERED {
                self.known.clear();
            }
            self.known.insert(key, subscribers);
        }
        Ok(self.known.get(&key).map_or(&[], Vec::as_slice))
    }
}
