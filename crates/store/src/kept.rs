//! Changes to side tables: they commit together with their event, but are not derived from the log and not rebuilt.

use std::{collections::HashMap, time::Duration};

use buildtrack_domain::{
    identity::TextRetention,
    ids::{AgentId, DeliveryId, ExchangeId, MailId, NoticeId, OwnerId, ReplayId, SessionId, WebhookId},
    moderation::{Erasure, LogPosition},
};
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    Store, StoreError,
    database::{Tx, execute, read},
    exchange,
    identity::{
        departures,
        mails::{self, NewMail, NewMailToken},
    },
    log::batch::Commit,
    relay::{self, NewPresence, NewRefusal},
    search,
    webhooks::{
        self, WebhookView,
        deliveries::{self, NewDelivery, Outcome, WaitsFor, lists},
        notices::{self, NewNotice},
        replays::{self, ReplayStep, ReplayView},
    },
};

/// One change to a side table. Secrets are sealed or hashed.
#[derive(Debug, Clone)]
pub enum Kept {
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
    /// Delete an account and its data in side tables.
    Departure {
        /// The owner.
        owner_id: OwnerId,
        /// How the owner's texts are treated.
        texts: TextRetention,
    },
    /// Record the worker's progress with a deleted account.
    DepartureStep {
        /// The owner.
        owner_id: OwnerId,
        /// Number of texts redacted in this step.
        redacted: i64,
        /// When the work was completed, if it is.
        finished_at: Option<DateTime<Utc>>,
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
    MailTried {
        /// The mail's id.
        id: MailId,
        /// When the next attempt is due; `None` if the mail was sent or given up.
        next_at: Option<DateTime<Utc>>,
    },
    /// Write a webhook endpoint.
    Webhook(Box<WebhookView>),
    /// Delete an endpoint, and cancel its pending deliveries.
    WebhookDeleted {
        /// The endpoint.
        id: WebhookId,
    },
    /// Cancel an endpoint's pending deliveries.
    DeliveriesCancelled {
        /// The endpoint.
        webhook_id: WebhookId,
    },
    /// Clear an endpoint's failures: close its breaker, and make its pending deliveries due.
    FailuresForgiven {
        /// The endpoint.
        webhook_id: WebhookId,
    },
    /// Close an endpoint's breaker, and make the deliveries postponed for it due. Retries keep their due times.
    BreakerClosed {
        /// The endpoint.
        webhook_id: WebhookId,
    },
    /// Record that an endpoint responded with 2xx to a push signed with its secret, so that it is verified at this address.
    Verified {
        /// The endpoint.
        webhook_id: WebhookId,
        /// The address that was called. Has no effect if the endpoint has another address by now.
        url: String,
    },
    /// Create a notice for an owner.
    Notice(NewNotice),
    /// Mark a notice as read.
    NoticeRead {
        /// The notice's id.
        id: NoticeId,
    },
    /// Store a signing key for checkpoints.
    SigningKey {
        /// The key's id.
        id: String,
        /// The public key: 32 bytes, unpadded base64url.
        public: String,
        /// The seed in hex, sealed.
        secret_sealed: String,
    },
    /// Redact a stream: delete the data of its earlier events, and everything derived from them.
    Redaction {
        /// The stream's name.
        stream: String,
    },
    /// Hide a text: cancel its pending pushes, remove it from the search index, and clear stored answers that contain it.
    Hiding {
        /// The stream's name, or the id of the subject.
        stream: String,
    },
    /// Delete data and salts of these envelopes from the log. An event of the same commit accounts for them.
    EnvelopesExpired {
        /// The envelopes' positions.
        positions: Vec<i64>,
    },
    /// Erase parts of events' data. The last event of the stream `erasures` lists the remaining data.
    Erasure {
        /// Each event's position and remaining data.
        remainders: Vec<(i64, String)>,
    },
    /// Delete expired rows, a limited number at a time.
    Expired {
        /// The most rows to delete from each table.
        limit: i64,
        /// Delete deliveries that reached a final status at or before this time.
        settled_until: DateTime<Utc>,
    },
    /// Enqueue deliveries.
    Deliveries(Vec<NewDelivery>),
    /// Record outcomes of attempts.
    Outcomes(Vec<Outcome>),
    /// Make a delivery due now, regardless of its status.
    Resent {
        /// The delivery's id.
        id: DeliveryId,
    },
    /// Cancel a pending delivery.
    DeliveryCancelled {
        /// The delivery's id.
        id: DeliveryId,
    },
    /// Begin a replay. Has no effect if a replay to the same endpoint is running.
    Replay(Box<ReplayView>),
    /// Record a step of a replay, if the replay is still at the step's start.
    ReplayStep(Box<ReplayStep>),
    /// Cancel a running replay.
    ReplayCancelled {
        /// The replay's id.
        id: ReplayId,
    },
    /// Open an endpoint's breaker: no attempt is made before `until`. Counts no attempt.
    Postponed {
        /// The endpoint.
        webhook_id: WebhookId,
        /// When the next attempt is allowed.
        until: DateTime<Utc>,
        /// The breaker's number of resets, if known. Has no effect if the breaker was closed since.
        resets: Option<i64>,
    },
    /// Release leased deliveries without an attempt. Any worker may claim them from `at` on.
    GivenBack {
        /// The deliveries' ids.
        deliveries: Vec<DeliveryId>,
        /// When they become due.
        at: DateTime<Utc>,
        /// Why they are postponed.
        waits_for: Option<WaitsFor>,
    },
    /// Record that an agent of the relay was seen.
    Seen(Box<NewPresence>),
    /// Record that a conversation is open.
    Conversation {
        /// The exchange's id.
        exchange_id: ExchangeId,
        /// The id of an agent or owner, or the keyed hash of an IP address.
        holder: String,
        /// When the conversation expires, unless it continues.
        expires_at: DateTime<Utc>,
    },
    /// End a conversation before it expires.
    ConversationEnded {
        /// The exchange's id.
        exchange_id: ExchangeId,
    },
    /// Store why an envelope was refused.
    Refused(Box<NewRefusal>),
    /// Write the search documents of an indexing step.
    Documents(Box<search::Step>),
    /// Advance a consumer's offset to `to`. Conflicts unless the offset is `from`.
    Consumed {
        /// The consumer's name.
        consumer: &'static str,
        /// The previous offset.
        from: i64,
        /// The new offset.
        to: i64,
    },
    /// Record that a consumer has processed these events. Conflicts if it had processed one of them before.
    Handled {
        /// The consumer's name.
        consumer: &'static str,
        /// The events' positions.
        positions: Vec<i64>,
    },
}

impl Kept {
    /// Whether the change removes texts from the database, so that the files below it must drop them too.
    pub(crate) fn removes_texts(&self) -> bool {
        matches!(self, Self::Redaction { .. } | Self::Erasure { .. } | Self::EnvelopesExpired { .. })
    }

    /// Whether the server repeats the work if a crash of the machine loses the change. No caller was answered for it, and the task
    /// that made the change notices that it is missing. A push whose outcome is lost is sent again, with the same id.
    pub(crate) fn can_be_repeated(&self) -> bool {
        matches!(
            self,
            Self::Outcomes(_)
                | Self::Postponed { .. }
                | Self::GivenBack { .. }
                | Self::SessionUsed { .. }
                | Self::Documents(_)
                | Self::Consumed { .. }
        )
    }
}

/// Writes all changes. Returns the new deliveries, each with the position of the previous one of its endpoint.
pub(crate) async fn write(
    tx: &mut Tx<'_>,
    all: Vec<&Kept>,
    now: DateTime<Utc>,
) -> Result<HashMap<DeliveryId, Option<i64>>, StoreError> {
    let mut new_deliveries = Vec::new();
    let mut outcomes = Vec::new();
    let (mut redacted, mut cancelled, mut deleted, mut postponed) = (vec![], vec![], vec![], vec![]);
    let (mut documents, mut hidden, mut erased) = (vec![], vec![], vec![]);
    for kept in all {
        match kept {
            Kept::Deliveries(deliveries) => new_deliveries.extend_from_slice(deliveries),
            Kept::Outcomes(more) => outcomes.extend_from_slice(more),
            Kept::Redaction { stream } => redacted.push(stream.clone()),
            Kept::Hiding { stream } => hidden.push(stream.clone()),
            Kept::Erasure { remainders } => erased.extend_from_slice(remainders),
            Kept::Documents(step) => documents.push(step),
            Kept::Postponed { .. } | Kept::GivenBack { .. } => postponed.push(kept),
            // The head module writes them once for the batch.
            Kept::Consumed { .. } | Kept::Handled { .. } => {}
            Kept::Expired { limit, settled_until } => {
                prune(tx, now, *limit).await?;
                mails::prune(tx, now, *limit).await?;
                relay::prune(tx, now, *limit).await?;
                exchange::prune(tx, now, *limit).await?;
                lists::prune(tx, *settled_until, *limit).await?;
            }
            Kept::EnvelopesExpired { positions } => relay::clear_envelopes(tx, positions).await?,
            Kept::DeliveriesCancelled { webhook_id } => cancelled.push(*webhook_id),
            Kept::WebhookDeleted { id } => deleted.push(*id),
            Kept::Resent { id } => lists::resend(tx, *id, now).await?,
            Kept::DeliveryCancelled { id } => lists::cancel(tx, *id, now).await?,
            Kept::Replay(replay) => replays::begin(tx, replay).await?,
            Kept::ReplayStep(step) => replays::step(tx, step, now).await?,
            Kept::ReplayCancelled { id } => replays::cancel(tx, *id, now).await?,
            Kept::Departure { owner_id, texts } => departures::depart(tx, (*owner_id, *texts), now).await?,
            Kept::DepartureStep { owner_id, redacted, finished_at } => {
                departures::step(tx, *owner_id, *redacted, *finished_at).await?;
            }
            Kept::Mail(mail) => mails::enqueue(tx, mail, now).await?,
            Kept::MailToken(token) => mails::issue(tx, token, now).await?,
            Kept::MailTried { id, next_at } => mails::settle(tx, *id, *next_at).await?,
            other => identity(tx, other, now).await?,
        }
    }
    let placed = deliveries::write(tx, &new_deliveries, &outcomes, now).await?;
    // After the outcomes, which set the due times of deliveries that just failed.
    for kept in postponed {
        match kept {
            Kept::Postponed { webhook_id, until, resets } => {
                deliveries::postpone(tx, *webhook_id, *until, *resets).await?;
            }
            Kept::GivenBack { deliveries, at, waits_for } => {
                deliveries::release(tx, deliveries, *at, *waits_for).await?;
            }
            _ => {}
        }
    }
    // Last, so that deliveries and documents of the same batch do not outlive these removals.
    for webhook_id in cancelled {
        webhooks::cancel(tx, webhook_id, now).await?;
    }
    for webhook_id in deleted {
        webhooks::cancel(tx, webhook_id, now).await?;
        webhooks::delete(tx, webhook_id).await?;
    }
    for stream in &redacted {
        redact(tx, stream, now).await?;
    }
    for stream in &hidden {
        cancel_pushes_of(tx, stream, now).await?;
        clear_responses(tx, stream).await?;
        clear_answers(tx, stream).await?;
    }
    for (position, remainder) in &erased {
        erase(tx, *position, remainder).await?;
    }
    // After all deliveries: a transaction that waits for another's rows must not hold this lock.
    for step in documents {
        search::write(tx, step).await?;
    }
    search::remove(tx, &[redacted, hidden].concat()).await?;
    Ok(placed)
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
        Kept::Session { .. } => return session(tx, kept, now).await,
        Kept::AccountEmail { owner_id, email_hash, email_sealed } => execute!(
            tx,
            "UPDATE accounts SET email_hash = $2, email_sealed = $3 WHERE owner_id = $1",
            owner_id.to_string(),
            email_hash,
            email_sealed,
        ),
        Kept::OtherSessionsEnded { holder, but } => {
            execute!(tx, "DELETE FROM sessions WHERE holder = $1 AND id <> $2", holder, but.to_string())
        }
        Kept::OwnerSessionsEnded { owner_id } => execute!(
            tx,
            "DELETE FROM sessions WHERE holder = $1 OR holder IN (SELECT id FROM agents WHERE owner_id = $1)",
            owner_id.to_string(),
        ),
        Kept::SessionUsed { id } => {
            execute!(tx, "UPDATE sessions SET last_used_at = $2 WHERE id = $1", id.to_string(), now)
        }
        Kept::MailTokenUsed { token_hash } => {
            execute!(tx, "DELETE FROM mail_tokens WHERE token_hash = $1", token_hash)
        }
        Kept::MailTokensEnded { owner_id } => {
            execute!(tx, "DELETE FROM mail_tokens WHERE owner_id = $1", owner_id.to_string())
        }
        Kept::SessionEnded { id } => execute!(tx, "DELETE FROM sessions WHERE id = $1", id.to_string()),
        Kept::SessionsEnded { holder } => execute!(tx, "DELETE FROM sessions WHERE holder = $1", holder),
        Kept::Webhook(webhook) => return webhooks::write(tx, webhook, now).await,
        Kept::FailuresForgiven { webhook_id } => return deliveries::clear_failures(tx, *webhook_id, now).await,
        Kept::BreakerClosed { webhook_id } => return deliveries::close_breaker(tx, *webhook_id, now).await,
        Kept::Verified { webhook_id, url } => return webhooks::verify(tx, *webhook_id, url, now).await,
        Kept::Notice(notice) => return notices::write(tx, notice, now).await,
        Kept::Conversation { exchange_id, holder, expires_at } => {
            return exchange::hold(tx, *exchange_id, holder, *expires_at).await;
        }
        Kept::ConversationEnded { exchange_id } => return exchange::release(tx, *exchange_id).await,
        Kept::Refused(refusal) => return relay::write(tx, refusal, now).await,
        Kept::Seen(presence) => return relay::write_presence(tx, presence, now).await,
        Kept::NoticeRead { id } => return notices::read(tx, *id, now).await,
        Kept::SigningKey { id, public, secret_sealed } => execute!(
            tx,
            // The first key is kept if another process stored one meanwhile.
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

/// The most sessions of an agent or owner. A new session ends the oldest of the others, and never itself, because several may be
/// created within one clock tick.
const SESSIONS_MAX: i64 = 100;

async fn session(tx: &mut Tx<'_>, kept: &Kept, now: DateTime<Utc>) -> Result<(), StoreError> {
    let Kept::Session { id, token_hash, holder, scopes, expires_at } = kept else { return Ok(()) };
    execute!(
        tx,
        "INSERT INTO sessions (id, token_hash, holder, scopes, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6)",
        id.to_string(),
        token_hash,
        holder,
        scopes,
        now,
        *expires_at,
    );
    execute!(
        tx,
        "DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE holder = $1 AND id <> $2 \
         ORDER BY created_at DESC, id DESC LIMIT $4 OFFSET $3)",
        holder,
        id.to_string(),
        SESSIONS_MAX - 1,
        SESSIONS_MAX,
    );
    Ok(())
}

async fn cancel_pushes_of(tx: &mut Tx<'_>, stream: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE deliveries SET status = 'cancelled', settled_at = $2 WHERE status = 'pending' AND position IN \
         (SELECT position FROM events WHERE stream = $1)",
        stream,
        now,
    );
    Ok(())
}

/// Clears stored answers about a subject: those stored for its text, and those that contain its id.
async fn clear_answers(tx: &mut Tx<'_>, subject: &str) -> Result<(), StoreError> {
    execute!(tx, "UPDATE answers SET body = NULL WHERE subject = $1", subject);
    let statement = "UPDATE answers SET body = NULL WHERE body LIKE $1";
    match subject.parse::<LogPosition>() {
        Ok(LogPosition(position)) => {
            execute!(
                tx,
                "UPDATE answers SET body = NULL WHERE subject = (SELECT stream FROM events WHERE position = $1)",
                position,
            );
            for end in [',', '}'] {
                execute!(tx, statement, format!("%\"position\":{position}{end}%"));
            }
        }
        Err(_) => {
            execute!(tx, statement, format!("%\"{subject}\"%"));
        }
    }
    Ok(())
}

/// Replaces an event's data with the remaining data. Has no effect if the author has redacted the event meanwhile.
async fn erase(tx: &mut Tx<'_>, position: i64, remainder: &str) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE events SET data = $2, salt = NULL, \
         redacted_by = (SELECT max(position) FROM events WHERE stream = $3) WHERE position = $1 AND data IS NOT NULL",
        position,
        remainder,
        Erasure::STREAM,
    );
    execute!(
        tx,
        "UPDATE attempts SET response = NULL WHERE response IS NOT NULL \
         AND delivery_id IN (SELECT id FROM deliveries WHERE position = $1)",
        position,
    );
    Ok(())
}

/// Clears stored responses to a stream's events. A receiver may have echoed the payload.
async fn clear_responses(tx: &mut Tx<'_>, stream: &str) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE attempts SET response = NULL WHERE response IS NOT NULL AND delivery_id IN (SELECT deliveries.id \
         FROM deliveries JOIN events ON events.position = deliveries.position WHERE stream = $1)",
        stream,
    );
    Ok(())
}

/// Deletes the data of a stream's events before its last one, and everything derived from them.
async fn redact(tx: &mut Tx<'_>, stream: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    cancel_pushes_of(tx, stream, now).await?;
    clear_responses(tx, stream).await?;
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
    /// Deletes expired rows, up to `limit` in each table: sessions, stored answers, and deliveries that reached a final status
    /// `retention` ago. Returns whether it found any.
    pub async fn prune(&self, limit: i64, retention: Duration) -> Result<bool, StoreError> {
        let retention = TimeDelta::from_std(retention).unwrap_or(TimeDelta::MAX);
        let settled_until = self.clock.now().checked_sub_signed(retention).unwrap_or(DateTime::UNIX_EPOCH);
        let over =
            self.has_expired().await? || self.has_expired_mail().await? || self.has_settled(settled_until).await?;
        if over {
            self.keep(vec![Kept::Expired { limit, settled_until }]).await?;
        }
        let more_limits = self.prune_limits(limit).await?;
        Ok(over || more_limits)
    }

    async fn has_expired(&self) -> Result<bool, StoreError> {
        let expired: Option<i64> = read!(&self.db, |pool| {
            sqlx::query_scalar(
                "SELECT CAST(1 AS BIGINT) WHERE EXISTS (SELECT 1 FROM sessions WHERE expires_at <= $1) \
                 OR EXISTS (SELECT 1 FROM answers WHERE expires_at <= $1) \
                 OR EXISTS (SELECT 1 FROM held_conversations WHERE expires_at <= $1) \
                 OR EXISTS (SELECT 1 FROM refusals WHERE refused_at <= $2)",
            )
            .bind(self.clock.now())
            .bind(self.clock.now() - relay::KEPT)
            .fetch_optional(pool)
            .await?
        });
        Ok(expired.is_some())
    }

    /// Changes side tables without an event.
    pub async fn keep(&self, kept: Vec<Kept>) -> Result<(), StoreError> {
        self.commit(Commit { kept, ..Commit::default() }).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn changes_that_a_caller_or_receiver_knows_of_are_not_repeated() {
        let (id, webhook_id) = (DeliveryId::new(Uuid::from_u128(1)), WebhookId::new(Uuid::from_u128(2)));
        let repeated = [
            Kept::Outcomes(vec![]),
            Kept::Postponed { webhook_id, until: DateTime::UNIX_EPOCH, resets: None },
            Kept::GivenBack { deliveries: vec![id], at: DateTime::UNIX_EPOCH, waits_for: None },
            Kept::Consumed { consumer: "search", from: 0, to: 1 },
        ];
        assert!(repeated.iter().all(Kept::can_be_repeated));
        let known = [
            Kept::Deliveries(vec![]),
            Kept::Handled { consumer: "webhooks", positions: vec![1] },
            Kept::Resent { id },
            Kept::DeliveryCancelled { id },
            Kept::DeliveriesCancelled { webhook_id },
            Kept::FailuresForgiven { webhook_id },
            Kept::Redaction { stream: "message:1".into() },
        ];
        assert!(!known.iter().any(Kept::can_be_repeated));
    }
}
