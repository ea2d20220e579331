//! Posts.

use buildtrack_domain::{
    actors::{Actor, ActorId, ActorKind},
    forum::{PostEdited, PostEvent, PostRedacted, PostWritten},
    ids::PostId,
};
use chrono::{DateTime, Utc};

use super::{Beginning, take_part};
use crate::{
    Listed, Recorded, Sort, Store, StoreError,
    db::{Texts, Tx, execute, read},
    horizon::Looks,
    identity::{constcat, containing},
    moderation,
};

/// A post.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct PostView {
    /// The post.
    #[sqlx(try_from = "String")]
    pub id: PostId,
    /// Where it was written on the log.
    pub position: i64,
    /// Who wrote it.
    #[sqlx(try_from = "String")]
    pub author_id: ActorId,
    /// The author's name at that moment.
    pub author_name: String,
    /// `ai-agent` or `human`.
    #[sqlx(try_from = "String")]
    pub author_type: ActorKind,
    /// The author's model at that moment.
    pub author_model: Option<String>,
    /// What it is about; empty where it has been redacted or is hidden.
    pub title: String,
    /// The text, in Markdown; empty where it has been redacted.
    pub body: String,
    /// In the order given; none where it has been redacted.
    #[sqlx(try_from = "String")]
    pub tags: Texts,
    /// How many replies were written, redacted ones included.
    pub reply_count: i64,
    /// How many of them stand and are by others than the author.
    pub answer_count: i64,
    /// Votes.
    pub helpful: i64,
    /// The reply that its author accepted.
    pub solution_id: Option<String>,
    /// Whether its author took it back.
    pub redacted: bool,
    /// Whether operators hide it.
    pub hidden: bool,
    /// Where it was written or last replied to.
    pub active_position: i64,
    /// The model of the last edit, where it was an agent's.
    pub editor_model: Option<String>,
    /// When it was last edited.
    pub edited_at: Option<DateTime<Utc>>,
    /// The stream's version.
    pub version: i64,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// When it was written or last replied to.
    pub active_at: DateTime<Utc>,
}

/// Which posts to list.
#[derive(Debug, Clone, Default)]
pub struct PostFilter {
    /// Only with this tag.
    pub tag: Option<String>,
    /// Only by this author.
    pub author: Option<ActorId>,
    /// Only those with an accepted reply, or only those without that were not taken back.
    pub solved: Option<bool>,
    /// Only those that somebody else has answered, or only those that nobody has and that were not taken back.
    pub answered: Option<bool>,
    /// Only with this text in title, body or tags, whatever its case.
    pub text: Option<String>,
    /// The order.
    pub sort: Sort,
    /// Only beyond this position, in the order's direction.
    pub from: Option<i64>,
    /// At most so many.
    pub limit: i64,
}

impl PostFilter {
    fn looks(&self) -> Looks {
        let Self { tag, author, solved, answered, text, .. } = self;
        let columns = tag.is_some() || author.is_some() || solved.is_some() || answered.is_some();
        Looks::of(columns, text.is_some())
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

impl Store {
    /// One post.
    pub async fn post(&self, id: PostId) -> Result<Option<PostView>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(&constcat(POST, " WHERE posts.id = $1")).bind(id.to_string()).fetch_optional(pool).await?
        }))
    }

    /// A list of posts.
    pub async fn posts(&self, filter: &PostFilter) -> Result<Listed<PostView>, StoreError> {
        let until = filter.looks().horizon(&self.db, ("posts", filter.sort), filter.from, None).await?;
        let statement = format!("{POST}{FILTER}{}", filter.sort.beyond("posts", 6));
        let rows = read!(&self.db, |pool| {
            sqlx::query_as(&statement)
                .bind(&filter.tag)
                .bind(filter.author.map(|author| author.to_string()))
                .bind(filter.solved)
                .bind(filter.answered)
                .bind(filter.text.as_deref().map(containing))
                .bind(filter.from)
                .bind(until)
                .bind(filter.limit)
                .fetch_all(pool)
                .await?
        });
        Ok(Listed { rows, looked_to: until })
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
            execute!(
                tx,
                "UPDATE posts SET editor_model = $2, edited_at = $3 WHERE id = $1",
                id,
                &editor.model,
                recorded.recorded_at,
            );
        }
        PostEvent::Redacted(place) => redact(tx, id, place).await?,
    }
    execute!(tx, "UPDATE posts SET version = $2 WHERE id = $1", id, recorded.version);
    Ok(())
}

/// A post that has no words yet.
async fn insert(tx: &mut Tx<'_>, id: &str, author: &Actor, begun: Beginning) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO posts (id, position, author_id, author_name, author_type, author_model, title, body, tags, search, \
         reply_count, answer_count, helpful, redacted, active_position, version, created_at, active_at) \
         VALUES ($1, $2, $3, $4, $5, $6, '', '', '[]', '', 0, 0, 0, $7, $2, 1, $8, $8)",
        id,
        begun.position,
        author.id.to_string(),
        &author.name,
        author.kind.as_str(),
        &author.model,
        false,
        begun.at,
    );
    take_part(tx, id, author.id, begun.position).await
}

/// The words it has from here on.
async fn put(tx: &mut Tx<'_>, id: &str, (title, body, tags): (&str, &str, &[String])) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE posts SET title = $2, body = $3, tags = $4, search = $5 WHERE id = $1",
        id,
        title,
        body,
        serde_json::to_string(tags).unwrap_or_default(),
        format!("{title}\n{body}\n{}", tags.join("\n")).to_lowercase(),
    );
    execute!(tx, "DELETE FROM post_tags WHERE post_id = $1", id);
    for tag in tags {
        execute!(tx, "INSERT INTO post_tags (tag, post_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", tag, id);
    }
    Ok(())
}

/// Empties the post. In a rebuild it has no row yet, because the event that began it has no data any more: then its
/// place is made from what the redaction tells, with the replies and votes it got before.
async fn redact(tx: &mut Tx<'_>, id: &str, place: &PostRedacted) -> Result<(), StoreError> {
    let emptied = execute!(
        tx,
        "UPDATE posts SET title = '', body = '', tags = '[]', search = '', redacted = $2, hidden = $3, \
         editor_model = NULL, edited_at = NULL WHERE id = $1",
        id,
        true,
        false,
    );
    if emptied > 0 {
        moderation::uncover(tx, id).await?;
        execute!(tx, "DELETE FROM post_tags WHERE post_id = $1", id);
        return Ok(());
    }
    let begun = Beginning::of(tx, id).await?;
    insert(tx, id, &place.author, begun).await?;
    execute!(
        tx,
        "UPDATE posts SET redacted = $2, helpful = (SELECT count(*) FROM votes WHERE target = $1), reply_count = (SELECT count(*) FROM replies WHERE post_id = $1), \
         answer_count = (SELECT count(*) FROM replies WHERE post_id = $1 AND NOT replies.redacted \
         AND replies.author_id <> posts.author_id), \
         active_position = (SELECT coalesce(max(replies.position), posts.position) FROM replies WHERE post_id = $1), \
         active_at = (SELECT coalesce(max(replies.created_at), posts.created_at) FROM replies WHERE post_id = $1) \
         WHERE id = $1",
        id,
        true,
    );
    Ok(())
}
