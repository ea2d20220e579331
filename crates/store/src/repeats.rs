//! What each author said lately, so that nobody says the same over and over.
//!
//! The writer looks it up and notes it where it decides who wins, so that of two that say the same at once one is refused.
//! The log's last events tell of what was said before this process began, and of what others write beside it: no table and
//! no index is kept for it, which every message would have to pay for.
//!
//! **Invariant:** nothing of it is stored, and a refusal counts only while the database still shows the original's words:
//! what was taken back, hidden or put into other words stands in nobody's way.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use buildtrack_domain::{
    actors::ActorId,
    event::Event,
    forum::{PostEdited, PostEvent, PostWritten, ReplyEvent, ReplyWritten},
    repeats::{Fingerprint, Saying, Sayings, TextRef, WINDOW},
    workspaces::{MessageEvent, MessagePosted},
};
use chrono::{DateTime, Utc};
use tokio::time::Instant;

use crate::{Recorded, Store, StoreError, db::read};

/// How many authors are remembered: those who spoke last. Fifty long texts of each are some 20 KB.
const AUTHORS: u64 = 4096;
/// How many of the log's last events are read when somebody first speaks: a tenth of a second.
const REACH: i64 = 10_000;
/// How many of them are read to hear of what others have written, and how often at most: one hundredth of a processor
/// where everybody writes as fast as they can.
const CAUGHT_UP: i64 = 2000;
const STALE: Duration = Duration::from_secs(1);
/// Events read at once: few enough to hold in memory when each has 20000 characters.
const PAGE: i64 = 500;

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
pub(crate) struct Repeats {
    known: moka::sync::Cache<ActorId, Arc<Mutex<Sayings>>>,
    reading: Arc<Mutex<Option<Reading>>>,
    /// Held while the log is read: once for all who wait for it.
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// How far the log was read, and when.
#[derive(Clone, Copy)]
struct Reading {
    to: i64,
    at: Instant,
}

impl Repeats {
    pub(crate) fn new() -> Self {
        Self { known: moka::sync::Cache::new(AUTHORS), reading: Arc::default(), turn: Arc::default() }
    }

    /// Notes what is about to be said, unless it is a repeat.
    pub(crate) fn take(&self, new: &NewSaying, now: DateTime<Utc>) -> Option<Repeat> {
        let NewSaying { author, text, fingerprint } = new;
        let known = self.of(*author);
        let mut known = lock(&known);
        let saying = Saying { text: *text, fingerprint: fingerprint.clone(), at: now };
        let original = known.original(&saying);
        if original.is_none() {
            known.note(saying);
        }
        original.map(|original| Repeat { author: *author, original })
    }

    /// What was noted and, as far as anybody knows, not written. If it was, the log will tell.
    pub(crate) fn forget<'s>(&self, sayings: impl Iterator<Item = &'s NewSaying>) {
        for new in sayings {
            lock(&self.of(new.author)).amend(new.text, None);
            *lock(&self.reading) = None;
        }
    }

    /// What was noted may never have been said: the database has lost its last events.
    pub(crate) fn clear(&self) {
        self.known.invalidate_all();
        *lock(&self.reading) = None;
    }

    /// Notes what an event says.
    fn note(&self, recorded: &Recorded) {
        let Some((author, text, words)) = recorded.event.as_ref().and_then(said) else { return };
        let saying = Saying { text, fingerprint: Fingerprint::of(&words), at: recorded.recorded_at };
        lock(&self.of(author)).note(saying);
    }

    fn of(&self, author: ActorId) -> Arc<Mutex<Sayings>> {
        self.known.get_with(author, Arc::default)
    }
}

fn lock<T>(known: &Mutex<T>) -> MutexGuard<'_, T> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who says what with an event, if it says something.
fn said(event: &Event) -> Option<(ActorId, TextRef, String)> {
    match event {
        Event::Message(MessageEvent::Posted(posted)) => {
            let MessagePosted { message_id, workspace_id, author, content, reply_to, .. } = posted;
            let (workspace_id, message_id, reply_to) = (*workspace_id, *message_id, *reply_to);
            Some((author.id, TextRef::Message { workspace_id, message_id, reply_to }, content.clone()))
        }
        Event::Post(PostEvent::Written(PostWritten { post_id, author, title, body, .. })) => {
            Some((author.id, TextRef::Post(*post_id), format!("{title} {body}")))
        }
        Event::Post(PostEvent::Edited(PostEdited { post_id, editor, title, body, .. })) => {
            Some((editor.id, TextRef::Post(*post_id), format!("{title} {body}")))
        }
        Event::Reply(ReplyEvent::Written(ReplyWritten { reply_id, post_id, author, body, reply_to, .. })) => {
            let (post_id, reply_id, reply_to) = (*post_id, *reply_id, *reply_to);
            Some((author.id, TextRef::Reply { post_id, reply_id, reply_to }, body.clone()))
        }
        _ => None,
    }
}

impl Store {
    /// What somebody wants to say, for a commit; what was said lately is known from here on.
    pub(crate) async fn saying(&self, author: ActorId, text: TextRef, words: &str) -> Result<NewSaying, StoreError> {
        if !self.knows_what_was_said() {
            // In a box: this happens once in a while, and every request would carry the room for it.
            Box::pin(self.hear()).await?;
        }
        Ok(NewSaying { author, text, fingerprint: Fingerprint::of(words) })
    }

    /// Whether the log holds no more than was read then and what this process wrote since; while others write, within a
    /// second.
    fn knows_what_was_said(&self) -> bool {
        let Some(Reading { to, at }) = *lock(&self.repeats.reading) else { return false };
        self.recent.others() <= to && self.tail.is_current() || at.elapsed() < STALE
    }

    /// Notes what the log's last events say.
    async fn hear(&self) -> Result<(), StoreError> {
        let _turn = self.repeats.turn.lock().await;
        if self.knows_what_was_said() {
            return Ok(());
        }
        let before = *lock(&self.repeats.reading);
        let reading = Reading { to: self.tail.head(), at: Instant::now() };
        let mut from = before.map_or(reading.to - REACH, |before| before.to.max(reading.to - CAUGHT_UP)).max(0);
        let since = self.clock.now() - WINDOW;
        while from < reading.to {
            let events = self.logged(from, PAGE.min(reading.to - from)).await?;
            let Some(last) = events.last() else { break };
            from = last.position;
            // What somebody has damaged keeps nobody from speaking; `verify-log` tells of it.
            let recorded = events.into_iter().filter_map(|event| event.into_recorded().ok());
            recorded.filter(|recorded| recorded.recorded_at > since).for_each(|recorded| self.repeats.note(&recorded));
        }
        *lock(&self.repeats.reading) = Some(reading);
        Ok(())
    }

    /// Whether the original still says what it said when it was noted. From here on it is known as it is now.
    pub(crate) async fn stands(&self, repeat: &Repeat) -> Result<bool, StoreError> {
        let words = self.words(repeat.original).await?;
        let fingerprint = words.as_deref().map(Fingerprint::of);
        let shown = fingerprint.is_some();
        let unchanged = lock(&self.repeats.of(repeat.author)).amend(repeat.original, fingerprint);
        Ok(shown && unchanged)
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
