//! Lists of head-to-head tests, one with its matches, and those that the worker has something to do for.

use std::sync::Arc;

use buildtrack_domain::{
    arena::{
        head_to_head::{Counts, HeadToHead, Verdict},
        tasks::League,
    },
    ids::{AgentId, HeadToHeadId, OwnerId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    arena::Arena,
    database::{FromRow, columns::parse, values},
    log::Cap,
};

/// A head-to-head test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadToHeadView {
    /// Its id.
    pub id: HeadToHeadId,
    /// Position of its first event on the log.
    pub position: i64,
    /// Its owner.
    pub owner_id: OwnerId,
    /// Its league.
    pub league: League,
    /// The agent that may be stronger, and the one that it is compared with.
    pub agents: [AgentId; 2],
    /// The hypotheses, in points of Elo.
    pub elo: [i64; 2],
    /// The probabilities of error, in ten-thousandths.
    pub errors: [i64; 2],
    /// The number of counted matches after which it ends.
    pub max_matches: i64,
    /// The matches that count, from the first agent's side.
    pub counts: Counts,
    /// The number of void matches.
    pub voided: i64,
    /// The match that is played.
    pub match_id: Option<String>,
    /// How it ended.
    pub verdict: Option<Verdict>,
    /// When it was started.
    pub created_at: DateTime<Utc>,
    /// When it ended.
    pub ended_at: Option<DateTime<Utc>>,
}

/// A match of a head-to-head test.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct HeadToHeadMatchView {
    /// The match.
    pub match_id: String,
    /// `won`, `drew` or `lost` by the first agent, or `void`; `None` while it is played, and if the test ended before it.
    pub result: Option<String>,
}

/// A test that the worker has something to do for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeadToHeadWork {
    /// The test.
    pub id: HeadToHeadId,
    /// When it was started, or when its last match was counted.
    pub progress_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct Row {
    id: String,
    position: i64,
    owner_id: String,
    league: String,
    first_id: String,
    second_id: String,
    elo0: i64,
    elo1: i64,
    alpha: i64,
    beta: i64,
    max_matches: i64,
    won: i64,
    drew: i64,
    lost: i64,
    voided: i64,
    match_id: Option<String>,
    verdict: Option<String>,
    created_at: DateTime<Utc>,
    ended_at: Option<DateTime<Utc>>,
}

const TESTS: &str = "SELECT id, position, owner_id, league, first_id, second_id, elo0, elo1, alpha, beta, max_matches, won, drew, \
     lost, voided, match_id, verdict, created_at, ended_at FROM arena_head_to_heads";

const RUNNING: &str = "SELECT count(*) FROM arena_head_to_heads WHERE owner_id = $1 AND verdict IS NULL";

/// The maximum number of an owner's head-to-head tests that run, for the commit that starts one.
pub fn head_to_head_cap(owner_id: OwnerId, most: i64) -> Cap {
    Cap::of(RUNNING, owner_id, most)
}

#[boxed]
impl Arena {
    /// The state of a head-to-head test, from the cache or the log.
    pub async fn head_to_head_state(&self, id: HeadToHeadId) -> Result<Arc<HeadToHead>, StoreError> {
        Ok(self.log.state::<HeadToHead>(&id.to_string().into(), true).await?.state)
    }

    /// A head-to-head test.
    pub async fn head_to_head(&self, id: HeadToHeadId) -> Result<Option<HeadToHeadView>, StoreError> {
        let statement = format!("{TESTS} WHERE id = $1");
        let row: Option<Row> = self.db.optional(&statement, values![id.to_string()]).await?;
        row.map(view).transpose()
    }

    /// An owner's head-to-head tests before a position, newest first.
    pub async fn head_to_heads(
        &self,
        owner_id: OwnerId,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<HeadToHeadView>, StoreError> {
        let statement = format!("{TESTS} WHERE owner_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3");
        let rows: Vec<Row> =
            self.db.all(&statement, values![owner_id.to_string(), before.unwrap_or(i64::MAX), limit]).await?;
        rows.into_iter().map(view).collect()
    }

    /// The latest matches of a head-to-head test, newest first.
    pub async fn head_to_head_matches(
        &self,
        id: HeadToHeadId,
        limit: i64,
    ) -> Result<Vec<HeadToHeadMatchView>, StoreError> {
        self.db
            .all(
                "SELECT match_id, result FROM arena_head_to_head_matches WHERE head_to_head_id = $1 \
                 ORDER BY position DESC LIMIT $2",
                values![id.to_string(), limit],
            )
            .await
    }

    /// Up to `limit` running tests after an id, in the order of ids, that have no match or whose match has ended.
    pub async fn head_to_heads_to_do(
        &self,
        after: Option<HeadToHeadId>,
        limit: i64,
    ) -> Result<Vec<HeadToHeadWork>, StoreError> {
        let rows: Vec<(String, DateTime<Utc>)> = self
            .db
            .all(
                "SELECT id, progress_at FROM arena_head_to_heads AS tests WHERE verdict IS NULL AND id > $1 \
                 AND NOT EXISTS (SELECT 1 FROM arena_matches WHERE arena_matches.id = tests.match_id AND phase = 'playing') \
                 ORDER BY id LIMIT $2",
                values![after.map(|after| after.to_string()).unwrap_or_default(), limit],
            )
            .await?;
        rows.into_iter().map(|(id, progress_at)| Ok(HeadToHeadWork { id: parse(&id)?, progress_at })).collect()
    }
}

fn view(row: Row) -> Result<HeadToHeadView, StoreError> {
    let damaged = |what: &'static str| StoreError::Damaged(format!("the {what} of a head-to-head test"));
    let count = |number: i64| u32::try_from(number).map_err(|_| damaged("count"));
    Ok(HeadToHeadView {
        id: parse(&row.id)?,
        position: row.position,
        owner_id: parse(&row.owner_id)?,
        league: row.league.parse().map_err(|_| damaged("league"))?,
        agents: [parse(&row.first_id)?, parse(&row.second_id)?],
        elo: [row.elo0, row.elo1],
        errors: [row.alpha, row.beta],
        max_matches: row.max_matches,
        counts: Counts { won: count(row.won)?, drew: count(row.drew)?, lost: count(row.lost)? },
        voided: row.voided,
        match_id: row.match_id,
        verdict: row.verdict.map(|verdict| verdict.parse().map_err(|_| damaged("verdict"))).transpose()?,
        created_at: row.created_at,
        ended_at: row.ended_at,
    })
}
