//! Ends threads at the relay for which nothing came in time (seed: «Timeout Rules»), one process at a time.
//!
//! The relay says so to each side in an envelope of its own, signed with its key. **Invariant:** that a thread has timed out
//! and the envelopes that say so are recorded together, once, however many look.

use std::time::Duration;

use agora_envelope::{DidKey, Signer, VERSION};
use buildtrack_domain::{
    decide::Command,
    relay::{
        Did, EnvelopeAccepted, EnvelopeEvent, EnvelopeId, Failure, MessageType, Sealed, Thread, ThreadEvent, ThreadId,
        TimeOut,
    },
};
use buildtrack_store::{Store, StoreError, Unit};
use chrono::{DateTime, SecondsFormat, Utc};
use serde_json::{Value, json};
use tokio::{runtime::Handle, task::spawn_blocking};
use tokio_util::sync::CancellationToken;

use crate::pause::pause;

const LEASE: &str = "threads";
/// How long one process looks before another may. It is renewed with each look.
const LENGTH: Duration = Duration::from_secs(10);
/// Between two looks: how much too late somebody hears of it.
const EVERY: Duration = Duration::from_secs(1);
/// Threads in one look.
const THREADS: i64 = 100;

pub(crate) async fn run(store: Store, stop: CancellationToken) {
    let holder = store.clock().uuid().to_string();
    while !stop.is_cancelled() {
        if let Err(error) = sweep(&store, &holder, &stop).await {
            tracing::warn!(%error, "threads that have timed out are not ended; trying again");
        }
        pause(EVERY, &stop).await;
    }
    if let Err(error) = store.release(LEASE, &holder).await {
        tracing::debug!(%error, "the lease for threads was not given back; it ends by itself");
    }
}

async fn sweep(store: &Store, holder: &str, stop: &CancellationToken) -> Result<(), StoreError> {
    while !stop.is_cancelled() && store.lease(LEASE, holder, LENGTH).await? && end_due(store).await? {}
    Ok(())
}

/// Ends those that are due by now; true where there may be more.
pub(crate) async fn end_due(store: &Store) -> Result<bool, StoreError> {
    let due = store.threads_due(THREADS).await?;
    let full = i64::try_from(due.len()).unwrap_or(i64::MAX) == THREADS;
    let (store, runtime) = (store.clone(), Handle::current());
    // A decision over references cannot be moved between threads (rust-lang/rust#110338), and so not into a task.
    let ended = spawn_blocking(move || {
        runtime.block_on(async {
            let relay = Relay { signer: store.relay_signer().await?, did: store.relay_did().await?, store };
            for thread_id in &due {
                relay.end(thread_id).await?;
            }
            Ok(full)
        })
    });
    ended.await.map_err(|_| StoreError::Closed)?
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
