//! Who hears of an event, remembered circle by circle from event to event.
//!
//! **Invariant:** what is remembered counts for an event only where this process has heard of all that happened up to it, and
//! none of that changed who belongs to the circle, where an agent is pushed to, or whether it is. All that changes these is
//! an event of the workspace's, the endpoint's, the agent's or its owner's stream.

use std::{
    collections::{BTreeMap, HashMap},
    ops::Range,
    sync::Arc,
};

use buildtrack_domain::{
    actors::ActorId,
    ids::{AgentId, OwnerId, WebhookId},
    webhooks::{Circle, Filter, PushType},
};

use crate::{
    Store, StoreError,
    changes::{Changes, REMEMBERED},
    db::Db,
    identity::parse,
    log::heard::Heard,
    postgres, sqlite,
};

/// How many hearers are remembered: a few megabytes of them.
const CAPACITY: u64 = 20_000;

/// An event, and who may hear of it: those who belong to its circle at the position, but the actor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Audience {
    /// Where the event stands.
    pub position: i64,
    /// Among whom it happened.
    pub circle: Circle,
    /// What it is called in a push.
    pub push_type: PushType,
    /// Who caused it; nobody where the circle's own standing changed.
    pub actor: Option<ActorId>,
}

/// An endpoint that is to hear of an event, if it matches its filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscriber {
    /// The event.
    pub position: i64,
    /// The endpoint.
    pub webhook_id: WebhookId,
    /// Whose.
    pub agent_id: AgentId,
    /// What it wants to hear of.
    pub filter: Filter,
}

/// An endpoint of somebody who belonged to a circle from one position until before another.
#[derive(Debug, sqlx::FromRow)]
pub(crate) struct SubscriberRow {
    circle: String,
    hearer: String,
    since: i64,
    until: Option<i64>,
    webhook_id: String,
    agent_id: String,
    events: String,
    filter: String,
}

/// The same, read.
struct Hearer {
    id: ActorId,
    positions: Range<i64>,
    webhook_id: WebhookId,
    agent_id: AgentId,
    events: Vec<PushType>,
    filter: Filter,
}

impl SubscriberRow {
    fn hearer(self) -> Result<(String, Hearer), StoreError> {
        let damaged = |error: serde_json::Error| StoreError::Damaged(error.to_string());
        let hearer = Hearer {
            id: parse(&self.hearer)?,
            positions: self.since..self.until.unwrap_or(i64::MAX),
            webhook_id: parse(&self.webhook_id)?,
            agent_id: parse(&self.agent_id)?,
            events: serde_json::from_str(&self.events).map_err(damaged)?,
            filter: serde_json::from_str(&self.filter).map_err(damaged)?,
        };
        Ok((self.circle, hearer))
    }
}

impl Hearer {
    fn hears_of(&self, audience: &Audience) -> bool {
        let belongs = self.positions.contains(&audience.position);
        belongs && Some(self.id) != audience.actor && self.events.contains(&audience.push_type)
    }

    fn subscriber(&self, position: i64) -> Subscriber {
        let Self { webhook_id, agent_id, filter, .. } = self;
        Subscriber { position, webhook_id: *webhook_id, agent_id: *agent_id, filter: filter.clone() }
    }
}

/// Who has belonged to a circle since a position, as it was read when so much was known to have changed.
#[derive(Clone)]
struct Remembered {
    since: i64,
    hearers: Arc<[Hearer]>,
    read_at: u64,
}

/// Those of the circles that were asked for lately. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Hearers {
    known: moka::sync::Cache<String, Remembered>,
    changes: Changes,
    heard: Heard,
}

impl Hearers {
    pub(crate) fn new(changes: Changes, heard: Heard) -> Self {
        let weight = |_: &String, known: &Remembered| u32::try_from(known.hearers.len() + 1).unwrap_or(u32::MAX);
        let known =
            moka::sync::Cache::builder().weigher(weight).max_capacity(CAPACITY).time_to_live(REMEMBERED).build();
        Self { known, changes, heard }
    }

    /// Who belongs to a circle at positions from `first` to `last`, and others.
    fn get(&self, circle: &str, (first, last): (i64, i64)) -> Option<Arc<[Hearer]>> {
        let Remembered { since, hearers, read_at } = self.known.get(circle)?;
        let stands = since <= first
            && last <= self.heard.reached()
            && self.changes.none_since(read_at, &[circle, OwnerId::PREFIX, AgentId::PREFIX, WebhookId::PREFIX]);
        stands.then_some(hearers)
    }
}

/// A circle whose hearers change without an event of its own stream: whoever replies to a post takes part in it.
fn is_read_each_time(circle: Circle) -> bool {
    matches!(circle, Circle::Participants(_))
}

impl Store {
    /// The endpoints of those who belonged to the circle at the position, want to hear of such events, and did not cause
    /// it; in the order of the positions.
    pub async fn subscribers(&self, audiences: &[Audience]) -> Result<Vec<Subscriber>, StoreError> {
        let hearers = self.hearers_of(audiences).await?;
        let mut subscribers = Vec::new();
        for audience in audiences {
            let hearers = hearers.get(&audience.circle.to_string()).into_iter().flat_map(|hearers| hearers.iter());
            let hearers = hearers.filter(|hearer| hearer.hears_of(audience));
            subscribers.extend(hearers.map(|hearer| hearer.subscriber(audience.position)));
        }
        Ok(subscribers)
    }

    /// Who belongs to each of these circles at its events' positions, and others; in the order of the endpoints.
    async fn hearers_of(&self, audiences: &[Audience]) -> Result<HashMap<String, Arc<[Hearer]>>, StoreError> {
        // Many events of few circles: each of these is looked up once.
        let mut circles: BTreeMap<String, (Circle, i64, i64)> = BTreeMap::new();
        for Audience { position, circle, .. } in audiences {
            let (_, first, last) = circles.entry(circle.to_string()).or_insert((*circle, *position, *position));
            (*first, *last) = ((*first).min(*position), (*last).max(*position));
        }
        let mut found = HashMap::new();
        circles.retain(|circle, (_, first, last)| match self.hearers.get(circle, (*first, *last)) {
            Some(hearers) => found.insert(circle.clone(), hearers).is_some(),
            None => true,
        });
        let Some(since) = circles.values().map(|(_, first, _)| *first).min() else { return Ok(found) };
        let read_at = self.changes.now();
        let names: Vec<_> = circles.keys().cloned().collect();
        let rows = match &self.db {
            Db::Postgres { frequent, .. } => postgres::subscribers(frequent, &names, since).await?,
            Db::Sqlite { readers, .. } => sqlite::subscribers(readers, &names, since).await?,
        };
        let mut read: HashMap<_, Vec<Hearer>> = HashMap::new();
        for row in rows {
            let webhook_id = row.webhook_id.clone();
            match row.hearer() {
                Ok((circle, hearer)) => read.entry(circle).or_default().push(hearer),
                // The other subscribers hear of the event all the same.
                Err(error) => {
                    metrics::counter!("buildtrack_unreadable_rows_total", "table" => "webhooks").increment(1);
                    tracing::error!(webhook = webhook_id, %error, "an endpoint cannot be read and is passed over");
                }
            }
        }
        for (name, (circle, ..)) in circles {
            let hearers: Arc<[Hearer]> = read.remove(&name).unwrap_or_default().into();
            if !is_read_each_time(circle) {
                self.hearers.known.insert(name.clone(), Remembered { since, hearers: hearers.clone(), read_at });
            }
            found.insert(name, hearers);
        }
        Ok(found)
    }
}
