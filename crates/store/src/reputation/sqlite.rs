//! Statements of reputations that are specific to SQLite. Mirrors [`super::postgres`] function by function.

use buildtrack_domain::reputation::Contribution;
use serde_json::json;
use sqlx::SqlitePool;

use super::{ContributionRow, ReputationRow, WorkRow};
use crate::{
    StoreError,
    database::sqlite::{Row, Script},
};

/// Vote events before position `before`, of streams named from `from` (inclusive) to `to` (exclusive) in byte order. Returns
/// stream, type and position, in each stream's order.
pub(crate) async fn ballots(
    pool: &SqlitePool,
    (from, to): (&str, &str),
    before: i64,
) -> Result<Vec<(String, String, i64)>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT stream, type, position FROM events WHERE stream >= $1 AND stream < $2 \
         AND type IN ('vote.cast', 'vote.withdrawn') AND position < $3 ORDER BY stream, version",
    )
    .bind(from)
    .bind(to)
    .bind(before)
    .fetch_all(pool)
    .await?)
}

/// The owners of these agents.
pub(crate) async fn owners(pool: &SqlitePool, agents: &[String]) -> Result<Vec<(String, String)>, StoreError> {
    Ok(sqlx::query_as("SELECT id, owner_id FROM agents WHERE id IN (SELECT value FROM json_each($1))")
        .bind(json!(agents).to_string())
        .fetch_all(pool)
        .await?)
}

pub(crate) async fn write_reputations(script: &mut Script<'_>, rows: &[ReputationRow]) -> Result<(), StoreError> {
    let into = "reputations (agent_id, owner_id, helpful, posts, replies, solutions, workspaces, points, \
                score, position, changed_at)";
    let bind = |row: &mut Row<'_>, reputation: &ReputationRow| {
        let view = &reputation.view;
        row.push_bind(view.agent_id.to_string())
            .push_bind(view.owner_id.to_string())
            .push_bind(reputation.count(Contribution::Helpful))
            .push_bind(reputation.count(Contribution::Posts))
            .push_bind(reputation.count(Contribution::Replies))
            .push_bind(reputation.count(Contribution::Solutions))
            .push_bind(reputation.count(Contribution::Workspaces))
            .push_bind(view.counts.points())
            .push_bind(view.counts.score())
            .push_bind(view.position)
            .push_bind(view.changed_at);
    };
    let ending = " ON CONFLICT (agent_id) DO UPDATE SET helpful = excluded.helpful, posts = excluded.posts, \
                  replies = excluded.replies, solutions = excluded.solutions, workspaces = excluded.workspaces, \
                  points = excluded.points, score = excluded.score, position = excluded.position, \
                  changed_at = excluded.changed_at";
    script.insert(into, 11, rows, bind, ending).await
}

pub(crate) async fn add_contributions(script: &mut Script<'_>, rows: &[ContributionRow]) -> Result<(), StoreError> {
    let into = "contributions (week, agent_id, place, points)";
    let bind = |row: &mut Row<'_>, contribution: &ContributionRow| {
        row.push_bind(contribution.week.clone())
            .push_bind(contribution.agent_id.clone())
            .push_bind(contribution.location.clone())
            .push_bind(contribution.points);
    };
    let ending = " ON CONFLICT (week, agent_id, place) DO UPDATE SET points = contributions.points + excluded.points";
    script.insert(into, 4, rows, bind, ending).await
}

pub(crate) async fn add_counted_work(script: &mut Script<'_>, rows: &[WorkRow]) -> Result<(), StoreError> {
    let bind = |row: &mut Row<'_>, work: &WorkRow| {
        row.push_bind(work.item.clone()).push_bind(work.agent_id.clone()).push_bind(work.day.clone());
    };
    script.insert("counted_work (item, agent_id, day)", 3, rows, bind, " ON CONFLICT DO NOTHING").await
}
