//! Totals of a workspace's messages, by kind and by author: read tables, so that a read costs the same in a workspace of a
//! million messages.
//!
//! **Invariant:** sums and greatest positions do not depend on the order of events, so a rebuild, which inserts the row of a
//! redacted message only at its redaction, has the same result.

use std::collections::BTreeMap;

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    ids::WorkspaceId,
    workspaces::MessageKind,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::{messages::MessageRow, postgres, sqlite};
use crate::{
    StoreError,
    database::{Db, FromRow, Tx, values},
    workspaces::Workspaces,
};

/// Totals of one kind of messages in a workspace.
#[derive(Debug, Clone, FromRow)]
pub struct KindTotal {
    /// The kind of contribution.
    #[column(from = String)]
    pub kind: MessageKind,
    /// Number of messages, redacted ones included.
    pub messages: i64,
    /// Number of redacted messages.
    pub redacted: i64,
    /// Number of votes for them.
    pub upvotes: i64,
}

/// Totals of one author's messages in a workspace.
#[derive(Debug, Clone, FromRow)]
pub struct AuthorTotal {
    /// The author.
    #[column(from = String)]
    pub author_id: ActorId,
    /// The author's name in the last message.
    pub author_name: String,
    /// `ai-agent` or `human`.
    #[column(from = String)]
    pub author_type: ActorKind,
    /// The author's model in the last message.
    pub author_model: Option<String>,
    /// Number of messages, redacted ones included.
    pub messages: i64,
    /// Number of votes for them.
    pub upvotes: i64,
}

/// Totals of a workspace's messages.
#[derive(Debug, Clone)]
pub struct WorkspaceTotals {
    /// By kind; a kind without messages is left out.
    pub kinds: Vec<KindTotal>,
    /// The authors with the most messages, the most first; of two with as many, the one whose last message is older first.
    pub authors: Vec<AuthorTotal>,
    /// Number of authors.
    pub author_count: i64,
    /// When the first message was posted.
    pub first_at: Option<DateTime<Utc>>,
    /// When the last message was posted.
    pub last_at: Option<DateTime<Utc>>,
}

/// A batch's new messages of one kind.
pub(crate) struct KindGrowth {
    pub(crate) workspace_id: String,
    pub(crate) kind: &'static str,
    pub(crate) messages: i64,
}

/// A batch's new messages of one author.
pub(crate) struct AuthorGrowth {
    pub(crate) workspace_id: String,
    pub(crate) author_id: String,
    pub(crate) messages: i64,
    pub(crate) last_position: i64,
}

/// A batch's new messages in one block of positions.
pub(crate) struct BlockGrowth {
    pub(crate) workspace_id: String,
    pub(crate) block: i64,
    pub(crate) messages: i64,
}

/// What a batch adds to the totals.
pub(crate) struct Growth {
    pub(crate) kinds: Vec<KindGrowth>,
    pub(crate) authors: Vec<AuthorGrowth>,
    pub(crate) blocks: Vec<BlockGrowth>,
}

/// The number of positions in a block.
const BLOCK: i64 = 2048;

const KINDS: &str = "SELECT kind, messages, redacted, upvotes FROM kind_totals WHERE workspace_id = $1 ORDER BY kind";

const AUTHORS: &str = "SELECT totals.author_id, author_name, author_type, author_model, totals.messages, totals.upvotes \
     FROM (SELECT workspace_id, author_id, messages, upvotes, last_position FROM author_totals \
     WHERE workspace_id = $1 ORDER BY messages DESC, last_position LIMIT $2) AS totals \
     JOIN messages ON messages.workspace_id = totals.workspace_id AND messages.position = totals.last_position \
     ORDER BY totals.messages DESC, totals.last_position";

const BOUNDS: &str = "SELECT (SELECT count(*) FROM author_totals WHERE workspace_id = $1) AS authors, \
     (SELECT created_at FROM messages WHERE workspace_id = $1 ORDER BY position LIMIT 1) AS first_at, \
     (SELECT created_at FROM messages WHERE workspace_id = $1 ORDER BY position DESC LIMIT 1) AS last_at";

#[boxed]
impl Workspaces {
    /// Totals of a workspace's messages, with up to `limit` authors.
    pub async fn workspace_totals(&self, id: WorkspaceId, limit: i64) -> Result<WorkspaceTotals, StoreError> {
        let id = id.to_string();
        let kinds = self.db.all(KINDS, values![&id]).await?;
        let authors = self.db.all(AUTHORS, values![&id, limit]).await?;
        let (author_count, first_at, last_at) = self.db.one(BOUNDS, values![&id]).await?;
        Ok(WorkspaceTotals { kinds, authors, author_count, first_at, last_at })
    }
}

/// The number of a workspace's messages up to a position, redacted ones included. It reads the rows of one block, and a row for
/// each block before it.
pub(super) async fn messages_until(db: &Db, workspace_id: &str, until: i64) -> Result<i64, StoreError> {
    db.one(
        "SELECT CAST((SELECT coalesce(sum(messages), 0) FROM block_totals WHERE workspace_id = $1 AND block < $2) \
         AS BIGINT) + (SELECT count(*) FROM messages WHERE workspace_id = $1 AND position >= $3 AND position <= $4)",
        values![workspace_id, until / BLOCK, until / BLOCK * BLOCK, until],
    )
    .await
}

/// Adds new messages, whose rows exist already.
pub(crate) async fn add(tx: &mut Tx<'_>, rows: &[MessageRow<'_>]) -> Result<(), StoreError> {
    let mut kinds = BTreeMap::<(WorkspaceId, &'static str), i64>::new();
    let mut authors = BTreeMap::<(WorkspaceId, ActorId), (i64, i64)>::new();
    let mut blocks = BTreeMap::<(WorkspaceId, i64), i64>::new();
    for MessageRow { posted, position, .. } in rows {
        *kinds.entry((posted.workspace_id, posted.kind.as_str())).or_default() += 1;
        let (messages, last_position) = authors.entry((posted.workspace_id, posted.author.id)).or_default();
        *messages += 1;
        *last_position = (*last_position).max(*position);
        *blocks.entry((posted.workspace_id, position / BLOCK)).or_default() += 1;
    }
    let kind = |((workspace_id, kind), messages): ((WorkspaceId, _), _)| KindGrowth {
        workspace_id: workspace_id.to_string(),
        kind,
        messages,
    };
    let author = |((workspace_id, author_id), (messages, last_position)): ((WorkspaceId, ActorId), _)| AuthorGrowth {
        workspace_id: workspace_id.to_string(),
        author_id: author_id.to_string(),
        messages,
        last_position,
    };
    let block = |((workspace_id, block), messages): ((WorkspaceId, _), _)| BlockGrowth {
        workspace_id: workspace_id.to_string(),
        block,
        messages,
    };
    let growth = Growth {
        kinds: kinds.into_iter().map(kind).collect(),
        authors: authors.into_iter().map(author).collect(),
        blocks: blocks.into_iter().map(block).collect(),
    };
    match tx {
        Tx::Postgres(connection) => postgres::grow_totals(connection, &growth).await,
        Tx::Sqlite(script) => sqlite::grow_totals(script, &growth).await,
    }
}

/// Counts a message as redacted that was counted before.
pub(crate) async fn redact(tx: &mut Tx<'_>, message: &str) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE kind_totals SET redacted = redacted + 1 \
         WHERE (workspace_id, kind) IN (SELECT workspace_id, kind FROM messages WHERE id = $1)",
        values![message],
    )
    .await?;
    Ok(())
}

/// Adds a message whose row was inserted at its redaction.
pub(crate) async fn add_redacted(tx: &mut Tx<'_>, message: &str) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO kind_totals (workspace_id, kind, messages, redacted, upvotes) \
         SELECT workspace_id, kind, 1, 1, upvotes FROM messages WHERE id = $1 \
         ON CONFLICT (workspace_id, kind) DO UPDATE SET messages = kind_totals.messages + 1, \
         redacted = kind_totals.redacted + 1, upvotes = kind_totals.upvotes + excluded.upvotes",
        values![message],
    )
    .await?;
    let later = "CASE WHEN author_totals.last_position < excluded.last_position THEN excluded.last_position \
                 ELSE author_totals.last_position END";
    let statement = format!(
        "INSERT INTO author_totals (workspace_id, author_id, messages, upvotes, last_position) \
         SELECT workspace_id, author_id, 1, upvotes, position FROM messages WHERE id = $1 \
         ON CONFLICT (workspace_id, author_id) DO UPDATE SET messages = author_totals.messages + 1, \
         upvotes = author_totals.upvotes + excluded.upvotes, last_position = {later}"
    );
    tx.execute(&statement, values![message]).await?;
    let statement = format!(
        "INSERT INTO block_totals (workspace_id, block, messages) \
         SELECT workspace_id, position / {BLOCK}, 1 FROM messages WHERE id = $1 \
         ON CONFLICT (workspace_id, block) DO UPDATE SET messages = block_totals.messages + 1"
    );
    tx.execute(&statement, values![message]).await?;
    Ok(())
}

/// Adds votes for a message. A message without a row is counted with its votes when its row is inserted.
pub(crate) async fn count_votes(tx: &mut Tx<'_>, message: &str, change: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE kind_totals SET upvotes = upvotes + $2 \
         WHERE (workspace_id, kind) IN (SELECT workspace_id, kind FROM messages WHERE id = $1)",
        values![message, change],
    )
    .await?;
    tx.execute(
        "UPDATE author_totals SET upvotes = upvotes + $2 \
         WHERE (workspace_id, author_id) IN (SELECT workspace_id, author_id FROM messages WHERE id = $1)",
        values![message, change],
    )
    .await?;
    Ok(())
}
