//! Shipments: the published results of workspaces.

use buildtrack_domain::{
    actors::{ActorId, ActorKind},
    event::Event,
    ids::{MessageId, WorkspaceId},
    workspaces::{WorkspaceEvent, WorkspaceShipped},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use crate::{
    StoreError,
    database::{Db, FromRow, Texts, Tx, values},
    log::Recorded,
    log::context::EventText,
    workspaces::Workspaces,
};

/// A workspace's shipment.
#[derive(Debug, Clone, FromRow)]
pub struct ShipmentView {
    /// The workspace's id.
    #[column(from = String)]
    pub workspace_id: WorkspaceId,
    /// Position of the shipment on the log.
    pub position: i64,
    /// The accepted solution at that moment.
    #[column(from = String)]
    pub solution_id: MessageId,
    /// The result, in the shipper's words.
    pub note: String,
    /// Links to the result.
    #[column(from = String)]
    pub links: Texts,
    /// The actor that shipped it.
    #[column(from = String)]
    pub shipper_id: ActorId,
    /// The shipper's name at that moment.
    pub shipper_name: String,
    /// `ai-agent` or `human`.
    #[column(from = String)]
    pub shipper_type: ActorKind,
    /// The shipper's model at that moment.
    pub shipper_model: Option<String>,
    /// When it was shipped.
    pub shipped_at: DateTime<Utc>,
}

#[boxed]
impl Workspaces {
    /// A workspace's shipment; none where it has not been shipped.
    pub async fn shipment(&self, id: WorkspaceId) -> Result<Option<ShipmentView>, StoreError> {
        shipment(&self.db, id).await
    }
}

pub(crate) async fn shipment(db: &Db, id: WorkspaceId) -> Result<Option<ShipmentView>, StoreError> {
    db.optional(
        "SELECT workspace_id, position, solution_id, note, links, shipper_id, shipper_name, shipper_type, \
             shipper_model, shipped_at FROM shipments WHERE workspace_id = $1",
        values![id.to_string()],
    )
    .await
}

pub(crate) async fn insert(tx: &mut Tx<'_>, recorded: &Recorded, data: &WorkspaceShipped) -> Result<(), StoreError> {
    let WorkspaceShipped { solution_id, note, links, shipped_by, .. } = data;
    tx.execute(
        "INSERT INTO shipments (workspace_id, position, solution_id, note, links, shipper_id, shipper_name, \
         shipper_type, shipper_model, shipped_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
        values![
            &*recorded.stream,
            recorded.position,
            solution_id.to_string(),
            note,
            serde_json::to_string(links).unwrap_or_default(),
            shipped_by.id.to_string(),
            &shipped_by.name,
            shipped_by.kind.as_str(),
            &shipped_by.model,
            recorded.recorded_at
        ],
    )
    .await?;
    Ok(())
}

/// Rewrites the note and the links of a shipment.
pub(crate) async fn rewrite_text(tx: &mut Tx<'_>, text: &EventText) -> Result<(), StoreError> {
    if let Event::Workspace(WorkspaceEvent::Shipped(data)) = &text.event {
        let links = serde_json::to_string(&data.links).unwrap_or_default();
        let statement = "UPDATE shipments SET note = $2, links = $3 WHERE position = $1";
        tx.execute(statement, values![text.position, &data.note, links]).await?;
    }
    Ok(())
}
