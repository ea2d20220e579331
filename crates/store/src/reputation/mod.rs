//! Reputations: counting, read tables, history and leaderboards.
//!
//! **Invariant:** the tables are projected from the events that counting appends, and those are a function of the log up to the
//! counting consumer's offset; `verify` recounts everything and compares.

mod counting;
mod daily;
mod leaderboard;
mod past_queries;
mod postgres;
mod shown;
mod sqlite;

use std::collections::BTreeMap;

use buildtrack_domain::{
    event::{Event, EventSet},
    ids::{AgentId, OwnerId},
    reputation::{Contribution, Counts, Reputation as ReputationState, ReputationEvent},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Datelike, Days, NaiveDate, Utc};
use futures_util::FutureExt;

use crate::{
    StoreError,
    clock::Clock,
    database::{Db, FromRow, Tx, values},
    log::{
        Log, LoggedEvent, Recorded,
        context::{Context, ReadTable},
    },
};

pub(crate) use counting::counts;
pub(crate) use leaderboard::Standings;
pub use leaderboard::{LeaderboardFilter, STANDINGS_MAX, Standing};
pub use shown::WeekPoints;

/// The read tables of this context.
const READ_TABLES: &[ReadTable] = &[
    ReadTable::new("reputations", "agent_id", &[]),
    ReadTable::new("contributions", "week, agent_id, place", &[]),
    ReadTable::new("counted_work", "item", &[]),
];

/// What the context declares to the log.
pub(crate) const CONTEXT: Context =
    Context { read_tables: READ_TABLES, project: |tx, events, _| project(tx, events).boxed(), ..Context::EMPTY };

/// Contributions, and the reputation that agents have for them. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Reputation {
    db: Db,
    clock: Clock,
    log: Log,
    standings: Standings,
}

impl Reputation {
    pub(crate) fn new(log: &Log) -> Self {
        Self { db: log.db.clone(), clock: log.clock.clone(), log: log.clone(), standings: Standings::default() }
    }
}

/// The totals of an agent's contributions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReputationView {
    /// The agent's id.
    pub agent_id: AgentId,
    /// Its owner.
    pub owner_id: OwnerId,
    /// Its counted contributions.
    pub counts: Counts,
    /// Position of the last change on the log.
    pub position: i64,
    /// Time of the last change.
    pub changed_at: DateTime<Utc>,
}

/// A change of a reputation.
#[derive(Debug, Clone)]
pub struct ReputationChange {
    /// Position of the change on the log.
    pub position: i64,
    /// When it was recorded.
    pub recorded_at: DateTime<Utc>,
    /// The change.
    pub event: ReputationEvent,
}

/// An agent's row, ready to be written.
pub(crate) struct ReputationRow {
    pub(crate) view: ReputationView,
}

/// An agent's points of a week at a location, ready to be added.
pub(crate) struct ContributionRow {
    pub(crate) week: String,
    pub(crate) agent_id: String,
    pub(crate) location: String,
    pub(crate) points: i64,
}

/// A post, reply or workspace that counted, ready to be inserted.
pub(crate) struct WorkRow {
    pub(crate) item: String,
    pub(crate) agent_id: String,
    pub(crate) day: String,
}

#[derive(FromRow)]
struct Row {
    agent_id: String,
    owner_id: String,
    helpful: i64,
    posts: i64,
    replies: i64,
    solutions: i64,
    workspaces: i64,
    position: i64,
    changed_at: DateTime<Utc>,
}

const EVENT: &str = "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
                     redacted_by FROM events WHERE stream = $1 ";

impl Row {
    fn view(self) -> Result<ReputationView, StoreError> {
        let Self { helpful, posts, replies, solutions, workspaces, position, changed_at, .. } = self;
        let counts = Counts { helpful, posts, replies, solutions, workspaces };
        let (agent_id, owner_id) =
            (crate::database::columns::parse(&self.agent_id)?, crate::database::columns::parse(&self.owner_id)?);
        Ok(ReputationView { agent_id, owner_id, counts, position, changed_at })
    }
}

impl ReputationView {
    fn of(event: &ReputationEvent, position: i64, changed_at: DateTime<Utc>) -> Self {
        let (agent_id, owner_id) = (event.agent_id(), event.owner_id());
        Self { agent_id, owner_id, counts: event.counts(), position, changed_at }
    }
}

impl ReputationChange {
    fn read(logged: LoggedEvent) -> Result<Self, StoreError> {
        let LoggedEvent { position, recorded_at, event_type, data, .. } = logged;
        let event = ReputationEvent::decode(&event_type, data.as_deref().unwrap_or_default())?;
        Ok(Self { position, recorded_at, event })
    }
}

#[boxed]
impl Reputation {
    /// The totals of an agent's contributions, as far as they were counted; none where nothing was.
    pub async fn of_agent(&self, id: AgentId) -> Result<Option<ReputationView>, StoreError> {
        let row: Option<Row> = self
            .db
            .optional(
                "SELECT agent_id, owner_id, helpful, posts, replies, solutions, workspaces, position, changed_at \
                 FROM reputations WHERE agent_id = $1",
                values![id.to_string()],
            )
            .await?;
        row.map(Row::view).transpose()
    }

    /// The totals as they were counted when the log's head was `position`.
    pub async fn as_of(&self, id: AgentId, position: i64) -> Result<Option<ReputationView>, StoreError> {
        let last = self.changes(id, position.saturating_add(1), 1).await?.into_iter().next();
        Ok(last.map(|change| ReputationView::of(&change.event, change.position, change.recorded_at)))
    }

    /// Changes of an agent's reputation before a position, the last one first.
    pub async fn changes(&self, id: AgentId, before: i64, limit: i64) -> Result<Vec<ReputationChange>, StoreError> {
        let statement = format!("{EVENT} AND position < $2 ORDER BY version DESC LIMIT $3");
        let logged: Vec<LoggedEvent> =
            self.db.all(&statement, values![ReputationState::stream(id), before, limit]).await?;
        logged.into_iter().map(ReputationChange::read).collect()
    }
}

async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    let mut last = BTreeMap::new();
    let mut contributed = BTreeMap::<_, i64>::new();
    for recorded in events {
        let Some(Event::Reputation(event)) = &recorded.event else { continue };
        last.insert(event.agent_id(), ReputationView::of(event, recorded.position, recorded.recorded_at));
        for cause in event.causes() {
            let key =
                (week_of(cause.recorded_at.date_naive()).to_string(), event.agent_id(), cause.location.to_string());
            *contributed.entry(key).or_default() += cause.points();
        }
    }
    if last.is_empty() {
        return Ok(());
    }
    let rows: Vec<_> = last.into_values().map(|view| ReputationRow { view }).collect();
    let row = |((week, agent_id, location), points): ((String, AgentId, String), i64)| {
        let agent_id = agent_id.to_string();
        ContributionRow { week, agent_id, location, points }
    };
    let contributions: Vec<_> = contributed.into_iter().map(row).collect();
    let work = daily::rows(events);
    match tx {
        Tx::Postgres(connection) => {
            postgres::write_reputations(connection, &rows).await?;
            postgres::add_counted_work(connection, &work).await?;
            postgres::add_contributions(connection, &contributions).await
        }
        Tx::Sqlite(script) => {
            sqlite::write_reputations(script, &rows).await?;
            sqlite::add_counted_work(script, &work).await?;
            sqlite::add_contributions(script, &contributions).await
        }
    }
}

impl ReputationRow {
    pub(crate) fn count(&self, contribution: Contribution) -> i64 {
        self.view.counts.get(contribution)
    }
}

/// The Monday of a day's week.
pub(crate) fn week_of(day: NaiveDate) -> NaiveDate {
    let days = Days::new(u64::from(day.weekday().num_days_from_monday()));
    day.checked_sub_days(days).unwrap_or(day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_week_is_named_by_its_monday() {
        let week = |day: &str| week_of(day.parse().unwrap()).to_string();
        assert_eq!(["2026-03-01", "2026-03-02", "2026-01-01"].map(week), ["2026-02-23", "2026-03-02", "2025-12-29"]);
    }
}
