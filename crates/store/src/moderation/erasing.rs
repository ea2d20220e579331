//! Erasing texts from the log, and finding the events that share a text.

use buildtrack_domain::{
    actors::ActorId,
    event::{Event, Visibility, declaration, visibility},
    ids::WorkspaceId,
    locations::Location,
    moderation::{ERASED, Erased, Erasure, LogPosition, Masked, Remainder, SubjectId, has_text, mask},
};

use crate::{
    StoreError,
    database::{Tx, values},
    log::{self, LoggedEvent},
    moderation::Moderation,
    sealing::sha256_hex,
};

/// Log positions scanned in one step of an erasure.
const WINDOW: i64 = 20_000;
/// Events emptied in one step.
const STEP: i64 = 200;

impl Moderation {
    /// Erases the subject's texts from every event, in steps, and returns the number of events. After an interruption, the same
    /// call continues. The caller appends the decision to erase first, so that no later event repeats the old name.
    pub async fn erase(&self, by: ActorId, subject: SubjectId) -> Result<usize, StoreError> {
        let head = self.log.head().await?;
        let (mut after, mut events) = (0, 0);
        while after < head {
            let done = self
                .log
                .transact(Some(by), async |unit| {
                    // Loading this stream's version prevents two concurrent erasures from emptying the same event.
                    let erasure = unit.load::<Erasure>(Erasure::STREAM).await?;
                    let (emptied, reached) = self.remainders(subject, after, head).await?;
                    if !emptied.is_empty() {
                        let remainder = |(position, data): &(i64, String)| Remainder {
                            position: *position,
                            sha256: sha256_hex(data),
                        };
                        let remainders = emptied.iter().map(remainder).collect();
                        unit.append(Erasure::STREAM, &erasure, vec![Erased { subject, remainders }.into()]);
                        unit.write_side(log::Change::Erasure { remainders: emptied.clone() });
                    }
                    Ok::<_, StoreError>((emptied.len(), reached))
                })
                .await?;
            events += done.value.0;
            after = done.value.1;
        }
        Ok(events)
    }

    /// The remaining data of a bounded number of events beyond a position, and the position up to which it has scanned.
    async fn remainders(
        &self,
        subject: SubjectId,
        after: i64,
        head: i64,
    ) -> Result<(Vec<(i64, String)>, i64), StoreError> {
        let positions = match subject {
            SubjectId::Event(LogPosition(position)) => Some(self.texts_at(position).await?),
            _ => None,
        };
        let (after, until) = match &positions {
            Some(positions) => (positions.first().map_or(head, |first| first - 1), head),
            None => (after, head.min(after.saturating_add(WINDOW))),
        };
        let named = if positions.is_some() { "%".to_owned() } else { format!("%\"{subject}\"%") };
        let limit = positions.as_ref().map_or(STEP, |_| 3);
        let rows: Vec<(i64, String, String)> = self
            .db
            .all(
                "SELECT position, type, data FROM events WHERE position > $1 AND position <= $2 AND data LIKE $3 \
                 ORDER BY position LIMIT $4",
                values![after, until, named, limit],
            )
            .await?;
        let full = positions.is_none() && i64::try_from(rows.len()).unwrap_or(i64::MAX) >= limit;
        let reached = rows.last().filter(|_| full).map_or(until, |(position, ..)| *position);
        let is_erased = |candidate: SubjectId| match (&positions, candidate) {
            (Some(positions), SubjectId::Event(LogPosition(position))) => positions.contains(&position),
            _ => candidate == subject,
        };
        let emptied = rows.into_iter().filter_map(|(position, event_type, data)| {
            let event = Masked { position, event_type: &event_type, data: &data };
            Some((position, mask(event, &is_erased, ERASED)?))
        });
        Ok((emptied.collect(), reached))
    }

    /// The positions of all events that share the text of the event at a position, in order.
    async fn texts_at(&self, position: i64) -> Result<Vec<i64>, StoreError> {
        let rows: Vec<TextRow> = self.db.all(NEIGHBOURS, values![position]).await?;
        Ok(sharing(position, &rows))
    }

    /// The event at a position, as a subject of moderation.
    pub async fn text_event(&self, position: i64) -> Result<Option<TextEvent>, StoreError> {
        let found =
            self.log.logged(position.saturating_sub(1), 1).await?.into_iter().find(|event| event.position == position);
        Ok(found.map(TextEvent::of))
    }

    /// The last event of a stream, of one of these types and before a position, that holds a profile's or workspace's texts.
    pub async fn last_text_event(
        &self,
        stream: impl std::fmt::Display,
        types: [&str; 2],
        before: i64,
    ) -> Result<Option<Event>, StoreError> {
        let row: Option<(String, String)> = self
            .db
            .optional(
                "SELECT type, data FROM events WHERE stream = $1 AND type IN ($2, $3) AND position < $4 \
                 AND data IS NOT NULL ORDER BY version DESC LIMIT 1",
                values![stream.to_string(), types[0], types[1], before],
            )
            .await?;
        Ok(row.map(|(event_type, data)| Event::decode(&event_type, &data)).transpose()?)
    }

    /// The position of the decision that hides a subject; none where it is not hidden.
    pub async fn hidden_since(&self, subject: SubjectId) -> Result<Option<i64>, StoreError> {
        let statement = "SELECT position FROM hidings WHERE subject = $1";
        self.db.optional(statement, values![subject.to_string()]).await
    }
}

/// An event as a subject of moderation.
#[derive(Debug, Clone)]
pub struct TextEvent {
    /// Whether it holds a text that can be hidden.
    pub has_text: bool,
    /// Whether its data are private; a decision about private data does not name their owner.
    pub private: bool,
    /// The agent or owner of this server that caused it.
    pub actor: Option<ActorId>,
    /// The workspace that it belongs to.
    pub workspace_id: Option<WorkspaceId>,
    /// Whether its text has been erased or redacted.
    pub erased: bool,
}

impl TextEvent {
    fn of(event: LoggedEvent) -> Self {
        let metadata: serde_json::Value = serde_json::from_str(&event.metadata).unwrap_or_default();
        let actor = metadata.get("actor").and_then(serde_json::Value::as_str).and_then(|actor| actor.parse().ok());
        let has_text = has_text(&event.event_type);
        // A name in the event may have been erased while its text is still there.
        let own = |subject| subject == LogPosition(event.position).into();
        let text = event.data.as_deref().and_then(|data| {
            mask(Masked { position: event.position, event_type: &event.event_type, data }, &own, ERASED)
        });
        let erased = text.is_none();
        let private = visibility(&event.event_type) == Visibility::Private;
        let locations = event.into_readable().event.as_ref().map(Event::locations).unwrap_or_default();
        let workspace_id = locations.into_iter().find_map(|location| match location {
            Location::Workspace(id) => Some(id),
            Location::Message(_) | Location::Actor(_) => None,
        });
        Self { has_text, private, actor: actor.filter(|_| !private), workspace_id, erased }
    }
}

/// Position, type and data.
pub(crate) type TextRow = (i64, String, Option<String>);

const NEIGHBOURS: &str = "SELECT position, type, data FROM events \
     WHERE position BETWEEN CAST($1 AS BIGINT) - 1 AND CAST($1 AS BIGINT) + 1 ORDER BY position";

/// As `texts_at`, within a transaction.
pub(crate) async fn texts_within(tx: &mut Tx<'_>, position: i64) -> Result<Vec<i64>, StoreError> {
    let rows: Vec<TextRow> = tx.all(NEIGHBOURS, values![position]).await?;
    Ok(sharing(position, &rows))
}

/// Positions of the events among these that share the text of the event at `position`; see [`Fact::SharesText`].
///
/// [`Fact::SharesText`]: buildtrack_domain::event::Fact::SharesText
fn sharing(position: i64, rows: &[TextRow]) -> Vec<i64> {
    let shared = |(_, event_type, data): &TextRow| {
        let field = declaration(event_type)?.shared_text()?;
        let data: serde_json::Value = serde_json::from_str(data.as_deref()?).ok()?;
        Some((field, data.get(field)?.as_str()?.to_owned()))
    };
    let own = rows.iter().find(|(at, ..)| *at == position).and_then(shared);
    let belongs = |row: &&TextRow| row.0 == position || own.is_some() && shared(row) == own;
    rows.iter().filter(belongs).map(|(at, ..)| *at).collect()
}
