//! What is written in one transaction: the commits that waited together, who of them wins, and what each is told.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    panic::AssertUnwindSafe,
    sync::Arc,
};

use buildtrack_domain::{
    event::{Event, Visibility, visibility},
    ids::DeliveryId,
    log::{Header, Salt, chain, data_hash, sealed_data_hash},
};
use buildtrack_traces::{Mark, Span};
use chrono::{DateTime, Utc};
use tokio::sync::oneshot;

use super::{
    EventRow,
    head::{Found, Head},
    news::News,
    versions::Versions,
};
use crate::{
    Answer, Delivery, Kept, NewDelivery, Recorded, StoreError, StoredAnswer, Ticket, answers,
    clock::random,
    consumers::{self, Progress},
    db::Tx,
    deliveries::{self, Claim, DeliveryRow},
    masking::{HIDINGS, Hidings},
    moderation::hidden_stream,
    repeats::{NewSaying, Repeats},
};

/// One event on its way, encoded by its caller.
pub(crate) struct Draft {
    pub(crate) stream: Arc<str>,
    pub(crate) version: i64,
    pub(crate) event: Event,
    event_type: &'static str,
    data: String,
    salt: Salt,
    sealed: bool,
}

impl Draft {
    pub(crate) fn new(stream: Arc<str>, version: i64, event: Event) -> Self {
        let (event_type, data, salt) = (event.event_type(), event.encode(), random());
        let sealed = visibility(event_type) == Visibility::Private;
        Self { stream, version, event, event_type, data, salt, sealed }
    }
}

impl Draft {
    /// Without names that are hidden: a redaction repeats whose text it was, as that was frozen.
    fn veiled(self, hidings: &Hidings) -> Self {
        match hidings.mask_new(self.event_type, &self.data) {
            Some(event) => Self::new(self.stream, self.version, event),
            None => self,
        }
    }
}

/// Puts the answer to a request into words, once positions and time are known.
pub(crate) type Render = Box<dyn Fn(&[Recorded]) -> Answer + Send + Sync>;

/// The words are the caller's code: if it panics, that is one caller's failure and not the end of writing.
pub(crate) fn words(render: &Render, recorded: &[Recorded]) -> Result<Answer, StoreError> {
    std::panic::catch_unwind(AssertUnwindSafe(|| render(recorded).bounded()))
        .map_err(|_| StoreError::Damaged("the answer has no words".into()))
}

/// All that one caller wants to happen at once, or not at all.
#[derive(Default)]
pub(crate) struct Commit {
    /// Streams that were looked at, with the version they had.
    pub(crate) reads: HashMap<Arc<str>, i64>,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) kept: Vec<Kept>,
    pub(crate) metadata: Option<Arc<str>>,
    pub(crate) render: Option<Render>,
    pub(crate) ticket: Option<Ticket>,
    pub(crate) claim: Option<Claim>,
    /// What is said with it.
    pub(crate) saying: Option<Box<NewSaying>>,
    /// The span of whoever waits for it.
    pub(crate) mark: Option<Mark>,
}

/// What a commit led to.
#[derive(Debug)]
pub(crate) struct Committed {
    pub(crate) recorded: Vec<Recorded>,
    pub(crate) answer: Option<Answer>,
    pub(crate) claimed: Vec<DeliveryRow>,
    pub(crate) enqueued: Vec<Delivery>,
    /// The span of the transaction that made it.
    pub(crate) mark: Option<Mark>,
}

pub(super) type Reply = oneshot::Sender<Result<Committed, StoreError>>;

impl Commit {
    /// Its events without names that are hidden.
    pub(crate) fn veil(&mut self, hidings: &Hidings) {
        self.drafts = std::mem::take(&mut self.drafts).into_iter().map(|draft| draft.veiled(hidings)).collect();
    }

    /// Whether it must hold the head's lock: it appends, or rests on what streams say or on there being no answer yet.
    pub(crate) fn needs_log(&self) -> bool {
        !self.drafts.is_empty() || !self.reads.is_empty() || self.ticket.is_some()
    }

    /// Whether it is a step of the indexer.
    pub(crate) fn indexes(&self) -> bool {
        self.kept.iter().any(|kept| matches!(kept, Kept::Documents(_)))
    }
}

/// Commits that are written together.
pub(super) struct Batch {
    pub(super) entries: Vec<Entry>,
    /// The span of its transaction.
    pub(super) span: Span,
}

/// One of them, and what became of it.
pub(super) struct Entry {
    commit: Commit,
    reply: Reply,
    recorded: Vec<Recorded>,
    answer: Option<Answer>,
    claimed: Vec<DeliveryRow>,
    enqueued: Vec<Delivery>,
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

    /// The entry as it came, for another try.
    pub(super) fn anew(mut self) -> Self {
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
        let entry = |(commit, reply)| {
            let (recorded, answer, claimed, enqueued, refused) = (vec![], None, vec![], vec![], None);
            Entry { commit, reply, recorded, answer, claimed, enqueued, refused }
        };
        Self { entries: arrived.map(entry).collect(), span: Span::default() }
    }

    /// The only one of a batch.
    pub(super) fn single(entry: Entry) -> Self {
        Self { entries: vec![entry.anew()], span: Span::default() }
    }

    /// The spans of those who wait for it.
    pub(super) fn marks(&self) -> impl Iterator<Item = Mark> {
        self.entries.iter().filter_map(|entry| entry.commit.mark.clone())
    }

    /// Whether it must hold the head's lock.
    pub(super) fn needs_log(&self) -> bool {
        self.entries.iter().any(|entry| entry.commit.needs_log())
    }

    /// Whether all of it is merely done again where it is lost.
    pub(super) fn can_be_repeated(&self) -> bool {
        !self.needs_log() && self.entries.iter().flat_map(|entry| &entry.commit.kept).all(Kept::can_be_repeated)
    }

    /// Every stream that a commit rests on.
    pub(super) fn streams(&self) -> Vec<&str> {
        let streams: HashSet<_> = self.entries.iter().flat_map(|entry| entry.commit.reads.keys()).collect();
        streams.into_iter().map(|stream| &**stream).collect()
    }

    /// The consumers that somebody wants to move.
    pub(super) fn consumers(&self) -> BTreeSet<&'static str> {
        consumers::moved(self.entries.iter().flat_map(|entry| &entry.commit.kept))
    }

    /// What was to be said.
    pub(super) fn sayings(&self) -> impl Iterator<Item = &NewSaying> {
        self.entries.iter().filter_map(|entry| entry.commit.saying.as_deref())
    }

    fn winners(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.refused.is_none())
    }

    fn winners_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut().filter(|entry| entry.refused.is_none())
    }

    /// What the winners wrote on the log, in order.
    pub(super) fn recorded(&self) -> impl Iterator<Item = &Recorded> {
        self.winners().flat_map(|entry| &entry.recorded)
    }

    /// What the winners change beside the log.
    pub(super) fn kept(&self) -> Vec<&Kept> {
        self.winners().flat_map(|entry| &entry.commit.kept).collect()
    }

    /// Hands positions to the winners and moves the head on; gives the rows to write.
    pub(super) fn chain(&mut self, head: &mut Head) -> Vec<EventRow> {
        self.winners_mut().flat_map(|entry| entry.chain(head)).collect()
    }

    /// Refuses every entry that saw something else than what is there now (`versions`), or says what its author has said
    /// before, earlier winners of the batch included; gives how far the winners move the consumers.
    pub(super) async fn decide(
        &mut self,
        tx: &mut Tx<'_>,
        found: Found,
        versions: &mut Versions,
        repeats: &Repeats,
        now: DateTime<Utc>,
    ) -> Result<HashMap<&'static str, Progress>, StoreError> {
        let mut progress = consumers::progress(found.consumers);
        let tickets: Vec<_> = self.entries.iter().filter_map(|entry| entry.commit.ticket.as_ref()).collect();
        let mut answered = answers::stored(tx, &tickets, now).await?;
        for entry in &mut self.entries {
            let commit = &entry.commit;
            let changed = commit.reads.iter().find(|(stream, seen)| versions.of(stream) != **seen);
            if let Some(known) = commit.ticket.as_ref().and_then(|ticket| answered.get(&ticket.scope)) {
                entry.refused = Some(StoreError::Answered(Box::new(known.clone())));
            } else if let Some((stream, _)) = changed {
                entry.refused = Some(StoreError::Conflict { stream: stream.to_string() });
            } else if let Some(stream) = consumers::overtaken(&commit.kept, &mut progress) {
                entry.refused = Some(StoreError::Conflict { stream });
            } else if let Some(repeat) = commit.saying.as_deref().and_then(|saying| repeats.take(saying, now)) {
                entry.refused = Some(StoreError::Repeated(repeat));
            } else {
                for draft in &commit.drafts {
                    versions.moved(&draft.stream, draft.version);
                }
                if let Some(ticket) = &commit.ticket {
                    answered.insert(ticket.scope.clone(), StoredAnswer::running(ticket));
                }
            }
        }
        Ok(progress)
    }

    /// Puts the answers into words that are stored with the write.
    pub(super) fn render(&mut self) -> Result<(), StoreError> {
        for entry in self.winners_mut() {
            let render = entry.commit.render.as_ref();
            entry.answer = render.map(|render| words(render, &entry.recorded)).transpose()?;
        }
        Ok(())
    }

    pub(super) async fn store_answers(&self, tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        let rows: Vec<_> =
            self.winners().filter_map(|entry| Some((entry.commit.ticket.as_ref()?, entry.answer.as_ref()?))).collect();
        answers::store(tx, &rows, now).await
    }

    /// Tells each winner which of its deliveries are new, and what was enqueued before them.
    pub(super) fn hand_out(&mut self, placed: &HashMap<DeliveryId, Option<i64>>) {
        for entry in self.winners_mut() {
            let new = entry.commit.kept.iter().filter_map(|kept| match kept {
                Kept::Deliveries(deliveries) => Some(deliveries),
                _ => None,
            });
            let known = |delivery: &NewDelivery| {
                let previous = placed.get(&delivery.id)?;
                Some(Delivery { previous: Some(*previous), ..delivery.clone().into() })
            };
            entry.enqueued = new.flatten().filter_map(known).collect();
        }
    }

    pub(super) async fn claim(&mut self, tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        for entry in self.winners_mut() {
            if let Some(claim) = &entry.commit.claim {
                entry.claimed = deliveries::claim(tx, claim, now).await?;
            }
        }
        Ok(())
    }

    /// Streams of identities, sessions, endpoints and workspaces that changed, and those that were redacted, hidden or shown
    /// again: whoever remembers them must look again.
    fn touched(&self) -> Vec<Arc<str>> {
        let mut seen = HashSet::new();
        let hides = self.recorded().any(|recorded| recorded.event.as_ref().is_some_and(Event::is_hiding));
        let remembered = |event: &Event| {
            use Event::{Agent, Owner, Session, Webhook, Workspace};
            let is_kept = matches!(event, Agent(_) | Owner(_) | Session(_) | Webhook(_) | Workspace(_));
            is_kept || event.is_redaction() || event.is_hiding()
        };
        self.recorded()
            .filter(|recorded| recorded.event.as_ref().is_some_and(remembered))
            .map(|recorded| hidden_stream(&recorded.stream).map_or_else(|| recorded.stream.clone(), Arc::from))
            .chain(hides.then(|| Arc::from(HIDINGS)))
            .filter(|stream| seen.insert(stream.clone()))
            .collect()
    }

    /// What this process is to be told of it, and others, once it is committed.
    pub(super) fn news(&self, until: i64) -> News {
        let after = self.recorded().next().map_or(until, |first| first.position - 1);
        let types = self.recorded().filter_map(|recorded| Some(recorded.event.as_ref()?.event_type())).collect();
        News { after, until, types, touched: Some(self.touched()) }
    }

    pub(super) fn answer(self) {
        let span = self.span.mark();
        drop(self.span);
        for Entry { reply, recorded, answer, claimed, enqueued, refused, .. } in self.entries {
            let result = refused.map_or(Ok(Committed { recorded, answer, claimed, enqueued, mark: span.clone() }), Err);
            // A caller that has gone away has lost interest, not the write.
            drop(reply.send(result));
        }
    }

    /// Fails the only entry; a stream that somebody else has begun is a conflict.
    pub(super) fn fail_alone(self, error: &StoreError) {
        let begun = self.entries.first().and_then(|entry| entry.recorded.first()).map(|first| first.stream.to_string());
        match begun {
            Some(stream) if error.is_second_beginning() => {
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
mod tests {
    use super::*;

    #[test]
    fn one_commit_that_is_answered_for_makes_the_whole_batch_wait_for_the_disk() {
        let repeated = || Commit { kept: vec![Kept::Outcomes(vec![])], ..Commit::default() };
        let told = || Commit { kept: vec![Kept::Deliveries(vec![])], ..Commit::default() };
        let rests = || Commit { reads: HashMap::from([("stream".into(), 1)]), ..repeated() };
        let batch = |commits: Vec<Commit>| Batch::new(commits.into_iter().map(|commit| (commit, oneshot::channel().0)));
        assert!(batch(vec![repeated(), repeated()]).can_be_repeated());
        assert!(!batch(vec![repeated(), told()]).can_be_repeated());
        assert!(!batch(vec![repeated(), rests()]).can_be_repeated());
    }
}
