//! A unit of work: the streams that a decision read, its changes, and retries after conflicts.

use std::{collections::HashMap, fmt::Display, sync::Arc};

use buildtrack_domain::{actors::ActorId, decide::State, event::Event, near_duplicates::TextRef};
use buildtrack_macros::boxed;

use super::{
    Log, Recorded,
    answers::{Answer, Ticket},
    caps::Cap,
    commit::{Commit, Committed, Draft, render_answer},
};
use crate::{StoreError, log::context::SideChange};

/// How often a decision is retried after a conflict, unless it asks for more.
const RETRIES: usize = 3;

/// A state, and the version of the stream from which it was computed.
#[derive(Debug, Clone)]
pub struct Loaded<S> {
    /// The state after all events up to `version`.
    pub state: Arc<S>,
    /// The stream's version; 0 if the stream does not exist.
    pub version: i64,
}

/// Caches a state once its events are durable.
type Advance = Box<dyn FnOnce(&Log) + Send>;

/// The reads and changes of one decision. The changes succeed or fail together.
///
/// **Invariant:** the commit names the version of every stream that was loaded or appended to. For a stream that it creates, the
/// events table ensures that it does not exist.
pub struct Unit<'s> {
    log: &'s Log,
    fresh: bool,
    retries: usize,
    commit: Commit,
    advance: Vec<Advance>,
}

impl std::fmt::Debug for Unit<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Unit").field("commit", &self.commit).finish_non_exhaustive()
    }
}

#[boxed]
impl Unit<'_> {
    /// Whether this run reads everything from the database. The first run may use cached states; a refusal counts only if a fresh
    /// run confirms it.
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// A stream's state. The commit will name its version. Fails with a conflict if the unit has loaded the stream at another
    /// version before, because decisions based on it must not be written.
    pub async fn load<S: State>(&mut self, stream: impl Display) -> Result<Loaded<S>, StoreError> {
        let stream: Arc<str> = stream.to_string().into();
        let loaded = self.log.state::<S>(&stream, self.fresh).await?;
        let seen = *self.commit.reads.entry(stream.clone()).or_insert(loaded.version);
        if seen != loaded.version {
            return Err(StoreError::Conflict { stream: stream.to_string() });
        }
        Ok(loaded)
    }

    /// The state of an optional stream, such as the text that a reply refers to.
    pub async fn load_named<S: State>(
        &mut self,
        stream: Option<impl Display>,
    ) -> Result<Option<Loaded<S>>, StoreError> {
        match stream {
            Some(stream) => self.load(stream).await.map(Some),
            None => Ok(None),
        }
    }

    /// Names a version that was read elsewhere, such as that of the caller's own stream.
    pub fn expect(&mut self, stream: impl Display, version: i64) {
        self.commit.reads.insert(stream.to_string().into(), version);
    }

    /// Appends events that were decided on a loaded state.
    pub fn append<S: State>(&mut self, stream: impl Display, loaded: &Loaded<S>, events: Vec<S::Event>) {
        let stream: Arc<str> = stream.to_string().into();
        let mut next = loaded.clone();
        self.commit.reads.entry(stream.clone()).or_insert(loaded.version);
        for event in events {
            next = Loaded { state: Arc::new(S::clone(&next.state).apply(&event)), version: next.version + 1 };
            self.commit.drafts.push(Draft::new(stream.clone(), next.version, event.into()));
        }
        if next.version > loaded.version {
            self.advance.push(Box::new(move |log| log.cache(stream, next)));
        }
    }

    /// Creates a stream under a new id without reading it. If another process has created it, the events table refuses the commit,
    /// which fails with a conflict. Names that may be taken, such as e-mail addresses, must be loaded first.
    pub fn begin(&mut self, stream: impl Display, events: impl IntoIterator<Item = impl Into<Event>>) {
        let stream: Arc<str> = stream.to_string().into();
        let drafts =
            events.into_iter().zip(1..).map(|(event, version)| Draft::new(stream.clone(), version, event.into()));
        self.commit.drafts.extend(drafts);
    }

    /// Retries the decision after up to so many conflicts: for a stream that so many others may change at the same moment, once each.
    pub fn retry_up_to(&mut self, conflicts: usize) {
        self.retries = conflicts.max(RETRIES);
    }

    /// Checks a text for near-duplicates: nothing is written if its author has recently written an equal or similar text.
    pub async fn check_text(&mut self, author: ActorId, text: TextRef, words: &str) -> Result<(), StoreError> {
        self.commit.new_text = Some(Box::new(self.log.prepare_text(author, text, words).await?));
        Ok(())
    }

    /// Whether a maximum permits another row, which the decision then adds. The commit checks it again under the log's lock: where
    /// other commits were faster, it conflicts, and the decision runs again.
    pub async fn fits(&mut self, cap: Cap) -> Result<bool, StoreError> {
        let fits = self.log.permits(&cap).await?;
        if fits {
            self.keep_within(cap);
        }
        Ok(fits)
    }

    /// As [`Self::fits`], for a decision that counts the rows itself.
    pub fn keep_within(&mut self, cap: Cap) {
        self.commit.caps.push(cap);
    }

    /// Changes a side table in the same transaction.
    pub fn write_side(&mut self, change: impl Into<SideChange>) {
        self.commit.side_changes.push(change.into());
    }

    /// Renders the answer once the positions and the time are known. With a ticket, the answer is stored with the write.
    pub fn answer(&mut self, ticket: Option<Ticket>, render: impl Fn(&[Recorded]) -> Answer + Send + Sync + 'static) {
        self.commit.ticket = ticket;
        self.commit.render = Some(Box::new(render));
    }
}

/// The result of a unit of work.
#[derive(Debug)]
pub struct Done<T> {
    /// The decision's return value.
    pub value: T,
    /// The events, in order.
    pub recorded: Vec<Recorded>,
    /// The answer, if the decision set one.
    pub answer: Option<Answer>,
}

impl Log {
    /// Runs a decision and commits it. After a conflict, or a refusal based on cached states, it runs the decision again on fresh
    /// states, up to three times or as often as [`Unit::retry_up_to`] says. Then it returns the conflict to the caller.
    pub async fn transact<T, E: From<StoreError>>(
        &self,
        actor: Option<ActorId>,
        decide: impl AsyncFn(&mut Unit<'_>) -> Result<T, E>,
    ) -> Result<Done<T>, E> {
        let metadata: Option<Arc<str>> = actor.map(|actor| format!("{{\"actor\":\"{actor}\"}}").into());
        let mut fresh = false;
        let mut retries = 0;
        loop {
            let commit = Commit { metadata: metadata.clone(), reads: HashMap::new(), ..Commit::default() };
            let mut unit = Unit { log: self, fresh, retries: RETRIES, commit, advance: vec![] };
            let value = match decide(&mut unit).await {
                Err(_) if !fresh => {
                    fresh = true;
                    continue;
                }
                other => other?,
            };
            let Unit { retries: retries_max, mut commit, advance, .. } = unit;
            if commit.drafts.is_empty() && commit.side_changes.is_empty() && commit.render.is_none() {
                if !fresh {
                    fresh = true;
                    continue;
                }
                return Ok(Done { value, recorded: vec![], answer: None });
            }
            // Render an answer that is not stored after the commit, so that other commits do not wait for it.
            let render = commit.render.take_if(|_| commit.ticket.is_none());
            match self.commit(commit).await {
                Ok(committed) => {
                    for advance in advance {
                        advance(self);
                    }
                    let Committed { recorded, answer, .. } = committed;
                    let rendered = render.map(|render| render_answer(&render, &recorded)).transpose()?;
                    return Ok(Done { value, recorded, answer: answer.or(rendered) });
                }
                Err(StoreError::Conflict { .. }) if retries < retries_max => {
                    metrics::counter!("buildtrack_log_conflicts_total").increment(1);
                    retries += 1;
                    fresh = true;
                }
                Err(StoreError::NearDuplicate(near_duplicate)) if retries < RETRIES => {
                    // The earlier text may have been redacted since.
                    if Box::pin(self.is_original_current(&near_duplicate)).await? {
                        return Err(StoreError::NearDuplicate(near_duplicate).into());
                    }
                    retries += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}
