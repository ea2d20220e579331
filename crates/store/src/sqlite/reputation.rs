//! Reputations and points on SQLite. The counterpart of `postgres/reputation.rs`, name by name.

use buildtrack_domain::reputation::Contribution;
use serde_json::json;
use sqlx::{SqliteConnection, SqlitePool};

use super::{chunks, insert};
use crate::{
    StoreError,
    points::TransferRow,
    reputation::{ContributionRow, ReputationRow},
};

/// The streams of votes from one name on and before another, letter by letter, with the types of their events before a
/// position, each stream's in order.
pub(crate) async fn ballots(
    pool: &SqlitePool,
    (from, to): (&str, &str),
    before: i64,
) -> Result<Vec<(String, String)>, StoreError> {
    Ok(sqlx::query_as(
        "SELECT stream, type FROM events WHERE stream >= $1 AND stream < $2 \
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

pub(crate) async fn write_reputations(
    connection: &mut SqliteConnection,
    rows: &[ReputationRow],
) -> Result<(), StoreError> {
    for chunk in chunks(rows) {
        insert(
            "reputations (agent_id, owner_id, helpful, posts, replies, solutions, workspaces, points, \
             score, position, changed_at)",
            11,
            chunk,
            |row, reputation| {
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
            },
        )
        .push(
            " ON CONFLICT (agent_id) DO UPDATE SET helpful = excluded.helpful, posts = excluded.posts, \
             replies = excluded.replies, solutions = excluded.solutions, workspaces = excluded.workspaces, \
             points = excluded.points, score = excluded.score, position = excluded.position, \
             changed_at = excluded.changed_at",
        )
        .build()
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

pub(crate) async fn add_contributions(
    connection: &mut SqliteConnection,
    rows: &[ContributionRow],
) -> Result<(), StoreError> {
    for chunk in chunks(rows) {
        insert("contributions (week, agent_id, place, points)", 4, chunk, |row, contribution| {
            row.push_bind(&*contribution.week)
                .push_bind(&*contribution.agent_id)
                .push_bind(&*contribution.place)
                .push_bind(contribution.points);
        })
        .push(" ON CONFLICT (week, agent_id, place) DO UPDATE SET points = contributions.points + excluded.points")
        .build()
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

pub(crate) async fn insert_transfers(
    connection: &mut SqliteConnection,
    rows: &[TransferRow<'_>],
) -> Result<(), StoreError> {
    for chunk in chunks(rows) {
        insert(
            "point_transfers (position, debit, credit, amount, tip_id, debit_name, credit_name, note, \
             about, recorded_at)",
            10,
            chunk,
            |row, transfer| {
                row.push_bind(transfer.position)
                    .push_bind(&*transfer.debit)
                    .push_bind(&*transfer.credit)
                    .push_bind(transfer.amount)
                    .push_bind(transfer.tip_id.as_deref())
                    .push_bind(transfer.debit_name)
                    .push_bind(transfer.credit_name)
                    .push_bind(transfer.note)
                    .push_bind(transfer.about.as_deref())
                    .push_bind(transfer.recorded_at);
            },
        )
        .build()
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

/// Adds to balances; each account stands here once.
pub(crate) async fn move_balances(connection: &mut SqliteConnection, rows: &[(&str, i64)]) -> Result<(), StoreError> {
    for chunk in chunks(rows) {
        insert("point_accounts (account, balance)", 2, chunk, |row, (account, change)| {
            row.push_bind(*account).push_bind(*change);
        })
        .push(" ON CONFLICT (account) DO UPDATE SET balance = point_accounts.balance + excluded.balance")
        .build()
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}
