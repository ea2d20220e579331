//! Inboxes as they are read: items, how far they were read, and under which names people are mentioned.
//!
//! **Invariant:** the list and the count of what is unread are the same rows, read in one statement with the log's end.
//! **Invariant:** no text is kept here: an item names its event, and what it said is read from the log while it is there.

mod handles;
mod projection;
mod suggestions;

pub(crate) use handles::BearerRow;
pub(crate) use projection::{ItemRow, project};
pub use suggestions::{Lately, QuestionView};

use buildtrack_domain::{actors::ActorId, event::Event, inbox::ItemKind};
use chrono::{DateTime, Utc};

use crate::{
    Store, StoreError,
    db::{Db, read},
    postgres, sqlite,
};

/// Which items to list, oldest first.
#[derive(Debug, Clone, Copy)]
pub struct InboxFilter {
    /// In whose inbox.
    pub recipient: ActorId,
    /// Only what has not been read.
    pub unread: bool,
    /// Only of this kind.
    pub kind: Option<ItemKind>,
    /// Only beyond this position.
    pub after: i64,
    /// At most so many.
    pub limit: i64,
}

/// Some of what is in an inbox, and all that can be said of the rest.
#[derive(Debug, Clone)]
pub struct InboxView {
    /// Where the log ended: everything up to there was considered.
    pub head: i64,
    /// How many items have not been read, of all kinds.
    pub unread: i64,
    /// In the order of the log.
    pub items: Vec<ItemView>,
}

/// Something that happened to somebody.
#[derive(Debug, Clone)]
pub struct ItemView {
    /// Where it happened on the log.
    pub position: i64,
    /// What sort of thing it is.
    pub kind: ItemKind,
    /// What happened; none where it was redacted at this very moment.
    pub event: Option<Event>,
    /// Whether it has been read.
    pub read: bool,
    /// When it happened.
    pub recorded_at: DateTime<Utc>,
}

/// The log's end and the count, with an item beside them, or none.
#[derive(sqlx::FromRow)]
struct Row {
    head: i64,
    unread: i64,
    position: Option<i64>,
    kind: Option<String>,
    read: Option<bool>,
    #[sqlx(rename = "type")]
    event_type: Option<String>,
    data: Option<String>,
    recorded_at: Option<DateTime<Utc>>,
}

/// What operators hide is in no inbox until they restore it.
const SHOWN: &str = "AND NOT EXISTS (SELECT 1 FROM hidings WHERE subject = subject_id)";

impl Store {
    /// What is in an inbox.
    pub async fn inbox(&self, filter: &InboxFilter) -> Result<InboxView, StoreError> {
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
        let rows: Vec<Row> = read!(&self.db, |pool| {
            sqlx::query_as(&statement)
                .bind(recipient.to_string())
                .bind(after)
                .bind(limit)
                .bind(kind.map(ItemKind::as_str))
                .fetch_all(pool)
                .await?
        });
        let first = rows.first().ok_or_else(|| StoreError::Damaged("the log has no head".into()))?;
        let (head, unread) = (first.head, first.unread);
        let items = rows.into_iter().filter_map(Row::item).collect::<Result<Vec<_>, _>>()?;
        Ok(InboxView { head, unread, items })
    }

    /// Which of these positions are those of unread items.
    pub async fn unread_among(&self, recipient: ActorId, positions: &[i64]) -> Result<Vec<i64>, StoreError> {
        if positions.is_empty() {
            return Ok(vec![]);
        }
        match &self.db {
            Db::Postgres { reads: pool, .. } => postgres::unread_among(pool, recipient, positions).await,
            Db::Sqlite { readers, .. } => sqlite::unread_among(readers, recipient, positions).await,
        }
    }

    /// Whether it makes a difference that somebody who has read everything up to `from` reads up to `to`: something is
    /// unread there, or something has happened since in a workspace that they are in.
    pub async fn has_news(&self, reader: ActorId, from: i64, to: i64) -> Result<bool, StoreError> {
        let found: Option<i64> = read!(&self.db, |pool| {
            sqlx::query_scalar(
                "SELECT CAST(1 AS BIGINT) WHERE EXISTS (SELECT 1 FROM inbox WHERE recipient_id = $1 AND NOT read \
                 AND position <= $3) OR EXISTS (SELECT 1 FROM memberships CROSS JOIN workspaces \
                 WHERE member_id = $1 AND left_position IS NULL AND workspaces.id = workspace_id \
                 AND active_position > $2)",
            )
            .bind(reader.to_string())
            .bind(from)
            .bind(to)
            .fetch_optional(pool)
            .await?
        });
        Ok(found.is_some())
    }

    /// Up to where somebody has read; 0 where they never said.
    pub async fn read_up_to(&self, reader: ActorId) -> Result<i64, StoreError> {
        let up_to: Option<i64> = read!(&self.db, |pool| {
            sqlx::query_scalar("SELECT up_to FROM acknowledgements WHERE reader_id = $1")
                .bind(reader.to_string())
                .fetch_optional(pool)
                .await?
        });
        Ok(up_to.unwrap_or(0))
    }
}

impl Row {
    fn item(self) -> Option<Result<ItemView, StoreError>> {
        let (Some(position), Some(kind), Some(read)) = (self.position, self.kind, self.read) else { return None };
        let (Some(event_type), Some(recorded_at)) = (self.event_type, self.recorded_at) else { return None };
        let view = || {
            let kind = kind.parse().map_err(|_| StoreError::Damaged(format!("{kind:?} is no kind of item")))?;
            let event = self.data.map(|data| Event::decode(&event_type, &data)).transpose()?;
            Ok(ItemView { position, kind, event, read, recorded_at })
        };
        Some(view())
    }
}
