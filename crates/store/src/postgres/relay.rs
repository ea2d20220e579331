//! Envelopes on PostgreSQL. The counterpart of `sqlite/relay.rs`, name by name.

use buildtrack_domain::relay::Did;
use sqlx::PgConnection;

use crate::{StoreError, relay::EnvelopeRow};

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
