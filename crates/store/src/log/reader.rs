//! Reading the log: for followers inside the server, and in public.

use std::sync::Arc;

use buildtrack_domain::event::{Event, Visibility, visibility};
use chrono::{DateTime, Utc};

use crate::{Recorded, Store, StoreError, db::read};

/// One row of the log, as stored.
#[derive(Debug, Clone, sqlx::FromRow)]
pub struct LoggedEvent {
    /// From 1, without gaps.
    pub position: i64,
    /// The stream's name.
    pub stream: String,
    /// From 1 within the stream.
    pub version: i64,
    /// The wire name.
    #[sqlx(rename = "type")]
    pub event_type: String,
    /// The very text that was hashed; none where it has been redacted.
    pub data: Option<String>,
    /// What was hashed before the data; none where they have been redacted.
    pub salt: Option<Vec<u8>>,
    /// SHA-256(salt ‖ data).
    pub data_hash: Vec<u8>,
    /// A JSON object.
    pub metadata: String,
    /// UTC, microseconds.
    pub recorded_at: DateTime<Utc>,
    /// SHA-256(previous hash ‖ header ‖ data hash).
    pub hash: Vec<u8>,
    /// The event that redacted this one.
    pub redacted_by: Option<i64>,
}

impl LoggedEvent {
    fn into_readable(self) -> Recorded {
        let event = self.data.as_deref().and_then(|data| match Event::decode(&self.event_type, data) {
            Ok(event) => Some(event),
            Err(error) => {
                tracing::error!(position = self.position, %error, "an event on the log cannot be read");
                None
            }
        });
        let Self { position, version, recorded_at, .. } = self;
        Recorded { position, stream: Arc::from(self.stream), version, event, recorded_at }
    }

    pub(crate) fn into_recorded(self) -> Result<Recorded, StoreError> {
        let event = self.data.map(|data| Event::decode(&self.event_type, &data)).transpose()?;
        let Self { position, version, recorded_at, .. } = self;
        Ok(Recorded { position, stream: Arc::from(self.stream), version, event, recorded_at })
    }
}

/// One event as anyone may see it: of private and redacted ones only header and hashes.
#[derive(Debug, Clone)]
pub struct PublicEvent {
    /// Header and hashes; data and salt only where they are public.
    pub event: LoggedEvent,
    /// Whether the data are private.
    pub private: bool,
}

impl Store {
    /// Up to `limit` events beyond `after`, in order.
    pub async fn logged(&self, after: i64, limit: i64) -> Result<Vec<LoggedEvent>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by \
                 FROM events WHERE position > $1 ORDER BY position LIMIT $2",
            )
            .bind(after)
            .bind(limit)
            .fetch_all(pool)
            .await?
        }))
    }

    /// Up to `limit` events beyond `after`, in order, put back into their types.
    pub async fn recorded(&self, after: i64, limit: i64) -> Result<Vec<Recorded>, StoreError> {
        self.logged(after, limit).await?.into_iter().map(LoggedEvent::into_recorded).collect()
    }

    /// Up to `limit` events beyond `after`, in order, for a follower: from memory where this process has just written
    /// them. An event that cannot be read is passed on without data, because nobody can deal with it.
    pub async fn follow(&self, after: i64, limit: usize) -> Result<Vec<Recorded>, StoreError> {
        if let Some(recent) = self.recent.beyond(after, limit) {
            return Ok(recent);
        }
        let logged = self.logged(after, i64::try_from(limit).unwrap_or(i64::MAX)).await?;
        Ok(logged.into_iter().map(LoggedEvent::into_readable).collect())
    }

    /// The event at one position.
    pub async fn recorded_at(&self, position: i64) -> Result<Option<Recorded>, StoreError> {
        Ok(self.recorded(position - 1, 1).await?.into_iter().find(|recorded| recorded.position == position))
    }

    /// Up to `limit` events beyond `after`, in order, without what is private.
    pub async fn public_log(&self, after: i64, limit: i64) -> Result<Vec<PublicEvent>, StoreError> {
        let show = |mut event: LoggedEvent| {
            let private = visibility(&event.event_type) == Visibility::Private;
            if private {
                (event.data, event.salt) = (None, None);
            }
            PublicEvent { event, private }
        };
        Ok(self.logged(after, limit).await?.into_iter().map(show).collect())
    }
}
