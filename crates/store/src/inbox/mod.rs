//! Read models of inboxes: items, read offsets, and mention handles.
//!
//! **Invariant:** the list and the count of unread items come from the same rows, read in one statement with the log's head.
//! **Invariant:** no text is stored here: an item names its event, and its text is read from the log while it is there.

mod handles;
mod owned;
mod postgres;
mod projection;
mod sqlite;
mod suggestions;

pub(crate) use handles::MentionCandidateRow;
pub use owned::OwnedInbox;
pub(crate) use projection::{ItemRow, project};
pub use suggestions::{QuestionView, RecentActivity};

use buildtrack_domain::{actors::ActorId, event::Event, inbox::ItemKind};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;

use crate::{
    StoreError,
    database::{Db, FromRow, values},
    identity::Identity,
    log::{
        Log,
        context::{Context, ReadTable},
    },
};

/// The read tables of this context.
const READ_TABLES: &[ReadTable] = &[
    ReadTable::new("handles", "actor_id", &[]),
    ReadTable::new("inbox", "recipient_id, position", &[]),
    ReadTable::new("acknowledgements", "reader_id", &[]),
];

/// What the context declares to the log.
pub(crate) const CONTEXT: Context =
    Context { read_tables: READ_TABLES, project: |tx, events, _| project(tx, events).boxed(), ..Context::EMPTY };

/// Inboxes and mention handles. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Inbox {
    db: Db,
    identity: Identity,
}

impl Inbox {
    pub(crate) fn new(log: &Log, identity: &Identity) -> Self {
        Self { db: log.db.clone(), identity: identity.clone() }
    }
}

/// Filters of an inbox list; oldest first.
#[derive(Debug, Clone, Copy)]
pub struct InboxFilter {
    /// The inbox's owner.
    pub recipient: ActorId,
    /// Only unread items.
    pub unread: bool,
    /// Only items of this kind.
    pub kind: Option<ItemKind>,
    /// Only items beyond this position.
    pub after: i64,
    /// Maximum number of items.
    pub limit: i64,
}

/// A page of an inbox, with the head and the unread count that belong to it.
#[derive(Debug, Clone)]
pub struct InboxView {
    /// The log's head: every event up to it was considered.
    pub head: i64,
    /// Number of unread items of all kinds.
    pub unread: i64,
    /// The items, in log order.
    pub items: Vec<ItemView>,
}

/// One inbox item.
#[derive(Debug, Clone)]
pub struct ItemView {
    /// Position of its event on the log.
    pub position: i64,
    /// The item's kind.
    pub kind: ItemKind,
    /// The event; none where it was redacted at this very moment.
    pub event: Option<Event>,
    /// Whether it has been read.
    pub read: bool,
    /// When the event was recorded.
    pub recorded_at: DateTime<Utc>,
}

/// The log's head and the unread count, with an item or none.
#[derive(FromRow)]
struct Row {
    head: i64,
    unread: i64,
    position: Option<i64>,
    kind: Option<String>,
    read: Option<bool>,
    #[column(name = "type")]
    event_type: Option<String>,
    data: Option<String>,
    recorded_at: Option<DateTime<Utc>>,
}

/// Leaves out items whose subject operators hide, until they restore it.
const SHOWN: &str = "AND NOT EXISTS (SELECT 1 FROM hidings WHERE subject = subject_id)";

#[boxed]
impl Inbox {
    /// A page of an inbox.
    pub async fn items(&self, filter: &InboxFilter) -> Result<InboxView, StoreError> {
        let InboxFilter { recipient, unread, kind, after, limit } = *filter;
        let unread = if unread { "AND NOT read" } else { "" };
        let of_kind = if kind.is_some() { "AND kind = $4" } else { "AND CAST($4 AS TEXT) IS NULL" };
        let statement = format!(
            "SELECT log_head.position AS head, unread, found.position, kind, read, type, data, found.recorded_at \
             FROM log_head CROSS JOIN \
             (SELECT count(*) AS unread FROM inbox WHERE recipient_id = $1 AND NOT read {SHOWN}) AS counted LEFT JOIN \
             (SELECT inbox.position, kind, read, type, data, recorded_at FROM inbox CROSS JOIN events \
             WHERE recipient_id = $1 AND inbox.position > $2 {unread} {of_kind} {SHOWN} \
             AND events.position = inbox.position ORDER BY inbox.position LIMIT $3) AS found ON true \
             ORDER BY found.position"
        );
        let rows: Vec<Row> =
            self.db.all(&statement, values![recipient.to_string(), after, limit, kind.map(ItemKind::as_str)]).await?;
        let first = rows.first().ok_or_else(|| StoreError::Damaged("the log has no head".into()))?;
        let (head, unread) = (first.head, first.unread);
        let items = rows.into_iter().filter_map(Row::item).collect::<Result<Vec<_>, _>>()?;
        Ok(InboxView { head, unread, items })
    }

    /// The positions among these that belong to unread items.
    pub async fn unread_among(&self, recipient: ActorId, positions: &[i64]) -> Result<Vec<i64>, StoreError> {
        if positions.is_empty() {
            return Ok(vec![]);
        }
        match &self.db {
            Db::Postgres { reads: pool, .. } => postgres::unread_among(pool, recipient, positions).await,
            Db::Sqlite { readers, .. } => sqlite::unread_among(readers, recipient, positions).await,
        }
    }

    /// Whether an acknowledgement up to `to` changes anything for a reader who has read up to `from`: an item is unread up to `to`,
    /// or a workspace of the reader has an event beyond `from`.
    pub async fn has_news(&self, reader: ActorId, from: i64, to: i64) -> Result<bool, StoreError> {
        let found: Option<i64> = self
            .db
            .optional(
                "SELECT CAST(1 AS BIGINT) WHERE EXISTS (SELECT 1 FROM inbox WHERE recipient_id = $1 AND NOT read \
                 AND position <= $3) OR EXISTS (SELECT 1 FROM memberships CROSS JOIN workspaces \
                 WHERE member_id = $1 AND left_position IS NULL AND workspaces.id = workspace_id \
                 AND active_position > $2)",
                values![reader.to_string(), from, to],
            )
            .await?;
        Ok(found.is_some())
    }

    /// The position up to which an actor has acknowledged its inbox; 0 where it never has.
    pub async fn read_up_to(&self, reader: ActorId) -> Result<i64, StoreError> {
        let up_to: Option<i64> = self
            .db
            .optional("SELECT up_to FROM acknowledgements WHERE reader_id = $1", values![reader.to_string()])
            .await?;
        Ok(up_to.unwrap_or(0))
    }
}

impl Row {
    fn item(self) -> Option<Result<ItemView, StoreError>> {
        let (Some(position), Some(kind), Some(read)) = (self.position, self.kind, self.read) else { return None };
        let (Some(event_type), Some(recorded_at)) = (self.event_type, self.recorded_at) else { return None };
        Some(stored_item((position, &kind, read), (&event_type, self.data), recorded_at))
    }
}

/// Decodes an item and its event.
fn stored_item(
    (position, kind, read): (i64, &str, bool),
    (event_type, data): (&str, Option<String>),
    recorded_at: DateTime<Utc>,
) -> Result<ItemView, StoreError> {
    let kind = kind.parse().map_err(|_| StoreError::Damaged(format!("{kind:?} is not a kind of inbox item")))?;
    let event = data.map(|data| Event::decode(event_type, &data)).transpose()?;
    Ok(ItemView { position, kind, event, read, recorded_at })
}
