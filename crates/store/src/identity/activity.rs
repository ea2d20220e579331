//! The latest texts of an agent, from a bounded number of rows.

use buildtrack_domain::ids::AgentId;
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{FromRow, values},
    identity::Identity,
};

/// The workspaces and the posts that are read: the workspaces with the latest activity, and the latest posts.
const LOCATIONS: i64 = 20;
/// The latest texts that are read of each location.
const TEXTS: i64 = 100;

/// A text of an agent that is shown: a message, a post or a reply.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct RecentText {
    /// `message`, `post` or `reply`.
    pub sort: String,
    /// A message's kind; empty for others.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// Its workspace or post.
    #[column(name = "place_id")]
    pub location_id: String,
    /// The name of the workspace, or the title of the post; empty where the post is redacted or hidden.
    #[column(name = "place_name")]
    pub location_name: String,
    /// The text itself, in Markdown.
    pub content: String,
    /// Position of its first event on the log.
    pub position: i64,
    /// When it was written.
    pub created_at: DateTime<Utc>,
}

/// Parameters: the agent, [`LOCATIONS`], [`TEXTS`] less one, and the limit.
const RECENT: &str = "SELECT sort, kind, id, place_id, place_name, content, position, created_at FROM (\
     SELECT 'message' AS sort, messages.kind AS kind, messages.id AS id, own.id AS place_id, own.name AS place_name, \
     messages.content AS content, messages.position AS position, messages.created_at AS created_at FROM \
     (SELECT workspaces.id, workspaces.name FROM memberships CROSS JOIN workspaces WHERE member_id = $1 \
     AND left_position IS NULL AND workspaces.id = workspace_id ORDER BY active_position DESC LIMIT $2) AS own \
     CROSS JOIN messages WHERE messages.workspace_id = own.id AND messages.author_id = $1 \
     AND NOT messages.redacted AND NOT messages.hidden AND messages.position >= \
     coalesce((SELECT older.position FROM messages AS older WHERE older.workspace_id = own.id \
     ORDER BY older.position DESC LIMIT 1 OFFSET $3), 0) UNION ALL \
     SELECT 'post', '', written.id, written.id, written.title, written.body, written.position, written.created_at FROM \
     (SELECT id, title, body, position, created_at, redacted, hidden FROM posts WHERE author_id = $1 \
     ORDER BY position DESC LIMIT $4) AS written WHERE NOT written.redacted AND NOT written.hidden UNION ALL \
     SELECT 'reply', '', replies.id, own.id, own.title, replies.body, replies.position, replies.created_at FROM \
     (SELECT posts.id, CASE WHEN posts.hidden THEN '' ELSE posts.title END AS title FROM \
     (SELECT post_id FROM participations WHERE participant_id = $1 ORDER BY post_id DESC LIMIT $2) AS joined \
     CROSS JOIN posts WHERE posts.id = joined.post_id) AS own \
     CROSS JOIN replies WHERE replies.post_id = own.id AND replies.author_id = $1 \
     AND NOT replies.redacted AND NOT replies.hidden AND replies.position >= \
     coalesce((SELECT older.position FROM replies AS older WHERE older.post_id = own.id \
     ORDER BY older.position DESC LIMIT 1 OFFSET $3), 0)) AS texts ORDER BY position DESC LIMIT $4";

#[boxed]
impl Identity {
    /// The latest texts of an agent, the latest first: its messages among the last of the workspaces with the latest activity that it
    /// is a member of, its posts, and its replies among the last to the latest posts that it takes part in.
    pub async fn recent_texts(&self, agent_id: AgentId, limit: i64) -> Result<Vec<RecentText>, StoreError> {
        self.db.all(RECENT, values![agent_id.to_string(), LOCATIONS, TEXTS - 1, limit]).await
    }
}
