//! Read models of workspaces and their members.

pub(crate) mod as_of;
mod invitations;
mod messages;
mod postgres;
mod projection;
mod shipments;
mod sqlite;
mod totals;

pub use as_of::PastWorkspace;
pub use invitations::InvitationView;
pub use messages::{MessageFilter, MessageView};
use projection::project;
pub use shipments::ShipmentView;
use shipments::rewrite_text;
pub(crate) use totals::count_votes;
pub use totals::{AuthorTotal, KindTotal, WorkspaceTotals};

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    ids::WorkspaceId,
    workspaces::{Role, Status},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use futures_util::FutureExt;

use self::as_of::Pasts;
use crate::{
    StoreError,
    database::{
        Db, FromRow, Listed, ScanLimit, Sort, Texts,
        columns::{constcat, containing, parse},
        values,
    },
    log::{
        Log,
        context::{Context, NameCopy, ReadTable},
    },
};

/// The read tables of this context.
const READ_TABLES: &[ReadTable] = &[
    ReadTable::new("workspaces", "id", &[NameCopy::of_actor("owner_id", "owner_name")]),
    ReadTable::new("workspace_tags", "tag, workspace_id", &[]),
    ReadTable::new(
        "memberships",
        "workspace_id, joined_position",
        &[NameCopy::of_actor("member_id", "name").with_models(&["model"])],
    ),
    ReadTable::new(
        "messages",
        "id",
        &[NameCopy::of_actor("author_id", "author_name").with_models(&["author_model"]).found_by(
            "memberships",
            "member_id",
            "workspace_id",
        )],
    ),
    ReadTable::new("kind_totals", "workspace_id, kind", &[]),
    ReadTable::new("author_totals", "workspace_id, author_id", &[]),
    ReadTable::new("block_totals", "workspace_id, block", &[]),
    ReadTable::new(
        "shipments",
        "workspace_id",
        &[NameCopy::of_actor("shipper_id", "shipper_name").with_models(&["shipper_model"])],
    ),
    ReadTable::new(
        "invitations",
        "workspace_id, invited_id",
        &[
            NameCopy::of_workspace("workspace_id", "workspace_name"),
            NameCopy::of_actor("invited_id", "invited_name").with_models(&["invited_model"]),
            NameCopy::of_actor("inviter_id", "inviter_name").with_models(&["inviter_model"]),
        ],
    ),
];

/// What the context declares to the log.
pub(crate) const CONTEXT: Context = Context {
    read_tables: READ_TABLES,
    project: |tx, events, _| project(tx, events).boxed(),
    rewrite_text: |tx, text| rewrite_text(tx, text).boxed(),
    ..Context::EMPTY
};

/// Workspaces, their members and messages. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Workspaces {
    db: Db,
    log: Log,
    pasts: Pasts,
}

impl Workspaces {
    pub(crate) fn new(log: &Log) -> Self {
        Self { db: log.db.clone(), log: log.clone(), pasts: Pasts::new(log.contexts) }
    }
}

/// A workspace, as read.
#[derive(Debug, Clone, FromRow)]
pub struct WorkspaceView {
    /// The workspace's id.
    #[column(from = String)]
    pub id: WorkspaceId,
    /// Position of its first event on the log.
    pub position: i64,
    /// Its name.
    pub name: String,
    /// The problem and the proposal.
    pub description: String,
    /// The goal.
    pub goal: Option<String>,
    /// The owner: the actor that opened it, or to which it was transferred.
    #[column(from = String)]
    pub owner_id: ActorId,
    /// The owner's name at that moment.
    pub owner_name: String,
    /// `ai-agent` or `human`.
    #[column(from = String)]
    pub owner_type: ActorKind,
    /// Tags in the author's order.
    #[column(from = String)]
    pub tags: Texts,
    /// The workspace's status.
    #[column(from = String)]
    pub status: Status,
    /// The message accepted as its solution.
    pub solution_id: Option<String>,
    /// Number of members.
    pub member_count: i64,
    /// Number of messages, redacted ones included.
    pub message_count: i64,
    /// Position of its last activity on the log.
    pub active_position: i64,
    /// The stream's version.
    pub version: i64,
    /// When it was opened.
    pub created_at: DateTime<Utc>,
    /// Time of its last activity.
    pub updated_at: DateTime<Utc>,
}

/// A member, with the name and model at the time of joining.
#[derive(Debug, Clone, FromRow)]
pub struct MemberView {
    /// The agent or owner.
    #[column(name = "member_id", from = String)]
    pub id: ActorId,
    /// The member's name.
    pub name: String,
    /// `ai-agent` or `human`.
    #[column(name = "type", from = String)]
    pub kind: ActorKind,
    /// The agent's model.
    pub model: Option<String>,
    /// The member's role.
    #[column(from = String)]
    pub role: Role,
    /// When it joined.
    pub joined_at: DateTime<Utc>,
    /// Position of joining on the log.
    pub joined_position: i64,
}

/// Filters of a workspace list.
#[derive(Debug, Clone, Default)]
pub struct WorkspaceFilter {
    /// Only workspaces with this tag.
    pub tag: Option<String>,
    /// Only workspaces with this status.
    pub status: Option<Status>,
    /// Only workspaces of this owner.
    pub owner: Option<ActorId>,
    /// Only workspaces with this member.
    pub member: Option<ActorId>,
    /// Only workspaces with this text in name, description, goal or tags; case does not matter.
    pub text: Option<String>,
    /// The sort order.
    pub sort: Sort,
    /// Only workspaces beyond this position, in the direction of the order.
    pub from: Option<i64>,
    /// Maximum number of rows.
    pub limit: i64,
}

impl WorkspaceFilter {
    fn scan_limit(&self) -> ScanLimit {
        let Self { tag, status, owner, member, text, .. } = self;
        let columns = tag.is_some() || status.is_some() || owner.is_some() || member.is_some();
        ScanLimit::of(columns, text.is_some())
    }
}

const WORKSPACE: &str = "SELECT id, position, name, description, goal, owner_id, owner_name, owner_type, tags, status, \
                         solution_id, member_count, message_count, active_position, version, created_at, updated_at FROM workspaces";

const FILTER: &str = " WHERE (CAST($1 AS TEXT) IS NULL OR id IN (SELECT workspace_id FROM workspace_tags WHERE tag = $1)) \
                      AND (CAST($2 AS TEXT) IS NULL OR status = $2) AND (CAST($3 AS TEXT) IS NULL OR owner_id = $3) \
                      AND (CAST($4 AS TEXT) IS NULL OR id IN (SELECT workspace_id FROM memberships \
                      WHERE member_id = $4 AND left_position IS NULL)) \
                      AND (CAST($5 AS TEXT) IS NULL OR search LIKE $5 ESCAPE '\\') ";

#[boxed]
impl Workspaces {
    /// One workspace.
    pub async fn workspace(&self, id: WorkspaceId) -> Result<Option<WorkspaceView>, StoreError> {
        workspace(&self.db, id).await
    }

    /// A list of workspaces.
    pub async fn list(&self, filter: &WorkspaceFilter) -> Result<Listed<WorkspaceView>, StoreError> {
        let until = filter.scan_limit().last_scanned(&self.db, ("workspaces", filter.sort), filter.from, None).await?;
        let statement = format!("{WORKSPACE}{FILTER}{}", filter.sort.beyond("workspaces", 6));
        let rows = self
            .db
            .all(
                &statement,
                values![
                    &filter.tag,
                    filter.status.map(Status::as_str),
                    filter.owner.map(|owner| owner.to_string()),
                    filter.member.map(|member| member.to_string()),
                    filter.text.as_deref().map(containing),
                    filter.from,
                    until,
                    filter.limit
                ],
            )
            .await?;
        Ok(Listed { rows, scanned_to: until })
    }

    /// Workspaces that an actor is a member of, those with the latest activity first.
    pub async fn workspaces_of(&self, member: ActorId, limit: i64) -> Result<Vec<WorkspaceView>, StoreError> {
        // The sign keeps the databases from reading the workspaces of all actors in this order.
        let of_member = " WHERE id IN (SELECT workspace_id FROM memberships WHERE member_id = $1 AND left_position IS NULL) \
                         ORDER BY +active_position DESC LIMIT $2";
        self.db.all(&constcat(WORKSPACE, of_member), values![member.to_string(), limit]).await
    }

    /// Members in the order of joining, beyond a position on the log.
    pub async fn members(&self, id: WorkspaceId, after: i64, limit: i64) -> Result<Vec<MemberView>, StoreError> {
        members(&self.db, id, after, limit).await
    }

    /// The role of an actor in a workspace; none unless it is a member.
    pub async fn role_in(&self, id: WorkspaceId, actor: ActorId) -> Result<Option<Role>, StoreError> {
        let role: Option<String> = self
            .db
            .optional(
                "SELECT role FROM memberships WHERE workspace_id = $1 AND member_id = $2 AND left_position IS NULL",
                values![id.to_string(), actor.to_string()],
            )
            .await?;
        role.map(|role| parse(&role)).transpose()
    }
}

pub(crate) async fn workspace(db: &Db, id: WorkspaceId) -> Result<Option<WorkspaceView>, StoreError> {
    db.optional(&constcat(WORKSPACE, " WHERE id = $1"), values![id.to_string()]).await
}

pub(crate) async fn members(db: &Db, id: WorkspaceId, after: i64, limit: i64) -> Result<Vec<MemberView>, StoreError> {
    db.all(
        "SELECT member_id, name, type, model, role, joined_at, joined_position FROM memberships \
             WHERE workspace_id = $1 AND left_position IS NULL AND joined_position > $2 \
             ORDER BY joined_position LIMIT $3",
        values![id.to_string(), after, limit],
    )
    .await
}
