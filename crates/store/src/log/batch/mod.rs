//! A batch: commits that the writer puts into one transaction. Decides which of them win, and collects each commit's result.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use buildtrack_domain::{
    event::{Caching, Event, Fact},
    log::{Header, chain, data_hash, sealed_data_hash},
};
use buildtrack_traces::{Mark, Span};
use chrono::{DateTime, Utc};

use super::{
    EventRow,
    commit::{Commit, Committed, Draft, Reply, render_answer},
    commit_notification::CommitNotification,
    head::{Found, Head},
    versions::Versions,
};
use super::{
    Recorded,
    answers::{self, Answer},
    caps,
    consumers::{self, Progress},
    masks::{HIDINGS, hidden_stream},
    near_duplicates::{NearDuplicates, NewText},
};
use crate::{
    StoreError,
    database::Tx,
    log::context::{Enqueued, SideChange},
};

/// Commits that one transaction writes.
pub(super) struct Batch {
    pub(super) entries: Vec<Entry>,
    /// The new deliveries, once they are written.
    pub(super) enqueued: Arc<Enqueued>,
    /// The tracing span of the transaction.
    pub(super) span: Span,
}

/// One commit of a batch, with its result.
pub(super) struct Entry {
    commit: Commit,
    reply: Reply,
    recorded: Vec<Recorded>,
    answer: Option<Answer>,
    refused: Option<StoreError>,
}

impl Entry {
    fn chain(&mut self, head: &mut Head) -> Vec<EventRow> {
        let recorded_at = head.recorded_at;
        let metadata = self.commit.metadata.clone().unwrap_or_else(|| "{}".into());
        let drafts = std::mem::take(&mut self.commit.drafts);
        let mut rows = Vec::with_capacity(drafts.len());
        for draft in drafts {
            head.position += 1;
            let Draft { stream, version, event, event_type, data, salt, sealed } = draft;
            let header = Header {
                position: head.position,
                stream: &stream,
                version,
                event_type,
                metadata: &metadata,
                recorded_at,
            };
            let (header, data_hash) = if sealed {
                (header.sealed(), sealed_data_hash(&salt, &header, &data))
            } else {
                (header, data_hash(&salt, &data))
            };
            head.hash = chain(&head.hash, &header, &data_hash);
            rows.push(EventRow {
                position: head.position,
                stream: stream.clone(),
                version,
                event_type,
                data,
                salt,
                sealed,
                data_hash,
                metadata: metadata.clone(),
                recorded_at,
                hash: head.hash,
            });
            let position = head.position;
            self.recorded.push(Recorded {
                position,
                stream,
                version,
                event: Some(event),
                recorded_at,
                hash: head.hash,
            });
        }
        rows
    }

    /// Restores the entry to the state in which it arrived, for another attempt.
    pub(super) fn restored(mut self) -> Self {
        for recorded in self.recorded.drain(..) {
            if let Some(event) = recorded.event {
                self.commit.drafts.push(Draft::new(recorded.stream, recorded.version, event));
            }
        }
        self.refused = None;
        self
    }
}

impl Batch {
    pub(super) fn new(arrived: impl Iterator<Item = (Commit, Reply)>) -> Self {
        let entry = |(commit, reply)| Entry { commit, reply, recorded: vec![], answer: None, refused: None };
        Self { entries: arrived.map(entry).collect(), enqueued: Arc::default(), span: Span::default() }
    }

    /// A batch that holds only this entry.
    pub(super) fn single(entry: Entry) -> Self {
        Self { entries: vec![entry.restored()], enqueued: Arc::default(), span: Span::default() }
    }

    /// The tracing spans of the waiting callers.
    pub(super) fn marks(&self) -> impl Iterator<Item = Mark> {
        self.entries.iter().filter_map(|entry| entry.commit.mark.clone())
    }

    /// Whether the batch needs the head's lock.
    pub(super) fn needs_log(&self) -> bool {
        self.entries.iter().any(|entry| entry.commit.needs_log())
    }

    /// Whether the server repeats all of these changes if they are lost.
    pub(super) fn can_be_repeated(&self) -> bool {
        !self.needs_log()
            && self
                .entries
                .iter()
                .flat_map(|entry| &entry.commit.side_changes)
                .all(|change| change.rule().is_repeatable)
    }

    /// Every stream that a commit depends on.
    pub(super) fn streams(&self) -> Vec<&str> {
        let streams: HashSet<_> = self.entries.iter().flat_map(|entry| entry.commit.reads.keys()).collect();
        streams.into_iter().map(|stream| &**stream).collect()
    }

    /// The consumers whose offset a commit advances.
    pub(super) fn consumers(&self) -> BTreeSet<&'static str> {
        consumers::moved(self.entries.iter().flat_map(|entry| &entry.commit.side_changes))
    }

    /// The texts to check for near-duplicates.
    pub(super) fn texts(&self) -> impl Iterator<Item = &NewText> {
        self.entries.iter().filter_map(|entry| entry.commit.new_text.as_deref())
    }

    fn winners(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.refused.is_none())
    }

    fn winners_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut().filter(|entry| entry.refused.is_none())
    }

    /// The winners' events, in log order.
    pub(super) fn recorded(&self) -> impl Iterator<Item = &Recorded> {
        self.winners().flat_map(|entry| &entry.recorded)
    }

    /// The winners' changes to side tables.
    pub(super) fn side_changes(&self) -> Vec<&SideChange> {
        self.winners().flat_map(|entry| &entry.commit.side_changes).collect()
    }

    /// Assigns positions to the winners' events and advances the head. Returns the rows to write.
    pub(super) fn chain(&mut self, head: &mut Head) -> Vec<EventRow> {
        self.winners_mut().flat_map(|entry| entry.chain(head)).collect()
    }

    /// Refuses each entry that read a stream at another version than the current one in `versions`, or that would exceed a cap, or whose text nearly duplicates
    /// a recent text of its author. Both checks include earlier winners of the batch. Returns the offsets to which the winners
    /// advance the consumers.
    pub(super) async fn decide(
        &mut self,
        tx: &mut Tx<'_>,
        found: Found,
        versions: &mut Versions,
        near_duplicates: &NearDuplicates,
        now: DateTime<Utc>,
    ) -> Result<HashMap<&'static str, Progress>, StoreError> {
        let mut progress = consumers::progress(found.consumers);
        let tickets: Vec<_> = self.entries.iter().filter_map(|entry| entry.commit.ticket.as_ref()).collect();
        let mut answered = answers::stored(tx, &tickets, now).await?;
        let caps: Vec<_> = self.entries.iter().flat_map(|entry| entry.commit.caps.iter().cloned()).collect();
        let mut counts = caps::counted(tx, &caps).await?;
        for entry in &mut self.entries {
            let commit = &entry.commit;
            let changed = commit.reads.iter().find(|(stream, seen)| versions.of(stream) != **seen);
            if let Some(known) = commit.ticket.as_ref().and_then(|ticket| answered.get(&ticket.scope)) {
                entry.refused = Some(StoreError::Answered(Box::new(known.clone())));
            } else if let Some((stream, _)) = changed {
                entry.refused = Some(StoreError::Conflict { stream: stream.to_string() });
            } else if let Some(cap) = commit.caps.iter().find(|cap| cap.is_reached(&counts)) {
                entry.refused = Some(StoreError::Conflict { stream: cap.to_string() });
            } else if let Some(stream) = consumers::find_conflict(&commit.side_changes, &mut progress) {
                entry.refused = Some(StoreError::Conflict { stream });
            } else if let Some(near_duplicate) =
                commit.new_text.as_deref().and_then(|new_text| near_duplicates.take(new_text, now))
            {
                entry.refused = Some(StoreError::NearDuplicate(near_duplicate));
            } else {
                for draft in &commit.drafts {
                    versions.moved(&draft.stream, draft.version);
                }
                for cap in &commit.caps {
                    cap.add_to(&mut counts);
                }
                if let Some(ticket) = &commit.ticket {
                    answered.insert(ticket.scope.clone(), ticket.running());
                }
            }
        }
        Ok(progress)
    }

    /// Renders the answers that are stored with the write.
    pub(super) fn render(&mut self) -> Result<(), StoreError> {
        for entry in self.winners_mut() {
            let render = entry.commit.render.as_ref();
            entry.answer = render.map(|render| render_answer(render, &entry.recorded)).transpose()?;
        }
        Ok(())
    }

    pub(super) async fn store_answers(&self, tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        let rows: Vec<_> =
            self.winners().filter_map(|entry| Some((entry.commit.ticket.as_ref()?, entry.answer.as_ref()?))).collect();
        answers::store(tx, &rows, now).await
    }

    /// Streams whose cached values this batch invalidates: identities, sessions, endpoints and workspaces that changed, and texts
    /// that were redacted, hidden or shown again.
    fn invalidated(&self) -> Vec<Arc<str>> {
        let mut seen = HashSet::new();
        let hides = self.recorded().any(|recorded| recorded.event.as_ref().is_some_and(Event::changes_visibility));
        let is_cached = |event: &Event| {
            let declared = event.declaration();
            declared.caching == Caching::Cached || declared.is(Fact::Redacts) || event.changes_visibility()
        };
        self.recorded()
            .filter(|recorded| recorded.event.as_ref().is_some_and(is_cached))
            .map(|recorded| hidden_stream(&recorded.stream).map_or_else(|| recorded.stream.clone(), Arc::from))
            .chain(hides.then(|| Arc::from(HIDINGS)))
            .filter(|stream| seen.insert(stream.clone()))
            .collect()
    }

    /// The commit notification for this process and the others.
    pub(super) fn notification(&self, until: i64) -> CommitNotification {
        let after = self.recorded().next().map_or(until, |first| first.position - 1);
        let types = self.recorded().filter_map(|recorded| Some(recorded.event.as_ref()?.event_type())).collect();
        CommitNotification { after, until, types, invalidated: Some(self.invalidated()) }
    }

    pub(super) fn answer(self) {
        let (span, written) = (self.span.mark(), self.enqueued);
        drop(self.span);
        for Entry { reply, recorded, answer, refused, .. } in self.entries {
            let result =
                refused.map_or(Ok(Committed { recorded, answer, enqueued: written.clone(), mark: span.clone() }), Err);
            // A caller that stopped waiting does not undo its write.
            drop(reply.send(result));
        }
    }

    /// Fails a batch of one entry. If another process created the same stream first, the error is a conflict.
    pub(super) fn fail_alone(self, error: &StoreError) {
        let begun = self.entries.first().and_then(|entry| entry.recorded.first()).map(|first| first.stream.to_string());
        match begun {
            Some(stream) if error.is_duplicate_version() => {
                for entry in self.entries {
                    drop(entry.reply.send(Err(StoreError::Conflict { stream: stream.clone() })));
                }
            }
            _ => self.fail(error),
        }
    }

    pub(super) fn fail(self, error: &StoreError) {
        tracing::error!(%error, writes = self.entries.len(), "writing failed");
        self.span.refused(error.kind());
        for entry in self.entries {
            drop(entry.reply.send(Err(error.again())));
        }
    }
}

#[cfg(test)]
mod tests;
