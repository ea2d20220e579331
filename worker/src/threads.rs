//! Ends threads at the relay for which nothing came in time (seed: «Timeout Rules»), one process at a time.
//!
//! The relay says so to each side in an envelope of its own, signed with its key. **Invariant:** that a thread has timed out
//! and the envelopes that say so are recorded together, once, however many look.

use std::{mem, time::Duration};

use agora_envelope::{DidKey, Signer, VERSION};
use buildtrack_domain::{
    decide::Command,
    relay::{
        Did, EnvelopeAccepted, EnvelopeEvent, EnvelopeId, Failure, MessageType, Sealed, Thread, ThreadEvent, ThreadId,
        TimeOut,
    },
};
use buildtrack_store::{Due, DuePlace, Store, StoreError, Unit};
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};
use tokio::{runtime::Handle, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::{pause::pause, sweeps::Sweep};

const LEASE: &str = "threads";
/// How long one process looks before another may. It is renewed with each look.
const LENGTH: Duration = Duration::from_secs(10);
/// Between two looks: how much too late somebody hears of it.
const EVERY: Duration = Duration::from_secs(1);
/// Threads in one look.
const THREADS: i64 = 100;

pub(crate) async fn run(store: Store, stop: CancellationToken) {
    let (holder, mut sweep) = (store.clock().uuid().to_string(), Sweep::new(LEASE));
    while !stop.is_cancelled() {
        if let Err(error) = look(&store, &holder, &mut sweep, &stop).await {
            tracing::warn!(%error, "threads that have timed out are not ended; trying again");
        }
        pause(EVERY, &stop).await;
    }
    if let Err(error) = store.release(LEASE, &holder).await {
        tracing::debug!(%error, "the lease for threads was not given back; it ends by itself");
    }
}

async fn look(store: &Store, holder: &str, sweep: &mut Sweep, stop: &CancellationToken) -> Result<(), StoreError> {
    let mut place = None;
    while !stop.is_cancelled() && store.lease(LEASE, holder, LENGTH).await? {
        place = end_due(store, sweep, place).await?;
        if place.is_none() {
            break;
        }
    }
    Ok(())
}

/// Ends all that are due by now.
pub(crate) async fn end_all(store: &Store) -> Result<(), StoreError> {
    let (mut sweep, mut place) = (Sweep::new(LEASE), None);
    loop {
        place = end_due(store, &mut sweep, place).await?;
        if place.is_none() {
            return Ok(());
        }
    }
}

/// Ends those beyond a place that are due by now, up to a page of them; gives the next place where there may be more.
async fn end_due(store: &Store, sweep: &mut Sweep, after: Option<DuePlace>) -> Result<Option<DuePlace>, StoreError> {
    let mut due = store.threads_due(after, THREADS).await?;
    let is_full = i64::try_from(due.len()).unwrap_or(i64::MAX) == THREADS;
    let next = due.last().map(Due::place).filter(|_| is_full);
    due.retain(|due| !sweep.is_put_off(&due.key));
    if due.is_empty() {
        return Ok(next);
    }
    let runtime = Handle::current();
    let relay = Relay { signer: store.relay_signer().await?, did: store.relay_did().await?, store: store.clone() };
    let mut taken = mem::replace(sweep, Sweep::new(LEASE));
    // A decision over references cannot be moved between threads (rust-lang/rust#110338), and so not into a task.
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

/// The relay, as it speaks for itself.
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
            // Somebody was faster, and more may come: it is looked at again.
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
            .map_err(|_| StoreError::Damaged("an id has no form".into()))?;
        let Some(envelope_id) = ids.first().cloned() else { return Ok(()) };
        // A thread that was never begun has nobody to tell.
        let decided = TimeOut { envelope_id, relay: self.did.clone(), now }.decide(&thread.state).unwrap_or_default();
        let Some(ThreadEvent::Failed(failed)) = decided.first() else { return Ok(()) };
        for (id, participant) in ids.iter().zip(&participants) {
            let said = self.say(id, thread_id, participant, (failed.reason, &thread.state, now))?;
            let (envelope_id, thread_id) = (id.clone(), thread_id.clone());
            let accepted = EnvelopeAccepted { envelope_id, thread_id, envelope: said };
            unit.begin(id.stream(), [EnvelopeEvent::from(accepted)]);
        }
        unit.append(thread_id.stream(), &thread, decided);
        Ok(())
    }

    /// An ERROR that says so to one side.
    fn say(
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
