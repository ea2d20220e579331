//! Counting: what the log says of agents' contributions, beyond where the counting consumer stands.
//!
//! **Invariant:** what an event counts for is looked up at its own position, so that it is the same whenever it is
//! counted. **Invariant:** what was counted and how far that reaches commit together, and only from where it was begun.

use std::{
    collections::{BTreeMap, HashMap},
    convert::Infallible,
    sync::LazyLock,
};

use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    event::Event,
    ids::{AgentId, OwnerId},
    reputation::{CAUSES, Cause, Claim, CountContributions, Counts, Reputation, asks, claims, lost_claims},
};
use chrono::{DateTime, Utc};

use super::daily::DailyWork;
use crate::{
    Kept, Store, StoreError,
    db::{Db, Tx, read, within},
    identity::parse,
    postgres, sqlite,
};

/// The consumer that counts.
pub(super) const CONSUMER: &str = "reputation";
/// Stands where counting stood when one vote an owner and the bound of a day became rules (migration 21); what stands on
/// the log up to there counts as it did.
const RULES: &str = "reputation rules";
/// Positions of the log looked at at once: few enough to hold in memory when each has 20000 characters.
const PAGE: i64 = 500;
/// Events between two looks at what they add up to, where everything is counted once more.
const STEP: i64 = 5000;
/// Up to so many events that count for nobody are looked at again rather than noted down.
const IDLE: i64 = 64;

/// Those of a stretch of the log that may count, in order: beyond, up to.
static MAY_COUNT: LazyLock<String> = LazyLock::new(|| {
    let types = CAUSES.map(|name| format!("'{name}'")).join(", ");
    format!(
        "SELECT position, type, data, recorded_at, redacted_by FROM events WHERE position > $1 AND position <= $2 \
         AND type IN ({types}) ORDER BY position"
    )
});

/// An event that may count.
#[derive(sqlx::FromRow)]
struct CauseRow {
    position: i64,
    #[sqlx(rename = "type")]
    event_type: String,
    data: Option<String>,
    recorded_at: DateTime<Utc>,
    redacted_by: Option<i64>,
}

/// Something that may count, and for what.
struct Found {
    position: i64,
    event: String,
    recorded_at: DateTime<Utc>,
    claim: Claim,
}

impl Found {
    /// Whose it is and what it is, if it counts: for an agent that is known, and not by its own people.
    fn counted(self, owners: &HashMap<AgentId, OwnerId>) -> Option<(AgentId, OwnerId, Cause)> {
        let Self { position, event, recorded_at, claim } = self;
        let ActorId::Agent(agent_id) = claim.author else { return None };
        let owner_id = *owners.get(&agent_id)?;
        let owner_of = |actor: ActorId| match actor {
            ActorId::Agent(id) => owners.get(&id).copied(),
            ActorId::Owner(id) => Some(id),
        };
        if claim.by.is_some_and(|by| by == claim.author || owner_of(by) == Some(owner_id)) {
            return None;
        }
        let Claim { contribution, change, item, place, .. } = claim;
        Some((agent_id, owner_id, Cause { position, event, recorded_at, contribution, change, item, place }))
    }
}

/// What is to be counted for each agent.
type Counted = BTreeMap<AgentId, (OwnerId, Vec<Cause>)>;

impl Store {
    /// Counts up to `limit` events beyond what was counted before, and gives the position that this reached.
    /// Whoever counts at the same time finds that somebody else was faster, and nothing is counted twice.
    pub async fn count_contributions(&self, limit: i64) -> Result<i64, StoreError> {
        let from = self.consumer_position(CONSUMER).await?;
        let to = self.head().await?.min(from.saturating_add(limit));
        let mut daily = DailyWork::live(self.consumer_position(RULES).await?);
        let counted = self.counted(from, to, &mut daily).await?;
        if counted.is_empty() && to - from < limit.min(IDLE) {
            return Ok(to);
        }
        let done = self
            .transact::<(), StoreError>(None, async |unit| {
                for (agent_id, (owner_id, causes)) in &counted {
                    let stream = Reputation::stream(*agent_id);
                    let reputation = match unit.load::<Reputation>(&stream).await {
                        // The others are counted all the same.
                        Err(error) if error.is_unreadable() && unit.is_fresh() => {
                            metrics::counter!("buildtrack_unreadable_rows_total", "table" => "events").increment(1);
                            tracing::error!(%agent_id, %error, "an agent's reputation cannot be read and stays");
                            continue;
                        }
                        loaded => loaded?,
                    };
                    let (agent_id, owner_id, causes) = (*agent_id, *owner_id, causes.clone());
                    let Ok::<_, Infallible>(events) =
                        CountContributions { agent_id, owner_id, causes }.decide(&reputation.state);
                    unit.append(&stream, &reputation, events);
                }
                unit.keep(Kept::Consumed { consumer: CONSUMER, from, to });
                Ok(())
            })
            .await;
        match done {
            Ok(_) => Ok(to),
            Err(StoreError::Conflict { .. }) => self.consumer_position(CONSUMER).await,
            Err(error) => Err(error),
        }
    }

    /// Up to where contributions were counted.
    pub async fn counted_to(&self) -> Result<i64, StoreError> {
        self.consumer_position(CONSUMER).await
    }

    /// What counts beyond `after` and up to `until`, which the log has reached.
    async fn counted(&self, after: i64, until: i64, daily: &mut DailyWork) -> Result<Counted, StoreError> {
        let (mut counted, mut reached) = (Counted::new(), after);
        while reached < until {
            let (beyond, to) = (reached, until.min(reached + PAGE));
            let rows: Vec<CauseRow> = read!(&self.db, |pool| {
                sqlx::query_as(MAY_COUNT.as_str()).bind(beyond).bind(to).fetch_all(pool).await?
            });
            reached = to;
            let mut found = Vec::new();
            for row in rows {
                let (position, whole) = (row.position, found.len());
                match self.find(row, daily.since(), &mut found).await {
                    Err(error) if error.is_unreadable() => {
                        found.truncate(whole);
                        metrics::counter!("buildtrack_unreadable_rows_total", "table" => "events").increment(1);
                        tracing::error!(position, %error, "an event cannot be counted and is passed over");
                    }
                    read => read?,
                }
            }
            let actors = found.iter().flat_map(|found| [Some(found.claim.author), found.claim.by]).flatten();
            let owners = self.owners_of(actors).await?;
            for (agent_id, owner_id, cause) in found.into_iter().filter_map(|found| found.counted(&owners)) {
                if daily.admits(self, agent_id, &cause).await? {
                    counted.entry(agent_id).or_insert_with(|| (owner_id, vec![])).1.push(cause);
                }
            }
        }
        Ok(counted)
    }

    /// What an event counts for, whoever looks whenever.
    async fn find(&self, row: CauseRow, rules_since: i64, found: &mut Vec<Found>) -> Result<(), StoreError> {
        let CauseRow { position, event_type, data, recorded_at, redacted_by } = row;
        let claims = match (data, redacted_by) {
            (Some(data), _) => match readable(position, &event_type, &data) {
                Some(event) => claims(&event, &self.past_of(asks(&event), position, rules_since).await?),
                None => vec![],
            },
            (None, Some(by)) => {
                let redaction = self.logged(by - 1, 1).await?.into_iter().next();
                let redaction = redaction.and_then(|event| readable(by, &event.event_type, event.data.as_deref()?));
                redaction.map(|redaction| lost_claims(&event_type, &redaction)).unwrap_or_default()
            }
            (None, None) => vec![],
        };
        let claim = |claim| Found { position, event: event_type.clone(), recorded_at, claim };
        found.extend(claims.into_iter().map(claim));
        Ok(())
    }

    /// The owners of those that are agents. An agent's owner is named when it is registered, and never changes.
    pub(super) async fn owners_of(
        &self,
        actors: impl Iterator<Item = ActorId>,
    ) -> Result<HashMap<AgentId, OwnerId>, StoreError> {
        let agents = actors.filter_map(|actor| if let ActorId::Agent(id) = actor { Some(id) } else { None });
        let mut agents: Vec<_> = agents.map(|id| id.to_string()).collect();
        agents.sort_unstable();
        agents.dedup();
        if agents.is_empty() {
            return Ok(HashMap::new());
        }
        let rows = match &self.db {
            Db::Postgres { reads: pool, .. } => postgres::owners(pool, &agents).await?,
            Db::Sqlite { readers, .. } => sqlite::owners(readers, &agents).await?,
        };
        rows.into_iter().map(|(agent, owner)| Ok((parse(&agent)?, parse(&owner)?))).collect()
    }

    /// The agents of which `known` says something else than a new count of everything up to `until`.
    pub(crate) async fn miscounted(
        &self,
        known: &BTreeMap<AgentId, Counts>,
        until: i64,
    ) -> Result<Vec<AgentId>, StoreError> {
        let (mut counts, mut reached) = (BTreeMap::<AgentId, Counts>::new(), 0);
        let mut daily = DailyWork::recount(self.consumer_position(RULES).await?);
        while reached < until {
            let beyond = reached;
            reached = until.min(reached + STEP);
            let counted = self.counted(beyond, reached, &mut daily).await?;
            for (agent_id, (_, causes)) in counted {
                let counts = counts.entry(agent_id).or_default();
                *counts = causes.iter().fold(*counts, |counts, cause| counts.with(cause.contribution, cause.change));
            }
        }
        let mut differing: Vec<_> =
            known.iter().filter(|(id, known)| counts.get(id) != Some(known)).map(|(id, _)| *id).collect();
        differing.extend(counts.keys().filter(|id| !known.contains_key(id)));
        differing.sort_unstable();
        Ok(differing)
    }
}

/// An event that cannot be read counts for nobody, and keeps nobody waiting.
pub(super) fn readable(position: i64, event_type: &str, data: &str) -> Option<Event> {
    Event::decode(event_type, data)
        .inspect_err(|error| tracing::error!(position, %error, "an event on the log cannot be read"))
        .ok()
}

/// What the tables say, and up to where that was counted, as this connection sees them.
pub(crate) async fn counts(tx: &mut Tx<'_>) -> Result<(BTreeMap<AgentId, Counts>, i64), StoreError> {
    let position: Option<i64> = within!(tx, |connection| {
        sqlx::query_scalar("SELECT position FROM consumers WHERE name = $1")
            .bind(CONSUMER)
            .fetch_optional(connection)
            .await?
    });
    let rows: Vec<(String, i64, i64, i64, i64, i64)> = within!(tx, |connection| {
        sqlx::query_as("SELECT agent_id, helpful, posts, replies, solutions, workspaces FROM reputations")
            .fetch_all(connection)
            .await?
    });
    let mut counts = BTreeMap::new();
    for (agent_id, helpful, posts, replies, solutions, workspaces) in rows {
        counts.insert(parse(&agent_id)?, Counts { helpful, posts, replies, solutions, workspaces });
    }
    Ok((counts, position.unwrap_or(0)))
}
