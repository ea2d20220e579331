//! Projection of document and support events into their read tables.

use buildtrack_domain::{
    event::Event,
    exchange::documents::{DocumentEvent, DocumentRegistered, SupportEvent},
    search,
};

use crate::{
    StoreError,
    database::{Tx, values},
    log::Recorded,
    log::context::EventText,
};

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    for recorded in events {
        match &recorded.event {
            Some(Event::Document(event)) => document(tx, recorded, event).await?,
            Some(Event::Support(event)) => support(tx, recorded, event).await?,
            _ => {}
        }
    }
    Ok(())
}

/// Hides a document, or restores it with its texts.
pub(crate) async fn rewrite_text(tx: &mut Tx<'_>, text: &EventText) -> Result<(), StoreError> {
    if let Event::Document(DocumentEvent::Registered(data)) = &text.event {
        tx.execute(
            "UPDATE documents SET hidden = $2, name = $3, description = $4, words = $5 WHERE position = $1",
            values![
                text.position,
                text.is_hidden,
                &data.name,
                &data.description,
                search::document(&data.name, &[&data.description])
            ],
        )
        .await?;
    }
    Ok(())
}

/// The reason in the table `unfilled` for [`fold_document_words`].
pub(crate) const DOCUMENT_WORDS: &str = "document words";
/// Documents that one step of [`fold_document_words`] reads.
const STEP: i64 = 500;

/// Derives the words of all documents again, after the tokenizer has changed.
pub(crate) async fn fold_document_words(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    let mut after = String::new();
    loop {
        let rows: Vec<(String, String, String, String)> = tx
            .all(
                "SELECT hash, name, description, words FROM documents WHERE hash > $1 ORDER BY hash LIMIT $2",
                values![&after, STEP],
            )
            .await?;
        let Some((last, ..)) = rows.last() else { return Ok(()) };
        after.clone_from(last);
        for (hash, name, description, words) in &rows {
            let folded = search::document(name, &[description]);
            if folded != *words {
                tx.execute("UPDATE documents SET words = $2 WHERE hash = $1", values![hash, folded]).await?;
            }
        }
    }
}

async fn document(tx: &mut Tx<'_>, recorded: &Recorded, event: &DocumentEvent) -> Result<(), StoreError> {
    match event {
        DocumentEvent::Registered(data) => return register(tx, recorded, data).await,
        DocumentEvent::Withdrawn(data) => {
            tx.execute(
                "UPDATE documents SET withdrawn_at = $2 WHERE hash = $1",
                values![data.hash.to_string(), recorded.recorded_at],
            )
            .await?
        }
        DocumentEvent::Relisted(data) => {
            tx.execute("UPDATE documents SET withdrawn_at = NULL WHERE hash = $1", values![data.hash.to_string()])
                .await?
        }
    };
    Ok(())
}

async fn register(tx: &mut Tx<'_>, recorded: &Recorded, data: &DocumentRegistered) -> Result<(), StoreError> {
    let DocumentRegistered { hash, sha256, name, description, multiround, registrar, .. } = data;
    tx.execute(
        "INSERT INTO documents (hash, position, sha256, name, description, multiround, registrar_id, registrar_name, \
         registrar_type, registrar_model, words, registered_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        values![
            hash.to_string(),
            recorded.position,
            sha256.as_str(),
            name,
            description,
            *multiround,
            registrar.id.to_string(),
            &registrar.name,
            registrar.kind.as_str(),
            registrar.model.as_deref(),
            search::document(name, &[description]),
            recorded.recorded_at
        ],
    )
    .await?;
    Ok(())
}

async fn support(tx: &mut Tx<'_>, recorded: &Recorded, event: &SupportEvent) -> Result<(), StoreError> {
    match event {
        SupportEvent::Declared(data) => {
            tx.execute(
                "INSERT INTO supports (agent_id, hash, position, declared_at) VALUES ($1, $2, $3, $4)",
                values![data.agent_id.to_string(), data.hash.to_string(), recorded.position, recorded.recorded_at],
            )
            .await?
        }
        SupportEvent::Withdrawn(data) => {
            tx.execute(
                "DELETE FROM supports WHERE agent_id = $1 AND hash = $2",
                values![data.agent_id.to_string(), data.hash.to_string()],
            )
            .await?
        }
    };
    Ok(())
}
