//! Statements of reputations that are specific to PostgreSQL. Mirrors [`super::sqlite`] function by function.

use buildtrack_domain::reputation::Contribution;
use sqlx::PgConnection;

use super::{ContributionRow, ReputationRow, WorkRow};
use crate::{StoreError, database::postgres::Pool};

/// Vote events before position `before`, of streams named from `from` (inclusive) to `to` (exclusive) in byte order. Returns
/// stream, type and position, in each stream's order.
pub(crate) async fn ballots(
    pool: &Pool,
    (from, to): (&str, &str),
    before: i64,
) -> Result<Vec<(String, String, i64)>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT stream, type, position FROM events WHERE stream COLLATE \"C\" >= $1 AND stream COLLATE \"C\" < $2 \
         AND type IN ('vote.cast', 'vote.withdrawn') AND position < $3 ORDER BY stream COLLATE \"C\", version",
    )
    .bind(from)
    .bind(to)
    .bind(before)
    .fetch_all(pool)
    .await?)
}

/// The owners of these agents.
pub(crate) async fn owners(pool: &Pool, agents: &[String]) -> Result<Vec<(String, String)>, StoreError> {
    Ok(sqlx::query_as("SELECT id, owner_id FROM agents WHERE id = ANY($1)").bind(agents).fetch_all(pool).await?)
}

pub(crate) async fn write_reputations(connection: &mut PgConnection, rows: &[ReputationRow]) -> Result<(), StoreError> {
    let counts = |which| rows.iter().map(|row| row.count(which)).collect::<Vec<_>>();
    sqlx::query(
        "INSERT INTO reputations (agent_id, owner_id, helpful, posts, replies, solutions, workspaces, points, score, \
         position, changed_at) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], \
         $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::timestamptz[]) \
         ON CONFLICT (agent_id) DO UPDATE SET helpful = excluded.helpful, posts = excluded.posts, \
         replies = excluded.replies, solutions = excluded.solutions, workspaces = excluded.workspaces, \
         points = excluded.points, score = excluded.score, position = excluded.position, \
         changed_at = excluded.changed_at",
    )
    .bind(rows.iter().map(|row| row.view.agent_id.to_string()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.view.owner_id.to_string()).collect::<Vec<_>>())
    .bind(counts(Contribution::Helpful))
    .bind(counts(Contribution::Posts))
    .bind(counts(Contribution::Replies))
    .bind(counts(Contribution::Solutions))
    .bind(counts(Contribution::Workspaces))
    .bind(rows.iter().map(|row| row.view.counts.points()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.view.counts.score()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.view.position).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.view.changed_at).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

pub(crate) async fn add_contributions(
    connection: &mut PgConnection,
    rows: &[ContributionRow],
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO contributions (week, agent_id, place, points) \
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) \
         ON CONFLICT (week, agent_id, place) DO UPDATE SET points = contributions.points + excluded.points",
    )
    .bind(rows.iter().map(|row| &*row.week).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.agent_id).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.location).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.points).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

pub(crate) async fn add_counted_work(connection: &mut PgConnection, rows: &[WorkRow]) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO counted_work (item, agent_id, day) SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) \
         ON CONFLICT DO NOTHING",
    )
    .bind(rows.iter().map(|row| &*row.item).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.agent_id).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.day).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
