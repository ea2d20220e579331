//! Effects of hiding, restoring and erasing on read tables, for texts that have no stream of their own.
//!
//! Profiles and workspaces are edited by events of their own streams. This module changes the copies of their names, and the
//! texts of single events, as the contexts declare them. **Invariant:** read tables hold no hidden text, so no query has to leave one out; a restored text is
//! read from the log.

use buildtrack_domain::{
    event::Event,
    moderation::{ERASED, HIDDEN, LogPosition, Masked, SubjectId, mask},
};
use chrono::{DateTime, Utc};

use super::erasing::texts_within;
use crate::{
    StoreError,
    database::{Tx, values},
    log::context::{Contexts, EventText, Named},
};

/// Hides a subject: no response shows its texts until an operator restores it.
pub(crate) async fn hide(
    tx: &mut Tx<'_>,
    contexts: Contexts,
    subject: SubjectId,
    position: i64,
) -> Result<(), StoreError> {
    for hidden in subjects(tx, subject).await? {
        tx.execute(
            "INSERT INTO hidings (subject, position) VALUES ($1, $2) \
             ON CONFLICT (subject) DO UPDATE SET position = excluded.position",
            values![hidden.to_string(), position],
        )
        .await?;
    }
    replace(tx, contexts, subject, Some(HIDDEN), position).await
}

/// Erases a subject, whose texts are removed from the log too, before or after this.
pub(crate) async fn erase(
    tx: &mut Tx<'_>,
    contexts: Contexts,
    subject: SubjectId,
    position: i64,
) -> Result<(), StoreError> {
    uncover(tx, subject).await?;
    replace(tx, contexts, subject, Some(ERASED), position).await
}

/// Restores a subject: names as they are now, texts as the log has them.
pub(crate) async fn restore(
    tx: &mut Tx<'_>,
    contexts: Contexts,
    subject: SubjectId,
    position: i64,
) -> Result<(), StoreError> {
    uncover(tx, subject).await?;
    replace(tx, contexts, subject, None, position).await
}

async fn uncover(tx: &mut Tx<'_>, subject: SubjectId) -> Result<(), StoreError> {
    for hidden in subjects(tx, subject).await? {
        tx.execute("DELETE FROM hidings WHERE subject = $1", values![hidden.to_string()]).await?;
    }
    Ok(())
}

/// The subject, and the other events that show the same text.
async fn subjects(tx: &mut Tx<'_>, subject: SubjectId) -> Result<Vec<SubjectId>, StoreError> {
    let SubjectId::Event(LogPosition(position)) = subject else { return Ok(vec![subject]) };
    let positions = texts_within(tx, position).await?;
    Ok(positions.into_iter().map(|position| LogPosition(position).into()).collect())
}

async fn replace(
    tx: &mut Tx<'_>,
    contexts: Contexts,
    subject: SubjectId,
    placeholder: Option<&str>,
    decided_at: i64,
) -> Result<(), StoreError> {
    match subject {
        SubjectId::Agent(_) | SubjectId::Owner(_) => rename(tx, contexts, subject, Named::Actor, placeholder).await,
        SubjectId::Workspace(_) => rename(tx, contexts, subject, Named::Workspace, placeholder).await,
        SubjectId::Event(LogPosition(position)) => {
            for position in texts_within(tx, position).await? {
                rewrite(tx, contexts, position, placeholder, decided_at).await?;
            }
            Ok(())
        }
        SubjectId::Message(_) | SubjectId::Post(_) | SubjectId::Reply(_) => Ok(()),
    }
}

/// Rewrites a subject's name, and an agent's model, in all copies: as they are now, or with `placeholder` in their place.
async fn rename(
    tx: &mut Tx<'_>,
    contexts: Contexts,
    subject: SubjectId,
    named: Named,
    placeholder: Option<&str>,
) -> Result<(), StoreError> {
    let (name, model) = match placeholder {
        Some(placeholder) => (placeholder.to_owned(), Some(placeholder.to_owned())),
        None => match current_name(tx, subject).await? {
            Some(found) => found,
            None => return Ok(()),
        },
    };
    let id = subject.to_string();
    for table in contexts.read_tables() {
        for copy in table.copies.iter().filter(|copy| copy.named == named) {
            // A copy without a value stays without one.
            let put = |column: &str, number: u8| {
                format!("{column} = CASE WHEN {column} IS NULL THEN NULL ELSE ${number} END")
            };
            let mut columns = vec![put(copy.name, 2)];
            if let Some(model) = model.as_ref().filter(|_| !copy.models.is_empty()) {
                columns.extend(copy.models.iter().map(|column| put(column, 3)));
                let statement = format!("UPDATE {} SET {} WHERE {} = $1", table.name, columns.join(", "), copy.id);
                tx.execute(&statement, values![&id, &name, model]).await?;
            } else {
                let statement = format!("UPDATE {} SET {} WHERE {} = $1", table.name, columns.join(", "), copy.id);
                tx.execute(&statement, values![&id, &name]).await?;
            }
        }
    }
    Ok(())
}

/// The current name of an agent, owner or workspace, and an agent's model.
async fn current_name(tx: &mut Tx<'_>, subject: SubjectId) -> Result<Option<(String, Option<String>)>, StoreError> {
    let statement = match subject {
        SubjectId::Agent(_) => "SELECT name, model FROM agents WHERE id = $1",
        SubjectId::Owner(_) => "SELECT display_name, NULL FROM owners WHERE id = $1",
        SubjectId::Workspace(_) => "SELECT name, NULL FROM workspaces WHERE id = $1",
        SubjectId::Message(_) | SubjectId::Post(_) | SubjectId::Reply(_) | SubjectId::Event(_) => return Ok(None),
    };
    tx.optional(statement, values![subject.to_string()]).await
}

/// Rewrites one event's text in read tables: as the log has it, or with `placeholder` in its place.
async fn rewrite(
    tx: &mut Tx<'_>,
    contexts: Contexts,
    position: i64,
    placeholder: Option<&str>,
    decided_at: i64,
) -> Result<(), StoreError> {
    let row: Option<(String, Option<String>, DateTime<Utc>)> =
        tx.optional("SELECT type, data, recorded_at FROM events WHERE position = $1", values![position]).await?;
    let Some((event_type, Some(data), recorded_at)) = row else { return Ok(()) };
    let own = |subject| subject == LogPosition(position).into();
    let masked = placeholder
        .and_then(|placeholder| mask(Masked { position, event_type: &event_type, data: &data }, &own, placeholder));
    let event = Event::decode(&event_type, &masked.unwrap_or(data))?;
    let text = EventText { position, event, is_hidden: placeholder.is_some(), recorded_at, decided_at };
    contexts.rewrite_text(tx, &text).await
}
