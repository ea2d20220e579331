//! Read model of forum posts.

use buildtrack_domain::{
    actors::{Actor, ActorId, ActorKind},
    forum::{PostEdited, PostEvent, PostRedacted, PostWritten},
    ids::PostId,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::{Beginning, take_part};
use crate::{
    StoreError,
    database::{
        FromRow, Listed, ScanLimit, Sort, Texts, Tx,
        columns::{constcat, containing},
        values,
    },
    forum::Forum,
    log::Recorded,
    moderation,
};

/// A forum post.
#[derive(Debug, Clone, FromRow)]
pub struct PostView {
    /// The post's id.
    #[column(from = String)]
    pub id: PostId,
    /// Position of its first event on the log.
    pub position: i64,
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
    /// The title; empty where the post is redacted or hidden.
    pub title: String,
    /// The text, in Markdown; empty where the post is redacted or hidden.
    pub body: String,
    /// Tags in the author's order; empty where the post is redacted or hidden.
    #[column(from = String)]
    pub tags: Texts,
    /// Number of replies, redacted ones included.
    pub reply_count: i64,
    /// Number of replies by others than the author that are not redacted.
    pub answer_count: i64,
    /// Number of votes.
    pub helpful: i64,
    /// The reply that the post's author accepted.
    pub solution_id: Option<String>,
    /// Whether the post is redacted.
    pub redacted: bool,
    /// Whether operators hide the post.
    pub hidden: bool,
    /// Position of the post or of its last reply.
    pub active_position: i64,
    /// The model of the last editor, where that was an agent.
    pub editor_model: Option<String>,
    /// When it was last edited.
    pub edited_at: Option<DateTime<Utc>>,
    /// The stream's version.
    pub version: i64,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When the post or its last reply was written.
    pub active_at: DateTime<Utc>,
}

/// Filters of a post list.
#[derive(Debug, Clone, Default)]
pub struct PostFilter {
    /// Only posts with this tag.
    pub tag: Option<String>,
    /// Only posts by this author.
    pub author: Option<ActorId>,
    /// Only posts with an accepted reply, or only shown posts without one.
    pub solved: Option<bool>,
    /// Only posts with a reply by another actor, or only shown posts without one.
    pub answered: Option<bool>,
    /// Only posts with this text in title, body or tags; case does not matter.
    pub text: Option<String>,
    /// The sort order.
    pub sort: Sort,
    /// Only posts beyond this position, in the direction of the order.
    pub from: Option<i64>,
    /// Maximum number of rows.
    pub limit: i64,
}

impl PostFilter {
    fn scan_limit(&self) -> ScanLimit {
        let Self { tag, author, solved, answered, text, .. } = self;
        let columns = tag.is_some() || author.is_some() || solved.is_some() || answered.is_some();
        ScanLimit::of(columns, text.is_some())
    }
}

const POST: &str = "SELECT posts.id, posts.position, author_id, author_name, author_type, author_model, \
                    CASE WHEN hidden THEN '' ELSE title END AS title, CASE WHEN hidden THEN '' ELSE body END AS body, \
                    CASE WHEN hidden THEN '[]' ELSE tags END AS tags, reply_count, answer_count, helpful, \
                    solutions.reply_id AS solution_id, redacted, hidden, active_position, \
                    editor_model, edited_at, version, created_at, active_at \
                    FROM posts LEFT JOIN solutions ON solutions.post_id = posts.id";

const FILTER: &str = " WHERE (CAST($1 AS TEXT) IS NULL \
                      OR NOT hidden AND posts.id IN (SELECT post_id FROM post_tags WHERE tag = $1)) \
                      AND (CAST($2 AS TEXT) IS NULL OR author_id = $2) \
                      AND (CAST($3 AS BOOLEAN) IS NULL OR CASE WHEN $3 THEN solutions.reply_id IS NOT NULL \
                      ELSE solutions.reply_id IS NULL AND NOT redacted AND NOT hidden END) \
                      AND (CAST($4 AS BOOLEAN) IS NULL OR CASE WHEN $4 THEN answer_count > 0 \
                      ELSE answer_count = 0 AND NOT redacted AND NOT hidden END) \
                      AND (CAST($5 AS TEXT) IS NULL OR NOT hidden AND search LIKE $5 ESCAPE '\\') ";

#[boxed]
impl Forum {
    /// One post.
    pub async fn post(&self, id: PostId) -> Result<Option<PostView>, StoreError> {
        self.db.optional(&constcat(POST, " WHERE posts.id = $1"), values![id.to_string()]).await
    }

    /// A list of posts.
    pub async fn posts(&self, filter: &PostFilter) -> Result<Listed<PostView>, StoreError> {
        let until = filter.scan_limit().last_scanned(&self.db, ("posts", filter.sort), filter.from, None).await?;
        let statement = format!("{POST}{FILTER}{}", filter.sort.beyond("posts", 6));
        let rows = self
            .db
            .all(
                &statement,
                values![
                    &filter.tag,
                    filter.author.map(|author| author.to_string()),
                    filter.solved,
                    filter.answered,
                    filter.text.as_deref().map(containing),
                    filter.from,
                    until,
                    filter.limit
                ],
            )
            .await?;
        Ok(Listed { rows, scanned_to: until })
    }
}

pub(super) async fn project(tx: &mut Tx<'_>, recorded: &Recorded, event: &PostEvent) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    match event {
        PostEvent::Written(PostWritten { author, title, body, tags, .. }) => {
            insert(tx, id, author, Beginning::from(recorded)).await?;
            put(tx, id, (title, body, tags)).await?;
        }
        PostEvent::Edited(PostEdited { editor, title, body, tags, .. }) => {
            put(tx, id, (title, body, tags)).await?;
            tx.execute(
                "UPDATE posts SET editor_model = $2, edited_at = $3 WHERE id = $1",
                values![id, &editor.model, recorded.recorded_at],
            )
            .await?;
        }
        PostEvent::Redacted(data) => redact(tx, id, data).await?,
    }
    tx.execute("UPDATE posts SET version = $2 WHERE id = $1", values![id, recorded.version]).await?;
    Ok(())
}

/// Inserts a post without title, body and tags.
async fn insert(tx: &mut Tx<'_>, id: &str, author: &Actor, begun: Beginning) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO posts (id, position, author_id, author_name, author_type, author_model, title, body, tags, search, \
         reply_count, answer_count, helpful, redacted, active_position, version, created_at, active_at) \
         VALUES ($1, $2, $3, $4, $5, $6, '', '', '[]', '', 0, 0, 0, $7, $2, 1, $8, $8)",
        values![
            id,
            begun.position,
            author.id.to_string(),
            &author.name,
            author.kind.as_str(),
            &author.model,
            false,
            begun.at,
        ],
    )
    .await?;
    take_part(tx, id, author.id, begun.position).await
}

/// Writes the post's current title, body and tags.
async fn put(tx: &mut Tx<'_>, id: &str, (title, body, tags): (&str, &str, &[String])) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE posts SET title = $2, body = $3, tags = $4, search = $5 WHERE id = $1",
        values![
            id,
            title,
            body,
            serde_json::to_string(tags).unwrap_or_default(),
            format!("{title}\n{body}\n{}", tags.join("\n")).to_lowercase()
        ],
    )
    .await?;
    tx.execute("DELETE FROM post_tags WHERE post_id = $1", values![id]).await?;
    for tag in tags {
        tx.execute("INSERT INTO post_tags (tag, post_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", values![tag, id])
            .await?;
    }
    Ok(())
}

/// Empties the post. In a rebuild it has no row yet, because its first event has no data any more: then its row is inserted from
/// the redaction event's data, with the replies and votes it received before.
async fn redact(tx: &mut Tx<'_>, id: &str, data: &PostRedacted) -> Result<(), StoreError> {
    let emptied = tx
        .execute(
            "UPDATE posts SET title = '', body = '', tags = '[]', search = '', redacted = $2, hidden = $3, \
         editor_model = NULL, edited_at = NULL WHERE id = $1",
            values![id, true, false],
        )
        .await?;
    if emptied > 0 {
        moderation::uncover(tx, id).await?;
        tx.execute("DELETE FROM post_tags WHERE post_id = $1", values![id]).await?;
        return Ok(());
    }
    let begun = Beginning::of(tx, id).await?;
    insert(tx, id, &data.author, begun).await?;
    tx.execute(
        "UPDATE posts SET redacted = $2, helpful = (SELECT count(*) FROM votes WHERE target = $1), reply_count = (SELECT count(*) FROM replies WHERE post_id = $1), \
         answer_count = (SELECT count(*) FROM replies WHERE post_id = $1 AND NOT replies.redacted \
         AND replies.author_id <> posts.author_id), \
         active_position = (SELECT coalesce(max(replies.position), posts.position) FROM replies WHERE post_id = $1), \
         active_at = (SELECT coalesce(max(replies.created_at), posts.created_at) FROM replies WHERE post_id = $1) \
         WHERE id = $1",
        values![id, true],
    )
    .await?;
    Ok(())
}
