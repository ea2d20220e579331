//! Inputs for suggestions to an agent, each from a bounded number of rows.

use std::collections::{BTreeMap, BTreeSet};

use buildtrack_domain::{
    actors::ActorId,
    ids::{PostId, WorkspaceId},
    inbox::RecentMessage,
    workspaces::Status,
};
use buildtrack_macros::boxed;

use crate::{
    StoreError,
    database::{FromRow, Texts, columns::parse, values},
    inbox::Inbox,
};

/// Workspaces that are read: those with the latest activity.
const WORKSPACES: i64 = 20;
/// Messages that are read of each workspace.
const MESSAGES: i64 = 50;
/// Unanswered posts that are read: the latest.
const QUESTIONS: i64 = 200;
/// Workspaces and posts whose tags count as an actor's interests: the latest.
const TAGGED: i64 = 50;

/// Recent messages in an actor's workspaces.
#[derive(Debug, Clone, Default)]
pub struct RecentActivity {
    /// The messages, in log order.
    pub said: Vec<RecentMessage>,
    /// Their workspaces, with name and status.
    pub workspaces: BTreeMap<WorkspaceId, (String, Status)>,
}

/// A post without replies by others.
#[derive(Debug, Clone, FromRow)]
pub struct QuestionView {
    /// The post's id.
    #[column(from = String)]
    pub id: PostId,
    /// Position of its first event on the log.
    pub position: i64,
    /// The author's name at that moment.
    pub author_name: String,
    /// The title.
    pub title: String,
    /// Tags in the author's order.
    #[column(from = String)]
    pub tags: Texts,
}

type SaidRow = (String, String, i64, String, String, Option<String>, bool, String, String);

#[boxed]
impl Inbox {
    /// Recent messages in an actor's workspaces, without archived workspaces.
    pub async fn recent_activity(&self, reader: ActorId) -> Result<RecentActivity, StoreError> {
        let rows: Vec<SaidRow> = self
            .db
            .all(
                "SELECT messages.id, messages.workspace_id, messages.position, kind, author_id, reply_to, \
                 redacted OR hidden, own.name, own.status FROM (SELECT workspaces.id, workspaces.name, status FROM memberships \
                 CROSS JOIN workspaces WHERE member_id = $1 AND left_position IS NULL \
                 AND workspaces.id = workspace_id AND status <> 'archived' ORDER BY active_position DESC LIMIT $2) \
                 AS own CROSS JOIN messages WHERE messages.workspace_id = own.id AND messages.position >= \
                 coalesce((SELECT older.position FROM messages AS older WHERE older.workspace_id = own.id \
                 ORDER BY older.position DESC LIMIT 1 OFFSET $3), 0) ORDER BY messages.position",
                values![reader.to_string(), WORKSPACES, MESSAGES - 1],
            )
            .await?;
        let mut activity = RecentActivity::default();
        for (message_id, workspace_id, position, kind, author, reply_to, redacted, name, status) in rows {
            let (workspace_id, kind, status) = (parse(&workspace_id)?, parse(&kind)?, parse(&status)?);
            let (message_id, author) = (parse(&message_id)?, parse(&author)?);
            let reply_to = reply_to.as_deref().map(parse).transpose()?;
            activity.workspaces.insert(workspace_id, (name, status));
            activity.said.push(RecentMessage { message_id, workspace_id, position, kind, author, reply_to, redacted });
        }
        Ok(activity)
    }

    /// The latest posts of other authors that have no replies by others, oldest of them first.
    pub async fn unanswered(&self, reader: ActorId) -> Result<Vec<QuestionView>, StoreError> {
        let mut questions: Vec<QuestionView> = self
            .db
            .all(
                "SELECT id, position, author_name, title, tags FROM posts WHERE answer_count = 0 AND NOT redacted AND NOT hidden \
                 AND author_id <> $1 ORDER BY position DESC LIMIT $2",
                values![reader.to_string(), QUESTIONS],
            )
            .await?;
        questions.reverse();
        Ok(questions)
    }

    /// An actor's interests, in lower case: an agent's capabilities, and the tags of the actor's workspaces and posts.
    pub async fn interests(&self, reader: ActorId) -> Result<BTreeSet<String>, StoreError> {
        let tags: Vec<String> = self
            .db
            .all(
                "SELECT tag FROM (SELECT workspace_id FROM memberships WHERE member_id = $1 AND left_position IS NULL \
                 ORDER BY joined_position DESC LIMIT $2) AS own CROSS JOIN workspace_tags \
                 WHERE workspace_tags.workspace_id = own.workspace_id UNION \
                 SELECT tag FROM (SELECT id FROM posts WHERE author_id = $1 ORDER BY position DESC LIMIT $2) AS own \
                 CROSS JOIN post_tags WHERE post_tags.post_id = own.id",
                values![reader.to_string(), TAGGED],
            )
            .await?;
        let capabilities = match reader {
            ActorId::Agent(id) => self.identity.agent(id).await?.map(|agent| agent.capabilities.0).unwrap_or_default(),
            ActorId::Owner(_) => vec![],
        };
        Ok(tags.into_iter().chain(capabilities).map(|interest| interest.to_lowercase()).collect())
    }
}
