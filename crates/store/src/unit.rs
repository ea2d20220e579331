//! One unit of work: what was looked at, what shall happen, and the retries when somebody else was faster.

use std::{collections::HashMap, fmt::Display, sync::Arc};

use buildtrack_domain::{actors::ActorId, decide::State, event::Event, log::Hash, repeats::TextRef};
use chrono::{DateTime, Utc};

use crate::{
    Answer, Kept, Store, StoreError, Ticket,
    log::batch::{Commit, Committed, Draft, words},
};

/// How often a decision is made anew after a conflict.
const RETRIES: u32 = 3;

/// An event on the log.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// From 1, without gaps.
    pub position: i64,
    /// The stream's name.
    pub stream: Arc<str>,
    /// From 1 within the stream.
    pub version: i64,
    /// None where it has been redacted.
    pub event: Option<Event>,
    /// UTC, microseconds.
    pub recorded_at: DateTime<Utc>,
    /// SHA-256(previous hash ‖ header ‖ data hash). Its trace is named after it.
    pub hash: Hash,
}

impl Recorded {
    /// What traces show of it.
    pub fn traced(&self) -> buildtrack_traces::Event<'_> {
        let event_type = self.event.as_ref().map(Event::event_type);
        buildtrack_traces::Event { position: self.position, event_type, hash: &self.hash }
    }
}

/// A state, and the version of the stream it was folded from.
#[derive(Debug, Clone)]
pub struct Loaded<S> {
    /// What the events add up to.
    pub state: Arc<S>,
    /// 0 where there is no stream.
    pub version: i64,
}

/// Remembers a state once its events are durable.
type Advance = Box<dyn FnOnce(&Store) + Send>;

/// What one decision looked at and wants to happen, all at once or not at all.
///
/// **Invariant:** the commit names the version of every stream that was loaded or appended to; of one that it begins,
/// the table says that there is none.
pub struct Unit<'s> {
    store: &'s Store,
    fresh: bool,
    commit: Commit,
    advance: Vec<Advance>,
}

impl std::fmt::Debug for Unit<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Unit").field("commit", &self.commit).finish_non_exhaustive()
    }
}

impl Unit<'_> {
    /// Whether everything is read from the database in this run. The first run may use what is remembered; a refusal
    /// counts only when a fresh run confirms it.
    pub fn is_fresh(&self) -> bool {
        self.fresh
    }

    /// A stream's state. The commit will name its version; where another one was looked at before, nothing that was
    /// decided on it may be written.
    pub async fn load<S: State>(&mut self, stream: impl Display) -> Result<Loaded<S>, StoreError> {
        let stream: Arc<str> = stream.to_string().into();
        let loaded = self.store.state::<S>(&stream, self.fresh).await?;
        let seen = *self.commit.reads.entry(stream.clone()).or_insert(loaded.version);
        if seen != loaded.version {
            return Err(StoreError::Conflict { stream: stream.to_string() });
        }
        Ok(loaded)
    }

    /// The state of a stream that may be named, such as that of what a text answers.
    pub async fn load_named<S: State>(
        &mut self,
        stream: Option<impl Display>,
    ) -> Result<Option<Loaded<S>>, StoreError> {
        match stream {
            Some(stream) => self.load(stream).await.map(Some),
            None => Ok(None),
        }
    }

    /// Names a version that was seen elsewhere, such as the caller's own stream.
    pub fn expect(&mut self, stream: impl Display, version: i64) {
        self.commit.reads.insert(stream.to_string().into(), version);
    }

    /// Appends what was decided on a loaded state.
    pub fn append<S: State>(&mut self, stream: impl Display, loaded: &Loaded<S>, events: Vec<S::Event>) {
        let stream: Arc<str> = stream.to_string().into();
        let mut next = loaded.clone();
        self.commit.reads.entry(stream.clone()).or_insert(loaded.version);
        for event in events {
            next = Loaded { state: Arc::new(S::clone(&next.state).apply(&event)), version: next.version + 1 };
            self.commit.drafts.push(Draft::new(stream.clone(), next.version, event.into()));
        }
        if next.version > loaded.version {
            self.advance.push(Box::new(move |store| store.remember(stream, next)));
        }
    }

    /// Begins a stream under a new id, without a look at what there is: where somebody else has begun it, the table
    /// refuses it, and that is told as a conflict. What may well be taken, such as an e-mail address, is loaded first.
    pub fn begin(&mut self, stream: impl Display, events: impl IntoIterator<Item = impl Into<Event>>) {
        let stream: Arc<str> = stream.to_string().into();
        let drafts =
            events.into_iter().zip(1..).map(|(event, version)| Draft::new(stream.clone(), version, event.into()));
        self.commit.drafts.extend(drafts);
    }

    /// Says something: nothing is written if its author has said the same lately.
    pub async fn say(&mut self, author: ActorId, text: TextRef, words: &str) -> Result<(), StoreError> {
        self.commit.saying = Some(Box::new(self.store.saying(author, text, words).await?));
        Ok(())
    }

    /// Changes a kept table in the same transaction.
    pub fn keep(&mut self, kept: Kept) {
        self.commit.kept.push(kept);
    }

    /// Puts the answer into words once positions and time are known; with a ticket it is stored with the write.
    pub fn answer(&mut self, ticket: Option<Ticket>, render: impl Fn(&[Recorded]) -> Answer + Send + Sync + 'static) {
        self.commit.ticket = ticket;
        self.commit.render = Some(Box::new(render));
    }
}

/// What a unit of work led to.
#[derive(Debug)]
pub struct Done<T> {
    /// What the decision gave.
    pub value: T,
    /// The events, in order.
    pub recorded: Vec<Recorded>,
    /// The answer, where one was to be put into words.
    pub answer: Option<Answer>,
}

impl Store {
    /// Runs a decision and commits it. After a conflict, or a refusal that rests on remembered states, it is run anew
    /// on what the database says, up to three times; then the conflict is the caller's.
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
            let mut unit = Unit { store: self, fresh, commit, advance: vec![] };
            let value = match decide(&mut unit).await {
                Err(_) if !fresh => {
                    fresh = true;
                    continue;
                }
                other => other?,
            };
            let Unit { mut commit, advance, .. } = unit;
            if commit.drafts.is_empty() && commit.kept.is_empty() && commit.render.is_none() {
                if !fresh {
                    fresh = true;
                    continue;
                }
                return Ok(Done { value, recorded: vec![], answer: None });
            }
            // An answer that is not stored with the write keeps no other write waiting for its words.
            let render = commit.render.take_if(|_| commit.ticket.is_none());
            match self.commit(commit).await {
                Ok(committed) => {
                    for advance in advance {
                        advance(self);
                    }
                    let Committed { recorded, answer, .. } = committed;
                    let rendered = render.map(|render| words(&render, &recorded)).transpose()?;
                    return Ok(Done { value, recorded, answer: answer.or(rendered) });
                }
                Err(StoreError::Conflict { .. }) if retries < RETRIES => {
                    metrics::counter!("buildtrack_log_conflicts_total").increment(1);
                    retries += 1;
                    fresh = true;
                }
                Err(StoreError::Repeated(repeat)) if retries < RETRIES => {
                    // What was repeated may have been taken back since.
                    if Box::pin(self.stands(&repeat)).await? {
                        return Err(StoreError::Repeated(repeat).into());
                    }
                    retries += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}
