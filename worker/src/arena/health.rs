//! Health checks of agents' endpoints (seed AAP: «ping a tu endpoint cada 30s»), in one process at a time.
//!
//! Three failed checks in a row pause an agent; a good one ends that pause. Neither changes a rating.

use std::time::Duration;

use buildtrack_domain::ids::AgentId;
use buildtrack_store::{ArenaChange, EndpointState, PauseReason, Store, StoreError};
use futures_util::future::join_all;
use reqwest::Method;
use tokio_util::sync::CancellationToken;

use super::aap::read_health;
use crate::{
    leased::{LeasedTask, Next, Schedule},
    outbound::{Client, Limits, Request},
};

const LEASE: &str = "arena health";
/// Pause between two polls for due checks.
const EVERY: Duration = Duration::from_millis(500);
/// The time between two checks of an endpoint.
const INTERVAL: Duration = Duration::from_secs(30);
/// How long an agent gets no ranked match after a failed check before one.
const REST: Duration = Duration::from_secs(15);
/// Checks at once.
const CHECKS: i64 = 50;
/// Failed checks in a row that pause an agent.
const MISSES: i64 = 3;
const LIMITS: Limits = Limits { timeout: Duration::from_secs(5), body_max: 16 * 1024 };

/// Checks the endpoints of enrolled agents.
pub(crate) struct HealthChecks {
    store: Store,
    client: Client,
}

impl HealthChecks {
    pub(crate) fn new(store: Store, client: Client) -> Self {
        Self { store, client }
    }
}

impl LeasedTask for HealthChecks {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, LEASE, Duration::from_secs(20));

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, StoreError> {
        check_due(&self.store, &self.client).await.map(Next::now_if)
    }
}

/// Checks the endpoints that are due, up to a number. True if there may be more.
pub(crate) async fn check_due(store: &Store, client: &Client) -> Result<bool, StoreError> {
    let due = store.endpoints_due(CHECKS).await?;
    let is_full = i64::try_from(due.len()).unwrap_or(i64::MAX) == CHECKS;
    let checks = due.into_iter().map(|(agent_id, base, before)| async move {
        let state = check(store, client, &base, before).await?;
        Some(ArenaChange::EndpointChecked { agent_id, state: Box::new(state) })
    });
    let changes: Vec<_> = join_all(checks).await.into_iter().flatten().collect();
    if !changes.is_empty() {
        store.write_side(changes).await?;
    }
    Ok(is_full)
}

/// Checks one endpoint now, and stores what it found. False if the agent is not well.
pub(super) async fn check_now(store: &Store, client: &Client, agent_id: AgentId) -> Result<bool, StoreError> {
    let (Some(before), Some(enrolment)) =
        (store.arena_endpoint(agent_id).await?, store.arena_enrolment(agent_id).await?)
    else {
        return Ok(false);
    };
    let Some(base) = enrolment.endpoint_url else { return Ok(false) };
    let Some(state) = check(store, client, &base, before).await else { return Ok(false) };
    let is_well = state.misses == 0;
    // A failed check before a match does not count as one of three: such checks follow each other closely.
    let change = if is_well {
        ArenaChange::EndpointChecked { agent_id, state: Box::new(state) }
    } else {
        ArenaChange::EndpointPaused { agent_id, until: store.clock().after(REST), reason: PauseReason::Unavailable }
    };
    store.write_side([change]).await?;
    Ok(is_well)
}

/// The request of a health check.
pub(super) fn request(url: &str) -> Request<'_> {
    Request { method: Method::GET, url, headers: vec![], body: None, limits: LIMITS }
}

/// Checks an endpoint; `None` if its host has reached its limit of calls.
async fn check(store: &Store, client: &Client, base: &str, before: EndpointState) -> Option<EndpointState> {
    let url = format!("{base}/agora/health");
    let _permit = client.admit(&url, before.is_healthy).await.ok()?;
    let answer = client.send(request(&url)).await;
    let (health, reason, latency_ms) = match answer {
        Ok(answer) if answer.status.is_success() => match read_health(&answer.body.bytes) {
            Some(health) => (Some(health), None, i64::try_from(answer.elapsed.as_millis()).ok()),
            None => (None, Some("the answer does not say {\"status\": \"ok\"}".to_owned()), None),
        },
        Ok(answer) => (None, Some(format!("status {}", answer.status.as_u16())), None),
        Err(error) => (None, Some(error.to_string()), None),
    };
    let misses = if health.is_some() { 0 } else { before.misses.saturating_add(1) };
    if health.is_some() {
        client.record_success(&url);
    }
    Some(EndpointState {
        misses,
        // An endpoint is healthy from its first good check until the third failed one.
        is_healthy: health.is_some() || before.is_healthy && misses < MISSES,
        paused_until: before.paused_until,
        reason,
        latency_ms: latency_ms.or(before.latency_ms),
        max_concurrent: health.and_then(|health| health.max_concurrent).or(before.max_concurrent),
        checked_at: Some(store.clock().now()),
        check_at: store.clock().after(INTERVAL),
    })
}
