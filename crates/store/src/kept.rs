//! Changes of kept tables: they commit together with their event, but are neither derived from the log nor rebuilt.

use std::{collections::HashMap, time::Duration};

use buildtrack_domain::{
    identity::TextsFate,
    ids::{AgentId, DeliveryId, ExchangeId, MailId, NoticeId, OwnerId, ReplayId, SessionId, WebhookId},
    moderation::{Erasure, LogPosition},
};
use chrono::{DateTime, TimeDelta, Utc};

use crate::{
    NewDelivery, NewMail, NewMailToken, NewNotice, NewPresence, NewRefusal, Outcome, ReplayStep, ReplayView, Store,
    StoreError, WaitsFor, WebhookView,
    db::{Tx, execute, read},
    deliveries, delivery_lists, departures, exchange,
    log::batch::Commit,
    mails, notices, relay, replays, search, webhooks,
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
    /// Another e-mail address for an owner.
    AccountEmail {
        /// Whose.
        owner_id: OwnerId,
        /// The keyed hash it is found by.
        email_hash: String,
        /// The address, sealed.
        email_sealed: String,
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
    /// The end of all sessions of an agent or owner but one.
    OtherSessionsEnded {
        /// Whose.
        holder: String,
        /// The one that stays.
        but: SessionId,
    },
    /// The end of all sessions of an owner and of the owner's agents.
    OwnerSessionsEnded {
        /// Whose.
        owner_id: OwnerId,
    },
    /// An account is deleted: what is kept of it goes.
    Departure {
        /// Whose.
        owner_id: OwnerId,
        /// What becomes of its texts.
        texts: TextsFate,
    },
    /// How far the worker has come with a deleted account.
    DepartureStep {
        /// Whose.
        owner_id: OwnerId,
        /// Texts that were redacted in this step.
        redacted: i64,
        /// When nothing was left to do.
        finished_at: Option<DateTime<Utc>>,
    },
    /// A session is in use.
    SessionUsed {
        /// Which.
        id: SessionId,
    },
    /// A message to be sent by mail.
    Mail(Box<NewMail>),
    /// A token that goes out with it.
    MailToken(Box<NewMailToken>),
    /// A token has come back.
    MailTokenUsed {
        /// Its SHA-256, in hex.
        token_hash: String,
    },
    /// No token that was sent for an account counts any more.
    MailTokensEnded {
        /// Whose.
        owner_id: OwnerId,
    },
    /// What became of an attempt to send a message.
    MailTried {
        /// Which.
        id: MailId,
        /// When it is tried again; none where it was sent or given up.
        next_at: Option<DateTime<Utc>>,
    },
    /// A webhook endpoint as it is from here on.
    Webhook(Box<WebhookView>),
    /// An endpoint is no more; what is on its way to it is cancelled.
    WebhookDeleted {
        /// The endpoint.
        id: WebhookId,
    },
    /// What is on its way to an endpoint is cancelled.
    DeliveriesCancelled {
        /// The endpoint.
        webhook_id: WebhookId,
    },
    /// That an endpoint has failed so far does not count any more: its breaker is closed, and what waits is due now.
    FailuresForgiven {
        /// The endpoint.
        webhook_id: WebhookId,
    },
    /// An endpoint's breaker is closed, and what was put off for it is due now. Retries wait for their own time.
    BreakerClosed {
        /// The endpoint.
        webhook_id: WebhookId,
    },
    /// An endpoint has answered with 2xx what was signed with its secret, and shall be pushed to at this address.
    Verified {
        /// The endpoint.
        webhook_id: WebhookId,
        /// The address that was called; where it has another one by now, this does not count.
        url: String,
    },
    /// Something that the server tells an owner.
    Notice(NewNotice),
    /// A notice has been read.
    NoticeRead {
        /// The notice.
        id: NoticeId,
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
    /// A text is hidden: pending pushes of it are cancelled, it is found no more, and no stored answer repeats it.
    Hiding {
        /// The stream, or the id of the subject.
        stream: String,
    },
    /// Data and salts of these envelopes leave the log; an event of the same commit accounts for them.
    EnvelopesExpired {
        /// Where they are on the log.
        positions: Vec<i64>,
    },
    /// Words of events are erased; the last event of `erasures` says what stays.
    Erasure {
        /// Position and what stays of the data.
        remainders: Vec<(i64, String)>,
    },
    /// What is over by now goes, a few rows at a time.
    Expired {
        /// Rows a table.
        limit: i64,
        /// Deliveries go that were settled then or earlier.
        settled_until: DateTime<Utc>,
    },
    /// New deliveries.
    Deliveries(Vec<NewDelivery>),
    /// What became of attempts.
    Outcomes(Vec<Outcome>),
    /// A delivery is due now, whatever became of it.
    Resent {
        /// Which.
        id: DeliveryId,
    },
    /// A delivery that is pending is given up.
    DeliveryCancelled {
        /// Which.
        id: DeliveryId,
    },
    /// A new replay; there is none where one runs to the same endpoint.
    Replay(Box<ReplayView>),
    /// A step of a replay, from where it stands.
    ReplayStep(Box<ReplayStep>),
    /// The end of a replay that runs.
    ReplayCancelled {
        /// Which.
        id: ReplayId,
    },
    /// An endpoint's breaker is open: what waits for the endpoint is not tried before `until`; no attempt is counted.
    Postponed {
        /// Whose.
        webhook_id: WebhookId,
        /// When it is tried again.
        until: DateTime<Utc>,
        /// How often the breaker had been closed, where that is known: when it was closed once more, this does not count.
        resets: Option<i64>,
    },
    /// Deliveries that were taken up and not tried; anybody may take them up from `at` on.
    GivenBack {
        /// Which.
        deliveries: Vec<DeliveryId>,
        /// From when on.
        at: DateTime<Utc>,
        /// What they are put off for.
        waits_for: Option<WaitsFor>,
    },
    /// An agent of the relay is there.
    Seen(Box<NewPresence>),
    /// Somebody holds a conversation open.
    Conversation {
        /// Which.
        exchange_id: ExchangeId,
        /// An agent or owner, or the keyed hash of an address.
        holder: String,
        /// When it is over, unless it goes on.
        expires_at: DateTime<Utc>,
    },
    /// A conversation is over before its time.
    ConversationEnded {
        /// Which.
        exchange_id: ExchangeId,
    },
    /// Why an envelope was refused.
    Refused(Box<NewRefusal>),
    /// What can be found, as it was read.
    Documents(Box<search::Step>),
    /// A consumer has dealt with all events up to `to`; it must still stand at `from`.
    Consumed {
        /// The consumer.
        consumer: &'static str,
        /// Where it stood.
        from: i64,
        /// Where it stands.
        to: i64,
    },
    /// A consumer has dealt with these events, none of which it may have dealt with before.
    Handled {
        /// The consumer.
        consumer: &'static str,
        /// The events.
        positions: Vec<i64>,
    },
}

impl Kept {
    /// Whether words leave the database with it, and are to leave the files beneath it too.
    pub(crate) fn removes_words(&self) -> bool {
        matches!(self, Self::Redaction { .. } | Self::Erasure { .. } | Self::EnvelopesExpired { .. })
    }

    /// Whether it is merely done again where the machine loses it: no request was to bring it about, and whoever did it finds
    /// it undone. A push whose outcome is lost is made again, under the same id.
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

/// Writes all of it, and gives the new deliveries, each with the position before it.
pub(crate) async fn write(
    tx: &mut Tx<'_>,
    all: Vec<&Kept>,
    now: DateTime<Utc>,
) -> Result<HashMap<DeliveryId, Option<i64>>, StoreError> {
    let mut new_deliveries = Vec::new();
    let mut outcomes = Vec::new();
    let (mut redacted, mut cancelled, mut deleted, mut put_off) = (vec![], vec![], vec![], vec![]);
    let (mut documents, mut hidden, mut erased) = (vec![], vec![], vec![]);
    for kept in all {
        match kept {
            Kept::Deliveries(deliveries) => new_deliveries.extend_from_slice(deliveries),
            Kept::Outcomes(more) => outcomes.extend_from_slice(more),
            Kept::Redaction { stream } => redacted.push(stream.clone()),
            Kept::Hiding { stream } => hidden.push(stream.clone()),
            Kept::Erasure { remainders } => erased.extend_from_slice(remainders),
            Kept::Documents(step) => documents.push(step),
            Kept::Postponed { .. } | Kept::GivenBack { .. } => put_off.push(kept),
            // Written once for the batch.
            Kept::Consumed { .. } | Kept::Handled { .. } => {}
            Kept::Expired { limit, settled_until } => {
                prune(tx, now, *limit).await?;
                mails::prune(tx, now, *limit).await?;
                relay::prune(tx, now, *limit).await?;
                exchange::prune(tx, now, *limit).await?;
                delivery_lists::prune(tx, *settled_until, *limit).await?;
            }
            Kept::EnvelopesExpired { positions } => relay::clear_envelopes(tx, positions).await?,
            Kept::DeliveriesCancelled { webhook_id } => cancelled.push(*webhook_id),
            Kept::WebhookDeleted { id } => deleted.push(*id),
            Kept::Resent { id } => delivery_lists::resend(tx, *id, now).await?,
            Kept::DeliveryCancelled { id } => delivery_lists::cancel(tx, *id, now).await?,
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
    // After the outcomes, which say when what has just failed is due.
    for kept in put_off {
        match kept {
            Kept::Postponed { webhook_id, until, resets } => {
                deliveries::postpone(tx, *webhook_id, *until, *resets).await?;
            }
            Kept::GivenBack { deliveries, at, waits_for } => {
                deliveries::give_back(tx, deliveries, *at, *waits_for).await?;
            }
            _ => {}
        }
    }
    // Last, so that nothing which the same batch enqueued, or made of a text, outlives it.
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
        forget_responses(tx, stream).await?;
        forget_answers(tx, stream).await?;
    }
    for (position, remainder) in &erased {
        erase(tx, *position, remainder).await?;
    }
    // After all deliveries, so that of two who wait for each other's rows none holds this lock.
    for step in documents {
        search::write(tx, step).await?;
    }
    search::forget(tx, &[redacted, hidden].concat()).await?;
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
        Kept::FailuresForgiven { webhook_id } => return deliveries::forgive(tx, *webhook_id, now).await,
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

/// How many sessions an agent or owner has at once. A new session ends the oldest of the others, and never itself: several
/// may be opened within one tick of the clock.
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

/// Answers that tell of a subject are not given again: those stored for its text, and those that name it.
async fn forget_answers(tx: &mut Tx<'_>, subject: &str) -> Result<(), StoreError> {
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

/// Puts what stays of an event's data in their place. What its author has redacted meanwhile stays away.
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

/// A receiver may have answered with what it was sent.
async fn forget_responses(tx: &mut Tx<'_>, stream: &str) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE attempts SET response = NULL WHERE response IS NOT NULL AND delivery_id IN (SELECT deliveries.id \
         FROM deliveries JOIN events ON events.position = deliveries.position WHERE stream = $1)",
        stream,
    );
    Ok(())
}

/// Clears what the stream said before its last event, and everything that was made from it.
async fn redact(tx: &mut Tx<'_>, stream: &str, now: DateTime<Utc>) -> Result<(), StoreError> {
    cancel_pushes_of(tx, stream, now).await?;
    forget_responses(tx, stream).await?;
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
    /// Removes what is over, up to `limit` rows a table: sessions, stored answers, and deliveries that were settled
    /// `retention` ago. Tells whether there was anything.
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

    /// Changes kept tables without an event.
    pub async fn keep(&self, kept: Vec<Kept>) -> Result<(), StoreError> {
        self.commit(Commit { kept, ..Commit::default() }).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn what_somebody_was_answered_for_or_told_the_name_of_is_not_repeated() {
        let (id, webhook_id) = (DeliveryId::new(Uuid::from_u128(1)), WebhookId::new(Uuid::from_u128(2)));
        let repeated = [
            Kept::Outcomes(vec![]),
            Kept::Postponed { webhook_id, until: DateTime::UNIX_EPOCH, resets: None },
            Kept::GivenBack { deliveries: vec![id], at: DateTime::UNIX_EPOCH, waits_for: None },
            Kept::Consumed { consumer: "search", from: 0, to: 1 },
        ];
        assert!(repeated.iter().all(Kept::can_be_repeated));
        let told = [
            Kept::Deliveries(vec![]),
            Kept::Handled { consumer: "webhooks", positions: vec![1] },
            Kept::Resent { id },
            Kept::DeliveryCancelled { id },
            Kept::DeliveriesCancelled { webhook_id },
            Kept::FailuresForgiven { webhook_id },
            Kept::Redaction { stream: "message:1".into() },
        ];
        assert!(!told.iter().any(Kept::can_be_repeated));
    }
}
