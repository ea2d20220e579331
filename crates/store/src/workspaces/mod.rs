//! Read models of workspaces and their members.

pub(crate) mod as_of;
pub(crate) mod invitations;
pub(crate) mod messages;
mod postgres;
mod shipments;
mod sqlite;
mod totals;

pub use as_of::PastWorkspace;
pub use invitations::InvitationView;
pub use messages::{MessageFilter, MessageView};
pub use shipments::ShipmentView;
pub(crate) use totals::count_votes;
pub use totals::{AuthorTotal, KindTotal, WorkspaceTotals};

use buildtrack_domain::{
    actors::{Actor, ActorId, ActorKind},
    event::Event,
    ids::WorkspaceId,
    workspaces::{Role, Status, WorkspaceEvent, WorkspaceHandedOver, WorkspaceOpened},
};
use chrono::{DateTime, Utc};

use crate::{
    Store, StoreError,
    database::{
        Db, Listed, ScanLimit, Sort, Texts, Tx,
        columns::{constcat, containing},
        execute, read,
    },
    log::Recorded,
};

/// A workspace, as read.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct WorkspaceView {
    /// The workspace's id.
    #[sqlx(try_from = "String")]
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
    #[sqlx(try_from = "String")]
    pub owner_id: ActorId,
    /// The owner's name at that moment.
    pub owner_name: String,
    /// `ai-agent` or `human`.
    #[sqlx(try_from = "String")]
    pub owner_type: ActorKind,
    /// Tags in the author's order.
    #[sqlx(try_from = "String")]
    pub tags: Texts,
    /// The workspace's status.
    #[sqlx(try_from = "String")]
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
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct MemberView {
    /// The agent or owner.
    #[sqlx(rename = "member_id", try_from = "String")]
    pub id: ActorId,
    /// The member's name.
    pub name: String,
    /// `ai-agent` or `human`.
    #[sqlx(rename = "type", try_from = "String")]
    pub kind: ActorKind,
    /// The agent's model.
    pub model: Option<String>,
    /// The member's role.
    #[sqlx(try_from = "String")]
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
    fn looks(&self) -> ScanLimit {
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

impl Store {
    /// One workspace.
    pub async fn workspace(&self, id: WorkspaceId) -> Result<Option<WorkspaceView>, StoreError> {
        workspace(&self.db, id).await
    }

    /// A list of workspaces.
    pub async fn workspaces(&self, filter: &WorkspaceFilter) -> Result<Listed<WorkspaceView>, StoreError> {
        let until = filter.looks().horizon(&self.db, ("workspaces", filter.sort), filter.from, None).await?;
        let statement = format!("{WORKSPACE}{FILTER}{}", filter.sort.beyond("workspaces", 6));
        let rows = read!(&self.db, |pool| {
            sqlx::query_as(&statement)
                .bind(&filter.tag)
                .bind(filter.status.map(Status::as_str))
                .bind(filter.owner.map(|owner| owner.to_string()))
                .bind(filter.member.map(|member| member.to_string()))
                .bind(filter.text.as_deref().map(containing))
                .bind(filter.from)
                .bind(until)
                .bind(filter.limit)
                .fetch_all(pool)
                .await?
        });
        Ok(Listed { rows, looked_to: until })
    }

    /// Members in the order of joining, beyond a position on the log.
    pub async fn members(&self, id: WorkspaceId, after: i64, limit: i64) -> Result<Vec<MemberView>, StoreError> {
        members(&self.db, id, after, limit).await
    }
}

pub(crate) async fn workspace(db: &Db, id: WorkspaceId) -> Result<Option<WorkspaceView>, StoreError> {
    Ok(read!(db, |pool| {
        sqlx::query_as(&constcat(WORKSPACE, " WHERE id = $1")).bind(id.to_string()).fetch_optional(pool).await?
    }))
}

pub(crate) async fn members(db: &Db, id: WorkspaceId, after: i64, limit: i64) -> Result<Vec<MemberView>, StoreError> {
    Ok(read!(db, |pool| {
        sqlx::query_as(
            "SELECT member_id, name, type, model, role, joined_at, joined_position FROM memberships \
             WHERE workspace_id = $1 AND left_position IS NULL AND joined_position > $2 \
             ORDER BY joined_position LIMIT $3",
        )
        .bind(id.to_string())
        .bind(after)
        .bind(limit)
        .fetch_all(pool)
        .await?
    }))
}

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    for recorded in events {
        if let Some(Event::Workspace(event)) = &recorded.event {
            project_one(tx, recorded, event).await?;
            execute!(
                tx,
                "UPDATE workspaces SET version = $2, active_position = $3, updated_at = $4 WHERE id = $1",
                &*recorded.stream,
                recorded.version,
                recorded.position,
                recorded.recorded_at,
            );
        }
    }
    Ok(())
}

async fn project_one(tx: &mut Tx<'_>, recorded: &Recorded, event: &WorkspaceEvent) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    match event {
        WorkspaceEvent::Opened(data) => open(tx, recorded, data).await?,
        WorkspaceEvent::Edited(data) => {
            execute!(
                tx,
                "UPDATE workspaces SET name = $2, description = $3, goal = $4, tags = $5, search = $6 WHERE id = $1",
                id,
                &data.name,
                &data.description,
                &data.goal,
                serde_json::to_string(&data.tags).unwrap_or_default(),
                search(&data.name, &data.description, data.goal.as_deref(), &data.tags),
            );
            tag(tx, id, &data.tags).await?;
        }
        WorkspaceEvent::Joined(data) => join(tx, recorded, &data.member, Role::Member).await?,
        WorkspaceEvent::Left(data) => leave(tx, recorded, data.member_id).await?,
        WorkspaceEvent::MemberRemoved(data) => leave(tx, recorded, data.member_id).await?,
        WorkspaceEvent::RoleChanged(data) => set_role(tx, id, data.member_id, data.role).await?,
        WorkspaceEvent::HandedOver(data) => hand_over(tx, id, data).await?,
        WorkspaceEvent::Archived(_) => set_status(tx, id, Status::Archived).await?,
        WorkspaceEvent::Reopened(data) => set_status(tx, id, data.status).await?,
        WorkspaceEvent::Resolved(data) => {
            let (status, solution_id) = (Status::Resolved.as_str(), data.solution_id.to_string());
            execute!(tx, "UPDATE workspaces SET status = $2, solution_id = $3 WHERE id = $1", id, status, solution_id);
        }
        WorkspaceEvent::Unresolved(_) => {
            execute!(
                tx,
                "UPDATE workspaces SET status = CASE WHEN status = 'resolved' THEN 'open' ELSE status END, \
                 solution_id = NULL WHERE id = $1",
                id,
            );
        }
        WorkspaceEvent::Shipped(data) => {
            set_status(tx, id, Status::Shipped).await?;
            shipments::insert(tx, recorded, data).await?;
        }
    }
    Ok(())
}

async fn open(tx: &mut Tx<'_>, recorded: &Recorded, data: &WorkspaceOpened) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    execute!(
        tx,
        "INSERT INTO workspaces (id, position, name, description, goal, owner_id, owner_name, owner_type, tags, status, \
         member_count, message_count, active_position, search, version, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, $2, $11, 1, $12, $12)",
        id,
        recorded.position,
        &data.name,
        &data.description,
        &data.goal,
        data.owner.id.to_string(),
        &data.owner.name,
        data.owner.kind.as_str(),
        serde_json::to_string(&data.tags).unwrap_or_default(),
        Status::Open.as_str(),
        search(&data.name, &data.description, data.goal.as_deref(), &data.tags),
        recorded.recorded_at,
    );
    tag(tx, id, &data.tags).await?;
    join(tx, recorded, &data.owner, Role::Owner).await
}

async fn join(tx: &mut Tx<'_>, recorded: &Recorded, member: &Actor, role: Role) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    execute!(
        tx,
        "INSERT INTO memberships (workspace_id, joined_position, member_id, name, type, model, joined_at, role) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        id,
        recorded.position,
        member.id.to_string(),
        &member.name,
        member.kind.as_str(),
        &member.model,
        recorded.recorded_at,
        role.as_str(),
    );
    execute!(tx, "UPDATE workspaces SET member_count = member_count + 1 WHERE id = $1", id);
    Ok(())
}

async fn leave(tx: &mut Tx<'_>, recorded: &Recorded, member_id: ActorId) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    let left = execute!(
        tx,
        "UPDATE memberships SET left_position = $3 \
         WHERE workspace_id = $1 AND member_id = $2 AND left_position IS NULL",
        id,
        member_id.to_string(),
        recorded.position,
    );
    // A removed member may have left before.
    if left > 0 {
        execute!(tx, "UPDATE workspaces SET member_count = member_count - 1 WHERE id = $1", id);
    }
    Ok(())
}

async fn set_role(tx: &mut Tx<'_>, id: &str, member_id: ActorId, role: Role) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE memberships SET role = $3 WHERE workspace_id = $1 AND member_id = $2 AND left_position IS NULL",
        id,
        member_id.to_string(),
        role.as_str(),
    );
    Ok(())
}

async fn hand_over(tx: &mut Tx<'_>, id: &str, data: &WorkspaceHandedOver) -> Result<(), StoreError> {
    let WorkspaceHandedOver { from_id, owner, .. } = data;
    set_role(tx, id, *from_id, Role::Maintainer).await?;
    set_role(tx, id, owner.id, Role::Owner).await?;
    execute!(
        tx,
        "UPDATE workspaces SET owner_id = $2, owner_name = $3, owner_type = $4 WHERE id = $1",
        id,
        owner.id.to_string(),
        &owner.name,
        owner.kind.as_str(),
    );
    Ok(())
}

async fn set_status(tx: &mut Tx<'_>, id: &str, status: Status) -> Result<(), StoreError> {
    execute!(tx, "UPDATE workspaces SET status = $2 WHERE id = $1", id, status.as_str());
    Ok(())
}

async fn tag(tx: &mut Tx<'_>, id: &str, tags: &[String]) -> Result<(), StoreError> {
    execute!(tx, "DELETE FROM workspace_tags WHERE workspace_id = $1", id);
    for tag in tags {
        execute!(tx, "INSERT INTO workspace_tags (tag, workspace_id) VALUES ($1, $2) ON CONFLICT DO NOTHING", tag, id);
    }
    Ok(())
}

fn search(name: &str, description: &str, goal: Option<&str>, tags: &[String]) -> String {
    format!("{name}\n{description}\n{}\n{}", goal.unwrap_or_default(), tags.join("\n")).to_lowercase()
}
