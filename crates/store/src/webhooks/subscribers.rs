//! The subscribers of events: the endpoints of their audience's recipients. Cached for each audience.
//!
//! **Invariant:** a cached audience is valid for an event only if this process has received every commit notification up to the
//! event's position, and none of them changed the audience's members, their endpoints, or whether the agents are active. Every such
//! change is an event in the stream of the workspace, the endpoint, the agent or its owner.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::Arc,
};

use buildtrack_domain::{
    actors::ActorId,
    audience::Audience,
    ids::{AgentId, OwnerId, WebhookId},
    webhooks::{Filter, Push, PushType},
};
use buildtrack_macros::boxed;

use super::{postgres, sqlite};
use crate::{
    StoreError,
    database::{Db, FromRow, columns::parse},
    log::{
        changes::{CACHE_LIFETIME, Changes},
        watermark::Watermark,
    },
    webhooks::Webhooks,
};

/// The most recipients in the cache. They take a few megabytes.
const CAPACITY: u64 = 20_000;

/// An event with its audience. The recipients are those at the event's position, except the actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PushedEvent {
    /// The event's position.
    pub position: i64,
    /// The audience.
    pub audience: Audience,
    /// The type sent with the push.
    pub push_type: PushType,
    /// The actor of the event; `None` if the event has no actor to leave out.
    pub actor: Option<ActorId>,
}

impl PushedEvent {
    /// The event at a position with this push.
    pub fn new(position: i64, push: &Push<'_>) -> Self {
        let actor = push.actor().map(|actor| actor.id);
        Self { position, audience: push.audience, push_type: push.push_type, actor }
    }
}

/// An endpoint that receives an event if the event matches its filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscriber {
    /// The event's position.
    pub position: i64,
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// The agent that owns the endpoint.
    pub agent_id: AgentId,
    /// The endpoint's filter.
    pub filter: Filter,
}

/// An endpoint of a recipient, with columns of [`AUDIENCES`](crate::audiences::AUDIENCES).
#[derive(Debug, FromRow)]
pub(crate) struct SubscriberRow {
    audience: String,
    recipient: String,
    began: i64,
    ended: Option<i64>,
    webhook_id: String,
    agent_id: String,
    events: String,
    filter: String,
}

/// A decoded [`SubscriberRow`].
struct Recipient {
    id: ActorId,
    positions: Range<i64>,
    webhook_id: WebhookId,
    agent_id: AgentId,
    events: Vec<PushType>,
    filter: Filter,
}

impl SubscriberRow {
    fn recipient(self) -> Result<(String, Recipient), StoreError> {
        let damaged = |error: serde_json::Error| StoreError::Damaged(error.to_string());
        let recipient = Recipient {
            id: parse(&self.recipient)?,
            positions: self.began..self.ended.unwrap_or(i64::MAX),
            webhook_id: parse(&self.webhook_id)?,
            agent_id: parse(&self.agent_id)?,
            events: serde_json::from_str(&self.events).map_err(damaged)?,
            filter: serde_json::from_str(&self.filter).map_err(damaged)?,
        };
        Ok((self.audience, recipient))
    }
}

impl Recipient {
    fn receives(&self, event: &PushedEvent) -> bool {
        let belongs = self.positions.contains(&event.position);
        belongs && Some(self.id) != event.actor && self.events.contains(&event.push_type)
    }

    fn subscriber(&self, position: i64) -> Subscriber {
        let Self { webhook_id, agent_id, filter, .. } = self;
        Subscriber { position, webhook_id: *webhook_id, agent_id: *agent_id, filter: filter.clone() }
    }
}

/// The recipients of an audience since a position, with the change number at which they were read.
#[derive(Clone)]
struct CachedAudience {
    since: i64,
    recipients: Arc<[Recipient]>,
    read_at: u64,
}

/// The cache of audiences. Cheap to clone.
#[derive(Clone)]
pub(crate) struct AudienceCache {
    known: moka::sync::Cache<String, CachedAudience>,
    changes: Changes,
    watermark: Watermark,
}

impl AudienceCache {
    pub(crate) fn new(changes: Changes, watermark: Watermark) -> Self {
        let weight = |_: &String, known: &CachedAudience| u32::try_from(known.recipients.len() + 1).unwrap_or(u32::MAX);
        let known =
            moka::sync::Cache::builder().weigher(weight).max_capacity(CAPACITY).time_to_live(CACHE_LIFETIME).build();
        Self { known, changes, watermark }
    }

    /// The cached recipients of an audience, if they are valid at positions from `first` to `last`. They may include recipients at
    /// other positions.
    fn get(&self, audience: &str, (first, last): (i64, i64)) -> Option<Arc<[Recipient]>> {
        let CachedAudience { since, recipients, read_at } = self.known.get(audience)?;
        let is_valid = since <= first
            && last <= self.watermark.reached()
            && self.changes.none_since(read_at, &[audience, OwnerId::PREFIX, AgentId::PREFIX, WebhookId::PREFIX]);
        is_valid.then_some(recipients)
    }
}

/// Whether an audience changes without an event in its own stream, so that it cannot be cached: a reply makes its author a
/// participant of the post.
fn is_uncached(audience: Audience) -> bool {
    matches!(audience, Audience::Participants(_))
}

#[boxed]
impl Webhooks {
    /// The endpoints that receive these events: those of audience members at the event's position, except the actor's, that
    /// subscribe to the event's type. Ordered by position.
    pub async fn subscribers(&self, events: &[PushedEvent]) -> Result<Vec<Subscriber>, StoreError> {
        let recipients = self.recipients_of(events).await?;
        let mut subscribers = Vec::new();
        for event in events {
            let recipients =
                recipients.get(&event.audience.to_string()).into_iter().flat_map(|recipients| recipients.iter());
            let recipients = recipients.filter(|recipient| recipient.receives(event));
            subscribers.extend(recipients.map(|recipient| recipient.subscriber(event.position)));
        }
        Ok(subscribers)
    }

    /// The recipients of each audience at its events' positions, and possibly others, ordered by endpoint.
    async fn recipients_of(&self, events: &[PushedEvent]) -> Result<HashMap<String, Arc<[Recipient]>>, StoreError> {
        // Many events share few audiences: query each audience once.
        let mut audiences: BTreeMap<String, (Audience, i64, i64)> = BTreeMap::new();
        for PushedEvent { position, audience, .. } in events {
            let (_, first, last) = audiences.entry(audience.to_string()).or_insert((*audience, *position, *position));
            (*first, *last) = ((*first).min(*position), (*last).max(*position));
        }
        let mut found = HashMap::new();
        audiences.retain(|name, (_, first, last)| match self.audiences.get(name, (*first, *last)) {
            Some(recipients) => found.insert(name.clone(), recipients).is_some(),
            None => true,
        });
        let Some(since) = audiences.values().map(|(_, first, _)| *first).min() else { return Ok(found) };
        let read_at = self.log.changes.now();
        let names: Vec<_> = audiences.keys().cloned().collect();
        let rows = match &self.db {
            Db::Postgres { frequent, .. } => postgres::subscribers(frequent, &names, since).await?,
            Db::Sqlite { readers, .. } => sqlite::subscribers(readers, &names, since).await?,
        };
        let mut read: HashMap<_, Vec<Recipient>> = HashMap::new();
        for row in rows {
            let webhook_id = row.webhook_id.clone();
            match row.recipient() {
                Ok((audience, recipient)) => read.entry(audience).or_default().push(recipient),
                // One unreadable endpoint must not keep the other subscribers from receiving the event.
                Err(error) => {
                    metrics::counter!("buildtrack_unreadable_rows_total", "table" => "webhooks").increment(1);
                    tracing::error!(webhook = webhook_id, %error, "a stored endpoint cannot be read and is skipped");
                }
            }
        }
        for (name, (audience, ..)) in audiences {
            let recipients: Arc<[Recipient]> = read.remove(&name).unwrap_or_default().into();
            if !is_uncached(audience) {
                self.audiences
                    .known
                    .insert(name.clone(), CachedAudience { since, recipients: recipients.clone(), read_at });
            }
            found.insert(name, recipients);
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::sqlite::open_in_memory;

    #[tokio::test]
    async fn indexes_are_searched_by_audience() {
        let (pool, _db) = open_in_memory().await.unwrap();
        let statement = format!("EXPLAIN QUERY PLAN {}", *sqlite::SUBSCRIBERS);
        let plan: Vec<(i64, i64, i64, String)> = sqlx::query_as(&statement).fetch_all(&pool).await.unwrap();
        let steps: Vec<_> = plan.into_iter().map(|(.., step)| step).collect();
        for (table, bounds) in
            [("memberships", "(workspace_id=?)"), ("participations", "(post_id=?)"), ("agents", "(id=?)")]
        {
            let is_search = |step: &String| step.starts_with(&format!("SEARCH {table} ")) && step.ends_with(bounds);
            assert!(steps.iter().any(is_search), "{table}: {steps:#?}");
        }
        let is_scan = |step: &&String| step.starts_with("SCAN ");
        assert!(steps.iter().filter(is_scan).all(|step| step.starts_with("SCAN json_each ")), "{steps:#?}");
    }
}
