//! Seals the values of earlier versions anew, each with the key of its purpose, in small steps. Values that expire by themselves are
//! left out: mails, their tokens, and where the updates of tasks are pushed.
//!
//! **Invariant:** the stored fingerprint of the secret is that of an earlier version until no such value is left, so that later starts
//! look for none.

use super::Change;
use crate::{
    Store, StoreError,
    database::{Tx, execute, read},
    sealing::{Purpose, SEALED, fingerprint},
};

/// A column of sealed values: table, column of the key, column, purpose.
type Column = (&'static str, &'static str, &'static str, Purpose);

const COLUMNS: [Column; 5] = [
    ("signing_keys", "id", "secret_sealed", Purpose::SigningKey),
    ("accounts", "owner_id", "email_sealed", Purpose::EmailAddress),
    ("webhooks", "id", "secret_sealed", Purpose::WebhookSecret),
    ("webhooks", "id", "next_secret_sealed", Purpose::WebhookSecret),
    ("notification_channels", "owner_id", "address_sealed", Purpose::ChatAddress),
];

/// A value that is to be sealed anew.
#[derive(Debug, Clone)]
pub struct Resealed {
    column: Column,
    key: String,
    from: String,
    to: String,
}

impl Resealed {
    /// Replaces the value, unless it has changed meanwhile.
    pub(crate) async fn write(&self, tx: &mut Tx<'_>) -> Result<(), StoreError> {
        let Self { column: (table, key_column, column, _), key, from, to } = self;
        let statement = format!("UPDATE {table} SET {column} = $3 WHERE {key_column} = $1 AND {column} = $2");
        execute!(tx, &statement, key, from, to);
        Ok(())
    }
}

impl Store {
    /// Seals up to `limit` values of each column anew. True if there may be more.
    pub async fn reseal(&self, limit: i64) -> Result<bool, StoreError> {
        if !fingerprint::is_earlier(&self.db, &self.secret).await? {
            return Ok(false);
        }
        let mut changes = vec![];
        for column in COLUMNS {
            for (key, from) in self.sealed_earlier(column, limit).await? {
                let (_, _, _, purpose) = column;
                // A value that the secret does not open stays as it is.
                let Ok(text) = self.secret.open(purpose, &from) else { continue };
                let to = self.secret.seal(purpose, &text)?;
                changes.push(Change::Resealed(Resealed { column, key, from, to }));
            }
        }
        let is_done = changes.is_empty();
        if is_done {
            changes.push(Change::SecretFingerprint { fingerprint: fingerprint::of(&self.secret) });
        }
        self.write_side(changes).await?;
        Ok(!is_done)
    }

    async fn sealed_earlier(
        &self,
        (table, key, column, _): Column,
        limit: i64,
    ) -> Result<Vec<(String, String)>, StoreError> {
        let statement =
            format!("SELECT {key}, {column} FROM {table} WHERE {column} <> '' AND {column} NOT LIKE $1 LIMIT $2");
        let sealed = format!("{SEALED}%");
        Ok(read!(&self.db, |pool| sqlx::query_as(&statement).bind(&sealed).bind(limit).fetch_all(pool).await?))
    }
}
