//! Fingerprint of the server's secret, stored in the database. The store refuses a lost or replaced secret when it opens, and
//! not when the first login fails.

use super::{Purpose, Secret};
use crate::{
    StoreError,
    database::{Db, Tx, Writing, values},
};

/// The text that the fingerprint is a keyed hash of.
const TEXT: &str = "buildtrack secret fingerprint v1";
const SELECT: &str = "SELECT fingerprint FROM secret_fingerprint WHERE id = 1";
const INSERT: &str = "INSERT INTO secret_fingerprint (id, fingerprint) VALUES (1, $1) ON CONFLICT (id) DO NOTHING";
/// A few sealed values of each kind, for a database without a fingerprint. Erased values are empty and are left out.
const SEALED: &str = "SELECT sealed FROM (SELECT secret_sealed AS sealed FROM signing_keys LIMIT 3) AS keys \
     UNION ALL SELECT sealed FROM (SELECT email_sealed AS sealed FROM accounts WHERE email_sealed <> '' LIMIT 3) AS accounts \
     UNION ALL SELECT sealed FROM (SELECT secret_sealed AS sealed FROM webhooks WHERE secret_sealed <> '' LIMIT 3) AS webhooks";

/// The fingerprint.
pub(crate) fn of(secret: &Secret) -> String {
    secret.mac(Purpose::Fingerprint, TEXT)
}

/// The fingerprint as earlier versions stored it.
fn earlier(secret: &Secret) -> String {
    secret.earlier_mac(Purpose::Fingerprint, TEXT)
}

/// Whether an earlier version wrote the fingerprint, so that the database may hold values that it sealed.
pub(crate) async fn is_earlier(db: &Db, secret: &Secret) -> Result<bool, StoreError> {
    Ok(stored(db).await? == Some(earlier(secret)))
}

/// Replaces the fingerprint.
pub(crate) async fn replace(tx: &mut Tx<'_>, fingerprint: &str) -> Result<(), StoreError> {
    tx.execute("UPDATE secret_fingerprint SET fingerprint = $1 WHERE id = 1", values![fingerprint]).await?;
    Ok(())
}

/// Refuses a secret that does not belong to the database. Writes the fingerprint into a database without one, if the secret opens
/// one of the sealed values there, or there are no sealed values.
pub(crate) async fn check(db: &Db, secret: &Secret) -> Result<(), StoreError> {
    let own = [of(secret), earlier(secret)];
    if let Some(stored) = stored(db).await? {
        return if own.contains(&stored) { Ok(()) } else { Err(StoreError::ForeignSecret) };
    }
    let sealed: Vec<String> = db.all(SEALED, &[]).await?;
    if !sealed.is_empty() && !sealed.iter().any(|sealed| opens(secret, sealed)) {
        return Err(StoreError::ForeignSecret);
    }
    // Values in a database without a fingerprint come from an earlier version.
    let [new, earlier] = &own;
    write(db, if sealed.is_empty() { new } else { earlier }).await?;
    // Of several processes that start at once with different secrets, the first one's fingerprint stays.
    if stored(db).await?.is_some_and(|stored| own.contains(&stored)) { Ok(()) } else { Err(StoreError::ForeignSecret) }
}

fn opens(secret: &Secret, sealed: &str) -> bool {
    Purpose::ALL.into_iter().any(|purpose| secret.open(purpose, sealed).is_ok())
}

async fn stored(db: &Db) -> Result<Option<String>, StoreError> {
    db.optional(SELECT, &[]).await
}

async fn write(db: &Db, fingerprint: &str) -> Result<(), StoreError> {
    let mut connection = Writing::open(db).await?;
    let written = insert(&mut connection, fingerprint).await;
    connection.close().await;
    written
}

async fn insert(connection: &mut Writing, fingerprint: &str) -> Result<(), StoreError> {
    connection.tx().execute(INSERT, values![fingerprint]).await?;
    Ok(())
}
