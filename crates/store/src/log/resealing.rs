//! Seals the values of earlier versions anew, each with the key of its purpose, in small steps. Values that expire by themselves are
//! left out: mails, their tokens, and where the updates of tasks are pushed.
//!
//! **Invariant:** the stored fingerprint of the secret is that of an earlier version until no such value is left, so that later starts
//! look for none.

use buildtrack_macros::boxed;

use super::{Change, Log};
use crate::{
    StoreError,
    database::{Tx, values},
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
        tx.execute(&statement, values![key, from, to]).await?;
        Ok(())
    }
}

#[boxed]
impl Log {
    /// Seals up to `limit` values of each column anew. True if there may be more.
    pub async fn reseal(&self, limit: i64) -> Result<bool, StoreError> {
        if !fingerprint::is_earlier(&self.db, &self.secret).await? {
            return Ok(false);
        }
        let mut changes = vec![];
        for column in COLUMNS {
            changes.extend(self.resealed(column, limit).await?);
        }
        let is_done = changes.is_empty();
        if is_done {
            changes.push(Change::SecretFingerprint { fingerprint: fingerprint::of(&self.secret) });
        }
        self.write_side(changes).await?;
        Ok(!is_done)
    }

    /// The next values of a column, at most `limit`, sealed anew; none if there are none left. Values that the secret does not open stay
    /// as they are, and others are looked for beyond them.
    async fn resealed(&self, column: Column, limit: i64) -> Result<Vec<Change>, StoreError> {
        let (_, _, _, purpose) = column;
        let (mut changes, mut after) = (vec![], (String::new(), String::new()));
        while changes.is_empty() {
            let rows = self.sealed_earlier(column, &after, limit).await?;
            let Some(last) = rows.last() else { break };
            after.clone_from(last);
            for (key, from) in rows {
                let Ok(text) = self.secret.open(purpose, &from) else { continue };
                let to = self.secret.seal(purpose, &text)?;
                changes.push(Change::Resealed(Resealed { column, key, from, to }));
            }
        }
        Ok(changes)
    }

    /// Up to `limit` values of an earlier version, with their keys, in the order of both. Several values can have one key.
    async fn sealed_earlier(
        &self,
        (table, key, column, _): Column,
        (after, after_value): &(String, String),
        limit: i64,
    ) -> Result<Vec<(String, String)>, StoreError> {
        let statement = format!(
            "SELECT {key}, {column} FROM {table} WHERE {column} <> '' AND {column} NOT LIKE $1 \
             AND ({key}, {column}) > ($2, $3) ORDER BY {key}, {column} LIMIT $4"
        );
        let sealed = format!("{SEALED}%");
        self.db.all(&statement, values![&sealed, after, after_value, limit]).await
    }
}
