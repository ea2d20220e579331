//! Projection of workspace events into their read tables.

use buildtrack_domain::{
    actors::{Actor, ActorId},
    event::Event,
    workspaces::{Role, Status, WorkspaceEvent, WorkspaceHandedOver, WorkspaceOpened},
};

use super::{invitations, messages, shipments};
use crate::{
    StoreError,
    database::{Tx, values},
    log::Recorded,
};

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    project_workspaces(tx, events).await?;
    messages::project(tx, events).await?;
    invitations::project(tx, events).await
}

async fn project_workspaces(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    for recorded in events {
        if let Some(Event::Workspace(event)) = &recorded.event {
            project_one(tx, recorded, event).await?;
            tx.execute(
                "UPDATE workspaces SET version = $2, active_position = $3, updated_at = $4 WHERE id = $1",
                values![&*recorded.stream, recorded.version, recorded.position, recorded.recorded_at],
            )
            .await?;
        }
    }
    Ok(())
}

async fn project_one(tx: &mut Tx<'_>, recorded: &Recorded, event: &WorkspaceEvent) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    match event {
        WorkspaceEvent::Opened(data) => open(tx, recorded, data).await?,
        WorkspaceEvent::Edited(data) => {
            tx.execute(
                "UPDATE workspaces SET name = $2, description = $3, goal = $4, tags = $5, search = $6 WHERE id = $1",
                values![
                    id,
                    &data.name,
                    &data.description,
                    &data.goal,
                    serde_json::to_string(&data.tags).unwrap_or_default(),
                    search(&data.name, &data.description, data.goal.as_deref(), &data.tags)
                ],
            )
            .await?;
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
            tx.execute(
                "UPDATE workspaces SET status = $2, solution_id = $3 WHERE id = $1",
                values![id, status, solution_id],
            )
            .await?;
        }
        WorkspaceEvent::Unresolved(_) => {
            tx.execute(
                "UPDATE workspaces SET status = CASE WHEN status = 'resolved' THEN 'open' ELSE status END, \
                 solution_id = NULL WHERE id = $1",
                values![id],
            )
            .await?;
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
    tx.execute(
        "INSERT INTO workspaces (id, position, name, description, goal, owner_id, owner_name, owner_type, tags, status, \
         member_count, message_count, active_position, search, version, created_at, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, 0, $2, $11, 1, $12, $12)",
        values![
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
        ],
    )
    .await?;
    tag(tx, id, &data.tags).await?;
    join(tx, recorded, &data.owner, Role::Owner).await
}

async fn join(tx: &mut Tx<'_>, recorded: &Recorded, member: &Actor, role: Role) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    tx.execute(
        "INSERT INTO memberships (workspace_id, joined_position, member_id, name, type, model, joined_at, role) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        values![
            id,
            recorded.position,
            member.id.to_string(),
            &member.name,
            member.kind.as_str(),
            &member.model,
            recorded.recorded_at,
            role.as_str()
        ],
    )
    .await?;
    tx.execute("UPDATE workspaces SET member_count = member_count + 1 WHERE id = $1", values![id]).await?;
    Ok(())
}

async fn leave(tx: &mut Tx<'_>, recorded: &Recorded, member_id: ActorId) -> Result<(), StoreError> {
    let id = &*recorded.stream;
    let left = tx
        .execute(
            "UPDATE memberships SET left_position = $3 \
         WHERE workspace_id = $1 AND member_id = $2 AND left_position IS NULL",
            values![id, member_id.to_string(), recorded.position],
        )
        .await?;
    // A removed member may have left before.
    if left > 0 {
        tx.execute("UPDATE workspaces SET member_count = member_count - 1 WHERE id = $1", values![id]).await?;
    }
    Ok(())
}

async fn set_role(tx: &mut Tx<'_>, id: &str, member_id: ActorId, role: Role) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE memberships SET role = $3 WHERE workspace_id = $1 AND member_id = $2 AND left_position IS NULL",
        values![id, member_id.to_string(), role.as_str()],
    )
    .await?;
    Ok(())
}

async fn hand_over(tx: &mut Tx<'_>, id: &str, data: &WorkspaceHandedOver) -> Result<(), StoreError> {
    let WorkspaceHandedOver { from_id, owner, .. } = data;
    set_role(tx, id, *from_id, Role::Maintainer).await?;
    set_role(tx, id, owner.id, Role::Owner).await?;
    tx.execute(
        "UPDATE workspaces SET owner_id = $2, owner_name = $3, owner_type = $4 WHERE id = $1",
        values![id, owner.id.to_string(), &owner.name, owner.kind.as_str()],
    )
    .await?;
    Ok(())
}

async fn set_status(tx: &mut Tx<'_>, id: &str, status: Status) -> Result<(), StoreError> {
    tx.execute("UPDATE workspaces SET status = $2 WHERE id = $1", values![id, status.as_str()]).await?;
    Ok(())
}

async fn tag(tx: &mut Tx<'_>, id: &str, tags: &[String]) -> Result<(), StoreError> {
    tx.execute("DELETE FROM workspace_tags WHERE workspace_id = $1", values![id]).await?;
    for tag in tags {
        tx.execute(
            "INSERT INTO workspace_tags (tag, workspace_id) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            values![tag, id],
        )
        .await?;
    }
    Ok(())
}

fn search(name: &str, description: &str, goal: Option<&str>, tags: &[String]) -> String {
    format!("{name}\n{description}\n{}\n{}", goal.unwrap_or_default(), tags.join("\n")).to_lowercase()
}
