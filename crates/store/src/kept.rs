//! Changes of kept tables: they commit together with their event, but are neither derived from the log nor rebuilt.

use std::collections::{BTreeSet, HashMap};

use buildtrack_domain::ids::{AgentId, OwnerId, SessionId, WebhookId};
use chrono::{DateTime, Utc};

use crate::{
    NewDelivery, Outcome, Store, StoreError,
    db::{Tx, execute, within},
    deliveries,
    log::writer::Commit,
};

/// One change of a kept table. Secrets come in sealed or hashed.
#[derive(Debug, Clone)]
pub enum Kept {
    /// An owner's e-mail address and password.
    Account {
        /// Whose.
        owner_id: OwnerId,
        /// The keyed hash it is found by.
        email_hash: String,
        /// The address, sealed.
        email_sealed: String,
        /// The password's argon2id hash (PHC string).
        password_hash: String,
    },
    /// A new password for an owner.
    Password {
        /// Whose.
        owner_id: OwnerId,
        /// Its argon2id hash (PHC string).
        password_hash: String,
    },
    /// An agent's key, in place of the one it had.
    Credential {
        /// Whose.
        agent_id: AgentId,
        /// SHA-256 of the key, in hex.
        key_hash: String,
    },
    /// The agent has no key any more.
    NoCredential {
        /// Whose.
        agent_id: AgentId,
    },
    /// A new session.
    Session {
        /// The session.
        id: SessionId,
        /// SHA-256 of the token, in hex.
        token_hash: String,
        /// The agent or owner.
        holder: String,
        /// Separated by spaces.
        scopes: String,
        /// When it ends by itself.
        expires_at: DateTime<Utc>,
    },
    /// The end of one session.
    SessionEnded {
        /// The session.
        id: SessionId,
    },
    /// The end of all sessions of an agent or owner.
    SessionsEnded {
        /// Whose.
        holder: String,
    },
    /// A webhook endpoint, new or changed.
    Webhook {
        /// The endpoint.
        id: WebhookId,
        /// Whose.
        agent_id: AgentId,
        /// Where pushes go; none for nowhere.
        url: Option<String>,
        /// The secret, sealed; a change leaves it as it is.
        secret_sealed: String,
        /// A JSON list of push types.
        events: String,
    },
    /// A key that checkpoints are signed with.
    SigningKey {
        /// Its id.
        id: String,
        /// 32 bytes, unpadded base64url.
        public: String,
        /// The seed in hex, sealed.
        secret_sealed: String,
    },
    /// A stream's earlier data leave the log, and whatever was made from them leaves with them.
    Redaction {
        /// The stream.
        stream: String,
    },
    /// What is over by now goes, a few rows at a time.
    Expired {
        /// Rows a table.
        limit: i64,
    },
    /// New deliveries.
    Deliveries(Vec<NewDelivery>),
    /// What became of attempts.
    Outcomes(Vec<Outcome>),
    /// A consumer has dealt with all events up to `to`; it must still stand at `from`.
    Consumed {
        /// The consumer.
        consumer: &'static str,
        /// Where it stood.
        from: i64,
        /// Where it stands.
        to: i64,
    },
}

/// Where the consumers stand that a batch wants to move.
pub(crate) async fn consumer_positions<'k>(
    tx: &mut Tx<'_>,
    kept: impl Iterator<Item = &'k Kept>,
) -> Result<HashMap<&'static str, i64>, StoreError> {
    // In the order of their names, as everybody locks them.
    let consumers: BTreeSet<&'static str> = kept
        .filter_map(|kept| match kept {
            Kept::Consumed { consumer, .. } => Some(*consumer),
            _ => None,
        })
        .collect();
    let mut positions = HashMap::new();
    for consumer in consumers {
        // Touching the row takes its lock on PostgreSQL, so that two workers cannot both find it where it stood.
        let position: i64 = within!(tx, |connection| {
            sqlx::query_scalar(
                "INSERT INTO consumers (name, position) VALUES ($1, 0) \
                 ON CONFLICT (name) DO UPDATE SET position = consumers.position RETURNING position",
            )
            .bind(consumer)
            .fetch_one(connection)
            .await?
        });
        positions.insert(consumer, position);
    }
    Ok(positions)
}

/// The consumer that somebody else has moved, if any; otherwise moves them on in `positions`.
pub(crate) fn overtaken(kept: &[Kept], positions: &mut HashMap<&'static str, i64>) -> Option<String> {
    let moves = kept.iter().filter_map(|kept| match kept {
        Kept::Consumed { consumer, from, to } => Some((*consumer, *from, *to)),
        _ => None,
    });
    if let Some((consumer, ..)) = moves.clone().find(|(consumer, from, _)| positions.get(consumer) != Some(from)) {
        return Some(format!("consumer:{consumer}"));
    }
    positions.extend(moves.map(|(consumer, _, to)| (consumer, to)));
    None
}

pub(crate) async fn write(tx: &mut Tx<'_>, all: Vec<&Kept>, now: DateTime<Utc>) -> Result<(), StoreError> {
    let mut new_deliveries = Vec::new();
    let mut outcomes = Vec::new();
    let mut redacted = Vec::new();
    for kept in all {
        match kept {
            Kept::Deliveries(deliveries) => new_deliveries.extend_from_slice(deliveries),
            Kept::Outcomes(more) => outcomes.extend_from_slice(more),
            Kept::Redaction { stream } => redacted.push(stream),
            Kept::Consumed { consumer, to, .. } => {
                execute!(tx, "UPDATE consumers SET position = $2 WHERE name = $1", *consumer, *to);
            }
            Kept::Expired { limit } => prune(tx, now, *limit).await?,
            other => identity(tx, other, now).await?,
        }
    }
    deliveries::write(tx, &new_deliveries, &outcomes, now).await?;
    // Last, so that nothing which the same batch made of a text outlives it.
    for stream in redacted {
        redact(tx, stream, now).await?;
    }
    Ok(())
}

async fn identity(tx: &mut Tx<'_>, kept: &Kept, now: DateTime<Utc>) -> Result<(), StoreError> {
    match kept {
        Kept::Account { owner_id, email_hash, email_sealed, password_hash } => execute!(
            tx,
            "INSERT INTO accounts (owner_id, email_hash, email_sealed, password_hash) VALUES ($1, $2, $3, $4)",
            owner_id.to_string(),
            email_hash,
            email_sealed,
            password_hash,
        ),
        Kept::Password { owner_id, password_hash } => execute!(
            tx,
            "UPDATE accounts SET password_hash = $2 WHERE owner_id = $1",
            owner_id.to_string(),
            password_hash,
        ),
        Kept::Credential { agent_id, key_hash } => execute!(
            tx,
            "INSERT INTO credentials (agent_id, key_hash) VALUES ($1, $2) \
             ON CONFLICT (agent_id) DO UPDATE SET key_hash = excluded.key_hash",
            agent_id.to_string(),
            key_hash,
        ),
        Kept::NoCredential { agent_id } => {
            execute!(tx, "DELETE FROM credentials WHERE agent_id = $1", agent_id.to_string())
        }
        Kept::Session { id, token_hash, holder, scopes, expires_at } => execute!(
            tx,
            "INSERT INTO sessions (id, token_hash, holder, scopes, created_at, expires_at) \
             VALUES ($1, $2, $3, $4, $5, $6)",
            id.to_string(),
            token_hash,
            holder,
            scopes,
            now,
            *expires_at,
        ),
        Kept::SessionEnded { id } => execute!(tx, "DELETE FROM sessions WHERE id = $1", id.to_string()),
        Kept::SessionsEnded { holder } => execute!(tx, "DELETE FROM sessions WHERE holder = $1", holder),
        Kept::Webhook { id, agent_id, url, secret_sealed, events } => execute!(
            tx,
            "INSERT INTO webhooks (id, agent_id, url, secret_sealed, events, created_at) \
             VALUES ($1, $2, $3, $4, $5, $6) \
             ON CONFLICT (id) DO UPDATE SET url = excluded.url, events = excluded.events",
            id.to_string(),
            agent_id.to_string(),
            url,
            secret_sealed,
            events,
            now,
        ),
        Kept::SigningKey { id, public, secret_sealed } => execute!(
            tx,
            // The first one stays, whoever else wanted to make one meanwhile.
            "INSERT INTO signing_keys (id, public, secret_sealed, created_at) SELECT $1, $2, $3, $4 \
             WHERE NOT EXISTS (SELECT 1 FROM signing_keys)",
            id,
            public,
            secret_sealed,
            now,
        ),
        _ => 0,
    };
    Ok(())
}

/// Clears what the stream said before its last event, and everything that was made from it.
async fn redact(tx: &mut Tx<'_>, stream: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE deliveries SET status = 'cancelled', settled_at = $2 WHERE status = 'pending' AND position IN \
         (SELECT position FROM events WHERE stream = $1)",
        stream,
        now,
    );
    execute!(tx, "UPDATE answers SET body = NULL WHERE subject = $1", stream);
    execute!(
        tx,
        "UPDATE events SET data = NULL, salt = NULL, \
         redacted_by = (SELECT max(position) FROM events WHERE stream = $1) \
         WHERE stream = $1 AND data IS NOT NULL \
         AND version < (SELECT max(version) FROM events WHERE stream = $1)",
        stream,
    );
    Ok(())
}

async fn prune(tx: &mut Tx<'_>, now: DateTime<Utc>, limit: i64) -> Result<(), StoreError> {
    execute!(
        tx,
        "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at <= $1 LIMIT $2)",
        now,
        limit,
    );
    execute!(
        tx,
        "DELETE FROM answers WHERE scope IN (SELECT scope FROM answers WHERE expires_at <= $1 LIMIT $2)",
        now,
        limit,
    );
    Ok(())
}

impl Store {
    /// Changes kept tables without an event.
    pub async fn keep(&self, kept: Vec<Kept>) -> Result<(), StoreError> {
        self.commit(Commit { kept, ..Commit::default() }).await.map(drop)
    }
}
