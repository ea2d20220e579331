//! Envelopes on SQLite. The counterpart of `postgres/relay.rs`, name by name.

use buildtrack_domain::relay::Did;
use sqlx::SqliteConnection;

use super::{chunks, insert};
use crate::{StoreError, relay::EnvelopeRow};

pub(crate) async fn insert_envelopes(
    connection: &mut SqliteConnection,
    rows: &[EnvelopeRow<'_>],
) -> Result<(), StoreError> {
    for chunk in chunks(rows) {
        insert(
            "INSERT INTO envelopes (position, thread_id, type, sender, recipient, ts, recorded_at, expires_at)",
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
