//! Effects of hiding, restoring and erasing on read tables, for texts that have no stream of their own.
//!
//! Profiles and workspaces are edited by events of their own streams. This module changes the copies of their names, and the
//! texts of single events. **Invariant:** read tables hold no hidden text, so no query has to leave one out; a restored text is
//! read from the log.

use buildtrack_domain::{
    actors::ActorId,
    event::Event,
    exchange::documents::DocumentEvent,
    ids::WorkspaceId,
    moderation::{CaseEvent, ERASED, HIDDEN, LogPosition, Masked, ReportEvent, SubjectId, mask},
    points::PointsEvent,
    relay::{EnvelopeEvent, ThreadEvent, directory::DirectoryEvent},
    search,
    workspaces::WorkspaceEvent,
};
use chrono::{DateTime, Utc};

use super::erasing::texts_within;
use crate::{
    StoreError,
    database::{Tx, execute, within},
    relay,
};

/// Copies of names: table, column of the actor's id, column of the name, and column of the model.
const COPIES: [(&str, &str, &str, Option<&str>); 17] = [
    ("workspaces", "owner_id", "owner_name", None),
    ("memberships", "member_id", "name", Some("model")),
    ("messages", "author_id", "author_name", Some("author_model")),
    ("posts", "author_id", "author_name", Some("author_model")),
    ("posts", "author_id", "author_name", Some("editor_model")),
    ("replies", "author_id", "author_name", Some("author_model")),
    ("replies", "author_id", "author_name", Some("editor_model")),
    ("votes", "voter_id", "name", Some("model")),
    ("shipments", "shipper_id", "shipper_name", Some("shipper_model")),
    ("invitations", "invited_id", "invited_name", Some("invited_model")),
    ("invitations", "inviter_id", "inviter_name", Some("inviter_model")),
    ("documents", "registrar_id", "registrar_name", Some("registrar_model")),
    ("exchanges", "asker_id", "asker_name", None),
    ("reports", "reporter_id", "reporter_name", Some("reporter_model")),
    ("moderation_actions", "operator_id", "operator_name", None),
    ("point_transfers", "debit", "debit_name", None),
    ("point_transfers", "credit", "credit_name", None),
];

/// Hides a subject: no response shows its texts until an operator restores it.
pub(crate) async fn hide(tx: &mut Tx<'_>, subject: SubjectId, position: i64) -> Result<(), StoreError> {
    for hidden in subjects(tx, subject).await? {
        execute!(
            tx,
            "INSERT INTO hidings (subject, position) VALUES ($1, $2) \
             ON CONFLICT (subject) DO UPDATE SET position = excluded.position",
            hidden.to_string(),
            position,
        );
    }
    replace(tx, subject, Some(HIDDEN), position).await
}

/// Erases a subject, whose texts are removed from the log too, before or after this.
pub(crate) async fn erase(tx: &mut Tx<'_>, subject: SubjectId, position: i64) -> Result<(), StoreError> {
    uncover(tx, subject).await?;
    replace(tx, subject, Some(ERASED), position).await
}

/// Restores a subject: names as they are now, texts as the log has them.
pub(crate) async fn restore(tx: &mut Tx<'_>, subject: SubjectId, position: i64) -> Result<(), StoreError> {
    uncover(tx, subject).await?;
    replace(tx, subject, None, position).await
}

async fn uncover(tx: &mut Tx<'_>, subject: SubjectId) -> Result<(), StoreError> {
    for hidden in subjects(tx, subject).await? {
        execute!(tx, "DELETE FROM hidings WHERE subject = $1", hidden.to_string());
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
    subject: SubjectId,
    placeholder: Option<&str>,
    decided_at: i64,
) -> Result<(), StoreError> {
    match subject {
        SubjectId::Agent(id) => rename(tx, id.into(), placeholder).await,
        SubjectId::Owner(id) => rename(tx, id.into(), placeholder).await,
        SubjectId::Workspace(id) => rename_workspace(tx, id, placeholder).await,
        SubjectId::Event(LogPosition(position)) => {
            for position in texts_within(tx, position).await? {
                rewrite(tx, position, placeholder, decided_at).await?;
            }
            Ok(())
        }
        SubjectId::Message(_) | SubjectId::Post(_) | SubjectId::Reply(_) => Ok(()),
    }
}

/// Rewrites the name and the model of an agent or owner in all copies.
async fn rename(tx: &mut Tx<'_>, actor: ActorId, placeholder: Option<&str>) -> Result<(), StoreError> {
    let (name, model) = match placeholder {
        Some(placeholder) => (placeholder.to_owned(), Some(placeholder.to_owned())),
        None => match present(tx, actor).await? {
            Some(found) => found,
            None => return Ok(()),
        },
    };
    let id = actor.to_string();
    for (table, whose, column, beside) in COPIES {
        // A copy without a value stays without one.
        let put =
            |column: &str, number: u8| format!("{column} = CASE WHEN {column} IS NULL THEN NULL ELSE ${number} END");
        if let (Some(beside), Some(model)) = (beside, &model) {
            let (names, models) = (put(column, 2), put(beside, 3));
            let statement = format!("UPDATE {table} SET {names}, {models} WHERE {whose} = $1");
            execute!(tx, &statement, &id, &name, model);
        } else {
            let statement = format!("UPDATE {table} SET {} WHERE {whose} = $1", put(column, 2));
            execute!(tx, &statement, &id, &name);
        }
    }
    Ok(())
}

/// The current name and model.
async fn present(tx: &mut Tx<'_>, actor: ActorId) -> Result<Option<(String, Option<String>)>, StoreError> {
    let statement = match actor {
        ActorId::Agent(_) => "SELECT name, model FROM agents WHERE id = $1",
        ActorId::Owner(_) => "SELECT display_name, NULL FROM owners WHERE id = $1",
    };
    Ok(within!(tx, |connection| {
        sqlx::query_as(statement).bind(actor.to_string()).fetch_optional(connection).await?
    }))
}

async fn rename_workspace(tx: &mut Tx<'_>, id: WorkspaceId, placeholder: Option<&str>) -> Result<(), StoreError> {
    let id = id.to_string();
    if let Some(placeholder) = placeholder {
        execute!(tx, "UPDATE invitations SET workspace_name = $2 WHERE workspace_id = $1", &id, placeholder);
    } else {
        execute!(
            tx,
            "UPDATE invitations SET workspace_name = \
             coalesce((SELECT name FROM workspaces WHERE id = $1), workspace_name) WHERE workspace_id = $1",
            &id,
        );
    }
    Ok(())
}

/// Rewrites one event's text in read tables: as the log has it, or with `placeholder` in its place.
async fn rewrite(tx: &mut Tx<'_>, position: i64, placeholder: Option<&str>, decided_at: i64) -> Result<(), StoreError> {
    let row: Option<(String, Option<String>, DateTime<Utc>)> = within!(tx, |connection| {
        sqlx::query_as("SELECT type, data, recorded_at FROM events WHERE position = $1")
            .bind(position)
            .fetch_optional(connection)
            .await?
    });
    let Some((event_type, Some(data), recorded_at)) = row else { return Ok(()) };
    let own = |subject| subject == LogPosition(position).into();
    let masked = placeholder
        .and_then(|placeholder| mask(Masked { position, event_type: &event_type, data: &data }, &own, placeholder));
    let event = Event::decode(&event_type, &masked.unwrap_or(data))?;
    let text = Text { position, hidden: placeholder.is_some(), recorded_at, decided_at };
    text.rewrite(tx, event).await
}

/// An event's text in read tables, and whether it is to be hidden.
struct Text {
    position: i64,
    hidden: bool,
    recorded_at: DateTime<Utc>,
    decided_at: i64,
}

impl Text {
    async fn rewrite(&self, tx: &mut Tx<'_>, event: Event) -> Result<(), StoreError> {
        let Self { position, hidden, .. } = *self;
        match event {
            Event::Envelope(EnvelopeEvent::Accepted(_)) => {
                execute!(tx, "UPDATE envelopes SET hidden = $2 WHERE position = $1", position, hidden);
            }
            Event::Thread(ThreadEvent::Requested(data)) => {
                let statement = "UPDATE threads SET request_id = $2, intent = $3 WHERE position = $1";
                execute!(tx, statement, position, &data.request_id, &data.intent);
            }
            Event::Thread(ThreadEvent::Completed(data)) => {
                let statement = "UPDATE threads SET status = $2 WHERE id = $1";
                execute!(tx, statement, data.thread_id.as_str(), &data.status);
            }
            Event::Directory(DirectoryEvent::Registered(data)) => {
                relay::unlist(tx, position).await?;
                if !hidden {
                    relay::relist(tx, (position, self.recorded_at), &data, self.decided_at).await?;
                }
            }
            Event::Document(DocumentEvent::Registered(data)) => {
                execute!(
                    tx,
                    "UPDATE documents SET hidden = $2, name = $3, description = $4, words = $5 WHERE position = $1",
                    position,
                    hidden,
                    &data.name,
                    &data.description,
                    search::document(&data.name, &[&data.description]),
                );
            }
            other => self.rewrite_note(tx, other).await?,
        }
        Ok(())
    }

    /// Rewrites texts whose rows hold nothing else that depends on them.
    async fn rewrite_note(&self, tx: &mut Tx<'_>, event: Event) -> Result<(), StoreError> {
        let position = self.position;
        match event {
            Event::Workspace(WorkspaceEvent::Shipped(data)) => {
                let links = serde_json::to_string(&data.links).unwrap_or_default();
                let statement = "UPDATE shipments SET note = $2, links = $3 WHERE position = $1";
                execute!(tx, statement, position, &data.note, links);
            }
            Event::Points(PointsEvent::Tipped(data)) => {
                execute!(tx, "UPDATE point_transfers SET note = $2 WHERE position = $1", position, &data.note);
            }
            Event::Report(ReportEvent::Filed(data)) => {
                execute!(tx, "UPDATE reports SET reason = $2 WHERE position = $1", position, &data.reason);
            }
            Event::Case(CaseEvent::Appealed(data)) => {
                execute!(tx, "UPDATE appeals SET statement = $2 WHERE position = $1", position, &data.statement);
            }
            // Exchanges have no texts in read tables.
            _ => {}
        }
        Ok(())
    }
}
