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
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;

use crate::{
    StoreError,
    database::{Tx, columns::parse, values},
    identity::Identity,
    log::{
        Recorded,
        context::{Context, Contexts, Enqueued, Membership, NameCopy, Named, ReadTable, Rule, SideTable},
    },
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

/// One change to the side table of deleted accounts.
#[derive(Debug, Clone)]
pub enum Change {
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
}

impl SideTable for Change {
    fn rule(&self) -> Rule {
        match self {
            Self::Departure { .. } | Self::DepartureStep { .. } => Rule::ROW,
        }
    }

    async fn write(tx: &mut Tx<'_>, changes: &[&Self], now: DateTime<Utc>, _: &mut Enqueued) -> Result<(), StoreError> {
        for change in changes {
            match change {
                Self::Departure { owner_id, texts } => depart(tx, (*owner_id, *texts), now).await?,
                Self::DepartureStep { owner_id, redacted, finished_at } => {
                    step(tx, *owner_id, *redacted, *finished_at).await?;
                }
            }
        }
        Ok(())
    }
}

/// The read tables of deleted accounts.
const READ_TABLES: &[ReadTable] = &[ReadTable::new("erasures", "actor_id", &[])];

/// What deletions of accounts declare to the log.
pub(crate) const CONTEXT: Context = Context {
    read_tables: READ_TABLES,
    project: |tx, events, contexts| project(tx, events, contexts).boxed(),
    ..Context::EMPTY
};

type Row = (String, String, i64, DateTime<Utc>, Option<DateTime<Utc>>);

fn view((owner_id, texts, redacted, deleted_at, finished_at): Row) -> Result<DepartureView, StoreError> {
    let (owner_id, texts) = (parse(&owner_id)?, parse(&texts)?);
    Ok(DepartureView { owner_id, texts, redacted, deleted_at, finished_at })
}

const DEPARTURE: &str = "SELECT owner_id, texts, redacted, deleted_at, finished_at FROM departures";

/// Ids of an owner and of the owner's agents; for an agent's id, that id alone.
const GONE: &str = "(SELECT CAST($1 AS TEXT) UNION ALL SELECT agents.id FROM agents WHERE owner_id = $1)";

#[boxed]
impl Identity {
    /// Progress of the deletion of an account; none where the account is not deleted.
    pub async fn departure(&self, owner_id: OwnerId) -> Result<Option<DepartureView>, StoreError> {
        let statement = format!("{DEPARTURE} WHERE owner_id = $1");
        let row: Option<Row> = self.db.optional(&statement, values![owner_id.to_string()]).await?;
        row.map(view).transpose()
    }

    /// The deletions that are not finished, oldest first.
    pub async fn unfinished_departures(&self, limit: i64) -> Result<Vec<DepartureView>, StoreError> {
        let statement = format!("{DEPARTURE} WHERE finished_at IS NULL ORDER BY deleted_at LIMIT $1");
        let rows: Vec<Row> = self.db.all(&statement, values![limit]).await?;
        rows.into_iter().map(view).collect()
    }

    /// Agents of an owner whose profile is not erased: id, position and time of registration.
    pub async fn unerased(
        &self,
        owner_id: OwnerId,
        limit: i64,
    ) -> Result<Vec<(AgentId, i64, DateTime<Utc>)>, StoreError> {
        let rows: Vec<(String, i64, DateTime<Utc>)> = self
            .db
            .all(
                "SELECT id, position, created_at FROM agents WHERE owner_id = $1 AND NOT erased ORDER BY position LIMIT $2",
                values![owner_id.to_string(), limit],
            )
            .await?;
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
        let found: Vec<(String, String, String)> = self.db.all(&messages, values![&id, limit]).await?;
        for (location, id, author) in found {
            texts.push(OwnText::Message(parse(&location)?, parse(&id)?, parse(&author)?));
        }
        let found: Vec<(String, String)> = self.db.all(&posts, values![&id, limit]).await?;
        for (id, author) in found {
            texts.push(OwnText::Post(parse(&id)?, parse(&author)?));
        }
        let found: Vec<(String, String, String)> = self.db.all(&replies, values![&id, limit]).await?;
        for (location, id, author) in found {
            texts.push(OwnText::Reply(parse(&location)?, parse(&id)?, parse(&author)?));
        }
        texts.truncate(usize::try_from(limit).unwrap_or_default());
        Ok(texts)
    }
}

/// Runs last, so that the rows that the same batch wrote for an account exist already.
async fn project(tx: &mut Tx<'_>, events: &[&Recorded], contexts: Contexts) -> Result<(), StoreError> {
    for recorded in events {
        match &recorded.event {
            Some(Event::Owner(OwnerEvent::Deleted(data))) => {
                remove_names(tx, contexts, &data.owner_id.to_string()).await?;
            }
            Some(Event::Agent(AgentEvent::Erased(data))) => {
                remove_names(tx, contexts, &data.agent_id.to_string()).await?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Replaces an account's names in the tables of all contexts. Mentions find an account by its handle, so the handle is deleted.
async fn remove_names(tx: &mut Tx<'_>, contexts: Contexts, id: &str) -> Result<(), StoreError> {
    for table in contexts.read_tables() {
        for copy in table.copies.iter().filter(|copy| copy.named == Named::Actor) {
            tx.execute(&removal_statement(table, copy), values![id, DELETED]).await?;
        }
    }
    let handles = format!("DELETE FROM handles WHERE actor_id IN {GONE}");
    tx.execute(&handles, values![id]).await?;
    let noted = "INSERT INTO erasures (actor_id) SELECT id FROM (SELECT CAST($1 AS TEXT) AS id UNION ALL \
                 SELECT agents.id FROM agents WHERE owner_id = $1) AS gone WHERE true ON CONFLICT DO NOTHING";
    tx.execute(noted, values![id]).await?;
    Ok(())
}

/// The statement that replaces names and removes models in one table. A row without a name stays without one.
fn removal_statement(table: &ReadTable, copy: &NameCopy) -> String {
    let NameCopy { id, name, models, found_by, .. } = copy;
    let found = found_by.as_ref().map(|Membership { table, actor, entity }| {
        format!(" AND {entity} IN (SELECT {entity} FROM {table} WHERE {actor} IN {GONE})")
    });
    let found = found.unwrap_or_default();
    let mut columns = vec![format!("{name} = CASE WHEN {name} IS NULL THEN NULL ELSE $2 END")];
    columns.extend(models.iter().map(|model| format!("{model} = NULL")));
    format!("UPDATE {} SET {} WHERE {id} IN {GONE}{found}", table.name, columns.join(", "))
}

/// The agents of an owner.
const OWN: &str = "IN (SELECT agents.id FROM agents WHERE owner_id = $1)";

/// Cancels pending deliveries of events that an owner or the owner's agents caused.
const CANCEL_PUSHES: &str = "UPDATE deliveries SET status = 'cancelled', settled_at = $2 WHERE status = 'pending' AND position IN \
     (SELECT events.position FROM deliveries AS waiting JOIN events ON events.position = waiting.position \
     WHERE waiting.status = 'pending' AND metadata IN (SELECT '{\"actor\":\"' || gone.id || '\"}' FROM \
     (SELECT CAST($1 AS TEXT) AS id UNION ALL SELECT agents.id FROM agents WHERE owner_id = $1) AS gone))";

/// Deletes what goes with the account at once, in the order in which the rows refer to each other: e-mail address, password,
/// keys, arena tokens, sessions, consents, endpoints and configs of pushes with their secrets, notices, tokens and outgoing mails.
pub(crate) async fn depart(
    tx: &mut Tx<'_>,
    (owner_id, texts): (OwnerId, TextRetention),
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let id = owner_id.to_string();
    tx.execute(
        "UPDATE mails SET message_sealed = '', next_at = NULL \
         WHERE recipient IN (SELECT email_hash FROM accounts WHERE owner_id = $1)",
        values![&id],
    )
    .await?;
    let cancelled = format!(
        "UPDATE deliveries SET status = 'cancelled', settled_at = $2 WHERE status = 'pending' AND agent_id {OWN}"
    );
    tx.execute(&cancelled, values![&id, now]).await?;
    // Payloads for other subscribers were rendered with the name in them.
    tx.execute(CANCEL_PUSHES, values![&id, now]).await?;
    let progress =
        format!("DELETE FROM webhook_progress WHERE webhook_id IN (SELECT id FROM webhooks WHERE agent_id {OWN})");
    tx.execute(&progress, values![&id]).await?;
    for statement in [
        format!("DELETE FROM webhooks WHERE agent_id {OWN}"),
        format!("DELETE FROM credentials WHERE agent_id {OWN}"),
        format!("DELETE FROM agent_keys WHERE agent_id {OWN}"),
        format!("DELETE FROM sessions WHERE holder = $1 OR holder {OWN}"),
        "DELETE FROM consents WHERE owner_id = $1".to_owned(),
        format!("DELETE FROM origins WHERE agent_id {OWN}"),
        format!("UPDATE arena_agents SET token_hash = NULL, token_created_at = NULL WHERE agent_id {OWN}"),
        "DELETE FROM notices WHERE owner_id = $1".to_owned(),
        "DELETE FROM notification_channels WHERE owner_id = $1".to_owned(),
        format!("DELETE FROM task_pushes WHERE requester_id = $1 OR requester_id {OWN}"),
        "DELETE FROM mail_tokens WHERE owner_id = $1".to_owned(),
        "DELETE FROM accounts WHERE owner_id = $1".to_owned(),
    ] {
        tx.execute(&statement, values![&id]).await?;
    }
    tx.execute(
        "INSERT INTO departures (owner_id, texts, redacted, deleted_at) VALUES ($1, $2, 0, $3)",
        values![&id, texts.as_str(), now],
    )
    .await?;
    Ok(())
}

/// Records one step of the worker.
pub(crate) async fn step(
    tx: &mut Tx<'_>,
    owner_id: OwnerId,
    redacted: i64,
    finished_at: Option<DateTime<Utc>>,
) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE departures SET redacted = redacted + $2, finished_at = $3 WHERE owner_id = $1",
        values![owner_id.to_string(), redacted, finished_at],
    )
    .await?;
    Ok(())
}
