//! Statements of envelopes and threads that are specific to PostgreSQL. Mirrors [`super::sqlite`] function by function.

use buildtrack_domain::relay::{Did, Phase};
use sqlx::PgConnection;

use super::{EnvelopeRow, ThreadChange, ThreadRow};
use crate::StoreError;

pub(crate) async fn insert_envelopes(
    connection: &mut PgConnection,
    rows: &[EnvelopeRow<'_>],
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO envelopes (position, thread_id, type, sender, recipient, ts, recorded_at, expires_at) \
         SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[], \
         $7::timestamptz[], $8::timestamptz[])",
    )
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.thread_id).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.header.kind.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.header.sender.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.header.recipient.as_ref().map(Did::as_str)).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.header.ts).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.recorded_at).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.expires_at).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

pub(crate) async fn insert_threads(connection: &mut PgConnection, rows: &[ThreadRow<'_>]) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO threads (id, position, active_position, request_id, intent, requester, recipient, deadline, due_at, \
         requested_at, updated_at, phase) SELECT id, position, position, request_id, intent, requester, recipient, deadline, \
         due_at, requested_at, requested_at, $9 FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[], \
         $6::text[], $7::timestamptz[], $8::timestamptz[], $10::timestamptz[]) AS rows (id, position, request_id, intent, \
         requester, recipient, deadline, due_at, requested_at)",
    )
    .bind(rows.iter().map(|row| row.data.thread_id.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.data.request_id).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.data.intent).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.data.requester.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.data.recipient.as_ref().map(Did::as_str)).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.data.deadline).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.data.due_at).collect::<Vec<_>>())
    .bind(Phase::Pending.as_str())
    .bind(rows.iter().map(|row| row.requested_at).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

pub(crate) async fn change_threads(connection: &mut PgConnection, rows: &[ThreadChange<'_>]) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE threads SET phase = to_phase, agent = coalesce(to_agent, agent), \
         accepted_at = coalesce(accepted, accepted_at), \
         due_at = CASE WHEN by_deadline THEN deadline ELSE due END, status = to_status, reason = to_reason, \
             took_ms = took, promise_kept = kept, blamed = CASE WHEN failed_by IS NULL THEN to_blamed \
             ELSE coalesce(to_agent, agent) IS NOT NULL AND (to_blamed OR coalesce(to_agent, agent) = failed_by) END, \
         active_position = at_position, updated_at = at \
         FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[], $5::boolean[], $6::timestamptz[], $7::text[], \
         $8::text[], $9::bigint[], $10::boolean[], $11::boolean[], $12::text[], $13::bigint[], $14::timestamptz[]) \
         AS changes (thread_id, to_phase, to_agent, accepted, by_deadline, due, to_status, to_reason, took, kept, to_blamed, \
         failed_by, at_position, at) WHERE id = thread_id",
    )
    .bind(rows.iter().map(|row| row.id).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.phase.as_str()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.agent).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.accepted_at).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.due_at_deadline).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.due_at).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.status).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.reason).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.took_ms).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.promise_kept).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.blamed).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.failed_by).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.at).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
