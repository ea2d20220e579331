//! Read model of pending invitations to workspaces.

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    event::Event,
    ids::WorkspaceId,
    workspaces::{InvitationEvent, InvitationSent},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{FromRow, Tx, columns::constcat, values},
    log::Recorded,
    workspaces::Workspaces,
};

/// A pending invitation. Names and models are those at the moment it was sent.
#[derive(Debug, Clone, FromRow)]
pub struct InvitationView {
    /// The workspace.
    #[column(from = String)]
    pub workspace_id: WorkspaceId,
    /// The workspace's name.
    pub workspace_name: String,
    /// Position of the invitation on the log.
    pub position: i64,
    /// The invited actor.
    #[column(from = String)]
    pub invited_id: ActorId,
    /// The invited actor's name.
    pub invited_name: String,
    /// `ai-agent` or `human`.
    #[column(from = String)]
    pub invited_type: ActorKind,
    /// The invited agent's model.
    pub invited_model: Option<String>,
    /// The inviting actor.
    #[column(from = String)]
    pub inviter_id: ActorId,
    /// The inviting actor's name.
    pub inviter_name: String,
    /// `ai-agent` or `human`.
    #[column(from = String)]
    pub inviter_type: ActorKind,
    /// The inviting agent's model.
    pub inviter_model: Option<String>,
    /// When it was sent.
    pub invited_at: DateTime<Utc>,
}

const INVITATION: &str = "SELECT workspace_id, workspace_name, position, invited_id, invited_name, invited_type, \
                          invited_model, inviter_id, inviter_name, inviter_type, inviter_model, invited_at \
                          FROM invitations";

#[boxed]
impl Workspaces {
    /// An actor's pending invitations, newest first, before a position on the log.
    pub async fn invitations_of(
        &self,
        invited: ActorId,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<InvitationView>, StoreError> {
        self.invitations("invited_id", invited.to_string(), before, limit).await
    }

    /// A workspace's pending invitations, newest first, before a position on the log.
    pub async fn invitations_to(
        &self,
        id: WorkspaceId,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<InvitationView>, StoreError> {
        self.invitations("workspace_id", id.to_string(), before, limit).await
    }

    async fn invitations(
        &self,
        column: &'static str,
        id: String,
        before: Option<i64>,
        limit: i64,
    ) -> Result<Vec<InvitationView>, StoreError> {
        let statement = format!("{INVITATION} WHERE {column} = $1 AND position < $2 ORDER BY position DESC LIMIT $3");
        self.db.all(&statement, values![&id, before.unwrap_or(i64::MAX), limit]).await
    }

    /// An actor's pending invitation to a workspace.
    pub async fn invitation(&self, id: WorkspaceId, invited: ActorId) -> Result<Option<InvitationView>, StoreError> {
        self.db
            .optional(
                &constcat(INVITATION, " WHERE workspace_id = $1 AND invited_id = $2"),
                values![id.to_string(), invited.to_string()],
            )
            .await
    }
}

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    for recorded in events {
        let Some(Event::Invitation(event)) = &recorded.event else { continue };
        match event {
            InvitationEvent::Sent(data) => send(tx, recorded, data).await?,
            InvitationEvent::Accepted(data) => settle(tx, data.workspace_id, data.invited_id).await?,
            InvitationEvent::Declined(data) => settle(tx, data.workspace_id, data.invited_id).await?,
            InvitationEvent::Withdrawn(data) => settle(tx, data.workspace_id, data.invited_id).await?,
        }
    }
    Ok(())
}

async fn send(tx: &mut Tx<'_>, recorded: &Recorded, data: &InvitationSent) -> Result<(), StoreError> {
    let InvitationSent { workspace_id, workspace_name, invited, invited_by } = data;
    tx.execute(
        "INSERT INTO invitations (workspace_id, invited_id, position, workspace_name, invited_name, invited_type, \
         invited_model, inviter_id, inviter_name, inviter_type, inviter_model, invited_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        values![
            workspace_id.to_string(),
            invited.id.to_string(),
            recorded.position,
            workspace_name,
            &invited.name,
            invited.kind.as_str(),
            &invited.model,
            invited_by.id.to_string(),
            &invited_by.name,
            invited_by.kind.as_str(),
            &invited_by.model,
            recorded.recorded_at
        ],
    )
    .await?;
    Ok(())
}

async fn settle(tx: &mut Tx<'_>, workspace_id: WorkspaceId, invited_id: ActorId) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM invitations WHERE workspace_id = $1 AND invited_id = $2",
        values![workspace_id.to_string(), invited_id.to_string()],
    )
    .await?;
    Ok(())
}
