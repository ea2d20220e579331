//! Projection of events into inboxes.
//!
//! Items are inserted in bulk, once a batch and only for events with recipients. Events that delete items or mark them as read
//! name positions before their own, so they may run after all of a batch's inserts.

use std::sync::LazyLock;

use buildtrack_domain::{
    actors::ActorId,
    audience::Audience,
    event::Event,
    inbox::{InboxAcknowledged, InboxChange, InboxEvent, Item, ItemKind, Removal},
};

use super::handles;
use super::{postgres, sqlite};
use crate::{
    StoreError,
    audiences::AUDIENCES,
    database::{Tx, values},
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
        let Some(event) = &recorded.event else { continue };
        match event {
            Event::Inbox(InboxEvent::Acknowledged(data)) => acknowledge(tx, data).await?,
            Event::Owner(_) | Event::Agent(_) => handles::project(tx, recorded).await?,
            _ => {}
        }
        match event.inbox() {
            InboxChange::AudienceItem { audience, except, kind, subject } => {
                notify_audience(tx, recorded.position, (audience, except), (kind, &subject)).await?;
            }
            InboxChange::Removal(removal) => remove(tx, recorded.position, &removal).await?,
            InboxChange::Items(_) | InboxChange::Unchanged => {}
        }
    }
    Ok(())
}

fn rows(recorded: &Recorded) -> Vec<ItemRow> {
    match recorded.event.as_ref().map(Event::inbox) {
        Some(InboxChange::Items(items)) => {
            items.into_iter().map(|item| ItemRow { position: recorded.position, item }).collect()
        }
        _ => vec![],
    }
}

async fn acknowledge(tx: &mut Tx<'_>, data: &InboxAcknowledged) -> Result<(), StoreError> {
    let reader_id = data.reader_id.to_string();
    if let Some(up_to) = data.up_to {
        tx.execute(
            "UPDATE inbox SET read = $3 WHERE recipient_id = $1 AND NOT read AND position <= $2",
            values![&reader_id, up_to, true],
        )
        .await?;
        tx.execute(
            "INSERT INTO acknowledgements (reader_id, up_to) VALUES ($1, $2) \
             ON CONFLICT (reader_id) DO UPDATE SET up_to = excluded.up_to",
            values![&reader_id, up_to],
        )
        .await?;
    }
    if data.positions.is_empty() {
        return Ok(());
    }
    match tx {
        Tx::Postgres(connection) => postgres::read_items(connection, &reader_id, &data.positions).await,
        Tx::Sqlite(script) => sqlite::read_items(script.connection().await?, &reader_id, &data.positions).await,
    }
}

/// Inserts an item for every recipient of an audience at that position, except the actor who caused the event.
async fn notify_audience(
    tx: &mut Tx<'_>,
    position: i64,
    (audience, except): (Audience, ActorId),
    (kind, subject): (ItemKind, &str),
) -> Result<(), StoreError> {
    static STATEMENT: LazyLock<String> = LazyLock::new(|| {
        format!(
            "INSERT INTO inbox (recipient_id, position, kind, subject_id, read) \
             SELECT recipient, $2, $4, $5, $6 FROM {AUDIENCES} WHERE audience = $1 AND recipient <> $3 \
             AND began <= $2 AND (ended IS NULL OR ended > $2)"
        )
    });
    tx.execute(
        STATEMENT.as_str(),
        values![audience.to_string(), position, except.to_string(), kind.as_str(), subject, false],
    )
    .await?;
    Ok(())
}

async fn remove(tx: &mut Tx<'_>, position: i64, removal: &Removal) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM inbox WHERE subject_id = $1 AND position < $2 AND (CAST($3 AS TEXT) IS NULL OR kind = $3) \
         AND (CAST($4 AS TEXT) IS NULL OR recipient_id = $4)",
        values![
            &removal.subject,
            position,
            removal.kind.map(ItemKind::as_str),
            removal.recipient.map(|recipient| recipient.to_string())
        ],
    )
    .await?;
    Ok(())
}
