//! Digests of tables, by which their contents are compared.

use sha2::{Digest, Sha256};

use super::{Tx, postgres, sqlite};
use crate::StoreError;

/// A digest of one read table's content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableDigest {
    /// The table's name.
    pub table: &'static str,
    /// Number of rows.
    pub rows: u64,
    /// SHA-256 over the rows in key order, in hex.
    pub sha256: String,
}

/// The digest of a table visible to this connection, with its rows ordered by these columns.
pub(crate) async fn digest(tx: &mut Tx<'_>, table: &'static str, order: &str) -> Result<TableDigest, StoreError> {
    let rows = match tx {
        Tx::Postgres(connection) => postgres::rows_as_text(connection, table, order).await?,
        Tx::Sqlite(script) => sqlite::rows_as_text(script.connection().await?, table, order).await?,
    };
    let mut digest = Sha256::new();
    for row in &rows {
        digest.update(row);
        digest.update("\n");
    }
    Ok(TableDigest { table, rows: rows.len() as u64, sha256: hex::encode(digest.finalize()) })
}
