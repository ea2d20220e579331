//! The fingerprint of the server's secret, kept in the database: a secret that was lost or replaced is noticed when the store
//! is opened, and not when the first login fails.

use crate::{
    Secret, StoreError,
    db::{Db, Writing, execute, read},
};

/// What is hashed under the secret.
const TEXT: &str = "buildtrack secret fingerprint v1";
const READ: &str = "SELECT fingerprint FROM secret_fingerprint WHERE id = 1";
const KEEP: &str = "INSERT INTO secret_fingerprint (id, fingerprint) VALUES (1, $1) ON CONFLICT (id) DO NOTHING";
/// A few sealed values of each kind, from a database that has no fingerprint yet. Values that were erased are empty.
const SEALED: &str = "SELECT sealed FROM (SELECT secret_sealed AS sealed FROM signing_keys LIMIT 3) AS keys \
     UNION ALL SELECT sealed FROM (SELECT email_sealed AS sealed FROM accounts WHERE email_sealed <> '' LIMIT 3) AS accounts \
     UNION ALL SELECT sealed FROM (SELECT secret_sealed AS sealed FROM webhooks WHERE secret_sealed <> '' LIMIT 3) AS webhooks";

/// Refuses a secret that is not the one of the database. A database without a fingerprint gets one, where the secret opens
/// something of what is sealed there, or nothing is.
pub(crate) async fn check(db: &Db, secret: &Secret) -> Result<(), StoreError> {
    let fingerprint = secret.keyed_hash(TEXT);
    if let Some(kept) = kept(db).await? {
        return if kept == fingerprint { Ok(()) } else { Err(StoreError::ForeignSecret) };
    }
    let sealed: Vec<String> = read!(db, |pool| sqlx::query_scalar(SEALED).fetch_all(pool).await?);
    if !sealed.is_empty() && !sealed.iter().any(|sealed| secret.open(sealed).is_ok()) {
        return Err(StoreError::ForeignSecret);
    }
    keep(db, &fingerprint).await?;
    // Of several processes that start at once with different secrets, the first decides.
    if kept(db).await?.as_ref() == Some(&fingerprint) { Ok(()) } else { Err(StoreError::ForeignSecret) }
}

async fn kept(db: &Db) -> Result<Option<String>, StoreError> {
    Ok(read!(db, |pool| sqlx::query_scalar(READ).fetch_optional(pool).await?))
}

async fn keep(db: &Db, fingerprint: &str) -> Result<(), StoreError> {
    let mut connection = Writing::open(db).await?;
    let kept = insert(&mut connection, fingerprint).await;
    connection.close().await;
    kept
}

async fn insert(connection: &mut Writing, fingerprint: &str) -> Result<(), StoreError> {
    execute!(&mut connection.tx(), KEEP, fingerprint);
    Ok(())
}
