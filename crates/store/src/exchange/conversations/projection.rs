//! Projection of exchange events into their read tables.

use buildtrack_domain::{
    event::Event,
    exchange::conversations::{ExchangeAsked, ExchangeEvent, ExchangeOpened, ExchangeRedacted, Phase, Side},
    ids::RequestId,
};

use crate::{
    StoreError,
    database::{Tx, values},
    log::Recorded,
};

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    for recorded in events {
        let Some(Event::Exchange(event)) = &recorded.event else { continue };
        let id = &*recorded.stream;
        match event {
            ExchangeEvent::Opened(data) => open(tx, recorded, data).await?,
            ExchangeEvent::Asked(data) => ask(tx, recorded, data).await?,
            ExchangeEvent::Answered(data) => {
                tx.execute(
                    "UPDATE exchanges SET phase = CASE WHEN key_hash IS NULL THEN 'done' ELSE 'open' END WHERE id = $1",
                    values![id],
                )
                .await?;
                settle(tx, data.request_id, true).await?;
            }
            ExchangeEvent::Failed(data) => {
                tx.execute(
                    "UPDATE exchanges SET phase = \
                     CASE WHEN key_hash IS NULL OR rounds = 1 THEN 'failed' ELSE 'open' END WHERE id = $1",
                    values![id],
                )
                .await?;
                settle(tx, data.request_id, false).await?;
            }
            ExchangeEvent::Closed(_) => close(tx, id).await?,
            ExchangeEvent::Published(data) => publish(tx, id, data.side).await?,
            ExchangeEvent::Redacted(data) => redact(tx, recorded, data).await?,
        }
        tx.execute(
            "UPDATE exchanges SET active_position = $2, updated_at = $3 WHERE id = $1",
            values![id, recorded.position, recorded.recorded_at],
        )
        .await?;
    }
    Ok(())
}

async fn open(tx: &mut Tx<'_>, recorded: &Recorded, data: &ExchangeOpened) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO exchanges (id, position, active_position, asker_id, asker_name, answerer_id, document, negotiation, \
         key_hash, phase, rounds, expires_at, asker_published, answerer_published, redacted, opened_at, updated_at) \
         VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, 0, NULL, $10, $10, $10, $11, $11)",
        values![
            &*recorded.stream,
            recorded.position,
            data.asker.as_ref().map(|asker| asker.id.to_string()),
            data.asker.as_ref().map(|asker| asker.name.clone()),
            data.answerer.map(|answerer| answerer.to_string()),
            data.document.map(|document| document.to_string()),
            data.negotiation,
            &data.key_hash,
            Phase::Waiting.as_str(),
            false,
            recorded.recorded_at,
        ],
    )
    .await?;
    Ok(())
}

async fn ask(tx: &mut Tx<'_>, recorded: &Recorded, data: &ExchangeAsked) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE exchanges SET phase = $2, rounds = $3, expires_at = $4 WHERE id = $1",
        values![&*recorded.stream, Phase::Waiting.as_str(), i64::from(data.round), data.expires_at],
    )
    .await?;
    tx.execute(
        "INSERT INTO exchange_requests (id, exchange_id, position, answerer_id, due_at, answered) \
         VALUES ($1, $2, $3, $4, $5, NULL)",
        values![
            data.request_id.to_string(),
            &*recorded.stream,
            recorded.position,
            data.answerer.map(|answerer| answerer.to_string()),
            data.due_at
        ],
    )
    .await?;
    Ok(())
}

async fn settle(tx: &mut Tx<'_>, request_id: RequestId, answered: bool) -> Result<(), StoreError> {
    tx.execute("UPDATE exchange_requests SET answered = $2 WHERE id = $1", values![request_id.to_string(), answered])
        .await?;
    Ok(())
}

async fn close(tx: &mut Tx<'_>, id: &str) -> Result<(), StoreError> {
    tx.execute("UPDATE exchanges SET phase = $2 WHERE id = $1", values![id, Phase::Closed.as_str()]).await?;
    tx.execute(
        "UPDATE exchange_requests SET answered = $2 WHERE exchange_id = $1 AND answered IS NULL",
        values![id, false],
    )
    .await?;
    Ok(())
}

async fn publish(tx: &mut Tx<'_>, id: &str, side: Side) -> Result<(), StoreError> {
    match side {
        Side::Asker => tx.execute("UPDATE exchanges SET asker_published = $2 WHERE id = $1", values![id, true]).await?,
        Side::Answerer => {
            tx.execute("UPDATE exchanges SET answerer_published = $2 WHERE id = $1", values![id, true]).await?
        }
    };
    Ok(())
}

/// Keeps the exchange's row and deletes its requests. In a rebuild the row does not exist yet, because the earlier events have
/// no data any more: then it is inserted from the redaction event's data.
async fn redact(tx: &mut Tx<'_>, recorded: &Recorded, data: &ExchangeRedacted) -> Result<(), StoreError> {
    let opened = &data.opened;
    tx.execute(
        "INSERT INTO exchanges (id, position, active_position, asker_id, asker_name, answerer_id, document, negotiation, \
         key_hash, phase, rounds, expires_at, asker_published, answerer_published, redacted, opened_at, updated_at) \
         SELECT $1, position, position, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11, $12, recorded_at, recorded_at \
         FROM events WHERE stream = $1 AND version = 1 \
         ON CONFLICT (id) DO UPDATE SET phase = excluded.phase, asker_published = excluded.asker_published, \
         answerer_published = excluded.answerer_published, redacted = excluded.redacted",
        values![
            &*recorded.stream,
            opened.asker.as_ref().map(|asker| asker.id.to_string()),
            opened.asker.as_ref().map(|asker| asker.name.clone()),
            opened.answerer.map(|answerer| answerer.to_string()),
            opened.document.map(|document| document.to_string()),
            opened.negotiation,
            &opened.key_hash,
            data.phase.as_str(),
            i64::from(data.rounds),
            data.expires_at,
            false,
            true,
        ],
    )
    .await?;
    tx.execute("DELETE FROM exchange_requests WHERE exchange_id = $1", values![&*recorded.stream]).await?;
    Ok(())
}
