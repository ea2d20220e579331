//! Deletion of accounts: names leave the read tables and every response, rows in side tables are deleted, and the worker erases
//! agents and redacts texts step by step.
//!
//! **Invariant:** a rebuild produces the same rows, whether a profile was redacted before or not: the event that deletes the
//! owner removes names, and so does the event that erases an agent.

use buildtrack_domain::{
    actors::ActorId,
    event::Event,
    identity::{AgentEvent, OwnerEvent, TextRetention},
    ids::{AgentId, MessageId, OwnerId, PostId, ReplyId, WorkspaceId},
    names::DELETED,
};
use chrono::{DateTime, Utc};

use crate::{
    Store, StoreError,
    database::{Tx, columns::parse, execute, read},
    log::Recorded,
};

/// Progress of the deletion of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepartureView {
    /// The owner of the deleted account.
    pub owner_id: OwnerId,
    /// Whether the account's texts stay or are redacted.
    pub texts: TextRetention,
    /// Number of texts redacted so far.
    pub redacted: i64,
    /// When the account was deleted.
    pub deleted_at: DateTime<Utc>,
    /// When the worker finished; none while work is left.
    pub finished_at: Option<DateTime<Utc>>,
}

/// A text that the worker still has to redact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnText {
    /// A message.
    Message(WorkspaceId, MessageId, ActorId),
    /// A post in the forum.
    Post(PostId, ActorId),
    /// A reply to a post.
    Reply(PostId, ReplyId, ActorId),
}

type Row = (String, String, i64, DateTime<Utc>, Option<DateTime<Utc>>);

fn view((owner_id, texts, redacted, deleted_at, finished_at): Row) -> Result<DepartureView, StoreError> {
    let (owner_id, texts) = (parse(&owner_id)?, parse(&texts)?);
    Ok(DepartureView { owner_id, texts, redacted, deleted_at, finished_at })
}

const DEPARTURE: &str = "SELECT owner_id, texts, redacted, deleted_at, finished_at FROM departures";

/// Ids of an owner and of the owner's agents; for an agent's id, that id alone.
const GONE: &str = "(SELECT CAST($1 AS TEXT) UNION ALL SELECT agents.id FROM agents WHERE owner_id = $1)";

impl Store {
    /// Progress of the deletion of an account; none where the account is not deleted.
    pub async fn departure(&self, owner_id: OwnerId) -> Result<Option<DepartureView>, StoreError> {
        let statement = format!("{DEPARTURE} WHERE owner_id = $1");
        let row: Option<Row> = read!(&self.db, |pool| {
            sqlx::query_as(&statement).bind(owner_id.to_string()).fetch_optional(pool).await?
        });
        row.map(view).transpose()
    }

    /// The deletions that are not finished, oldest first.
    pub async fn unfinished_departures(&self, limit: i64) -> Result<Vec<DepartureView>, StoreError> {
        let statement = format!("{DEPARTURE} WHERE finished_at IS NULL ORDER BY deleted_at LIMIT $1");
        let rows: Vec<Row> = read!(&self.db, |pool| { sqlx::query_as(&statement).bind(limit).fetch_all(pool).await? });
        rows.into_iter().map(view).collect()
    }

    /// Agents of an owner whose profile is not erased: id, position and time of registration.
    pub async fn unerased(
        &self,
        owner_id: OwnerId,
        limit: i64,
    ) -> Result<Vec<(AgentId, i64, DateTime<Utc>)>, StoreError> {
        let rows: Vec<(String, i64, DateTime<Utc>)> = read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT id, position, created_at FROM agents WHERE owner_id = $1 AND NOT erased ORDER BY position LIMIT $2",
            )
            .bind(owner_id.to_string())
            .bind(limit)
            .fetch_all(pool)
            .await?
        });
        rows.into_iter().map(|(id, position, created_at)| Ok((parse(&id)?, position, created_at))).collect()
    }

    /// Texts of an owner and of the owner's agents that are not redacted yet.
    pub async fn own_texts(&self, owner_id: OwnerId, limit: i64) -> Result<Vec<OwnText>, StoreError> {
        let id = owner_id.to_string();
        let messages = format!(
            "SELECT workspace_id, id, author_id FROM messages WHERE author_id IN {GONE} AND NOT redacted \
             AND workspace_id IN (SELECT workspace_id FROM memberships WHERE member_id IN {GONE}) LIMIT $2"
        );
        let posts = format!("SELECT id, author_id FROM posts WHERE author_id IN {GONE} AND NOT redacted LIMIT $2");
        let replies = format!(
            "SELECT post_id, id, author_id FROM replies WHERE author_id IN {GONE} AND NOT redacted \
             AND post_id IN (SELECT post_id FROM participations WHERE participant_id IN {GONE}) LIMIT $2"
        );
        let mut texts = Vec::new();
        let found: Vec<(String, String, String)> =
            read!(&self.db, |pool| { sqlx::query_as(&messages).bind(&id).bind(limit).fetch_all(pool).await? });
        for (location, id, author) in found {
            texts.push(OwnText::Message(parse(&location)?, parse(&id)?, parse(&author)?));
        }
        let found: Vec<(String, String)> =
            read!(&self.db, |pool| { sqlx::query_as(&posts).bind(&id).bind(limit).fetch_all(pool).await? });
        for (id, author) in found {
            texts.push(OwnText::Post(parse(&id)?, parse(&author)?));
        }
        let found: Vec<(String, String, String)> =
            read!(&self.db, |pool| { sqlx::query_as(&replies).bind(&id).bind(limit).fetch_all(pool).await? });
        for (location, id, author) in found {
            texts.push(OwnText::Reply(parse(&location)?, parse(&id)?, parse(&author)?));
        }
        texts.truncate(usize::try_from(limit).unwrap_or_default());
        Ok(texts)
    }
}

/// Runs last, so that the rows that the same batch wrote for an account exist already.
pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    for recorded in events {
        match &recorded.event {
            Some(Event::Owner(OwnerEvent::Deleted(data))) => forget_names(tx, &data.owner_id.to_string()).await?,
            Some(Event::Agent(AgentEvent::Erased(data))) => forget_names(tx, &data.agent_id.to_string()).await?,
            _ => {}
        }
    }
    Ok(())
}

/// Tables and columns that hold an actor's name: id, name, model, and the condition by which an index finds the rows.
const NAMES: [(&str, &str, &str, Option<&str>, &str); 12] = [
    (
        "messages",
        "author_id",
        "author_name",
        Some("author_model"),
        "workspace_id IN (SELECT workspace_id FROM memberships WHERE member_id IN",
    ),
    ("posts", "author_id", "author_name", Some("author_model"), ""),
    (
        "replies",
        "author_id",
        "author_name",
        Some("author_model"),
        "post_id IN (SELECT post_id FROM participations WHERE participant_id IN",
    ),
    ("workspaces", "owner_id", "owner_name", None, ""),
    ("memberships", "member_id", "name", Some("model"), ""),
    ("votes", "voter_id", "name", Some("model"), ""),
    ("shipments", "shipper_id", "shipper_name", Some("shipper_model"), ""),
    ("invitations", "invited_id", "invited_name", Some("invited_model"), ""),
    ("invitations", "inviter_id", "inviter_name", Some("inviter_model"), ""),
    ("moderation_actions", "operator_id", "operator_name", None, ""),
    ("reports", "reporter_id", "reporter_name", Some("reporter_model"), ""),
    ("documents", "registrar_id", "registrar_name", Some("registrar_model"), ""),
];

async fn forget_names(tx: &mut Tx<'_>, id: &str) -> Result<(), StoreError> {
    for (table, holder, name, model, found) in NAMES {
        let model = model.map(|model| format!(", {model} = NULL")).unwrap_or_default();
        let found = if found.is_empty() { String::new() } else { format!(" AND {found} {GONE})") };
        let statement = format!("UPDATE {table} SET {name} = $2{model} WHERE {holder} IN {GONE}{found}");
        execute!(tx, &statement, id, DELETED);
    }
    for table in ["posts", "replies"] {
        let statement =
            format!("UPDATE {table} SET editor_model = NULL WHERE author_id IN {GONE} AND editor_model IS NOT NULL");
        execute!(tx, &statement, id);
    }
    let asked = format!("UPDATE exchanges SET asker_name = $2 WHERE asker_id IN {GONE}");
    execute!(tx, &asked, id, DELETED);
    let handles = format!("DELETE FROM handles WHERE actor_id IN {GONE}");
    execute!(tx, &handles, id);
    let noted = "INSERT INTO erasures (actor_id) SELECT id FROM (SELECT CAST($1 AS TEXT) AS id UNION ALL \
                 SELECT agents.id FROM agents WHERE owner_id = $1) AS gone WHERE true ON CONFLICT DO NOTHING";
    execute!(tx, noted, id);
    Ok(())
}

/// The agents of an owner.
const OWN: &str = "IN (SELECT agents.id FROM agents WHERE owner_id = $1)";

/// Cancels pending deliveries of events that an owner or the owner's agents caused.
const CANCEL_PUSHES: &str = "UPDATE deliveries SET status = 'cancelled', settled_at = $2 WHERE status = 'pending' AND position IN \
     (SELECT events.position FROM deliveries AS waiting JOIN events ON events.position = waiting.position \
     WHERE waiting.status = 'pending' AND metadata IN (SELECT '{\"actor\":\"' || gone.id || '\"}' FROM \
     (SELECT CAST($1 AS TEXT) AS id UNION ALL SELECT agents.id FROM agents WHERE owner_id = $1) AS gone))";

/// Deletes everything that goes with the account at once: e-mail address, password, keys, sessions, endpoints with their secrets,
/// notices, tokens and outgoing mails.
pub(crate) async fn depart(
    tx: &mut Tx<'_>,
    (owner_id, texts): (OwnerId, TextRetention),
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let id = owner_id.to_string();
    execute!(
        tx,
        "UPDATE mails SET message_sealed = '', next_at = NULL \
         WHERE recipient IN (SELECT email_hash FROM accounts WHERE owner_id = $1)",
        &id,
    );
    let cancelled = format!(
        "UPDATE deliveries SET status = 'cancelled', settled_at = $2 WHERE status = 'pending' AND agent_id {OWN}"
    );
    execute!(tx, &cancelled, &id, now);
    // Payloads for other subscribers were rendered with the name in them.
    execute!(tx, CANCEL_PUSHES, &id, now);
    let progress =
        format!("DELETE FROM webhook_progress WHERE webhook_id IN (SELECT id FROM webhooks WHERE agent_id {OWN})");
    execute!(tx, &progress, &id);
    for statement in [
        format!("DELETE FROM webhooks WHERE agent_id {OWN}"),
        format!("DELETE FROM credentials WHERE agent_id {OWN}"),
        format!("DELETE FROM sessions WHERE holder = $1 OR holder {OWN}"),
        "DELETE FROM notices WHERE owner_id = $1".to_owned(),
        "DELETE FROM mail_tokens WHERE owner_id = $1".to_owned(),
        "DELETE FROM accounts WHERE owner_id = $1".to_owned(),
    ] {
        execute!(tx, &statement, &id);
    }
    execute!(
        tx,
        "INSERT INTO departures (owner_id, texts, redacted, deleted_at) VALUES ($1, $2, 0, $3)",
        &id,
        texts.as_str(),
        now,
    );
    Ok(())
}

/// Records one step of the worker.
pub(crate) async fn step(
    tx: &mut Tx<'_>,
    owner_id: OwnerId,
    redacted: i64,
    finished_at: Option<DateTime<Utc>>,
) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE departures SET redacted = redacted + $2, finished_at = $3 WHERE owner_id = $1",
        owner_id.to_string(),
        redacted,
        finished_at,
    );
    Ok(())
}
