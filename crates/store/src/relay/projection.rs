//! From the relay's events to its read tables.

use buildtrack_domain::{
    event::Event,
    relay::{
        EnvelopeEvent, Failure, Header, Phase, ThreadCompleted, ThreadEvent, ThreadFailed, ThreadId, ThreadRequested,
    },
};
use chrono::{DateTime, Utc};

use super::{directory, links};
use crate::{
    Recorded, StoreError,
    db::{Tx, execute},
    postgres, sqlite,
};

/// An envelope's row, ready to be written.
pub(crate) struct EnvelopeRow<'e> {
    pub(crate) position: i64,
    pub(crate) thread_id: &'e str,
    pub(crate) header: Header,
    pub(crate) recorded_at: DateTime<Utc>,
    pub(crate) expires_at: DateTime<Utc>,
}

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    let rows = events.iter().filter_map(|recorded| envelope(recorded)).collect::<Result<Vec<_>, _>>()?;
    if !rows.is_empty() {
        match tx {
            Tx::Postgres(connection) => postgres::insert_envelopes(connection, &rows).await?,
            Tx::Sqlite(connection) => sqlite::insert_envelopes(connection, &rows).await?,
        }
    }
    for recorded in events {
        match &recorded.event {
            Some(Event::Thread(event)) => advance(tx, recorded, event).await?,
            Some(Event::Directory(event)) => directory::declare(tx, recorded, event).await?,
            Some(Event::Link(event)) => links::link(tx, recorded, event).await?,
            _ => {}
        }
    }
    Ok(())
}

fn envelope(recorded: &Recorded) -> Option<Result<EnvelopeRow<'_>, StoreError>> {
    let Some(Event::Envelope(EnvelopeEvent::Accepted(data))) = &recorded.event else { return None };
    let (position, recorded_at) = (recorded.position, recorded.recorded_at);
    let damaged = || StoreError::Damaged(format!("the envelope at {position} cannot be read"));
    let header = data.envelope.header().ok_or_else(damaged);
    Some(header.map(|header| {
        let expires_at = recorded_at + header.kept;
        EnvelopeRow { position, thread_id: data.thread_id.as_str(), header, recorded_at, expires_at }
    }))
}

async fn advance(tx: &mut Tx<'_>, recorded: &Recorded, event: &ThreadEvent) -> Result<(), StoreError> {
    let at = recorded.recorded_at;
    let (id, phase, agent) = match event {
        ThreadEvent::Requested(data) => return begin(tx, recorded, data).await,
        ThreadEvent::Offered(data) => {
            execute!(tx, "UPDATE threads SET due_at = deadline WHERE id = $1", data.thread_id.as_str());
            (&data.thread_id, Phase::Pending, None)
        }
        ThreadEvent::Accepted(data) => {
            let (id, due_at) = (data.thread_id.as_str(), data.due_at);
            execute!(tx, "UPDATE threads SET due_at = $2, accepted_at = $3 WHERE id = $1", id, due_at, at);
            (&data.thread_id, Phase::Active, Some(data.agent.as_str()))
        }
        ThreadEvent::Completed(data) => {
            end(tx, &data.thread_id, Some(&data.status), None).await?;
            reckon(tx, data).await?;
            (&data.thread_id, Phase::Completed, None)
        }
        ThreadEvent::Failed(data) => {
            end(tx, &data.thread_id, None, Some(data.reason.as_str())).await?;
            blame(tx, data).await?;
            (&data.thread_id, Phase::Error, None)
        }
    };
    execute!(
        tx,
        "UPDATE threads SET phase = $2, agent = coalesce($3, agent), active_position = $4, updated_at = $5 WHERE id = $1",
        id.as_str(),
        phase.as_str(),
        agent,
        recorded.position,
        at,
    );
    Ok(())
}

async fn begin(tx: &mut Tx<'_>, recorded: &Recorded, data: &ThreadRequested) -> Result<(), StoreError> {
    execute!(
        tx,
        "INSERT INTO threads (id, position, active_position, request_id, intent, requester, recipient, phase, deadline, \
         due_at, requested_at, updated_at) VALUES ($1, $2, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)",
        data.thread_id.as_str(),
        recorded.position,
        &data.request_id,
        &data.intent,
        data.requester.as_str(),
        data.recipient.as_ref().map(|did| did.as_str().to_owned()),
        Phase::Pending.as_str(),
        data.deadline,
        data.due_at,
        recorded.recorded_at,
    );
    Ok(())
}

async fn end(tx: &mut Tx<'_>, id: &ThreadId, status: Option<&str>, reason: Option<&str>) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE threads SET due_at = NULL, status = $2, reason = $3 WHERE id = $1",
        id.as_str(),
        status,
        reason,
    );
    Ok(())
}

/// What the agent's record has of a delivered thread.
async fn reckon(tx: &mut Tx<'_>, data: &ThreadCompleted) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE threads SET took_ms = $2, promise_kept = $3, blamed = $4 WHERE id = $1",
        data.thread_id.as_str(),
        data.took_ms,
        data.promise_kept,
        data.is_failure(),
    );
    Ok(())
}

/// The agent is to blame that a thread failed where it said so itself, or nothing. That it was cancelled, or given up by who
/// requested, is not its fault.
async fn blame(tx: &mut Tx<'_>, data: &ThreadFailed) -> Result<(), StoreError> {
    execute!(
        tx,
        "UPDATE threads SET blamed = (agent IS NOT NULL AND ($2 OR agent = $3)) WHERE id = $1",
        data.thread_id.as_str(),
        data.reason == Failure::NoResult,
        data.by.as_str(),
    );
    Ok(())
}
