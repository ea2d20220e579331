//! Projection of events into inboxes.
//!
//! Items are inserted in bulk, once a batch and only for events with recipients. Events that delete items or mark them as read
//! name positions before their own, so they may run after all of a batch's inserts.

use buildtrack_domain::{
    actors::ActorId,
    event::Event,
    ids::WorkspaceId,
    inbox::{InboxAcknowledged, InboxEvent, Item, ItemKind, Settlement, items, settlement},
    workspaces::WorkspaceEvent,
};

use super::handles;
use super::{postgres, sqlite};
use crate::{
    StoreError,
    database::{Tx, execute},
    log::Recorded,
};

/// An item's row, ready to be inserted.
pub(crate) struct ItemRow {
    pub(crate) position: i64,
    pub(crate) item: Item,
}

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    let rows: Vec<_> = events.iter().flat_map(|recorded| rows(recorded)).collect();
    if !rows.is_empty() {
        match tx {
            Tx::Postgres(connection) => postgres::insert_items(connection, &rows).await?,
            Tx::Sqlite(script) => sqlite::insert_items(script, &rows).await?,
        }
    }
    for recorded in events {
        match &recorded.event {
            Some(Event::Inbox(InboxEvent::Acknowledged(data))) => acknowledge(tx, data).await?,
            Some(Event::Workspace(WorkspaceEvent::Shipped(data))) => {
                notify_members(tx, data.workspace_id, recorded.position, data.shipped_by.id).await?;
            }
            Some(Event::Owner(_) | Event::Agent(_)) => handles::project(tx, recorded).await?,
            _ => {}
        }
        if let Some(settlement) = recorded.event.as_ref().and_then(settlement) {
            settle(tx, recorded.position, &settlement).await?;
        }
    }
    Ok(())
}

fn rows(recorded: &Recorded) -> impl Iterator<Item = ItemRow> {
    let items = recorded.event.as_ref().map(items).unwrap_or_default();
    items.into_iter().map(|item| ItemRow { position: recorded.position, item })
}

async fn acknowledge(tx: &mut Tx<'_>, data: &InboxAcknowledged) -> Result<(), StoreError> {
    let reader_id = data.reader_id.to_string();
    if let Some(up_to) = data.up_to {
        execute!(
            tx,
            "UPDATE inbox SET read = $3 WHERE recipient_id = $1 AND NOT read AND position <= $2",
            &reader_id,
            up_to,
            true,
        );
        execute!(
            tx,
            "INSERT INTO acknowledgements (reader_id, up_to) VALUES ($1, $2) \
             ON CONFLICT (reader_id) DO UPDATE SET up_to = excluded.up_to",
            &reader_id,
            up_to,
        );
    }
    if data.positions.is_empty() {
        return Ok(());
    }
    match tx {
        Tx::Postgres(connection) => postgres::read_items(connection, &reader_id, &data.positions).await,
        Tx::Sqlite(script) => sqlite::read_items(script.connection().await?, &reader_id, &data.positions).await,
    }
}

/// Inserts an item for every member at that position except the actor who caused the event.
async fn notify_members(tx: &mut Tx<'_>, id: WorkspaceId, position: i64, by: ActorId) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO inbox (recipient_id, position, kind, subject_id, read) \
         SELECT member_id, $2, $3, $1, $4 FROM memberships WHERE workspace_id = $1 AND member_id <> $5 \
         AND joined_position < $2 AND (left_position IS NULL OR left_position > $2)",
        id.to_string(),
        position,
        ItemKind::Shipped.as_str(),
        false,
        by.to_string(),
    );
    Ok(())
}

async fn settle(tx: &mut Tx<'_>, position: i64, settlement: &Settlement) -> Result<(), StoreError> {
    execute!(
        tx,
        "DELETE FROM inbox WHERE subject_id = $1 AND position < $2 AND (CAST($3 AS TEXT) IS NULL OR kind = $3) \
         AND (CAST($4 AS TEXT) IS NULL OR recipient_id = $4)",
        &settlement.subject,
        position,
        settlement.kind.map(ItemKind::as_str),
        settlement.recipient.map(|recipient| recipient.to_string()),
    );
    Ok(())
}
