//! Changes to the side tables of identity: accounts, credentials, sessions and mails. Secrets are sealed or hashed.

use buildtrack_domain::ids::{AgentId, MailId, OwnerId, SessionId};
use chrono::{DateTime, Utc};

use super::{NewMail, NewMailToken, mails, sessions};
use crate::{
    StoreError,
    database::{Db, Tx, execute},
    side_tables::{Enqueued, Expiry, Rule, SideTable},
};

/// One change to a side table of identity.
#[derive(Debug, Clone)]
pub enum Change {
    /// Create an owner's account with e-mail address and password.
    Account {
        /// The owner.
        owner_id: OwnerId,
        /// The keyed hash by which the address is found.
        email_hash: String,
        /// The address, sealed.
        email_sealed: String,
        /// The password's argon2id hash (PHC string).
        password_hash: String,
    },
    /// Set an owner's password.
    Password {
        /// The owner.
        owner_id: OwnerId,
        /// The password's argon2id hash (PHC string).
        password_hash: String,
    },
    /// Set an owner's e-mail address.
    AccountEmail {
        /// The owner.
        owner_id: OwnerId,
        /// The keyed hash by which the address is found.
        email_hash: String,
        /// The address, sealed.
        email_sealed: String,
    },
    /// Set an agent's key, replacing the previous one.
    Credential {
        /// The agent.
        agent_id: AgentId,
        /// SHA-256 of the key, in hex.
        key_hash: String,
    },
    /// Delete an agent's key.
    NoCredential {
        /// The agent.
        agent_id: AgentId,
    },
    /// Create a session.
    Session {
        /// The session's id.
        id: SessionId,
        /// SHA-256 of the token, in hex.
        token_hash: String,
        /// The id of the agent or owner.
        holder: String,
        /// The scopes, separated by spaces.
        scopes: String,
        /// When the session expires.
        expires_at: DateTime<Utc>,
    },
    /// End one session.
    SessionEnded {
        /// The session's id.
        id: SessionId,
    },
    /// End all sessions of an agent or owner.
    SessionsEnded {
        /// The id of the agent or owner.
        holder: String,
    },
    /// End all sessions of an agent or owner except one.
    OtherSessionsEnded {
        /// The id of the agent or owner.
        holder: String,
        /// The session that remains.
        but: SessionId,
    },
    /// End all sessions of an owner and of the owner's agents.
    OwnerSessionsEnded {
        /// The owner.
        owner_id: OwnerId,
    },
    /// Record that a session was used.
    SessionUsed {
        /// The session's id.
        id: SessionId,
    },
    /// Enqueue a mail.
    Mail(Box<NewMail>),
    /// Store a token that is sent by mail.
    MailToken(Box<NewMailToken>),
    /// Delete a token that was used.
    MailTokenUsed {
        /// The SHA-256 of the token, in hex.
        token_hash: String,
    },
    /// Delete all tokens sent by mail for an account.
    MailTokensEnded {
        /// The owner.
        owner_id: OwnerId,
    },
    /// Record the outcome of an attempt to send a mail.
    MailAttempted {
        /// The mail's id.
        id: MailId,
        /// When the next attempt is due; `None` if the mail was sent or given up.
        next_at: Option<DateTime<Utc>>,
    },
}

impl SideTable for Change {
    fn rule(&self) -> Rule {
        match self {
            Self::Account { .. }
            | Self::AccountEmail { .. }
            | Self::Credential { .. }
            | Self::OtherSessionsEnded { .. }
            | Self::OwnerSessionsEnded { .. }
            | Self::Mail(_)
            | Self::MailToken(_)
            | Self::MailTokenUsed { .. }
            | Self::MailTokensEnded { .. }
            | Self::MailAttempted { .. } => Rule::ROW,
            Self::Password { .. }
            | Self::NoCredential { .. }
            | Self::Session { .. }
            | Self::SessionEnded { .. }
            | Self::SessionsEnded { .. } => Rule::ROW.essential(),
            Self::SessionUsed { .. } => Rule::ROW.repeatable(),
        }
    }

    async fn write(tx: &mut Tx<'_>, changes: &[&Self], now: DateTime<Utc>, _: &mut Enqueued) -> Result<(), StoreError> {
        for change in changes {
            change.write_one(tx, now).await?;
        }
        Ok(())
    }
}

impl Change {
    async fn write_one(&self, tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        match self {
            Self::Account { owner_id, email_hash, email_sealed, password_hash } => execute!(
                tx,
                "INSERT INTO accounts (owner_id, email_hash, email_sealed, password_hash) VALUES ($1, $2, $3, $4)",
                owner_id.to_string(),
                email_hash,
                email_sealed,
                password_hash,
            ),
            Self::Password { owner_id, password_hash } => execute!(
                tx,
                "UPDATE accounts SET password_hash = $2 WHERE owner_id = $1",
                owner_id.to_string(),
                password_hash,
            ),
            Self::AccountEmail { owner_id, email_hash, email_sealed } => execute!(
                tx,
                "UPDATE accounts SET email_hash = $2, email_sealed = $3 WHERE owner_id = $1",
                owner_id.to_string(),
                email_hash,
                email_sealed,
            ),
            Self::Credential { agent_id, key_hash } => execute!(
                tx,
                "INSERT INTO credentials (agent_id, key_hash) VALUES ($1, $2) \
                 ON CONFLICT (agent_id) DO UPDATE SET key_hash = excluded.key_hash",
                agent_id.to_string(),
                key_hash,
            ),
            Self::NoCredential { agent_id } => {
                execute!(tx, "DELETE FROM credentials WHERE agent_id = $1", agent_id.to_string())
            }
            Self::Mail(mail) => return mails::enqueue(tx, mail, now).await,
            Self::MailToken(token) => return mails::issue(tx, token, now).await,
            Self::MailAttempted { id, next_at } => return mails::settle(tx, *id, *next_at).await,
            Self::MailTokenUsed { token_hash } => return mails::delete_token(tx, token_hash).await,
            Self::MailTokensEnded { owner_id } => return mails::delete_tokens(tx, *owner_id).await,
            Self::Session { id, token_hash, holder, scopes, expires_at } => {
                let session = sessions::NewSession { id: *id, token_hash, holder, scopes, expires_at: *expires_at };
                return sessions::create(tx, &session, now).await;
            }
            Self::SessionEnded { id } => execute!(tx, "DELETE FROM sessions WHERE id = $1", id.to_string()),
            Self::SessionsEnded { holder } => execute!(tx, "DELETE FROM sessions WHERE holder = $1", holder),
            Self::OtherSessionsEnded { holder, but } => return sessions::end_others(tx, holder, *but).await,
            Self::OwnerSessionsEnded { owner_id } => return sessions::end_of_owner(tx, *owner_id).await,
            Self::SessionUsed { id } => {
                execute!(tx, "UPDATE sessions SET last_used_at = $2 WHERE id = $1", id.to_string(), now)
            }
        };
        Ok(())
    }
}

pub(crate) async fn prune(tx: &mut Tx<'_>, expiry: Expiry, now: DateTime<Utc>) -> Result<(), StoreError> {
    sessions::prune(tx, now, expiry.limit).await?;
    mails::prune(tx, now, expiry.limit).await
}

pub(crate) async fn has_expired(db: &Db, _: Expiry, now: DateTime<Utc>) -> Result<bool, StoreError> {
    Ok(sessions::has_expired(db, now).await? || mails::has_expired(db, now).await?)
}
