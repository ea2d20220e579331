//! Time limits of relay threads: fails threads without a timely envelope (seed: «Timeout Rules»), in one process at a time.
//!
//! The relay notifies each participant with an ERROR envelope of its own, signed with its key. **Invariant:** the failure of
//! a thread and the envelopes that announce it commit together and once, even if several processes act at the same time.

use std::{mem, time::Duration};

use agora_envelope::{DidKey, Signer, VERSION};
use buildtrack_domain::{
    decide::Command,
    relay::{
        Did, EnvelopeAccepted, EnvelopeEvent, EnvelopeId, Failure, MessageType, Sealed, Thread, ThreadEvent, ThreadId,
        TimeOut,
    },
};
use buildtrack_store::{Due, DueCursor, Store, StoreError, Unit};
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};
use tokio::{runtime::Handle, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::{
    leased::{LeasedTask, Next, Schedule},
    sweeps::Sweep,
};

const LEASE: &str = "threads";
/// Pause between two polls, and so the longest delay of a notification.
const EVERY: Duration = Duration::from_secs(1);
/// Threads per poll.
const THREADS: i64 = 100;

/// Fails threads without a timely envelope.
pub(crate) struct TimedOutThreads {
    store: Store,
    sweep: Sweep,
    /// Where the next step continues.
    cursor: Option<DueCursor>,
}

impl TimedOutThreads {
    pub(crate) fn new(store: Store) -> Self {
        Self { store, sweep: Sweep::new(LEASE), cursor: None }
    }
}

impl LeasedTask for TimedOutThreads {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, LEASE, Duration::from_secs(10));

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, StoreError> {
        let after = self.cursor.take();
        self.cursor = end_due(&self.store, &mut self.sweep, after).await?;
        Ok(Next::now_if(self.cursor.is_some()))
    }
}

/// Ends all threads that are due.
pub(crate) async fn end_all(store: &Store) -> Result<(), StoreError> {
    let (mut sweep, mut cursor) = (Sweep::new(LEASE), None);
    loop {
        cursor = end_due(store, &mut sweep, cursor).await?;
        if cursor.is_none() {
            return Ok(());
        }
    }
}

/// Ends due threads after a cursor, up to one page. Returns the next cursor if there may be more.
async fn end_due(store: &Store, sweep: &mut Sweep, after: Option<DueCursor>) -> Result<Option<DueCursor>, StoreError> {
    let mut due = store.threads_due(after, THREADS).await?;
    let is_full = i64::try_from(due.len()).unwrap_or(i64::MAX) == THREADS;
    let next = due.last().map(Due::cursor).filter(|_| is_full);
    due.retain(|due| !sweep.is_postponed(&due.key));
    if due.is_empty() {
        return Ok(next);
    }
    let runtime = Handle::current();
    let relay = Relay { signer: store.relay_signer().await?, did: store.relay_did().await?, store: store.clone() };
    let mut taken = mem::replace(sweep, Sweep::new(LEASE));
    // The future of a decision over references is not `Send` (rust-lang/rust#110338), so it cannot run in a spawned task.
    let ended = spawn_blocking(move || {
        let ended: Result<(), StoreError> = runtime.block_on(async {
            for Due { key, item, .. } in due {
                taken.attempt(&relay.store, &key, async { relay.end(&item?).await }).await?;
            }
            Ok(())
        });
        (taken, ended)
    });
    let (taken, ended) = ended.await.map_err(|_| StoreError::Closed)?;
    *sweep = taken;
    ended.map(|()| next)
}

/// The relay as a sender of envelopes.
struct Relay {
    store: Store,
    signer: Signer,
    did: Did,
}

impl Relay {
    async fn end(&self, thread_id: &ThreadId) -> Result<(), StoreError> {
        let decided =
            self.store.transact::<(), StoreError>(None, async |unit| self.decide(unit, thread_id).await).await;
        match decided {
            // Another process changed the thread first. The next poll reads it again.
            Err(StoreError::Conflict { .. }) => Ok(()),
            decided => decided.map(drop),
        }
    }

    async fn decide(&self, unit: &mut Unit<'_>, thread_id: &ThreadId) -> Result<(), StoreError> {
        let thread = unit.load::<Thread>(thread_id.stream()).await?;
        let (clock, now) = (self.store.clock(), self.store.clock().now());
        let participants: Vec<Did> = thread.state.participants().into_iter().cloned().collect();
        let ids: Vec<EnvelopeId> = participants
            .iter()
            .map(|_| format!("relay_{}", clock.uuid().simple()).parse())
            .collect::<Result<_, _>>()
            .map_err(|_| StoreError::Damaged("a generated envelope id is invalid".into()))?;
        let Some(envelope_id) = ids.first().cloned() else { return Ok(()) };
        // A thread without envelopes has no participants to notify.
        let decided = TimeOut { envelope_id, relay: self.did.clone(), now }.decide(&thread.state).unwrap_or_default();
        let Some(ThreadEvent::Failed(failed)) = decided.first() else { return Ok(()) };
        for (id, participant) in ids.iter().zip(&participants) {
            let envelope = self.error_envelope(id, thread_id, participant, (failed.reason, &thread.state, now))?;
            let (envelope_id, thread_id) = (id.clone(), thread_id.clone());
            let accepted = EnvelopeAccepted { envelope_id, thread_id, envelope };
            unit.begin(id.stream(), [EnvelopeEvent::from(accepted)]);
        }
        unit.append(thread_id.stream(), &thread, decided);
        Ok(())
    }

    /// An ERROR envelope that announces the timeout to one participant.
    fn error_envelope(
        &self,
        id: &EnvelopeId,
        thread_id: &ThreadId,
        participant: &Did,
        (reason, thread, now): (Failure, &Thread, DateTime<Utc>),
    ) -> Result<Sealed, StoreError> {
        let message = match reason {
            Failure::NoResult => "No RESULT came in time.",
            Failure::NoAccept => "No OFFER was accepted in time.",
            Failure::NoOffer | Failure::Error | Failure::Cancelled => "No OFFER came in time.",
        };
        let request_id = thread.request.as_ref().map(|request| request.request_id.as_str());
        let did: &DidKey = self.signer.did();
        let unsigned = json!({
            "version": VERSION,
            "id": id.as_str(),
            "ts": now.to_rfc3339_opts(SecondsFormat::Millis, true),
            "type": MessageType::Error.as_str(),
            "sender": { "id": did.as_str(), "name": "Relay" },
            "recipient": { "id": participant.as_str() },
            "thread": { "id": thread_id.as_str() },
            "payload": {
                "code": "TIMEOUT",
                "message": message,
                "request_id": request_id,
                "details": { "reason": reason.as_str(), "due_at": thread.due_at },
            },
        });
        let signed: Value = self.signer.sign(unsigned).map_err(|error| StoreError::Damaged(error.to_string()))?;
        Ok(Sealed::new(agora_envelope::jcs::canonicalize(&signed)))
    }
}
