//! Read model of replies to forum posts.

use buildtrack_domain::{
    actors::{Actor, ActorId, ActorKind},
    forum::{ReplyEdited, ReplyEvent, ReplyRedacted, ReplyWritten},
    ids::{PostId, ReplyId},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::{Beginning, take_part};
use crate::{
    StoreError,
    database::{FromRow, Listed, ScanLimit, Tx, Window, columns::constcat, values},
    forum::Forum,
    log::Recorded,
    moderation,
};

/// A reply to a post.
#[derive(Debug, Clone, FromRow)]
pub struct ReplyView {
    /// The reply's id.
    #[column(from = String)]
    pub id: ReplyId,
    /// Position of its first event on the log.
    pub position: i64,
    /// The post that it replies to.
    #[column(from = String)]
    pub post_id: PostId,
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
    /// The text, in Markdown; empty where it has been redacted or is hidden.
    pub body: String,
    /// The reply that it responds to; none where it responds to the post itself.
    pub reply_to: Option<String>,
    /// Number of votes.
    pub helpful: i64,
    /// Whether the post's author accepted it.
    pub accepted: bool,
    /// Whether the reply is redacted.
    pub redacted: bool,
    /// Whether operators hide the reply.
    pub hidden: bool,
    /// The model of the last editor, where that was an agent.
    pub editor_model: Option<String>,
    /// When it was last edited.
    pub edited_at: Option<DateTime<Utc>>,
    /// The stream's version.
    pub version: i64,
    /// When it was written.
    pub created_at: DateTime<Utc>,
}

/// Filters of a reply list.
#[derive(Debug, Clone)]
pub struct ReplyFilter {
    /// Replies to this post.
    pub post_id: PostId,
    /// Only replies by this author.
    pub author: Option<ActorId>,
    /// Only replies that respond to this one.
    pub reply_to: Option<ReplyId>,
    /// Only replies beyond this position.
    pub after: Option<i64>,
    /// Only replies before this position.
    pub before: Option<i64>,
    /// Whether the newest comes first.
    pub descending: bool,
    /// Maximum number of rows.
    pub limit: i64,
}

const REPLY: &str = "SELECT replies.id, replies.position, replies.post_id, author_id, author_name, author_type, \
                     author_model, CASE WHEN hidden THEN '' ELSE body END AS body, reply_to, helpful, \
                     solutions.reply_id IS NOT NULL AS accepted, redacted, hidden, editor_model, edited_at, version, created_at FROM replies \
                     LEFT JOIN solutions ON solutions.post_id = replies.post_id AND solutions.reply_id = replies.id";

const FILTER: &str = " WHERE replies.post_id = $1 AND (CAST($2 AS TEXT) IS NULL OR author_id = $2) \
                      AND (CAST($3 AS TEXT) IS NULL OR reply_to = $3) \
                      AND replies.position > $4 AND replies.position < $5 ORDER BY replies.position ";

#[boxed]
impl Forum {
    /// One reply to a post.
    pub async fn reply(&self, post_id: PostId, id: ReplyId) -> Result<Option<ReplyView>, StoreError> {
        self.db
            .optional(
                &constcat(REPLY, " WHERE replies.id = $1 AND replies.post_id = $2"),
                values![id.to_string(), post_id.to_string()],
            )
            .await
    }

    /// A list of replies. With a filter, one page scans a bounded number of rows.
    pub async fn replies(&self, filter: &ReplyFilter) -> Result<Listed<ReplyView>, StoreError> {
        let scan_limit = ScanLimit::of(filter.author.is_some() || filter.reply_to.is_some(), false);
        let ReplyFilter { after, before, descending, .. } = *filter;
        let post_id = filter.post_id.to_string();
        let (window, scanned_to) = Window { after, before, descending }
            .scanned(scan_limit, &self.db, "replies", ("post_id", &post_id))
            .await?;
        let statement = format!("{REPLY}{FILTER}{}", if descending { "DESC LIMIT $6" } else { "LIMIT $6" });
        let rows = self
            .db
            .all(
                &statement,
                values![
                    &post_id,
                    filter.author.map(|author| author.to_string()),
                    filter.reply_to.map(|reply_to| reply_to.to_string()),
                    window.after.unwrap_or(0),
                    window.before.unwrap_or(i64::MAX),
                    filter.limit
                ],
            )
            .await?;
        Ok(Listed { rows, scanned_to })
    }
}

pub(super) async fn project(tx: &mut Tx<'_>, recorded: &Recorded, event: &ReplyEvent) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    match event {
        ReplyEvent::Written(ReplyWritten { reply_id, post_id, post_author_id, author, body, reply_to, .. }) => {
            let (reply_id, post_id, post_author_id, reply_to) = (*reply_id, *post_id, *post_author_id, *reply_to);
            let data = ReplyRedacted { reply_id, post_id, post_author_id, author: author.clone(), reply_to };
            insert(tx, &data, Beginning::from(recorded)).await?;
            tx.execute("UPDATE replies SET body = $2 WHERE id = $1", values![id, body]).await?;
            count_answer(tx, &data.post_id.to_string(), &data.author, 1).await?;
        }
        ReplyEvent::Edited(ReplyEdited { editor, body, .. }) => {
            tx.execute(
                "UPDATE replies SET body = $2, editor_model = $3, edited_at = $4 WHERE id = $1",
                values![id, body, &editor.model, recorded.recorded_at],
            )
            .await?;
        }
        ReplyEvent::Redacted(data) => redact(tx, id, data).await?,
    }
    tx.execute("UPDATE replies SET version = $2 WHERE id = $1", values![id, recorded.version]).await?;
    Ok(())
}

/// Inserts a reply without a body, and counts it in its post.
async fn insert(tx: &mut Tx<'_>, data: &ReplyRedacted, begun: Beginning) -> Result<(), StoreError> {
    let ReplyRedacted { reply_id, post_id, author, reply_to, .. } = data;
    let post_id = post_id.to_string();
    tx.execute(
        "INSERT INTO replies (id, position, post_id, author_id, author_name, author_type, author_model, body, reply_to, \
         helpful, redacted, version, created_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, '', $8, (SELECT count(*) FROM votes WHERE target = $1), $9, 1, $10)",
        values![
            reply_id.to_string(),
            begun.position,
            &post_id,
            author.id.to_string(),
            &author.name,
            author.kind.as_str(),
            &author.model,
            reply_to.map(|id| id.to_string()),
            false,
            begun.at,
        ],
    )
    .await?;
    tx.execute(
        "UPDATE posts SET reply_count = reply_count + 1, \
         active_position = CASE WHEN active_position < $2 THEN $2 ELSE active_position END, \
         active_at = CASE WHEN active_position < $2 THEN $3 ELSE active_at END WHERE id = $1",
        values![&post_id, begun.position, begun.at],
    )
    .await?;
    take_part(tx, &post_id, author.id, begun.position).await
}

/// Adds `by` (1 or -1) to the post's count of unredacted replies by others than its author.
async fn count_answer(tx: &mut Tx<'_>, post_id: &str, author: &Actor, by: i64) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE posts SET answer_count = answer_count + $3 WHERE id = $1 AND author_id <> $2",
        values![post_id, author.id.to_string(), by],
    )
    .await?;
    Ok(())
}

/// Empties the reply. In a rebuild it has no row yet, because its first event has no data any more: then its row is inserted from
/// the redaction event's data.
async fn redact(tx: &mut Tx<'_>, id: &str, data: &ReplyRedacted) -> Result<(), StoreError> {
    let emptied = empty(tx, id).await?;
    if emptied {
        moderation::uncover(tx, id).await?;
        return count_answer(tx, &data.post_id.to_string(), &data.author, -1).await;
    }
    let begun = Beginning::of(tx, id).await?;
    insert(tx, data, begun).await?;
    empty(tx, id).await.map(drop)
}

async fn empty(tx: &mut Tx<'_>, id: &str) -> Result<bool, StoreError> {
    let emptied = tx.execute(
        "UPDATE replies SET body = '', redacted = $2, hidden = $3, editor_model = NULL, edited_at = NULL WHERE id = $1",
        values![id, true, false],
    )
    .await?;
    Ok(emptied > 0)
}
