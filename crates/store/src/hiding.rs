//! What hiding, restoring and erasing make of read tables, where the words are not those of a text with a stream of its own.
//!
//! Profiles and workspaces themselves are edited by events of their own streams. What is done here is done to the copies of
//! their names, and to the texts of single events. **Invariant:** read tables hold no hidden word, so that no query has to
//! leave one out; what is restored comes from the log.

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

use crate::{
    StoreError,
    db::{Tx, execute, within},
    masking::texts_within,
    relay,
};

/// Copies of names: table, whose name, the name, and the model where it stands beside.
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

/// No answer shows it from here on.
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

/// It has left, or is about to leave, the log itself.
pub(crate) async fn erase(tx: &mut Tx<'_>, subject: SubjectId, position: i64) -> Result<(), StoreError> {
    uncover(tx, subject).await?;
    replace(tx, subject, Some(ERASED), position).await
}

/// It is shown again: names as they are now, texts as the log has them.
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

/// The subject, and what goes with it.
async fn subjects(tx: &mut Tx<'_>, subject: SubjectId) -> Result<Vec<SubjectId>, StoreError> {
    let SubjectId::Event(LogPosition(position)) = subject else { return Ok(vec![subject]) };
    let positions = texts_within(tx, position).await?;
    Ok(positions.into_iter().map(|position| LogPosition(position).into()).collect())
}

async fn replace(tx: &mut Tx<'_>, subject: SubjectId, word: Option<&str>, decided_at: i64) -> Result<(), StoreError> {
    match subject {
        SubjectId::Agent(id) => rename(tx, id.into(), word).await,
        SubjectId::Owner(id) => rename(tx, id.into(), word).await,
        SubjectId::Workspace(id) => rename_workspace(tx, id, word).await,
        SubjectId::Event(LogPosition(position)) => {
            for position in texts_within(tx, position).await? {
                rewrite(tx, position, word, decided_at).await?;
            }
            Ok(())
        }
        SubjectId::Message(_) | SubjectId::Post(_) | SubjectId::Reply(_) => Ok(()),
    }
}

/// The name and the model of an agent or owner, wherever they were copied to.
async fn rename(tx: &mut Tx<'_>, actor: ActorId, word: Option<&str>) -> Result<(), StoreError> {
    let (name, model) = match word {
        Some(word) => (word.to_owned(), Some(word.to_owned())),
        None => match present(tx, actor).await? {
            Some(found) => found,
            None => return Ok(()),
        },
    };
    let id = actor.to_string();
    for (table, whose, column, beside) in COPIES {
        // Where there was none, there is none.
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

/// Name and model as they are now.
async fn present(tx: &mut Tx<'_>, actor: ActorId) -> Result<Option<(String, Option<String>)>, StoreError> {
    let statement = match actor {
        ActorId::Agent(_) => "SELECT name, model FROM agents WHERE id = $1",
        ActorId::Owner(_) => "SELECT display_name, NULL FROM owners WHERE id = $1",
    };
    Ok(within!(tx, |connection| {
        sqlx::query_as(statement).bind(actor.to_string()).fetch_optional(connection).await?
    }))
}

async fn rename_workspace(tx: &mut Tx<'_>, id: WorkspaceId, word: Option<&str>) -> Result<(), StoreError> {
    let id = id.to_string();
    if let Some(word) = word {
        execute!(tx, "UPDATE invitations SET workspace_name = $2 WHERE workspace_id = $1", &id, word);
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

/// What read tables say of one event's text: as the log has it, or with `word` in its place.
async fn rewrite(tx: &mut Tx<'_>, position: i64, word: Option<&str>, decided_at: i64) -> Result<(), StoreError> {
    let row: Option<(String, Option<String>, DateTime<Utc>)> = within!(tx, |connection| {
        sqlx::query_as("SELECT type, data, recorded_at FROM events WHERE position = $1")
            .bind(position)
            .fetch_optional(connection)
            .await?
    });
    let Some((event_type, Some(data), recorded_at)) = row else { return Ok(()) };
    let own = |subject| subject == LogPosition(position).into();
    let masked = word.and_then(|word| mask(Masked { position, event_type: &event_type, data: &data }, &own, word));
    let event = Event::decode(&event_type, &masked.unwrap_or(data))?;
    let text = Text { position, hidden: word.is_some(), recorded_at, decided_at };
    text.rewrite(tx, event).await
}

/// Where a text stands, and whether it is to be hidden.
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

    /// Texts of which nothing but the text is asked.
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
            // Exchanges have no words in read tables.
            _ => {}
        }
        Ok(())
    }
}
