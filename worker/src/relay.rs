//! Time limits of relay threads: fails threads without a timely envelope (seed: «Timeout Rules»), in one process at a time.
//!
//! The relay notifies each participant with an ERROR envelope of its own, signed with its key. **Invariant:** the failure of
//! a thread and the envelopes that announce it commit together and once, even if several processes act at the same time.

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

use crate::time_limits::TimeLimit;

/// Fails threads without a timely envelope, as the relay, which is the sender of envelopes.
pub(crate) struct TimedOutThreads {
    store: Store,
    signer: Signer,
    did: Did,
}

impl TimeLimit for TimedOutThreads {
    type Item = ThreadId;

    const LEASE: &'static str = "threads";

    async fn due(store: &Store, after: Option<DueCursor>, limit: i64) -> Result<Vec<Due<ThreadId>>, StoreError> {
        store.relay().threads_due(after, limit).await
    }

    async fn prepare(store: &Store) -> Result<Self, StoreError> {
        Ok(Self { signer: store.relay().signer().await?, did: store.relay().did().await?, store: store.clone() })
    }

    async fn end(&self, thread_id: ThreadId) -> Result<(), StoreError> {
        let decided =
            self.store.log().transact::<(), StoreError>(None, async |unit| self.decide(unit, &thread_id).await).await;
        match decided {
            // Another process changed the thread first. The next poll reads it again.
            Err(StoreError::Conflict { .. }) => Ok(()),
            decided => decided.map(drop),
        }
    }
}

impl TimedOutThreads {
    async fn decide(&self, unit: &mut Unit<'_>, thread_id: &ThreadId) -> Result<(), StoreError> {
        let thread = unit.load::<Thread>(thread_id.stream()).await?;
        let (clock, now) = (self.store.log().clock(), self.store.log().clock().now());
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
