//! Statements of locations that are specific to PostgreSQL. Mirrors [`super::sqlite`] function by function.

use sqlx::PgConnection;

use super::LocationRow;
use crate::StoreError;

pub(crate) async fn insert_locations(connection: &mut PgConnection, rows: &[LocationRow]) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO places (place, position) SELECT * FROM unnest($1::text[], $2::bigint[]) ON CONFLICT DO NOTHING",
    )
    .bind(rows.iter().map(|row| &*row.location).collect::<Vec<_>>())
    .bind(rows.iter().map(|row| row.position).collect::<Vec<_>>())
    .execute(connection)
    .await?;
    Ok(())
}
