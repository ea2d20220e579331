//! Read model of messages in workspaces.

use std::collections::BTreeMap;

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    event::Event,
    ids::{MessageId, WorkspaceId},
    workspaces::{MessageEvent, MessageKind, MessagePosted, MessageRedacted},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::{postgres, sqlite, totals};
use crate::{
    StoreError,
    database::{Db, FromRow, Listed, ScanLimit, Tx, Window, columns::constcat, values},
    log::Recorded,
    moderation,
    workspaces::Workspaces,
};

/// A message, as read.
#[derive(Debug, Clone, FromRow)]
pub struct MessageView {
    /// The message's id.
    #[column(from = String)]
    pub id: MessageId,
    /// Position of its first event on the log.
    pub position: i64,
    /// The workspace.
    #[column(from = String)]
    pub workspace_id: WorkspaceId,
    /// The author.
    #[column(from = String)]
    pub author_id: ActorId,
    /// The author's name at that moment.
    pub author_name: String,
    /// `ai-agent` or `human`.
    #[column(from = String)]
    pub author_type: ActorKind,
    /// The author's model at that moment.
    pub author_model: Option<String>,
    /// The kind of contribution.
    #[column(from = String)]
    pub kind: MessageKind,
    /// The text; empty where it has been redacted or is hidden.
    pub content: String,
    /// The message that it responds to.
    pub reply_to: Option<String>,
    /// Number of votes.
    pub upvotes: i64,
    /// Whether the message is redacted.
    pub redacted: bool,
    /// Whether operators hide the message.
    pub hidden: bool,
    /// When it was posted.
    pub created_at: DateTime<Utc>,
}

/// Filters of a message list.
#[derive(Debug, Clone)]
pub struct MessageFilter {
    /// Messages of this workspace.
    pub workspace_id: WorkspaceId,
    /// Only messages of this kind.
    pub kind: Option<MessageKind>,
    /// Only messages by this author.
    pub author: Option<ActorId>,
    /// Only messages beyond this position.
    pub after: Option<i64>,
    /// Only messages before this position.
    pub before: Option<i64>,
    /// Whether the newest comes first.
    pub descending: bool,
    /// Maximum number of rows.
    pub limit: i64,
}

/// A message's row, ready to be inserted.
pub(crate) struct MessageRow<'e> {
    pub(crate) posted: &'e MessagePosted,
    pub(crate) position: i64,
    pub(crate) recorded_at: DateTime<Utc>,
}

/// A batch's effect on one workspace: the number of new messages, and the last one's position and time.
pub(crate) struct WorkspaceGrowth {
    pub(crate) workspace_id: String,
    pub(crate) messages: i64,
    pub(crate) position: i64,
    pub(crate) recorded_at: DateTime<Utc>,
}

const MESSAGE: &str = "SELECT id, position, workspace_id, author_id, author_name, author_type, author_model, kind, \
                       CASE WHEN hidden THEN '' ELSE content END AS content, reply_to, upvotes, redacted, hidden, \
                       created_at FROM messages";

const FILTER: &str = " WHERE workspace_id = $1 AND (CAST($2 AS TEXT) IS NULL OR kind = $2) \
                      AND (CAST($3 AS TEXT) IS NULL OR author_id = $3) AND position > $4 AND position < $5 ";

#[boxed]
impl Workspaces {
    /// One message of a workspace.
    pub async fn message(&self, workspace_id: WorkspaceId, id: MessageId) -> Result<Option<MessageView>, StoreError> {
        self.db
            .optional(
                &constcat(MESSAGE, " WHERE id = $1 AND workspace_id = $2"),
                values![id.to_string(), workspace_id.to_string()],
            )
            .await
    }

    /// A list of messages.
    pub async fn messages(&self, filter: &MessageFilter) -> Result<Listed<MessageView>, StoreError> {
        let scan_limit = ScanLimit::of(filter.kind.is_some() || filter.author.is_some(), false);
        let MessageFilter { workspace_id, after, before, descending, .. } = *filter;
        let (window, scanned_to) = Window { after, before, descending }
            .scanned(scan_limit, &self.db, "messages", ("workspace_id", &workspace_id.to_string()))
            .await?;
        let filter = MessageFilter { after: window.after, before: window.before, ..filter.clone() };
        Ok(Listed { rows: messages(&self.db, &filter).await?, scanned_to })
    }
}

pub(crate) async fn messages(db: &Db, filter: &MessageFilter) -> Result<Vec<MessageView>, StoreError> {
    let order = if filter.descending { "ORDER BY position DESC LIMIT $6" } else { "ORDER BY position LIMIT $6" };
    let statement = format!("{MESSAGE}{FILTER}{order}");
    db.all(
        &statement,
        values![
            filter.workspace_id.to_string(),
            filter.kind.map(MessageKind::as_str),
            filter.author.map(|author| author.to_string()),
            filter.after.unwrap_or(0),
            filter.before.unwrap_or(i64::MAX),
            filter.limit
        ],
    )
    .await
}

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    let rows: Vec<_> = events
        .iter()
        .filter_map(|recorded| match &recorded.event {
            Some(Event::Message(MessageEvent::Posted(posted))) => {
                Some(MessageRow { posted, position: recorded.position, recorded_at: recorded.recorded_at })
            }
            _ => None,
        })
        .collect();
    if !rows.is_empty() {
        let growth = growth(&rows);
        match tx {
            Tx::Postgres(connection) => postgres::insert_messages(connection, &rows, &growth).await?,
            Tx::Sqlite(script) => sqlite::insert_messages(script, &rows, &growth).await?,
        }
        totals::add(tx, &rows).await?;
    }
    for recorded in events {
        if let Some(Event::Message(MessageEvent::Redacted(data))) = &recorded.event {
            redact(tx, data).await?;
        }
    }
    Ok(())
}

fn growth(rows: &[MessageRow<'_>]) -> Vec<WorkspaceGrowth> {
    let mut workspaces = BTreeMap::<WorkspaceId, WorkspaceGrowth>::new();
    for MessageRow { posted, position, recorded_at } in rows {
        let workspace_id = posted.workspace_id;
        let grown = workspaces.entry(workspace_id).or_insert_with(|| WorkspaceGrowth {
            workspace_id: workspace_id.to_string(),
            messages: 0,
            position: *position,
            recorded_at: *recorded_at,
        });
        *grown = WorkspaceGrowth {
            workspace_id: std::mem::take(&mut grown.workspace_id),
            messages: grown.messages + 1,
            position: grown.position.max(*position),
            recorded_at: grown.recorded_at.max(*recorded_at),
        };
    }
    workspaces.into_values().collect()
}

/// Empties the message. In a rebuild it has no row yet, because its first event has no data any more: then its row is inserted
/// from the redaction event's data, with the votes cast for it before.
async fn redact(tx: &mut Tx<'_>, data: &MessageRedacted) -> Result<(), StoreError> {
    let id = data.message_id.to_string();
    let empty = "UPDATE messages SET content = '', redacted = $2, hidden = $3 WHERE id = $1";
    let emptied = tx.execute(empty, values![&id, true, false]).await?;
    if emptied > 0 {
        totals::redact(tx, &id).await?;
        return moderation::uncover(tx, &id).await;
    }
    let workspace_id = data.workspace_id.to_string();
    tx.execute(
        "INSERT INTO messages (id, position, workspace_id, author_id, author_name, author_type, author_model, kind, \
         content, reply_to, upvotes, redacted, created_at) \
         SELECT $1, position, $2, $3, $4, $5, $6, $7, '', $8, \
         (SELECT count(*) FROM votes WHERE target = $1), $9, recorded_at FROM events \
         WHERE stream = $1 AND version = 1",
        values![
            &id,
            &workspace_id,
            data.author.id.to_string(),
            &data.author.name,
            data.author.kind.as_str(),
            &data.author.model,
            data.kind.as_str(),
            data.reply_to.map(|id| id.to_string()),
            true
        ],
    )
    .await?;
    tx.execute("UPDATE workspaces SET message_count = message_count + 1 WHERE id = $1", values![&workspace_id]).await?;
    let posted = "(SELECT max(position) FROM events WHERE stream = $2 AND version = 1)";
    let later = format!(
        "UPDATE workspaces SET active_position = {posted}, \
         updated_at = (SELECT recorded_at FROM events WHERE stream = $2 AND version = 1) \
         WHERE id = $1 AND active_position < {posted}"
    );
    tx.execute(&later, values![&workspace_id, &id]).await?;
    totals::add_redacted(tx, &id).await
}
