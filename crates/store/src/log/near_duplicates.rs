//! Detection of near-duplicates: a cache of each author's recent texts.
//!
//! The writer checks and records a text where it decides which commit wins, so that of two equal concurrent texts one is refused.
//! The cache is filled from the log's last events, which include texts from before this process started and from other
//! processes. There is no table and no index for it, because every message would pay for them.
//!
//! **Invariant:** the cache is never stored, and a text is refused only while the database still shows the original: an original
//! that was redacted, hidden or edited refuses nothing.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use buildtrack_domain::{
    actors::ActorId,
    event::Event,
    forum::{PostEdited, PostEvent, PostWritten, ReplyEvent, ReplyWritten},
    near_duplicates::{Fingerprint, RecentText, RecentTexts, TextRef, WINDOW},
    workspaces::{MessageEvent, MessagePosted},
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use tokio::time::Instant;

use super::{Log, Recorded};
use crate::{NearDuplicate, StoreError, database::values};

/// Capacity of the cache: the authors that wrote last. Fifty long texts of one author take some 20 KB.
const AUTHORS: u64 = 4096;
/// How many of the log's last events are read before the first text is checked, which takes a tenth of a second.
const SCAN_LIMIT: i64 = 10_000;
/// How many of them are read to catch up with other processes, and how often at most: one hundredth of a processor under full
/// write load.
const CATCH_UP_LIMIT: i64 = 2000;
const STALE: Duration = Duration::from_secs(1);
/// Events read at once: few enough to hold in memory when each has 20000 characters.
const PAGE: i64 = 500;

/// A text that an author wants to publish.
#[derive(Debug, Clone)]
pub(crate) struct NewText {
    author: ActorId,
    text: TextRef,
    fingerprint: Fingerprint,
}

/// Author → recent texts. Cheap to clone.
#[derive(Clone)]
pub(crate) struct NearDuplicates {
    known: moka::sync::Cache<ActorId, Arc<Mutex<RecentTexts>>>,
    reading: Arc<Mutex<Option<Reading>>>,
    /// Held while one task reads the log on behalf of all that wait.
    read_lock: Arc<tokio::sync::Mutex<()>>,
}

/// The position up to which the log was read, and when.
#[derive(Clone, Copy)]
struct Reading {
    to: i64,
    at: Instant,
}

impl NearDuplicates {
    pub(crate) fn new() -> Self {
        Self { known: moka::sync::Cache::new(AUTHORS), reading: Arc::default(), read_lock: Arc::default() }
    }

    /// Records a text that is about to be committed, unless it is a near-duplicate of an earlier one.
    pub(crate) fn take(&self, new: &NewText, now: DateTime<Utc>) -> Option<NearDuplicate> {
        let NewText { author, text, fingerprint } = new;
        let known = self.of(*author);
        let mut known = lock(&known);
        let recent_text = RecentText { text: *text, fingerprint: fingerprint.clone(), at: now };
        let original = known.original(&recent_text);
        if original.is_none() {
            known.note(recent_text);
        }
        original.map(|original| NearDuplicate { author: *author, original })
    }

    /// Removes texts whose commit failed or has an unknown outcome. If it did succeed, the log has them.
    pub(crate) fn remove<'s>(&self, texts: impl Iterator<Item = &'s NewText>) {
        for new in texts {
            lock(&self.of(new.author)).amend(new.text, None);
            *lock(&self.reading) = None;
        }
    }

    /// Drops the cache: the database has lost its last events, so recorded texts may never have been committed.
    pub(crate) fn clear(&self) {
        self.known.invalidate_all();
        *lock(&self.reading) = None;
    }

    /// Records the text of an event.
    fn note(&self, recorded: &Recorded) {
        let Some((author, text, words)) = recorded.event.as_ref().and_then(text_of) else { return };
        let recent_text = RecentText { text, fingerprint: Fingerprint::of(&words), at: recorded.recorded_at };
        lock(&self.of(author)).note(recent_text);
    }

    fn of(&self, author: ActorId) -> Arc<Mutex<RecentTexts>> {
        self.known.get_with(author, Arc::default)
    }
}

fn lock<T>(known: &Mutex<T>) -> MutexGuard<'_, T> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Author, reference and text of an event that publishes a text.
fn text_of(event: &Event) -> Option<(ActorId, TextRef, String)> {
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

impl Log {
    /// Prepares an author's text for a commit, after the cache has caught up with the log.
    #[boxed]
    pub(crate) async fn prepare_text(
        &self,
        author: ActorId,
        text: TextRef,
        words: &str,
    ) -> Result<NewText, StoreError> {
        if !self.is_caught_up() {
            // Boxed, because this is rare and every request's future would otherwise reserve space for it.
            Box::pin(self.catch_up()).await?;
        }
        Ok(NewText { author, text, fingerprint: Fingerprint::of(words) })
    }

    /// Whether the cache covers the log: this process has read up to the last event of other processes. While others write, a
    /// reading of the last second suffices.
    fn is_caught_up(&self) -> bool {
        let Some(Reading { to, at }) = *lock(&self.near_duplicates.reading) else { return false };
        self.recent.others() <= to && self.tail.is_current() || at.elapsed() < STALE
    }

    /// Records the texts of the log's last events.
    async fn catch_up(&self) -> Result<(), StoreError> {
        let _guard = self.near_duplicates.read_lock.lock().await;
        if self.is_caught_up() {
            return Ok(());
        }
        let before = *lock(&self.near_duplicates.reading);
        let reading = Reading { to: self.tail.head(), at: Instant::now() };
        let mut from =
            before.map_or(reading.to - SCAN_LIMIT, |before| before.to.max(reading.to - CATCH_UP_LIMIT)).max(0);
        let since = self.clock.now() - WINDOW;
        while from < reading.to {
            let events = self.logged(from, PAGE.min(reading.to - from)).await?;
            let Some(last) = events.last() else { break };
            from = last.position;
            // An event that cannot be decoded must not block authors; `verify-log` reports it.
            let recorded = events.into_iter().filter_map(|event| event.into_recorded().ok());
            recorded
                .filter(|recorded| recorded.recorded_at > since)
                .for_each(|recorded| self.near_duplicates.note(&recorded));
        }
        *lock(&self.near_duplicates.reading) = Some(reading);
        Ok(())
    }

    /// Whether the original still has the text that was recorded. Updates the cache with its current text.
    #[boxed]
    pub(crate) async fn is_original_current(&self, near_duplicate: &NearDuplicate) -> Result<bool, StoreError> {
        let text = self.current_text(near_duplicate.original).await?;
        let fingerprint = text.as_deref().map(Fingerprint::of);
        let shown = fingerprint.is_some();
        let unchanged =
            lock(&self.near_duplicates.of(near_duplicate.author)).amend(near_duplicate.original, fingerprint);
        Ok(shown && unchanged)
    }

    /// A text's current content; none where it is redacted or hidden.
    async fn current_text(&self, text: TextRef) -> Result<Option<String>, StoreError> {
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
        self.db.optional(statement, values![id]).await
    }
}
