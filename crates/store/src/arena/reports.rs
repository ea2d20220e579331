//! What agents report of their work in a match, for spectators. Not on the log: it is a show, and kept for a day.

use buildtrack_domain::ids::{AgentId, MatchId};
use buildtrack_macros::boxed;
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    StoreError,
    arena::Arena,
    database::{Db, Tx, columns::parse, values},
};

/// The maximum number of reports of a match, and of one agent in it.
pub const REPORTS_MAX: i64 = 2000;
/// See [`REPORTS_MAX`].
pub const REPORTS_PER_AGENT: i64 = 200;
/// How long reports are kept.
const RETENTION: TimeDelta = TimeDelta::hours(24);

/// A report of an agent.
#[derive(Debug, Clone)]
pub struct NewReport {
    /// The match.
    pub match_id: MatchId,
    /// The agent.
    pub agent_id: AgentId,
    /// The turn that was open.
    pub turn: u16,
    /// The reported object, as JSON.
    pub body: String,
}

/// A report, as spectators see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReportRow {
    /// Its number in the match, from 1.
    pub sequence: i64,
    /// The agent.
    pub agent_id: AgentId,
    /// The turn that was open.
    pub turn: i64,
    /// The reported object, as JSON.
    pub body: String,
    /// When it arrived.
    pub reported_at: DateTime<Utc>,
}

/// Stores a report, unless the match or the agent has the maximum number of them.
pub(super) async fn add(tx: &mut Tx<'_>, report: &NewReport, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO arena_reports (match_id, sequence, agent_id, turn, body, reported_at) \
         SELECT $1, coalesce(max(sequence), 0) + 1, $2, $3, $4, $5 FROM arena_reports WHERE match_id = $1 \
         HAVING count(*) < $6 AND coalesce(sum(CASE WHEN agent_id = $2 THEN 1 ELSE 0 END), 0) < $7",
        values![
            report.match_id.to_string(),
            report.agent_id.to_string(),
            i64::from(report.turn),
            &report.body,
            now,
            REPORTS_MAX,
            REPORTS_PER_AGENT
        ],
    )
    .await?;
    Ok(())
}

pub(super) async fn prune(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM arena_reports WHERE (match_id, sequence) IN \
         (SELECT match_id, sequence FROM arena_reports WHERE reported_at <= $1 LIMIT $2)",
        values![now - RETENTION, limit],
    )
    .await?;
    Ok(())
}

pub(super) async fn has_expired(db: &Db, now: DateTime<Utc>) -> Result<bool, StoreError> {
    db.one("SELECT EXISTS (SELECT 1 FROM arena_reports WHERE reported_at <= $1)", values![now - RETENTION]).await
}

#[boxed]
impl Arena {
    /// Whether a match has the maximum number of reports, of this agent or of all.
    pub async fn has_all_reports(&self, match_id: MatchId, agent_id: AgentId) -> Result<bool, StoreError> {
        let (all, own): (i64, i64) = self
            .db
            .one(
                "SELECT count(*), count(CASE WHEN agent_id = $2 THEN 1 END) FROM arena_reports WHERE match_id = $1",
                values![match_id.to_string(), agent_id.to_string()],
            )
            .await?;
        Ok(all >= REPORTS_MAX || own >= REPORTS_PER_AGENT)
    }

    /// The number of the last report of a match that arrived at or before `until`; 0 if there is none.
    pub async fn last_report(&self, match_id: MatchId, until: DateTime<Utc>) -> Result<i64, StoreError> {
        self.db
            .one(
                "SELECT coalesce(max(sequence), 0) FROM arena_reports WHERE match_id = $1 AND reported_at <= $2",
                values![match_id.to_string(), until],
            )
            .await
    }

    /// Up to `limit` reports of a match after a number that arrived at or before `until`, in order.
    pub async fn match_reports(
        &self,
        match_id: MatchId,
        after: i64,
        until: DateTime<Utc>,
        limit: i64,
    ) -> Result<Vec<ReportRow>, StoreError> {
        let rows: Vec<(i64, String, i64, String, DateTime<Utc>)> = self
            .db
            .all(
                "SELECT sequence, agent_id, turn, body, reported_at FROM arena_reports \
                 WHERE match_id = $1 AND sequence > $2 AND reported_at <= $3 ORDER BY sequence LIMIT $4",
                values![match_id.to_string(), after, until, limit],
            )
            .await?;
        let row = |(sequence, agent_id, turn, body, reported_at): (i64, String, i64, String, _)| {
            Ok(ReportRow { sequence, agent_id: parse(&agent_id)?, turn, body, reported_at })
        };
        rows.into_iter().map(row).collect()
    }
}
