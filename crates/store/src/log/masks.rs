//! Masking: events read from the log without the texts that operators hide. Those are names, profiles and workspaces, in every
//! event that repeats them, and the texts of single events. Texts with a stream of their own have a flag in their table; see
//! `moderation`.
//!
//! **Invariant:** every query that shows an event to a caller passes it through [`Hidings`]. Erased texts have left the event
//! itself.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use buildtrack_domain::{
    event::{self, Event, Fact},
    moderation::{Erased, HIDDEN, LogPosition, Masked, SubjectId, mask},
};
use buildtrack_macros::boxed;
use serde_json::json;
use tokio::time::Instant;

use super::{
    Log, LoggedEvent, PublicEvent, Recorded,
    changes::{CACHE_LIFETIME, Changes},
};
use crate::{
    StoreError,
    database::{Tx, values},
};

/// The invalidation key for hiding, restoring and erasing.
pub(crate) const HIDINGS: &str = "hidings";

/// The hidden subjects. They apply to events of any age, because later events repeat the texts of earlier ones.
#[derive(Debug, Default)]
pub(crate) struct Hidings(HashSet<SubjectId>);

impl Hidings {
    /// The event's data without hidden texts; none where there are none.
    pub(crate) fn mask(&self, event: &LoggedEvent) -> Option<String> {
        self.mask_data(event.position, &event.event_type, event.data.as_deref()?)
    }

    fn mask_data(&self, position: i64, event_type: &str, data: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let is_masked = |subject: SubjectId| self.0.contains(&subject);
        mask(Masked { position, event_type, data }, &is_masked, HIDDEN)
    }

    /// The data of an event that is about to be appended, without hidden names; none where there are none.
    pub(crate) fn mask_new(&self, event_type: &str, data: &str) -> Option<Event> {
        let masked = self.mask_data(0, event_type, data)?;
        if event::is(event_type, Fact::ReplacesText) {
            return None;
        }
        Event::decode(event_type, &masked).ok()
    }

    /// The data without hidden texts.
    pub(crate) fn masked_data(&self, position: i64, event_type: &str, data: String) -> String {
        self.mask_data(position, event_type, &data).unwrap_or(data)
    }

    /// The event without hidden texts. Masked data no longer match the data hash, so the event has no salt.
    pub(crate) fn masked(&self, event: LoggedEvent) -> LoggedEvent {
        match self.mask(&event) {
            Some(data) => LoggedEvent { data: Some(data), salt: None, ..event },
            None => event,
        }
    }

    /// Masks several events.
    pub(crate) fn masked_all(&self, events: Vec<LoggedEvent>) -> Vec<LoggedEvent> {
        events.into_iter().map(|event| self.masked(event)).collect()
    }

    /// Masks a decoded event.
    pub(crate) fn mask_recorded(&self, recorded: Recorded) -> Recorded {
        if self.0.is_empty() {
            return recorded;
        }
        let masked = recorded.event.as_ref().and_then(|event| {
            let event_type = event.event_type();
            let data = self.mask_data(recorded.position, event_type, &event.encode())?;
            Event::decode(event_type, &data).ok()
        });
        Recorded { event: masked.or(recorded.event), ..recorded }
    }
}

/// Masks the own text of an event.
pub(crate) fn masked(position: i64, event_type: &str, data: String) -> String {
    let own = |subject| subject == LogPosition(position).into();
    mask(Masked { position, event_type, data: &data }, &own, HIDDEN).unwrap_or(data)
}

/// Cache of [`Hidings`], invalidated by every change under [`HIDINGS`].
#[derive(Clone)]
pub(crate) struct Masks {
    cached: Arc<Mutex<Option<Cached>>>,
    changes: Changes,
}

struct Cached {
    hidings: Arc<Hidings>,
    read_at: u64,
    at: Instant,
}

impl Masks {
    pub(crate) fn new(changes: Changes) -> Self {
        Self { cached: Arc::default(), changes }
    }

    fn get(&self) -> Option<Arc<Hidings>> {
        let cached = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let Cached { hidings, read_at, at } = cached.as_ref()?;
        let is_valid = at.elapsed() < CACHE_LIFETIME && self.changes.none_since(*read_at, &[HIDINGS]);
        is_valid.then(|| Arc::clone(hidings))
    }

    fn put(&self, hidings: Arc<Hidings>, read_at: u64, at: Instant) {
        *self.cached.lock().unwrap_or_else(PoisonError::into_inner) = Some(Cached { hidings, read_at, at });
    }
}

/// The erasure recorded at a position; none where the event there is no erasure.
pub(crate) async fn erased_by(tx: &mut Tx<'_>, position: i64) -> Result<Option<Erased>, StoreError> {
    let data: Option<Option<String>> = tx
        .optional("SELECT data FROM events WHERE position = $1 AND type = 'moderation.erased'", values![position])
        .await?;
    Ok(data.flatten().and_then(|data| serde_json::from_str(&data).ok()))
}

impl Log {
    /// The hidden subjects, except texts with streams of their own.
    #[boxed]
    pub(crate) async fn hidings(&self) -> Result<Arc<Hidings>, StoreError> {
        if let Some(cached) = self.masks.get().filter(|_| self.tail.is_current()) {
            return Ok(cached);
        }
        let (read_at, at) = (self.changes.now(), Instant::now());
        let rows: Vec<String> = self
            .db
            .all("SELECT subject FROM hidings WHERE substr(subject, 1, 3) IN ('ag_', 'ow_', 'ws_', 'log')", &[])
            .await?;
        let subjects = rows.into_iter().filter_map(|subject| subject.parse().ok());
        let hidings = Arc::new(Hidings(subjects.collect()));
        self.masks.put(Arc::clone(&hidings), read_at, at);
        Ok(hidings)
    }

    /// The events as any caller may see them.
    pub(crate) async fn published(&self, events: Vec<LoggedEvent>) -> Result<Vec<PublicEvent>, StoreError> {
        let (hidden, gone) = (self.hidden_among(&events).await?, self.deleted_named_in(&events).await?);
        let (hidings, sealed) = (self.hidings().await?, self.contexts.sealed_among(&self.db, &events).await?);
        let public = |event: LoggedEvent| {
            let is_sealed = sealed.contains(&event.position);
            PublicEvent::of(event, &hidden, &gone, &hidings).sealed_if(is_sealed)
        };
        Ok(events.into_iter().map(public).collect())
    }

    /// The streams of these events whose texts are hidden.
    async fn hidden_among(&self, events: &[LoggedEvent]) -> Result<HashSet<String>, StoreError> {
        let streams: HashSet<&str> = events.iter().map(|event| &*event.stream).filter(|id| may_be_hidden(id)).collect();
        if streams.is_empty() {
            return Ok(HashSet::new());
        }
        let listed = self.db.dialect().listed(1);
        let statement = format!("SELECT subject FROM hidings WHERE subject IN (SELECT value FROM {listed})");
        let hidden: Vec<String> = self.db.all(&statement, values![json!(streams).to_string()]).await?;
        Ok(hidden.into_iter().collect())
    }
}

fn may_be_hidden(stream: &str) -> bool {
    ["msg_", "post_", "reply_"].iter().any(|prefix| stream.starts_with(prefix))
}

/// The subject of a moderation case, from the name of the case's stream; none for other streams.
pub(crate) fn hidden_stream(stream: &str) -> Option<&str> {
    stream.strip_prefix("moderation:")
}
