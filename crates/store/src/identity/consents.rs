//! The side table of consents: what a client may exchange its code and its refresh tokens for.
//!
//! **Invariant:** of codes and tokens, only the SHA-256 is stored. **Invariant:** the rows are bounded for each owner and each agent. A
//! change that ends a session ends the consent to which it belongs.

use buildtrack_domain::ids::{AgentId, ConsentId, OwnerId, SessionId};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::origins::end_consents;
use crate::{
    StoreError,
    database::{Db, FromRow, Tx, columns::constcat, values},
    identity::Identity,
};

/// The most codes of an owner that wait for their clients. A new code ends the oldest of the others.
const PENDING_MAX: i64 = 10;
/// The most consents of an agent whose codes were exchanged. A new one deletes the oldest of the others; the exchange ends it before.
pub const CONSENTS_MAX: u8 = 20;

/// A consent, as stored.
#[derive(Debug, Clone, FromRow)]
pub struct ConsentView {
    /// The consent's id.
    #[column(from = String)]
    pub id: ConsentId,
    /// The owner who gave it.
    #[column(from = String)]
    pub owner_id: OwnerId,
    /// The agent as which the client acts.
    #[column(from = String)]
    pub agent_id: AgentId,
    /// SHA-256 of the client's id, in hex.
    pub client_hash: String,
    /// The name that the client gave itself.
    pub client_name: String,
    /// The client's address to which the code was sent.
    pub redirect_uri: String,
    /// The scopes, separated by spaces.
    pub scopes: String,
    /// SHA-256 of the client's verifier, in hex (RFC 7636).
    pub challenge: String,
    /// SHA-256 of the newest refresh token, in hex; none before the code is exchanged.
    pub refresh_hash: Option<String>,
    /// When it was given.
    pub created_at: DateTime<Utc>,
    /// When the code or the newest refresh token expires.
    pub expires_at: DateTime<Utc>,
}

/// A consent to be stored.
#[derive(Debug, Clone)]
pub struct NewConsent {
    /// The consent's id.
    pub id: ConsentId,
    /// The owner who gives it.
    pub owner_id: OwnerId,
    /// The agent as which the client acts.
    pub agent_id: AgentId,
    /// SHA-256 of the client's id, in hex.
    pub client_hash: String,
    /// The name that the client gave itself.
    pub client_name: String,
    /// The client's address to which the code is sent.
    pub redirect_uri: String,
    /// The scopes, separated by spaces.
    pub scopes: String,
    /// SHA-256 of the code, in hex.
    pub code_hash: String,
    /// SHA-256 of the client's verifier, in hex (RFC 7636).
    pub challenge: String,
    /// When the code expires.
    pub expires_at: DateTime<Utc>,
}

/// The session and the refresh token that a client received.
#[derive(Debug, Clone)]
pub struct ConsentExchange {
    /// The consent.
    pub id: ConsentId,
    /// The session.
    pub session_id: SessionId,
    /// SHA-256 of what all refresh tokens of the consent begin with, in hex.
    pub family_hash: String,
    /// SHA-256 of the refresh token, in hex.
    pub refresh_hash: String,
    /// When the refresh token expires.
    pub expires_at: DateTime<Utc>,
}

/// One change to the table.
#[derive(Debug, Clone)]
pub enum ConsentChange {
    /// Store a consent with its code.
    Given(Box<NewConsent>),
    /// Store what the client received. Conflicts if the consent has ended.
    Exchanged(Box<ConsentExchange>),
    /// Delete a consent.
    Ended {
        /// The consent.
        id: ConsentId,
    },
}

const CONSENT: &str = "SELECT id, owner_id, agent_id, client_hash, client_name, redirect_uri, scopes, challenge, refresh_hash, \
                       created_at, expires_at FROM consents";

#[boxed]
impl Identity {
    /// The consent whose code has this SHA-256; none where the code is unknown or expired. A code that was exchanged is known as long
    /// as its consent lasts.
    pub async fn consent_of_code(&self, code_hash: &str) -> Result<Option<ConsentView>, StoreError> {
        self.consent_where(&constcat(CONSENT, " WHERE code_hash = $1 AND expires_at > $2"), code_hash).await
    }

    /// The consent whose refresh tokens begin with the text of this SHA-256; none where it is unknown or expired.
    pub async fn consent_of_family(&self, family_hash: &str) -> Result<Option<ConsentView>, StoreError> {
        self.consent_where(&constcat(CONSENT, " WHERE family_hash = $1 AND expires_at > $2"), family_hash).await
    }

    /// The consent to which a session belongs.
    pub async fn consent_of_session(&self, session_id: SessionId) -> Result<Option<ConsentView>, StoreError> {
        let statement = constcat(CONSENT, " WHERE session_id = $1 AND expires_at > $2");
        self.consent_where(&statement, &session_id.to_string()).await
    }

    async fn consent_where(&self, statement: &str, value: &str) -> Result<Option<ConsentView>, StoreError> {
        self.db.optional(statement, values![value, self.clock.now()]).await
    }

    /// The consents for an agent whose codes were exchanged, newest first.
    pub async fn consents_of(&self, agent_id: AgentId) -> Result<Vec<ConsentView>, StoreError> {
        let statement = constcat(
            CONSENT,
            " WHERE agent_id = $1 AND expires_at > $2 AND session_id IS NOT NULL ORDER BY created_at DESC, id DESC LIMIT $3",
        );
        self.db.all(&statement, values![agent_id.to_string(), self.clock.now(), i64::from(CONSENTS_MAX)]).await
    }
}

/// Writes a change to the table.
pub(super) async fn write(tx: &mut Tx<'_>, change: &ConsentChange, now: DateTime<Utc>) -> Result<(), StoreError> {
    match change {
        ConsentChange::Given(consent) => give(tx, consent, now).await,
        ConsentChange::Exchanged(exchange) => exchanged(tx, exchange, now).await,
        ConsentChange::Ended { id } => end_consents(tx, "id = $1", values![id.to_string()], now).await,
    }
}

async fn give(tx: &mut Tx<'_>, consent: &NewConsent, now: DateTime<Utc>) -> Result<(), StoreError> {
    let (id, owner_id) = (consent.id.to_string(), consent.owner_id.to_string());
    tx.execute(
        "INSERT INTO consents (id, owner_id, agent_id, client_hash, client_name, redirect_uri, scopes, code_hash, challenge, \
         created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
        values![
            &id,
            &owner_id,
            consent.agent_id.to_string(),
            &consent.client_hash,
            &consent.client_name,
            &consent.redirect_uri,
            &consent.scopes,
            &consent.code_hash,
            &consent.challenge,
            now,
            consent.expires_at,
        ],
    )
    .await?;
    tx.execute(
        "DELETE FROM consents WHERE id IN (SELECT id FROM consents WHERE owner_id = $1 AND session_id IS NULL AND id <> $2 \
         ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $3)",
        values![&owner_id, &id, PENDING_MAX - 1, PENDING_MAX],
    )
    .await?;
    Ok(())
}

async fn exchanged(tx: &mut Tx<'_>, exchange: &ConsentExchange, now: DateTime<Utc>) -> Result<(), StoreError> {
    let ConsentExchange { id, session_id, family_hash, refresh_hash, expires_at } = exchange;
    let id = id.to_string();
    let stored = tx
        .execute(
            "UPDATE consents SET session_id = $2, family_hash = $3, refresh_hash = $4, expires_at = $5 WHERE id = $1",
            values![&id, session_id.to_string(), family_hash, refresh_hash, *expires_at],
        )
        .await?;
    if stored == 0 {
        // It ended meanwhile. Without it, its session would act as one of the primary key.
        return Err(StoreError::Conflict { stream: id });
    }
    end_consents(
        tx,
        "id IN (SELECT id FROM consents WHERE session_id IS NOT NULL AND id <> $1 \
         AND agent_id = (SELECT agent_id FROM consents WHERE id = $1) ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $2)",
        values![&id, i64::from(CONSENTS_MAX) - 1, i64::from(CONSENTS_MAX)],
        now,
    )
    .await
}

/// Ends the consent to which a session belongs.
pub(super) async fn end_of_session(
    tx: &mut Tx<'_>,
    session_id: SessionId,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    end_consents(tx, "session_id = $1", values![session_id.to_string()], now).await
}

/// Ends all consents for an agent.
pub(super) async fn end_of_agent(tx: &mut Tx<'_>, agent_id: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    end_consents(tx, "agent_id = $1", values![agent_id], now).await
}

/// Ends all consents for an agent except the one to which a session belongs.
pub(super) async fn end_others(
    tx: &mut Tx<'_>,
    agent_id: &str,
    but: SessionId,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    end_consents(
        tx,
        "agent_id = $1 AND (session_id IS NULL OR session_id <> $2)",
        values![agent_id, but.to_string()],
        now,
    )
    .await
}

/// Ends all consents of an owner.
pub(super) async fn end_of_owner(tx: &mut Tx<'_>, owner_id: OwnerId, now: DateTime<Utc>) -> Result<(), StoreError> {
    end_consents(tx, "owner_id = $1", values![owner_id.to_string()], now).await
}

/// Deletes up to `limit` expired consents.
pub(super) async fn prune(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    end_consents(
        tx,
        "id IN (SELECT id FROM consents WHERE expires_at <= $1 ORDER BY expires_at, id LIMIT $2)",
        values![now, limit],
        now,
    )
    .await
}

pub(super) async fn has_expired(db: &Db, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let statement = "SELECT EXISTS (SELECT 1 FROM consents WHERE expires_at <= $1)";
    db.one(statement, values![now]).await
}
