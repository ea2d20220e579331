//! A commit: the events and the changes to side tables of one caller, which succeed or fail together.

use std::{collections::HashMap, panic::AssertUnwindSafe, sync::Arc};

use buildtrack_domain::{
    event::{Event, Visibility, visibility},
    log::Salt,
};
use buildtrack_traces::Mark;
use tokio::sync::oneshot;

use super::{
    Recorded,
    answers::{Answer, Ticket},
    caps::Cap,
    masks::Hidings,
    near_duplicates::NewText,
};
use crate::{
    StoreError,
    clock::random,
    log::context::{Enqueued, Phase, SideChange},
};

/// An event that a caller has encoded for appending.
pub(crate) struct Draft {
    pub(crate) stream: Arc<str>,
    pub(crate) version: i64,
    pub(crate) event: Event,
    pub(super) event_type: &'static str,
    pub(super) data: String,
    pub(super) salt: Salt,
    pub(super) sealed: bool,
}

impl Draft {
    pub(crate) fn new(stream: Arc<str>, version: i64, event: Event) -> Self {
        let (event_type, data, salt) = (event.event_type(), event.encode(), random());
        let sealed = visibility(event_type) == Visibility::Private;
        Self { stream, version, event, event_type, data, salt, sealed }
    }

    /// Masks hidden names: a redaction repeats the author's name as it was when the text was written.
    fn masked(self, hidings: &Hidings) -> Self {
        match hidings.mask_new(self.event_type, &self.data) {
            Some(event) => Self::new(self.stream, self.version, event),
            None => self,
        }
    }
}

/// Renders the answer to a request once the positions and the time of its events are known.
pub(crate) type Render = Box<dyn Fn(&[Recorded]) -> Answer + Send + Sync>;

/// Renders an answer. The function is the caller's code: a panic in it fails that one commit and leaves the writer running.
pub(crate) fn render_answer(render: &Render, recorded: &[Recorded]) -> Result<Answer, StoreError> {
    std::panic::catch_unwind(AssertUnwindSafe(|| render(recorded).bounded()))
        .map_err(|_| StoreError::Damaged("rendering the answer panicked".into()))
}

/// One caller's changes, which succeed or fail together.
#[derive(Default)]
pub(crate) struct Commit {
    /// Streams that the caller read, with the version that it saw.
    pub(crate) reads: HashMap<Arc<str>, i64>,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) side_changes: Vec<SideChange>,
    pub(crate) metadata: Option<Arc<str>>,
    pub(crate) render: Option<Render>,
    pub(crate) ticket: Option<Ticket>,
    /// The maximum numbers of rows that the commit must keep.
    pub(crate) caps: Vec<Cap>,
    /// The text to check for near-duplicates.
    pub(crate) new_text: Option<Box<NewText>>,
    /// The tracing span of the waiting caller.
    pub(crate) mark: Option<Mark>,
}

/// The result of a commit.
#[derive(Debug)]
pub(crate) struct Committed {
    pub(crate) recorded: Vec<Recorded>,
    pub(crate) answer: Option<Answer>,
    /// The new deliveries of the transaction.
    pub(crate) enqueued: Arc<Enqueued>,
    /// The tracing span of the transaction.
    pub(crate) mark: Option<Mark>,
}

pub(super) type Reply = oneshot::Sender<Result<Committed, StoreError>>;

impl Commit {
    /// Masks hidden names in the events.
    pub(crate) fn mask_names(&mut self, hidings: &Hidings) {
        self.drafts = std::mem::take(&mut self.drafts).into_iter().map(|draft| draft.masked(hidings)).collect();
    }

    /// Whether the commit needs the head's lock: it appends events, depends on stream versions or a count, or claims an
    /// idempotency key.
    pub(crate) fn needs_log(&self) -> bool {
        !self.drafts.is_empty() || !self.reads.is_empty() || self.ticket.is_some() || !self.caps.is_empty()
    }

    /// Whether the commit is a step of the search indexer.
    pub(crate) fn indexes(&self) -> bool {
        self.side_changes.iter().any(|change| change.rule().phase == Phase::Documents)
    }
}
