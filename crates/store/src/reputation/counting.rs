//! Counting of agents' contributions on the log, beyond the counting consumer's offset.
//!
//! **Invariant:** an event's claims depend only on the log before its position, so that they are the same whenever it is counted.
//! **Invariant:** results and offset commit together, and only if the offset is still the one that counting started from.

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
    reputation::{
        CAUSES, Cause, Claim, CountContributions, Counts, Reputation as ReputationState, claims, lost_claims,
        past_query,
    },
};
use chrono::{DateTime, Utc};

use super::daily::DailyWork;
use super::{postgres, sqlite};
use crate::{
    StoreError,
    database::{Db, FromRow, Tx, columns::parse, values},
    log,
    reputation::Reputation,
};

/// Name of the counting consumer.
pub(super) const CONSUMER: &str = "reputation";
/// Name of the consumer row with the position at which one vote an owner and the daily bound became rules (migration 21). Events
/// up to it count under the earlier rules.
const RULES: &str = "reputation rules";
/// Log positions read at once: few enough to hold in memory when each has 20000 characters.
const PAGE: i64 = 500;
/// Events between two subtotals, in a recount of the whole log.
const STEP: i64 = 5000;
/// Up to so many events without a result are read again instead of advancing the offset.
const IDLE: i64 = 64;

/// The events of a range that may count, in order. Parameters: after, up to.
static MAY_COUNT: LazyLock<String> = LazyLock::new(|| {
    let types = CAUSES.map(|name| format!("'{name}'")).join(", ");
    format!(
        "SELECT position, type, data, recorded_at, redacted_by FROM events WHERE position > $1 AND position <= $2 \
         AND type IN ({types}) ORDER BY position"
    )
});

/// An event that may count.
#[derive(FromRow)]
struct CauseRow {
    position: i64,
    #[column(name = "type")]
    event_type: String,
    data: Option<String>,
    recorded_at: DateTime<Utc>,
    redacted_by: Option<i64>,
}

/// A claim that may count, with its event.
struct Found {
    position: i64,
    event: String,
    recorded_at: DateTime<Utc>,
    claim: Claim,
}

impl Found {
    /// The credited agent, its owner and the cause; none unless the author is a known agent and the claim is not by its own owner
    /// or the owner's agents.
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
        let Claim { contribution, change, item, location, .. } = claim;
        Some((agent_id, owner_id, Cause { position, event, recorded_at, contribution, change, item, location }))
    }
}

/// The causes to count for each agent.
type Counted = BTreeMap<AgentId, (OwnerId, Vec<Cause>)>;

impl Reputation {
    /// Counts up to `limit` events beyond the offset, and returns the position reached. A concurrent counter that commits first
    /// causes a conflict, so no event counts twice.
    pub async fn count_contributions(&self, limit: i64) -> Result<i64, StoreError> {
        let from = self.log.consumer_position(CONSUMER).await?;
        let to = self.log.head().await?.min(from.saturating_add(limit));
        let mut daily = DailyWork::live(self.log.consumer_position(RULES).await?);
        let counted = self.counted(from, to, &mut daily).await?;
        if counted.is_empty() && to - from < limit.min(IDLE) {
            return Ok(to);
        }
        let done = self.log
            .transact::<(), StoreError>(None, async |unit| {
                for (agent_id, (owner_id, causes)) in &counted {
                    let stream = ReputationState::stream(*agent_id);
                    let reputation = match unit.load::<ReputationState>(&stream).await {
                        // Other agents are still counted.
                        Err(error) if error.is_unreadable() && unit.is_fresh() => {
                            metrics::counter!("buildtrack_unreadable_rows_total", "table" => "events").increment(1);
                            tracing::error!(%agent_id, %error, "could not decode an agent's reputation; counting leaves it unchanged");
                            continue;
                        }
                        loaded => loaded?,
                    };
                    let (agent_id, owner_id, causes) = (*agent_id, *owner_id, causes.clone());
                    let Ok::<_, Infallible>(events) =
                        CountContributions { agent_id, owner_id, causes }.decide(&reputation.state);
                    unit.append(&stream, &reputation, events);
                }
                unit.write_side(log::Change::Consumed { consumer: CONSUMER, from, to });
                Ok(())
            })
            .await;
        match done {
            Ok(_) => Ok(to),
            Err(StoreError::Conflict { .. }) => self.log.consumer_position(CONSUMER).await,
            Err(error) => Err(error),
        }
    }

    /// The counting consumer's offset.
    pub async fn counted_to(&self) -> Result<i64, StoreError> {
        self.log.consumer_position(CONSUMER).await
    }

    /// The causes beyond `after` and up to `until`, which is not beyond the head.
    async fn counted(&self, after: i64, until: i64, daily: &mut DailyWork) -> Result<Counted, StoreError> {
        let (mut counted, mut reached) = (Counted::new(), after);
        while reached < until {
            let (beyond, to) = (reached, until.min(reached + PAGE));
            let rows: Vec<CauseRow> = self.db.all(MAY_COUNT.as_str(), values![beyond, to]).await?;
            reached = to;
            let mut found = Vec::new();
            for row in rows {
                let (position, whole) = (row.position, found.len());
                match self.find(row, daily.since(), &mut found).await {
                    Err(error) if error.is_unreadable() => {
                        found.truncate(whole);
                        metrics::counter!("buildtrack_unreadable_rows_total", "table" => "events").increment(1);
                        tracing::error!(position, %error, "could not count an event; counting skips it");
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

    /// The claims of an event, which are the same at any time.
    async fn find(&self, row: CauseRow, rules_since: i64, found: &mut Vec<Found>) -> Result<(), StoreError> {
        let CauseRow { position, event_type, data, recorded_at, redacted_by } = row;
        let claims = match (data, redacted_by) {
            (Some(data), _) => match readable(position, &event_type, &data) {
                Some(event) => claims(&event, &self.past_of(past_query(&event), position, rules_since).await?),
                None => vec![],
            },
            (None, Some(by)) => {
                let redaction = self.log.logged(by - 1, 1).await?.into_iter().next();
                let redaction = redaction.and_then(|event| readable(by, &event.event_type, event.data.as_deref()?));
                redaction.map(|redaction| lost_claims(&event_type, &redaction)).unwrap_or_default()
            }
            (None, None) => vec![],
        };
        let claim = |claim| Found { position, event: event_type.clone(), recorded_at, claim };
        found.extend(claims.into_iter().map(claim));
        Ok(())
    }

    /// The owners of the agents among these actors. An agent's registration names its owner, who never changes.
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

    /// The agents whose `known` counts differ from a recount of everything up to `until`.
    pub(crate) async fn miscounted(
        &self,
        known: &BTreeMap<AgentId, Counts>,
        until: i64,
    ) -> Result<Vec<AgentId>, StoreError> {
        let (mut counts, mut reached) = (BTreeMap::<AgentId, Counts>::new(), 0);
        let mut daily = DailyWork::recount(self.log.consumer_position(RULES).await?);
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

/// Decodes an event; none, with a log message, where it cannot be decoded, so that it does not block counting.
pub(super) fn readable(position: i64, event_type: &str, data: &str) -> Option<Event> {
    Event::decode(event_type, data)
        .inspect_err(|error| tracing::error!(position, %error, "could not decode an event on the log"))
        .ok()
}

/// The tables' counts and the offset that they belong to, as this connection sees them.
pub(crate) async fn counts(tx: &mut Tx<'_>) -> Result<(BTreeMap<AgentId, Counts>, i64), StoreError> {
    let position: Option<i64> =
        tx.optional("SELECT position FROM consumers WHERE name = $1", values![CONSUMER]).await?;
    let rows: Vec<(String, i64, i64, i64, i64, i64)> =
        tx.all("SELECT agent_id, helpful, posts, replies, solutions, workspaces FROM reputations", &[]).await?;
    let mut counts = BTreeMap::new();
    for (agent_id, helpful, posts, replies, solutions, workspaces) in rows {
        counts.insert(parse(&agent_id)?, Counts { helpful, posts, replies, solutions, workspaces });
    }
    Ok((counts, position.unwrap_or(0)))
}
