//! The events that an agent receives, read from the log: for polls, and for the replays of an endpoint.
//!
//! **Invariant:** the result equals the audience of pushes: an agent finds exactly the events of audiences that it belonged to at
//! the event's position, except those that it caused.

use buildtrack_domain::{
    event::Event,
    ids::AgentId,
    webhooks::{Filter, Push, PushType},
};
use buildtrack_macros::boxed;
use serde_json::json;

use super::{WebhookView, pushed_events::positions};
use crate::{
    StoreError,
    database::Value,
    log::{LoggedEvent, Recorded},
    webhooks::Webhooks,
};

/// Positions that one query covers. The window grows while few events are found, so that a quiet agent on a busy server makes
/// progress.
const WINDOW: i64 = 20_000;
const WINDOW_MAX: i64 = 100_000;
/// The most queries of one call.
const WINDOWS: usize = 12;
/// Up to this many events are read and counted one by one if the filter depends on their data.
const COUNTED: i64 = 10_000;

/// An agent with the types and the filter of the events to find.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    agent_id: AgentId,
    types: Vec<PushType>,
    filter: Filter,
}

/// The events found in a range of the log.
#[derive(Debug, Clone)]
pub struct EventPage {
    /// The events, in log order, without redacted ones.
    pub events: Vec<Recorded>,
    /// The position up to which the list is complete.
    pub reached: i64,
}

impl Subscription {
    /// All events that the agent could receive.
    pub fn whole(agent_id: AgentId) -> Self {
        Self { agent_id, types: PushType::ALL.to_vec(), filter: Filter::default() }
    }

    /// Whether the event matches the types and the filter.
    fn matches(&self, push: &Push<'_>) -> bool {
        self.types.contains(&push.push_type) && self.filter.matches(push)
    }

    /// The workspaces that the filter names, as a JSON list; `None` if it names none.
    fn workspaces(&self) -> Option<String> {
        let workspaces = &self.filter.workspaces;
        (!workspaces.is_empty()).then(|| json!(workspaces).to_string())
    }

    /// The parameters of [`positions`]: those of the subscription after `after` and up to `until`.
    fn window(&self, after: i64, until: i64) -> [Value<'static>; 5] {
        let types = json!(self.types).to_string();
        [self.agent_id.to_string().into(), after.into(), until.into(), types.into(), self.workspaces().into()]
    }
}

impl From<&WebhookView> for Subscription {
    /// The events to which the endpoint currently subscribes.
    fn from(webhook: &WebhookView) -> Self {
        Self { agent_id: webhook.agent_id, types: webhook.events.clone(), filter: webhook.filter.clone() }
    }
}

#[boxed]
impl Webhooks {
    /// Up to `limit` events after `after` and up to `until`, as far as one call's scan reaches.
    pub async fn subscribed_events(
        &self,
        subscription: &Subscription,
        after: i64,
        until: i64,
        limit: i64,
    ) -> Result<EventPage, StoreError> {
        let mut page = EventPage { events: vec![], reached: after };
        let (mut window, mut remaining) = (WINDOW, limit);
        for _ in 0..WINDOWS {
            if page.reached >= until || remaining <= 0 {
                break;
            }
            let to = until.min(page.reached.saturating_add(window));
            let rows = self.events_between(subscription, page.reached, to, remaining).await?;
            let found = i64::try_from(rows.len()).unwrap_or(i64::MAX);
            page.reached = rows.last().filter(|_| found >= remaining).map_or(to, |last| last.position);
            remaining -= found;
            window = WINDOW_MAX.min(window * 2);
            let (hidings, rows) = (self.log.hidings().await?, self.log.without_deleted_names(rows).await?);
            let readable = rows.into_iter().map(|row| hidings.mask_recorded(row.into_readable()));
            let wanted = |recorded: &Recorded| {
                recorded.event.as_ref().and_then(Event::push).is_some_and(|push| subscription.matches(&push))
            };
            page.events.extend(readable.filter(wanted));
        }
        Ok(page)
    }

    async fn events_between(
        &self,
        subscription: &Subscription,
        after: i64,
        until: i64,
        limit: i64,
    ) -> Result<Vec<LoggedEvent>, StoreError> {
        let statement = format!(
            "SELECT events.position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
             redacted_by FROM (SELECT position FROM ({}) AS received ORDER BY position LIMIT $6) AS page \
             JOIN events ON events.position = page.position ORDER BY events.position",
            positions(self.db.dialect()),
        );
        let values: Vec<_> = subscription.window(after, until).into_iter().chain([limit.into()]).collect();
        self.db.all(&statement, &values).await
    }

    /// The number of events after `after` and up to `until`. An upper bound if there are more than ten thousand and the filter
    /// depends on their data.
    pub async fn count_subscribed_events(
        &self,
        subscription: &Subscription,
        after: i64,
        until: i64,
    ) -> Result<i64, StoreError> {
        let statement = format!("SELECT count(*) FROM ({}) AS received", positions(self.db.dialect()));
        let count: i64 = self.db.one(&statement, &subscription.window(after, until)).await?;
        if subscription.filter.fields.is_empty() || count > COUNTED {
            return Ok(count);
        }
        let (mut reached, mut wanted) = (after, 0);
        while reached < until {
            let page = self.subscribed_events(subscription, reached, until, 500).await?;
            reached = page.reached;
            wanted += i64::try_from(page.events.len()).unwrap_or(i64::MAX);
        }
        Ok(wanted)
    }
}
