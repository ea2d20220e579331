//! Statements of point transfers that are specific to PostgreSQL. Mirrors [`super::sqlite`] function by function.

use sqlx::PgConnection;

use super::TransferRow;
use crate::StoreError;

pub(crate) async fn insert_transfers(
    connection: &mut PgConnection,
    rows: &[TransferRow<'_>],
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO point_transfers (position, debit, credit, amount, tip_id, debit_name, credit_name, note, about, \
         recorded_at) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], \
         $7::text[], $8::text[], $9::text[], $10::timestamptz[])",
    )
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.debit).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| &*row.credit).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.amount).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.tip_id.as_deref()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.debit_name).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.credit_name).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.note).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.about.as_deref()).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.recorded_at).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}

/// Adds to balances. Each account must occur only once.
pub(crate) async fn move_balances(connection: &mut PgConnection, rows: &[(&str, i64)]) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO point_accounts (account, balance) SELECT * FROM unnest($1::text[], $2::bigint[]) \
         ON CONFLICT (account) DO UPDATE SET balance = point_accounts.balance + excluded.balance",
    )
    .bind(rows.iter().map(|(account, _)| *account).collect::<Vec<_>>())
    .bind(rows.iter().map(|(_, change)| *change).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
