//! Statements of envelopes and threads that are specific to SQLite. Mirrors [`super::postgres`] function by function.

use buildtrack_domain::relay::{Did, Phase};

use super::{EnvelopeRow, ThreadChange, ThreadRow};
use crate::{
    StoreError,
    database::sqlite::{Row, Script},
};

pub(crate) async fn insert_envelopes(script: &mut Script<'_>, rows: &[EnvelopeRow<'_>]) -> Result<(), StoreError> {
    let into = "envelopes (position, thread_id, type, sender, recipient, ts, recorded_at, expires_at)";
    let bind = |row: &mut Row<'_>, envelope: &EnvelopeRow<'_>| {
        row.push_bind(envelope.position)
            .push_bind(envelope.thread_id.to_owned())
            .push_bind(envelope.header.kind.as_str())
            .push_bind(envelope.header.sender.to_string())
            .push_bind(envelope.header.recipient.as_ref().map(Did::to_string))
            .push_bind(envelope.header.ts)
            .push_bind(envelope.recorded_at)
            .push_bind(envelope.expires_at);
    };
    script.insert(into, 8, rows, bind, "").await
}

pub(crate) async fn insert_threads(script: &mut Script<'_>, rows: &[ThreadRow<'_>]) -> Result<(), StoreError> {
    let into = "threads (id, position, active_position, request_id, intent, requester, recipient, phase, \
                deadline, due_at, requested_at, updated_at)";
    let bind = |row: &mut Row<'_>, thread: &ThreadRow<'_>| {
        row.push_bind(thread.data.thread_id.to_string())
            .push_bind(thread.position)
            .push_bind(thread.position)
            .push_bind(thread.data.request_id.clone())
            .push_bind(thread.data.intent.clone())
            .push_bind(thread.data.requester.to_string())
            .push_bind(thread.data.recipient.as_ref().map(Did::to_string))
            .push_bind(Phase::Pending.as_str())
            .push_bind(thread.data.deadline)
            .push_bind(thread.data.due_at)
            .push_bind(thread.requested_at)
            .push_bind(thread.requested_at);
    };
    script.insert(into, 12, rows, bind, "").await
}

pub(crate) async fn change_threads(script: &mut Script<'_>, rows: &[ThreadChange<'_>]) -> Result<(), StoreError> {
    let from = "changes (thread_id, to_phase, to_agent, accepted, by_deadline, due, to_status, to_reason, took, kept, \
                to_blamed, failed_by, at_position, at)";
    let change = "UPDATE OR FAIL threads SET phase = to_phase, agent = coalesce(to_agent, agent), \
                  accepted_at = coalesce(accepted, accepted_at), \
                  due_at = CASE WHEN by_deadline THEN deadline ELSE due END, status = to_status, reason = to_reason, \
                  took_ms = took, promise_kept = kept, blamed = CASE WHEN failed_by IS NULL THEN to_blamed \
                  ELSE coalesce(to_agent, agent) IS NOT NULL AND (to_blamed OR coalesce(to_agent, agent) = failed_by) \
                  END, active_position = at_position, updated_at = at FROM changes WHERE id = thread_id";
    let bind = |row: &mut Row<'_>, change: &ThreadChange<'_>| {
        row.push_bind(change.id.to_owned())
            .push_bind(change.phase.as_str())
            .push_bind(change.agent.map(str::to_owned))
            .push_bind(change.accepted_at)
            .push_bind(change.due_at_deadline)
            .push_bind(change.due_at)
            .push_bind(change.status.map(str::to_owned))
            .push_bind(change.reason.map(str::to_owned))
            .push_bind(change.took_ms)
            .push_bind(change.promise_kept)
            .push_bind(change.blamed)
            .push_bind(change.failed_by.map(str::to_owned))
            .push_bind(change.position)
            .push_bind(change.at);
    };
    script.change(from, 14, rows, bind, change).await
}
