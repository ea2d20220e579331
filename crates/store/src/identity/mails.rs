//! Queue of outgoing mails, and the tokens sent with them.
//!
//! **Invariant:** addresses, mails and token payloads are sealed; of the token itself, only the SHA-256 is stored.
//! **Invariant:** the queue is bounded, in total and for each address ([`mails_cap`], [`mails_to_address_cap`]), and a mail that was sent
//! or abandoned holds no text any more.

use buildtrack_domain::{
    ids::{MailId, OwnerId},
    words,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    StoreError,
    database::{Db, Tx, columns::parse, values},
    identity::Identity,
    log::{Cap, Log},
    sealing::Purpose,
};

/// How long a mail counts against its address's quota, and how long a token is valid.
const WINDOW: TimeDelta = TimeDelta::hours(1);

words! {
    /// The operation that a mailed token confirms.
    pub enum MailPurpose {
        /// Creates the requested account.
        Registration = "registration",
        /// Changes an account's address to the one that the token was mailed to.
        Email = "email",
        /// Sets a new password.
        Reset = "reset",
    }
}

/// The contents of a mail.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    /// The e-mail address.
    pub to: String,
    /// The subject, in one line.
    pub subject: String,
    /// The body, in plain text.
    pub text: String,
}

impl std::fmt::Debug for Mail {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Mail").field("subject", &self.subject).finish_non_exhaustive()
    }
}

/// A mail to be enqueued.
#[derive(Debug, Clone)]
pub struct NewMail {
    /// The mail's id.
    pub id: MailId,
    /// The keyed hash of the address.
    pub recipient: String,
    /// Address, subject and body, sealed.
    pub message_sealed: String,
    /// Whether it is sent. One that is not is written as a mail that was sent an hour ago: it counts against no quota.
    pub is_sent: bool,
}

/// A token to be mailed.
#[derive(Debug, Clone)]
pub struct NewMailToken {
    /// SHA-256 of the token, in hex.
    pub token_hash: String,
    /// The operation that it confirms.
    pub purpose: MailPurpose,
    /// The account that it belongs to; none before the account exists.
    pub owner_id: Option<OwnerId>,
    /// The operation's data, sealed.
    pub payload_sealed: String,
}

/// A valid token.
#[derive(Debug, Clone)]
pub struct MailToken {
    /// The account that it belongs to; none before the account exists.
    pub owner_id: Option<OwnerId>,
    /// The operation's data.
    pub payload: String,
}

/// A mail that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueMail {
    /// The mail's id.
    pub id: MailId,
    /// Address, subject and body.
    pub mail: Mail,
    /// Number of failed attempts.
    pub attempts: i64,
}

impl NewMail {
    /// Seals a mail to the address with this keyed hash.
    pub fn seal(log: &Log, recipient: &str, mail: &Mail) -> Result<Self, StoreError> {
        let message = serde_json::to_string(mail).unwrap_or_default();
        let (id, recipient) = (MailId::new(log.clock.uuid()), recipient.to_owned());
        Ok(Self { id, recipient, message_sealed: log.secret().seal(Purpose::Mail, &message)?, is_sent: true })
    }
}

/// The maximum number of mails to all addresses within the last hour, and of older ones still in the queue, for the commit that
/// enqueues one.
pub fn mails_cap(now: DateTime<Utc>, most: u32) -> Cap {
    Cap::of_all("SELECT count(*) FROM mails WHERE created_at > $1 OR next_at IS NOT NULL", most.into())
        .since(now - WINDOW)
}

/// The maximum number of mails to an address within the last hour, for the commit that enqueues one.
pub fn mails_to_address_cap(recipient: &str, now: DateTime<Utc>, most: u32) -> Cap {
    let count = "SELECT count(*) FROM mails WHERE recipient = $1 AND created_at > $2";
    Cap::of(count, recipient, most.into()).since(now - WINDOW)
}

#[boxed]
impl Identity {
    /// A token with its data; none where it is unknown or expired.
    pub async fn mail_token(&self, token_hash: &str, purpose: MailPurpose) -> Result<Option<MailToken>, StoreError> {
        let row: Option<(Option<String>, String)> = self
            .db
            .optional(
                "SELECT owner_id, payload_sealed FROM mail_tokens \
                 WHERE token_hash = $1 AND purpose = $2 AND expires_at > $3",
                values![token_hash, purpose.as_str(), self.clock.now()],
            )
            .await?;
        let Some((owner_id, sealed)) = row else { return Ok(None) };
        let owner_id = owner_id.map(|id| parse(&id)).transpose()?;
        Ok(Some(MailToken { owner_id, payload: self.log.secret().open(Purpose::MailToken, &sealed)? }))
    }

    /// The mails that are due, oldest first.
    pub async fn mails_due(&self, limit: i64) -> Result<Vec<DueMail>, StoreError> {
        let rows: Vec<(String, String, i64)> = self
            .db
            .all(
                "SELECT id, message_sealed, attempts FROM mails WHERE next_at <= $1 ORDER BY next_at, id LIMIT $2",
                values![self.clock.now(), limit],
            )
            .await?;
        let damaged = |error: serde_json::Error| StoreError::Damaged(error.to_string());
        let open = |(id, sealed, attempts): (String, String, i64)| {
            let mail = serde_json::from_str(&self.log.secret().open(Purpose::Mail, &sealed)?).map_err(damaged)?;
            Ok(DueMail { id: parse(&id)?, mail, attempts })
        };
        rows.into_iter().map(open).collect()
    }
}

/// Whether there are expired tokens or mails to prune.
pub(super) async fn has_expired(db: &Db, now: DateTime<Utc>) -> Result<bool, StoreError> {
    db.one(
        "SELECT EXISTS (SELECT 1 FROM mail_tokens WHERE expires_at <= $1) \
             OR EXISTS (SELECT 1 FROM mails WHERE created_at <= $2 AND next_at IS NULL)",
        values![now, now - WINDOW],
    )
    .await
}

pub(crate) async fn enqueue(tx: &mut Tx<'_>, mail: &NewMail, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO mails (id, recipient, message_sealed, attempts, next_at, created_at) VALUES ($1, $2, $3, 0, $4, $5)",
        values![
            mail.id.to_string(),
            &mail.recipient,
            if mail.is_sent { &*mail.message_sealed } else { "" },
            mail.is_sent.then_some(now),
            if mail.is_sent { now } else { now - WINDOW },
        ],
    )
    .await?;
    Ok(())
}

/// Issues a token, which replaces those with the same purpose and account. A token that resets the password of no account has expired
/// when it is written: anonymous callers fill no table with such rows.
pub(crate) async fn issue(tx: &mut Tx<'_>, token: &NewMailToken, now: DateTime<Utc>) -> Result<(), StoreError> {
    let (owner_id, purpose) = (token.owner_id.map(|id| id.to_string()), token.purpose.as_str());
    let is_usable = token.owner_id.is_some() || token.purpose != MailPurpose::Reset;
    tx.execute("DELETE FROM mail_tokens WHERE owner_id = $1 AND purpose = $2", values![&owner_id, purpose]).await?;
    tx.execute(
        "INSERT INTO mail_tokens (token_hash, purpose, owner_id, payload_sealed, expires_at) \
         VALUES ($1, $2, $3, $4, $5)",
        values![
            &token.token_hash,
            purpose,
            &owner_id,
            &token.payload_sealed,
            if is_usable { now + WINDOW } else { now }
        ],
    )
    .await?;
    Ok(())
}

/// Deletes a token that was used.
pub(super) async fn delete_token(tx: &mut Tx<'_>, token_hash: &str) -> Result<(), StoreError> {
    tx.execute("DELETE FROM mail_tokens WHERE token_hash = $1", values![token_hash]).await?;
    Ok(())
}

/// Deletes all tokens of an account.
pub(super) async fn delete_tokens(tx: &mut Tx<'_>, owner_id: OwnerId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM mail_tokens WHERE owner_id = $1", values![owner_id.to_string()]).await?;
    Ok(())
}

/// Records an attempt. The next attempt is at `next_at`; with none, the mail was sent or abandoned, and its text is deleted.
pub(crate) async fn settle(tx: &mut Tx<'_>, id: MailId, next_at: Option<DateTime<Utc>>) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE mails SET next_at = $2, attempts = attempts + 1, \
         message_sealed = CASE WHEN CAST($3 AS INTEGER) = 1 THEN '' ELSE message_sealed END WHERE id = $1",
        values![id.to_string(), next_at, i32::from(next_at.is_none())],
    )
    .await?;
    Ok(())
}

pub(crate) async fn prune(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM mail_tokens WHERE token_hash IN (SELECT token_hash FROM mail_tokens WHERE expires_at <= $1 LIMIT $2)",
        values![now, limit],
    )
    .await?;
    tx.execute(
        "DELETE FROM mails WHERE id IN (SELECT id FROM mails WHERE created_at <= $1 AND next_at IS NULL LIMIT $2)",
        values![now - WINDOW, limit],
    )
    .await?;
    Ok(())
}
