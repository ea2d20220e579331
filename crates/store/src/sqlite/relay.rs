//! Envelopes on SQLite. The counterpart of `postgres/relay.rs`, name by name.

use buildtrack_domain::relay::{Did, Phase};
use sqlx::{QueryBuilder, SqliteConnection};

use super::{chunks, insert, push_rows};
use crate::{
    StoreError,
    relay::{EnvelopeRow, ThreadChange, ThreadRow},
};

pub(crate) async fn insert_envelopes(
    connection: &mut SqliteConnection,
    rows: &[EnvelopeRow<'_>],
) -> Result<(), StoreError> {
    for chunk in chunks(rows) {
        insert(
            "envelopes (position, thread_id, type, sender, recipient, ts, recorded_at, expires_at)",
            8,
            chunk,
            |row, envelope| {
                row.push_bind(envelope.position)
                    .push_bind(envelope.thread_id)
                    .push_bind(envelope.header.kind.as_str())
                    .push_bind(envelope.header.sender.as_str())
                    .push_bind(envelope.header.recipient.as_ref().map(Did::as_str))
                    .push_bind(envelope.header.ts)
                    .push_bind(envelope.recorded_at)
                    .push_bind(envelope.expires_at);
            },
        )
        .build()
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

pub(crate) async fn insert_threads(
    connection: &mut SqliteConnection,
    rows: &[ThreadRow<'_>],
) -> Result<(), StoreError> {
    for chunk in chunks(rows) {
        insert(
            "threads (id, position, active_position, request_id, intent, requester, recipient, phase, \
             deadline, due_at, requested_at, updated_at)",
            12,
            chunk,
            |row, thread| {
                row.push_bind(thread.data.thread_id.as_str())
                    .push_bind(thread.position)
                    .push_bind(thread.position)
                    .push_bind(&*thread.data.request_id)
                    .push_bind(&*thread.data.intent)
                    .push_bind(thread.data.requester.as_str())
                    .push_bind(thread.data.recipient.as_ref().map(Did::as_str))
                    .push_bind(Phase::Pending.as_str())
                    .push_bind(thread.data.deadline)
                    .push_bind(thread.data.due_at)
                    .push_bind(thread.requested_at)
                    .push_bind(thread.requested_at);
            },
        )
        .build()
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

pub(crate) async fn change_threads(
    connection: &mut SqliteConnection,
    rows: &[ThreadChange<'_>],
) -> Result<(), StoreError> {
    for chunk in chunks(rows) {
        let mut query = QueryBuilder::new(
            "WITH changes (thread_id, to_phase, to_agent, accepted, by_deadline, due, to_status, to_reason, took, kept, \
             to_blamed, failed_by, at_position, at) AS (",
        );
        push_rows(&mut query, 14, chunk, |row, change| {
            row.push_bind(change.id)
                .push_bind(change.phase.as_str())
                .push_bind(change.agent)
                .push_bind(change.accepted_at)
                .push_bind(change.due_at_deadline)
                .push_bind(change.due_at)
                .push_bind(change.status)
                .push_bind(change.reason)
                .push_bind(change.took_ms)
                .push_bind(change.promise_kept)
                .push_bind(change.blamed)
                .push_bind(change.failed_by)
                .push_bind(change.position)
                .push_bind(change.at);
        });
        query.push(
            ") UPDATE OR FAIL threads SET phase = to_phase, agent = coalesce(to_agent, agent), \
             accepted_at = coalesce(accepted, accepted_at), \
             due_at = CASE WHEN by_deadline THEN deadline ELSE due END, status = to_status, reason = to_reason, \
             took_ms = took, promise_kept = kept, blamed = CASE WHEN failed_by IS NULL THEN to_blamed \
             ELSE coalesce(to_agent, agent) IS NOT NULL AND (to_blamed OR coalesce(to_agent, agent) = failed_by) END, \
             active_position = at_position, updated_at = at FROM changes WHERE id = thread_id",
        );
        query.build().execute(&mut *connection).await?;
    }
    Ok(())
}
