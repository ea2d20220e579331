//! Projection of relay events into the relay's read tables.

use std::{collections::BTreeMap, sync::Arc};

use buildtrack_domain::{
    event::Event,
    relay::{
        EnvelopeEvent, Failure, Header, Phase, ThreadEvent, ThreadId, ThreadRequested, directory::DirectoryEvent,
        retention::RetentionEvent,
    },
};
use chrono::{DateTime, Utc};

use super::{directory, links, retention};
use super::{postgres, sqlite};
use crate::{
    StoreError,
    database::{Tx, values},
    log::Recorded,
    log::context::EventText,
};

/// An envelope's row, ready to be inserted.
pub(crate) struct EnvelopeRow<'e> {
    pub(crate) position: i64,
    pub(crate) thread_id: &'e str,
    pub(crate) header: Arc<Header>,
    pub(crate) recorded_at: DateTime<Utc>,
    pub(crate) expires_at: DateTime<Utc>,
}

/// A new thread's row, ready to be inserted.
pub(crate) struct ThreadRow<'e> {
    pub(crate) position: i64,
    pub(crate) data: &'e ThreadRequested,
    pub(crate) requested_at: DateTime<Utc>,
}

/// Changes of a thread's row; fields that are none keep their values.
pub(crate) struct ThreadChange<'e> {
    pub(crate) id: &'e str,
    pub(crate) phase: Phase,
    pub(crate) agent: Option<&'e str>,
    pub(crate) accepted_at: Option<DateTime<Utc>>,
    /// Whether `due_at` is set to the requester's deadline rather than to the field `due_at`.
    pub(crate) due_at_deadline: bool,
    pub(crate) due_at: Option<DateTime<Utc>>,
    pub(crate) status: Option<&'e str>,
    pub(crate) reason: Option<&'static str>,
    /// Milliseconds from ACCEPT to RESULT.
    pub(crate) took_ms: Option<i64>,
    /// Whether the agent delivered within the time that it promised; none without a promise.
    pub(crate) promise_kept: Option<bool>,
    /// Whether the agent is responsible for the failure.
    pub(crate) blamed: Option<bool>,
    /// The did that reported the failure; the agent is responsible where it is its own.
    pub(crate) failed_by: Option<&'e str>,
    pub(crate) position: i64,
    pub(crate) at: DateTime<Utc>,
}

pub(crate) async fn project(tx: &mut Tx<'_>, events: &[&Recorded]) -> Result<(), StoreError> {
    let envelopes = events.iter().filter_map(|recorded| envelope(recorded)).collect::<Result<Vec<_>, _>>()?;
    let begun: Vec<_> = events.iter().filter_map(|recorded| begun(recorded)).collect();
    let changes = changes(events);
    match tx {
        Tx::Postgres(connection) => {
            if !envelopes.is_empty() {
                postgres::insert_envelopes(connection, &envelopes).await?;
            }
            if !begun.is_empty() {
                postgres::insert_threads(connection, &begun).await?;
            }
            if !changes.is_empty() {
                postgres::change_threads(connection, &changes).await?;
            }
        }
        Tx::Sqlite(script) => {
            sqlite::insert_envelopes(script, &envelopes).await?;
            sqlite::insert_threads(script, &begun).await?;
            sqlite::change_threads(script, &changes).await?;
        }
    }
    for recorded in events {
        match &recorded.event {
            Some(Event::Directory(event)) => directory::declare(tx, recorded, event).await?,
            Some(Event::Retention(RetentionEvent::Expired(data))) => retention::expire(tx, data).await?,
            Some(Event::Link(event)) => links::link(tx, recorded, event).await?,
            _ => {}
        }
    }
    Ok(())
}

/// Hides or restores an envelope, the texts of a thread, or a registration in the directory.
pub(crate) async fn rewrite_text(tx: &mut Tx<'_>, text: &EventText) -> Result<(), StoreError> {
    let position = text.position;
    match &text.event {
        Event::Envelope(EnvelopeEvent::Accepted(_)) => {
            tx.execute("UPDATE envelopes SET hidden = $2 WHERE position = $1", values![position, text.is_hidden])
                .await?;
        }
        Event::Thread(ThreadEvent::Requested(data)) => {
            let statement = "UPDATE threads SET request_id = $2, intent = $3 WHERE position = $1";
            tx.execute(statement, values![position, &data.request_id, &data.intent]).await?;
        }
        Event::Thread(ThreadEvent::Completed(data)) => {
            tx.execute("UPDATE threads SET status = $2 WHERE id = $1", values![data.thread_id.as_str(), &data.status])
                .await?;
        }
        Event::Directory(DirectoryEvent::Registered(data)) => {
            directory::unlist(tx, position).await?;
            if !text.is_hidden {
                directory::relist(tx, (position, text.recorded_at), data, text.decided_at).await?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn envelope(recorded: &Recorded) -> Option<Result<EnvelopeRow<'_>, StoreError>> {
    let Some(Event::Envelope(EnvelopeEvent::Accepted(data))) = &recorded.event else { return None };
    let (position, recorded_at) = (recorded.position, recorded.recorded_at);
    let damaged = || StoreError::Damaged(format!("the envelope at {position} cannot be read"));
    let header = data.envelope.header().ok_or_else(damaged);
    Some(header.map(|header| {
        let expires_at = recorded_at + header.retention;
        EnvelopeRow { position, thread_id: data.thread_id.as_str(), header, recorded_at, expires_at }
    }))
}

fn begun(recorded: &Recorded) -> Option<ThreadRow<'_>> {
    let Some(Event::Thread(ThreadEvent::Requested(data))) = &recorded.event else { return None };
    Some(ThreadRow { position: recorded.position, data, requested_at: recorded.recorded_at })
}

/// One change for each thread, merged from all its events: the last event's fields, and fields that it leaves unset.
fn changes<'e>(events: &[&'e Recorded]) -> Vec<ThreadChange<'e>> {
    let mut changes = BTreeMap::<&str, ThreadChange<'_>>::new();
    for recorded in events {
        let Some(Event::Thread(event)) = &recorded.event else { continue };
        let Some(next) = change(recorded, event) else { continue };
        let earlier = changes.remove(next.id);
        let (agent, accepted_at) = earlier.map(|change| (change.agent, change.accepted_at)).unwrap_or_default();
        let (agent, accepted_at) = (next.agent.or(agent), next.accepted_at.or(accepted_at));
        changes.insert(next.id, ThreadChange { agent, accepted_at, ..next });
    }
    changes.into_values().collect()
}

fn change<'e>(recorded: &Recorded, event: &'e ThreadEvent) -> Option<ThreadChange<'e>> {
    let (position, at) = (recorded.position, recorded.recorded_at);
    let to = |id: &'e ThreadId, phase| ThreadChange {
        id: id.as_str(),
        phase,
        agent: None,
        accepted_at: None,
        due_at_deadline: false,
        due_at: None,
        status: None,
        reason: None,
        took_ms: None,
        promise_kept: None,
        blamed: None,
        failed_by: None,
        position,
        at,
    };
    Some(match event {
        ThreadEvent::Requested(_) => return None,
        ThreadEvent::Offered(data) => ThreadChange { due_at_deadline: true, ..to(&data.thread_id, Phase::Pending) },
        ThreadEvent::OfferWithdrawn(data) => {
            ThreadChange { due_at: data.due_at, ..to(&data.thread_id, Phase::Pending) }
        }
        ThreadEvent::Accepted(data) => {
            let (agent, due_at) = (Some(data.agent.as_str()), Some(data.due_at));
            ThreadChange { agent, accepted_at: Some(at), due_at, ..to(&data.thread_id, Phase::Active) }
        }
        ThreadEvent::Completed(data) => {
            let (took_ms, promise_kept, blamed) = (data.took_ms, data.promise_kept, Some(data.is_failure()));
            let status = Some(&*data.status);
            ThreadChange { status, took_ms, promise_kept, blamed, ..to(&data.thread_id, Phase::Completed) }
        }
        ThreadEvent::Failed(data) => {
            // The agent is not responsible for a cancellation, or for a failure that the requester reports.
            let (blamed, failed_by) = (Some(data.reason == Failure::NoResult), Some(data.by.as_str()));
            ThreadChange { reason: Some(data.reason.as_str()), blamed, failed_by, ..to(&data.thread_id, Phase::Error) }
        }
    })
}
