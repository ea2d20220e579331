//! Reads the log, for tasks of the server and for the public API.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use buildtrack_domain::{
    event::{Event, Visibility, visibility},
    log::{GENESIS, Hash, Header},
    names::{named, without_names},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::{Log, Recorded, deleted_names::names_any, masks::Hidings, postgres, sqlite};
use crate::{
    StoreError,
    database::{Db, FromRow, values},
};

/// How long the follower may be silent before cached texts count as stale.
const STALE: Duration = Duration::from_secs(5);

/// One row of the log, as stored.
#[derive(Debug, Clone, FromRow)]
pub struct LoggedEvent {
    /// From 1, without gaps.
    pub position: i64,
    /// The stream's name.
    pub stream: String,
    /// From 1 within the stream.
    pub version: i64,
    /// The wire name.
    #[column(name = "type")]
    pub event_type: String,
    /// The text that was hashed; `None` if redacted. Without a salt, the text that an erasure left.
    pub data: Option<String>,
    /// The bytes that were hashed before the data; `None` if the data were redacted.
    pub salt: Option<Vec<u8>>,
    /// SHA-256(salt ‖ data).
    pub data_hash: Vec<u8>,
    /// A JSON object.
    pub metadata: String,
    /// UTC, microseconds.
    pub recorded_at: DateTime<Utc>,
    /// SHA-256(previous hash ‖ header ‖ data hash).
    pub hash: Vec<u8>,
    /// The position of the event that redacted this one, or erased a part of its data.
    pub redacted_by: Option<i64>,
    /// Whether the hash covers the sealed header. `false` if the query did not select it.
    #[column(default)]
    pub sealed: bool,
}

impl LoggedEvent {
    /// The event's own header, which differs from the hashed one if the event is sealed.
    pub fn header(&self) -> Header<'_> {
        let Self { position, stream, version, event_type, metadata, recorded_at, .. } = self;
        Header { position: *position, stream, version: *version, event_type, metadata, recorded_at: *recorded_at }
    }

    pub(crate) fn into_readable(self) -> Recorded {
        let event = self.data.as_deref().and_then(|data| match Event::decode(&self.event_type, data) {
            Ok(event) => Some(event),
            Err(error) => {
                tracing::error!(position = self.position, %error, "an event on the log cannot be read");
                None
            }
        });
        let hash = hash(&self.hash);
        let Self { position, version, recorded_at, .. } = self;
        Recorded { position, stream: Arc::from(self.stream), version, event, recorded_at, hash }
    }

    pub(crate) fn into_recorded(self) -> Result<Recorded, StoreError> {
        let hash = hash(&self.hash);
        let event = self.data.map(|data| Event::decode(&self.event_type, &data)).transpose()?;
        let Self { position, version, recorded_at, .. } = self;
        Ok(Recorded { position, stream: Arc::from(self.stream), version, event, recorded_at, hash })
    }
}

/// Zeros if the stored hash is damaged. `verify-log` reports the damage; other readers still process the event.
fn hash(bytes: &[u8]) -> Hash {
    bytes.try_into().unwrap_or_default()
}

/// Why an event's stored data are withheld.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Withheld {
    /// The data are private, as are the event's stream and type.
    Private,
    /// An operator hides the text of the event's stream.
    Hidden,
    /// An operator hides a name or text that the data contain.
    Masked,
    /// An operator erased a name or text that the data contained.
    Erased,
    /// The data tell whose argument is whose in a motion of a debate whose votes have not closed.
    Sealed,
}

/// One event as the public sees it. Private events show only position, time and hashes. Hidden, erased and redacted events show
/// only header and hashes.
#[derive(Debug, Clone)]
pub struct PublicEvent {
    /// Header and hashes; data and salt only if they are public.
    pub event: LoggedEvent,
    /// Why the data are missing. `None` also if they were redacted.
    pub withheld: Option<Withheld>,
}

impl PublicEvent {
    /// Removes private and hidden content.
    pub(crate) fn of(
        mut event: LoggedEvent,
        hidden: &HashSet<String>,
        gone: &HashSet<String>,
        hidings: &Hidings,
    ) -> Self {
        let withheld = if visibility(&event.event_type) == Visibility::Private {
            Some(Withheld::Private)
        } else if event.data.is_none() {
            None
        } else if hidden.contains(&event.stream) {
            Some(Withheld::Hidden)
        } else if event.salt.is_none() {
            Some(Withheld::Erased)
        } else if names_any(&event, gone) {
            Some(Withheld::Masked)
        } else {
            hidings.mask(&event).map(|_| Withheld::Masked)
        };
        if withheld.is_some() {
            (event.data, event.salt) = (None, None);
        }
        if withheld == Some(Withheld::Private) {
            let sealed = event.header().sealed();
            let (stream, version, event_type, metadata) =
                (sealed.stream.into(), sealed.version, sealed.event_type.into(), sealed.metadata.into());
            event = LoggedEvent { stream, version, event_type, metadata, redacted_by: None, ..event };
        }
        Self { event, withheld }
    }

    /// Removes the content if it is sealed for now.
    pub(crate) fn sealed_if(mut self, is_sealed: bool) -> Self {
        if is_sealed {
            (self.event.data, self.event.salt) = (None, None);
            self.withheld = self.withheld.or(Some(Withheld::Sealed));
        }
        self
    }
}

#[boxed]
impl Log {
    /// Up to `limit` events after position `after`, in log order.
    pub async fn logged(&self, after: i64, limit: i64) -> Result<Vec<LoggedEvent>, StoreError> {
        self.db
            .all(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, \
                 redacted_by, sealed FROM events WHERE position > $1 ORDER BY position LIMIT $2",
                values![after, limit],
            )
            .await
    }

    /// Up to `limit` decoded events after position `after`, in log order.
    pub async fn recorded(&self, after: i64, limit: i64) -> Result<Vec<Recorded>, StoreError> {
        self.logged(after, limit).await?.into_iter().map(LoggedEvent::into_recorded).collect()
    }

    /// Position and type of up to `limit` events after position `after`, in log order.
    pub async fn announced(&self, after: i64, limit: usize) -> Result<Vec<(i64, String)>, StoreError> {
        // Read first: the cache may only grow afterwards.
        let head = self.tail.head();
        if let Some(known) = self.watermark.beyond(after, limit) {
            return Ok(known.into_iter().map(|(position, event_type)| (position, event_type.to_owned())).collect());
        }
        if after == head {
            return Ok(vec![]);
        }
        self.db
            .all(
                "SELECT position, type FROM events WHERE position > $1 ORDER BY position LIMIT $2",
                values![after, i64::try_from(limit).unwrap_or(i64::MAX)],
            )
            .await
    }

    /// Position and hash of up to `limit` events after position `after`, in log order. The hashes name the events' traces.
    pub async fn hashes(&self, after: i64, limit: usize) -> Result<Vec<(i64, Hash)>, StoreError> {
        if let Some(recent) = self.recent.beyond(after, limit) {
            return Ok(recent.iter().map(|recorded| (recorded.position, recorded.hash)).collect());
        }
        let rows: Vec<(i64, Vec<u8>)> = self
            .db
            .all(
                "SELECT position, hash FROM events WHERE position > $1 ORDER BY position LIMIT $2",
                values![after, i64::try_from(limit).unwrap_or(i64::MAX)],
            )
            .await?;
        Ok(rows.into_iter().map(|(position, bytes)| (position, hash(&bytes))).collect())
    }

    /// The events at these positions, which must ascend. Uses the recent-event cache where this process has just written them.
    /// Returns an error in place of each event that cannot be decoded. Hidden events have no data.
    pub async fn events_at(&self, positions: &[i64]) -> Result<Vec<Result<Recorded, StoreError>>, StoreError> {
        let hidings = self.hidings().await?;
        let (Some(first), Some(last)) = (positions.first(), positions.last()) else { return Ok(vec![]) };
        let wanted = |position: &i64| positions.binary_search(position).is_ok();
        let span = usize::try_from(last - first + 1).unwrap_or(usize::MAX);
        if let Some(recent) = self.recent.beyond(first - 1, span)
            && recent.last().is_some_and(|recorded| recorded.position >= *last)
        {
            let recent = recent.into_iter().filter(|recorded| wanted(&recorded.position));
            return Ok(recent.map(|recorded| Ok(hidings.mask_recorded(recorded))).collect());
        }
        let head = self.tail.head();
        let logged = match &self.db {
            Db::Postgres { frequent, .. } => postgres::logged_at(frequent, positions).await?,
            Db::Sqlite { readers, .. } => sqlite::logged_at(readers, positions).await?,
        };
        let logged = self.without_deleted_names(logged).await?;
        let events: Vec<_> = logged.into_iter().map(LoggedEvent::into_recorded).collect();
        self.recent_reads.insert(events.iter().flatten(), head);
        Ok(events.into_iter().map(|event| event.map(|recorded| hidings.mask_recorded(recorded))).collect())
    }

    /// The hash of the event before each of these positions, which must ascend. The genesis hash (zeros) precedes position 1.
    pub async fn hashes_before(&self, positions: &[i64]) -> Result<HashMap<i64, Hash>, StoreError> {
        let before: Vec<_> = positions.iter().map(|position| position - 1).collect();
        let logged = match &self.db {
            Db::Postgres { reads: pool, .. } => postgres::logged_at(pool, &before).await?,
            Db::Sqlite { readers, .. } => sqlite::logged_at(readers, &before).await?,
        };
        let hashes = logged.into_iter().map(|event| (event.position + 1, hash(&event.hash)));
        Ok(std::iter::once((1, GENESIS)).chain(hashes).collect())
    }

    /// When the first event after a position was recorded; `None` if there is no later event.
    pub async fn recorded_since(&self, position: i64) -> Result<Option<DateTime<Utc>>, StoreError> {
        self.db
            .optional("SELECT recorded_at FROM events WHERE position > $1 ORDER BY position LIMIT 1", values![position])
            .await
    }

    /// The event at one position, without data if it is hidden. Uses the caches if this process has just written or read the event
    /// and follows the log.
    pub async fn recorded_at(&self, position: i64) -> Result<Option<Recorded>, StoreError> {
        let hidings = self.hidings().await?;
        let known = || self.recent.at(position).or_else(|| self.recent_reads.at(position, &self.changes));
        let found = match known().filter(|_| self.tail.is_current()) {
            Some(known) => Some(known),
            None => self.without_gone(self.lookup.at(position).await?).await?,
        };
        Ok(found.map(|recorded| hidings.mask_recorded(recorded)))
    }

    async fn without_gone(&self, recorded: Option<Recorded>) -> Result<Option<Recorded>, StoreError> {
        let Some(Recorded { event: Some(event), .. }) = &recorded else { return Ok(recorded) };
        let (event_type, data) = (event.event_type(), event.encode());
        let gone = self.deleted_among(named(event_type, &data)).await?;
        if gone.is_empty() {
            return Ok(recorded);
        }
        let renamed = Event::decode(event_type, &without_names(event_type, &data, |id| gone.contains(id)))?;
        Ok(recorded.map(|recorded| Recorded { event: Some(renamed), ..recorded }))
    }

    /// Whether a text read from `stream` when the tail was at `read_at` may still be shown: this process receives redactions,
    /// wherever they are made, and has received none for the stream after `read_at`. The store keeps changes for two minutes,
    /// so callers that cache texts must follow the log.
    pub fn is_current_text(&self, stream: &str, read_at: i64) -> bool {
        self.tail.has_polled_within(STALE) && self.changes.none_beyond(read_at, stream)
    }

    /// Up to `limit` events after position `after`, in log order, without private and hidden content.
    pub async fn public_log(&self, after: i64, limit: i64) -> Result<Vec<PublicEvent>, StoreError> {
        self.published(self.logged(after, limit).await?).await
    }
}
