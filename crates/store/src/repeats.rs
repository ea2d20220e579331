//! What each author said lately, so that nobody says the same over and over.
//!
//! The writer looks it up and notes it where it decides who wins, so that of two that say the same at once one is refused.
//! It is read from the tables when an author first speaks, and again only where other processes have written since.
//!
//! **Invariant:** nothing of it is stored, and a refusal counts only while the database still shows the original's words:
//! what was taken back, hidden or put into other words stands in nobody's way.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use buildtrack_domain::{
    actors::ActorId,
    ids::{MessageId, PostId, ReplyId},
    repeats::{Fingerprint, KEPT, Saying, Sayings, TextRef},
};
use chrono::{DateTime, Utc};
use tokio::time::Instant;

use crate::{Store, StoreError, db::read, identity::parse};

/// How many authors are remembered: those who spoke last. Fifty long texts of each are some 20 KB.
const AUTHORS: u64 = 4096;
/// How long what was read counts while other processes write.
const STALE: Duration = Duration::from_secs(1);

/// What somebody wants to say.
#[derive(Debug, Clone)]
pub(crate) struct NewSaying {
    author: ActorId,
    text: TextRef,
    fingerprint: Fingerprint,
}

/// What somebody wanted to say, and has said before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Repeat {
    author: ActorId,
    /// The text that said it first.
    pub original: TextRef,
}

/// Author → what was said lately. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Repeats(moka::sync::Cache<ActorId, Arc<Mutex<Known>>>);

#[derive(Default)]
struct Known {
    sayings: Sayings,
    reading: Option<Reading>,
}

/// How far the tables were read, and when.
#[derive(Clone, Copy)]
struct Reading {
    to: i64,
    at: Instant,
}

impl Repeats {
    pub(crate) fn new() -> Self {
        Self(moka::sync::Cache::new(AUTHORS))
    }

    /// Notes what is about to be said, unless it is a repeat.
    pub(crate) fn take(&self, new: &NewSaying, now: DateTime<Utc>) -> Option<Repeat> {
        let NewSaying { author, text, fingerprint } = new;
        let known = self.0.get(author)?;
        let mut known = lock(&known);
        let saying = Saying { text: *text, fingerprint: fingerprint.clone(), at: now };
        let original = known.sayings.original(&saying);
        if original.is_none() {
            known.sayings.note(saying);
        }
        original.map(|original| Repeat { author: *author, original })
    }

    /// What was noted and not written, as far as anybody knows: its author's are read anew.
    pub(crate) fn forget<'s>(&self, sayings: impl Iterator<Item = &'s NewSaying>) {
        sayings.for_each(|new| self.0.invalidate(&new.author));
    }

    fn of(&self, author: ActorId) -> Arc<Mutex<Known>> {
        self.0.get_with(author, Arc::default)
    }
}

fn lock(known: &Mutex<Known>) -> MutexGuard<'_, Known> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(sqlx::FromRow)]
struct SaidRow {
    id: String,
    place: String,
    reply_to: Option<String>,
    words: String,
    created_at: DateTime<Utc>,
}

impl SaidRow {
    fn saying(self) -> Result<Saying, StoreError> {
        let Self { id, place, reply_to, words, created_at } = self;
        let text = if let Ok(message_id) = id.parse::<MessageId>() {
            let reply_to = reply_to.as_deref().map(parse).transpose()?;
            TextRef::Message { workspace_id: parse(&place)?, message_id, reply_to }
        } else if let Ok(reply_id) = id.parse::<ReplyId>() {
            let reply_to = reply_to.as_deref().map(parse).transpose()?;
            TextRef::Reply { post_id: parse(&place)?, reply_id, reply_to }
        } else {
            TextRef::Post(parse::<PostId>(&id)?)
        };
        Ok(Saying { text, fingerprint: Fingerprint::of(&words), at: created_at })
    }
}

impl Store {
    /// What somebody wants to say, for a commit; what its author said lately is known from here on.
    pub(crate) async fn saying(&self, author: ActorId, text: TextRef, words: &str) -> Result<NewSaying, StoreError> {
        let known = self.repeats.of(author);
        let read = lock(&known).reading;
        if !read.is_some_and(|reading| self.is_complete(reading)) {
            let reading = Reading { to: self.tail.head(), at: Instant::now() };
            // In a box: this happens once in a while, and every request would carry the room for it.
            let said = Box::pin(self.said(author, read.map_or(0, |reading| reading.to))).await?;
            let said = said.into_iter().map(SaidRow::saying).collect::<Result<Vec<_>, _>>()?;
            let mut known = lock(&known);
            for saying in said {
                known.sayings.note(saying);
            }
            known.reading = Some(reading);
        }
        Ok(NewSaying { author, text, fingerprint: Fingerprint::of(words) })
    }

    /// Whether the tables hold no more than was read then and what this process wrote since; while others write, within a
    /// second.
    fn is_complete(&self, reading: Reading) -> bool {
        let alone = self.recent.others() <= reading.to && self.tail.is_current();
        alone || reading.at.elapsed() < STALE
    }

    /// The last texts of an author beyond a position.
    async fn said(&self, author: ActorId, beyond: i64) -> Result<Vec<SaidRow>, StoreError> {
        Ok(read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT id, place, reply_to, words, created_at FROM (SELECT id, workspace_id AS place, reply_to, \
                 content AS words, created_at FROM messages WHERE author_id = $1 AND position > $2 AND NOT redacted \
                 AND NOT hidden ORDER BY position DESC LIMIT $3) AS said_in_workspaces UNION ALL \
                 SELECT id, place, reply_to, words, created_at FROM (SELECT id, post_id AS place, reply_to, body AS words, \
                 created_at FROM replies WHERE author_id = $1 AND position > $2 AND NOT redacted AND NOT hidden \
                 ORDER BY position DESC LIMIT $3) AS replied UNION ALL \
                 SELECT id, '' AS place, NULL AS reply_to, words, created_at FROM (SELECT id, title || ' ' || body AS words, \
                 created_at FROM posts WHERE author_id = $1 AND position > $2 AND NOT redacted AND NOT hidden \
                 ORDER BY position DESC LIMIT $3) AS asked",
            )
            .bind(author.to_string())
            .bind(beyond)
            .bind(i64::try_from(KEPT).unwrap_or(i64::MAX))
            .fetch_all(pool)
            .await?
        }))
    }

    /// Whether the original still says what it said when it was noted. From here on it is known as it is now.
    pub(crate) async fn stands(&self, repeat: &Repeat) -> Result<bool, StoreError> {
        let words = self.words(repeat.original).await?;
        let fingerprint = words.as_deref().map(Fingerprint::of);
        let stands = fingerprint.is_some();
        let known = self.repeats.of(repeat.author);
        let unchanged = lock(&known).sayings.amend(repeat.original, fingerprint);
        Ok(stands && unchanged)
    }

    /// What a text says, where it is shown.
    async fn words(&self, text: TextRef) -> Result<Option<String>, StoreError> {
        let (id, statement) = match text {
            TextRef::Message { message_id, .. } => {
                (message_id.to_string(), "SELECT content FROM messages WHERE id = $1 AND NOT redacted AND NOT hidden")
            }
            TextRef::Post(post_id) => (
                post_id.to_string(),
                "SELECT title || ' ' || body FROM posts WHERE id = $1 AND NOT redacted AND NOT hidden",
            ),
            TextRef::Reply { reply_id, .. } => {
                (reply_id.to_string(), "SELECT body FROM replies WHERE id = $1 AND NOT redacted AND NOT hidden")
            }
        };
        Ok(read!(&self.db, |pool| sqlx::query_scalar(statement).bind(id).fetch_optional(pool).await?))
    }
}
