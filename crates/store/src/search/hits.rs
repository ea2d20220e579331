//! Runs search queries and returns their hits.
//!
//! The index finds texts, and [`Query::score`] decides about phrases, exclusions and relevance: the same code for both databases.
//! **Invariant:** a search reads a bounded number of bytes, for any texts and terms.

use std::{cmp::Reverse, collections::HashMap, io};

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    ids::WorkspaceId,
    search::Query,
    workspaces::MessageKind,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use serde_json::json;

use super::{INDEXER, Search, candidates::Candidates};
use crate::{
    Listed, StoreError,
    database::{Db, FromRow, values},
};

/// How many hits are ranked by relevance: the newest ones.
const RANKED: i64 = 1000;

/// The work that one search may put into reading and comparing texts: each byte costs [`READ_COST`], and one more for each term.
pub const WORK_MAX: i64 = 16 * 1024 * 1024;
/// The cost of reading a byte, as a multiple of comparing it with a term.
const READ_COST: i64 = 4;
/// The bytes of texts that a search compares on the calling thread. More would delay other requests.
const INLINE_MAX: usize = 16 * 1024;

/// The order of search hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SearchSort {
    /// Best match first; the newer of two equal matches first. Only the newest thousand hits are ranked, and only those among the
    /// newest [`EXAMINED`](super::EXAMINED) texts with all the words. Hits beyond [`WORK_MAX`] have the score 0.
    #[default]
    Relevance,
    /// Newest first.
    Newest,
    /// Oldest first.
    Oldest,
}

/// A search query with its filters.
#[derive(Debug, Clone)]
pub struct SearchFilter {
    /// The words.
    pub query: Query,
    /// Only this type: `workspace`, `message`, `post` or `reply`.
    pub document_type: Option<&'static str>,
    /// Only this workspace and its content.
    pub workspace: Option<WorkspaceId>,
    /// Only texts of this author. For a workspace, its owner.
    pub author: Option<ActorId>,
    /// Only content that has this tag, or belongs to something with this tag.
    pub tag: Option<String>,
    /// Only messages of this kind.
    pub kind: Option<MessageKind>,
    /// Only content written at this time or later.
    pub since: Option<DateTime<Utc>>,
    /// The order of the hits.
    pub sort: SearchSort,
    /// Only after this position.
    pub after: Option<i64>,
    /// Only before this position.
    pub before: Option<i64>,
    /// How many hits to skip.
    pub skip: i64,
    /// The most hits to return.
    pub limit: i64,
}

/// A search hit, in its current state.
#[derive(Debug, Clone, FromRow)]
pub struct HitView {
    /// The position of its first event on the log.
    pub position: i64,
    /// The id of the workspace, message, post or reply.
    pub id: String,
    /// Its type: `workspace`, `message`, `post` or `reply`.
    #[column(name = "type")]
    pub document_type: String,
    /// Its workspace; `None` for posts and replies.
    pub workspace_id: Option<String>,
    /// The post itself, or the post that a reply belongs to.
    pub post_id: Option<String>,
    /// The kind of a message.
    pub kind: Option<String>,
    /// Its name or title, or that of the workspace or post that it belongs to.
    pub title: String,
    /// Its text.
    pub text: String,
    /// The author.
    #[column(from = String)]
    pub author_id: ActorId,
    /// The author's name at the time of writing.
    pub author_name: String,
    /// `ai-agent` or `human`.
    #[column(from = String)]
    pub author_type: ActorKind,
    /// The author's model at the time of writing; `None` for workspaces.
    pub author_model: Option<String>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// The relevance: greater is better. 0 if the text was not read, because it is beyond [`WORK_MAX`].
    #[column(skip)]
    pub score: i64,
}

/// The facets of what the index has found are checked again, because a text may have changed since.
const FILTER: &str = "AND (CAST($2 AS TEXT) IS NULL OR document.type = $2) \
     AND (CAST($3 AS TEXT) IS NULL OR document.workspace_id = $3) \
     AND (CAST($4 AS TEXT) IS NULL OR document.author_id = $4) \
     AND (CAST($5 AS TEXT) IS NULL \
     OR EXISTS (SELECT 1 FROM workspace_tags AS tags WHERE tag = $5 AND tags.workspace_id = document.workspace_id) \
     OR EXISTS (SELECT 1 FROM post_tags AS tags WHERE tag = $5 AND tags.post_id = document.post_id)) \
     AND (CAST($6 AS TEXT) IS NULL OR document.kind = $6) AND document.created_at >= $7";

/// The current author and text. Only the read tables hold them.
const SHOWN: &str = "SELECT found.position, found.id, found.type, found.workspace_id, found.post_id, found.kind, \
     coalesce(workspaces.name, posts.title, '') AS title, \
     coalesce(messages.content, replies.body, posts.body, workspaces.description, '') AS text, \
     coalesce(messages.author_id, replies.author_id, posts.author_id, workspaces.owner_id) AS author_id, \
     coalesce(messages.author_name, replies.author_name, posts.author_name, workspaces.owner_name) AS author_name, \
     coalesce(messages.author_type, replies.author_type, posts.author_type, workspaces.owner_type) AS author_type, \
     CASE found.type WHEN 'message' THEN messages.author_model WHEN 'reply' THEN replies.author_model \
     ELSE posts.author_model END AS author_model, found.created_at FROM";

const JOINED: &str = "LEFT JOIN messages ON messages.id = found.id LEFT JOIN replies ON replies.id = found.id \
     LEFT JOIN posts ON posts.id = found.post_id LEFT JOIN workspaces ON workspaces.id = found.workspace_id";

/// The documents at the positions `$1`. The listed positions lead: PostgreSQL would otherwise read all texts in their order.
fn at_positions(db: &Db, columns: &str) -> String {
    let listed = db.dialect().listed(1);
    format!(
        "SELECT {columns} FROM {listed} CROSS JOIN search_documents AS document \
         WHERE document.position = CAST(listed.value AS BIGINT)"
    )
}

/// A text that may match.
#[derive(Debug, Clone, Copy, FromRow)]
struct Found {
    position: i64,
    /// The length of its words, in bytes.
    bytes: i64,
}

/// A hit without its content.
#[derive(Debug, Clone, Copy)]
struct Ranked {
    position: i64,
    score: i64,
}

impl SearchFilter {
    /// How many hits are looked at.
    pub(super) fn looked_at(&self) -> i64 {
        if self.sort == SearchSort::Relevance { RANKED } else { self.limit }
    }
}

#[boxed]
impl Search {
    /// The hits of a query among the indexed documents. A search whose phrases, exclusions, tag or time cost too much to check
    /// stops and says where.
    pub async fn find(&self, filter: &SearchFilter) -> Result<Listed<HitView>, StoreError> {
        let Candidates { positions, scanned_to } = self.search_candidates(filter).await?;
        if positions.is_empty() {
            return Ok(Listed { rows: vec![], scanned_to });
        }
        let sized = self.measure_candidates(filter, &positions).await?;
        let (ranked, stopped_at) = self.rank_hits(filter, &sized).await?;
        let (skip, limit) = [filter.skip, filter.limit].map(|number| usize::try_from(number).unwrap_or(0)).into();
        let page: Vec<_> = ranked.into_iter().skip(skip).take(limit).collect();
        let rows = self.show_hits(&page).await?;
        // A text that was removed since its position was read does not end the list.
        let removed = page.last().filter(|_| rows.len() < page.len()).map(|last| last.position);
        Ok(Listed { rows, scanned_to: removed.or(stopped_at).or(scanned_to) })
    }

    /// Those of the texts that have the facets of the filter, in its order.
    async fn measure_candidates(&self, filter: &SearchFilter, positions: &[i64]) -> Result<Vec<Found>, StoreError> {
        let direction = if filter.sort == SearchSort::Oldest { "ASC" } else { "DESC" };
        let columns = "document.position, CAST(octet_length(document.words) AS BIGINT) AS bytes";
        let statement =
            format!("{} {FILTER} ORDER BY document.position + 0 {direction} LIMIT $8", at_positions(&self.db, columns));
        // Of texts that may not match, all are candidates.
        let limit = if filter.query.has_only_words() { filter.looked_at() } else { i64::MAX };
        self.db
            .all(
                &statement,
                values![
                    json!(positions).to_string(),
                    filter.document_type,
                    filter.workspace.map(|id| id.to_string()),
                    filter.author.map(|author| author.to_string()),
                    &filter.tag,
                    filter.kind.map(MessageKind::as_str),
                    filter.since.unwrap_or(DateTime::UNIX_EPOCH),
                    limit
                ],
            )
            .await
    }

    /// The hits among the texts, in the order of the filter, and the last text that was examined, if there are more. A text with all
    /// words of a query without phrases and exclusions is a hit whether it is read or not.
    async fn rank_hits(
        &self,
        filter: &SearchFilter,
        sized: &[Found],
    ) -> Result<(Vec<Ranked>, Option<i64>), StoreError> {
        let (query, is_ranked) = (&filter.query, filter.sort == SearchSort::Relevance);
        let unread = |text: &Found| Ranked { position: text.position, score: 0 };
        let (read, rest) = sized.split_at(affordable(query, sized));
        let (mut hits, mut stopped_at) = (self.score_texts(query, read).await?, None);
        if query.has_only_words() {
            hits.extend(rest.iter().map(unread));
        } else if !rest.is_empty() {
            stopped_at = read.last().map(|text| text.position);
        }
        let enough = usize::try_from(filter.looked_at()).unwrap_or(0);
        hits.truncate(enough);
        if is_ranked {
            hits.sort_by_key(|hit| Reverse((hit.score, hit.position)));
        }
        Ok((hits, stopped_at))
    }

    /// The hits among the texts, in their order.
    async fn score_texts(&self, query: &Query, texts: &[Found]) -> Result<Vec<Ranked>, StoreError> {
        if texts.is_empty() {
            return Ok(vec![]);
        }
        let positions: Vec<_> = texts.iter().map(|text| text.position).collect();
        let statement = at_positions(&self.db, "document.position, document.words");
        let words: Vec<(i64, String)> = self.db.all(&statement, values![json!(positions).to_string()]).await?;
        let (bytes, query) = (words.iter().map(|(_, words)| words.len()).sum::<usize>(), query.clone());
        let score = move || {
            let words: HashMap<_, _> = words.into_iter().collect();
            let score = |position: i64| query.score(words.get(&position)?).map(|score| Ranked { position, score });
            positions.into_iter().filter_map(score).collect()
        };
        if bytes <= INLINE_MAX {
            return Ok(score());
        }
        Ok(tokio::task::spawn_blocking(score).await.map_err(|error| sqlx::Error::Io(io::Error::other(error)))?)
    }

    /// The content of the hits, in their order.
    async fn show_hits(&self, page: &[Ranked]) -> Result<Vec<HitView>, StoreError> {
        if page.is_empty() {
            return Ok(vec![]);
        }
        let positions: Vec<_> = page.iter().map(|hit| hit.position).collect();
        let statement = format!("{SHOWN} ({}) AS found {JOINED}", at_positions(&self.db, "document.*"));
        let rows: Vec<HitView> = self.db.all(&statement, values![json!(positions).to_string()]).await?;
        let mut rows: HashMap<_, _> = rows.into_iter().map(|row| (row.position, row)).collect();
        let shown = |hit: &Ranked| rows.remove(&hit.position).map(|row| HitView { score: hit.score, ..row });
        Ok(page.iter().filter_map(shown).collect())
    }

    /// The position up to which the log is indexed.
    pub async fn indexed_to(&self) -> Result<i64, StoreError> {
        self.log.consumer_position(INDEXER).await
    }
}

/// How many of the texts a search may read: at least one, so that it gets on.
fn affordable(query: &Query, texts: &[Found]) -> usize {
    let terms = query.wanted().len() + query.unwanted().len();
    let cost = READ_COST + i64::try_from(terms).unwrap_or(i64::MAX - READ_COST);
    let mut left = WORK_MAX;
    let count = texts.iter().take_while(|text| {
        left = left.saturating_sub(text.bytes.saturating_mul(cost));
        left >= 0
    });
    count.count().max(1).min(texts.len())
}
