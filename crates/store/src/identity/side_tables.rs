//! Changes to the side tables of identity: accounts, credentials, sessions, consents and mails. Secrets are sealed or hashed.

use buildtrack_domain::{
    identity::Access,
    ids::{AgentId, KeyId, MailId, OwnerId, SessionId},
};
use chrono::{DateTime, Utc};

use super::{
    ConsentChange, NewAgentKey, NewMail, NewMailToken, NewOrigin, accounts, consents, keys, mails, origins, sessions,
};
use crate::{
    StoreError,
    database::{Db, Tx, values},
    log::context::{Enqueued, Expiry, Rule, SideTable},
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
    /// Set an agent's primary key, replacing the previous one.
    Credential {
        /// The agent.
        agent_id: AgentId,
        /// SHA-256 of the key, in hex.
        key_hash: String,
    },
    /// Delete all keys of an agent.
    NoCredential {
        /// The agent.
        agent_id: AgentId,
    },
    /// Create a named key.
    Key(Box<NewAgentKey>),
    /// Delete a named key, and end its sessions.
    KeyRevoked {
        /// The agent.
        agent_id: AgentId,
        /// The key.
        key_id: KeyId,
    },
    /// Record that an agent has logged in with a key.
    KeyUsed {
        /// The agent.
        agent_id: AgentId,
        /// The named key; none for the primary key.
        key_id: Option<KeyId>,
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
        /// The named key of the agent that the session was opened with, if it was.
        key_id: Option<KeyId>,
        /// When the session expires.
        expires_at: DateTime<Utc>,
    },
    /// End one session, and the consent to which it belongs.
    SessionEnded {
        /// The session's id.
        id: SessionId,
    },
    /// End all sessions of an agent or owner, and all consents for the agent.
    SessionsEnded {
        /// The id of the agent or owner.
        holder: String,
    },
    /// End the sessions of an agent that no named key has opened.
    PrimarySessionsEnded {
        /// The agent.
        agent_id: AgentId,
    },
    /// End all sessions of an agent or owner except one, and the consents to which they belong.
    OtherSessionsEnded {
        /// The id of the agent or owner.
        holder: String,
        /// The session that remains.
        but: SessionId,
    },
    /// End all sessions and consents of an owner and of the owner's agents.
    OwnerSessionsEnded {
        /// The owner.
        owner_id: OwnerId,
    },
    /// Record that a session was used.
    SessionUsed {
        /// The session's id.
        id: SessionId,
    },
    /// Change the consents of owners to clients.
    Consent(ConsentChange),
    /// Store who makes something that acts for an agent.
    Origin(Box<NewOrigin>),
    /// Let something outlast the consent under which it was made. Nothing changes if it was made anew since.
    OriginKept {
        /// What was made.
        access: Access,
        /// When it was made.
        made_at: DateTime<Utc>,
    },
    /// Let something fall with its consent again.
    OriginReleased {
        /// What was made.
        access: Access,
    },
    /// Delete the origin of something that is gone.
    OriginDeleted {
        /// What was made.
        access: Access,
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
            | Self::Key(_)
            | Self::OtherSessionsEnded { .. }
            | Self::OwnerSessionsEnded { .. }
            | Self::Consent(ConsentChange::Given(_) | ConsentChange::Exchanged(_))
            | Self::Mail(_)
            | Self::MailToken(_)
            | Self::MailTokenUsed { .. }
            | Self::MailTokensEnded { .. }
            | Self::MailAttempted { .. } => Rule::ROW,
            Self::Password { .. }
            | Self::NoCredential { .. }
            | Self::KeyRevoked { .. }
            | Self::KeyUsed { .. }
            | Self::Session { .. }
            | Self::SessionEnded { .. }
            | Self::PrimarySessionsEnded { .. }
            | Self::SessionsEnded { .. }
            | Self::Origin(_)
            | Self::OriginKept { .. }
            | Self::OriginReleased { .. }
            | Self::OriginDeleted { .. }
            | Self::Consent(ConsentChange::Ended { .. }) => Rule::ROW.essential(),
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
            Self::Account { owner_id, email_hash, email_sealed, password_hash } => {
                return accounts::create(tx, *owner_id, (email_hash, email_sealed), password_hash).await;
            }
            Self::Password { owner_id, password_hash } => {
                return accounts::set_password(tx, *owner_id, password_hash).await;
            }
            Self::AccountEmail { owner_id, email_hash, email_sealed } => {
                return accounts::set_email(tx, *owner_id, (email_hash, email_sealed)).await;
            }
            Self::Credential { agent_id, key_hash } => return keys::set_primary(tx, *agent_id, key_hash, now).await,
            Self::NoCredential { agent_id } => return keys::delete_all(tx, *agent_id).await,
            Self::Key(key) => return keys::create(tx, key).await,
            Self::KeyRevoked { agent_id, key_id } => return keys::revoke(tx, *agent_id, *key_id).await,
            Self::KeyUsed { agent_id, key_id } => return keys::record_use(tx, *agent_id, *key_id, now).await,
            Self::Origin(origin) => return origins::record(tx, origin, now).await,
            Self::OriginKept { access, made_at } => return origins::keep(tx, access, *made_at, now).await,
            Self::OriginReleased { access } => return origins::release(tx, access, now).await,
            Self::OriginDeleted { access } => return origins::delete(tx, access).await,
            Self::Mail(mail) => return mails::enqueue(tx, mail, now).await,
            Self::MailToken(token) => return mails::issue(tx, token, now).await,
            Self::MailAttempted { id, next_at } => return mails::settle(tx, *id, *next_at).await,
            Self::MailTokenUsed { token_hash } => return mails::delete_token(tx, token_hash).await,
            Self::MailTokensEnded { owner_id } => return mails::delete_tokens(tx, *owner_id).await,
            Self::Session { id, token_hash, holder, scopes, key_id, expires_at } => {
                let (id, key_id, expires_at) = (*id, *key_id, *expires_at);
                let session = sessions::NewSession { id, token_hash, holder, scopes, key_id, expires_at };
                return sessions::create(tx, &session, now).await;
            }
            Self::SessionEnded { id } => {
                consents::end_of_session(tx, *id, now).await?;
                tx.execute("DELETE FROM sessions WHERE id = $1", values![id.to_string()]).await?
            }
            Self::SessionsEnded { holder } => {
                consents::end_of_agent(tx, holder, now).await?;
                tx.execute("DELETE FROM sessions WHERE holder = $1", values![holder]).await?
            }
            Self::PrimarySessionsEnded { agent_id } => {
                consents::end_of_agent(tx, &agent_id.to_string(), now).await?;
                return keys::end_primary_sessions(tx, *agent_id).await;
            }
            Self::OtherSessionsEnded { holder, but } => {
                consents::end_others(tx, holder, *but, now).await?;
                return sessions::end_others(tx, holder, *but).await;
            }
            Self::OwnerSessionsEnded { owner_id } => {
                consents::end_of_owner(tx, *owner_id, now).await?;
                return sessions::end_of_owner(tx, *owner_id).await;
            }
            Self::Consent(change) => return consents::write(tx, change, now).await,
            Self::SessionUsed { id } => {
                tx.execute("UPDATE sessions SET last_used_at = $2 WHERE id = $1", values![id.to_string(), now]).await?
            }
        };
        Ok(())
    }
}

pub(crate) async fn prune(tx: &mut Tx<'_>, expiry: Expiry, now: DateTime<Utc>) -> Result<(), StoreError> {
    sessions::prune(tx, now, expiry.limit).await?;
    consents::prune(tx, now, expiry.limit).await?;
    mails::prune(tx, now, expiry.limit).await
}

pub(crate) async fn has_expired(db: &Db, _: Expiry, now: DateTime<Utc>) -> Result<bool, StoreError> {
    Ok(sessions::has_expired(db, now).await?
        || consents::has_expired(db, now).await?
        || mails::has_expired(db, now).await?)
}
