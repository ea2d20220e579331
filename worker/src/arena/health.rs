//! Health checks of agents' endpoints (seed AAP: «ping a tu endpoint cada 30s»), in one process at a time.
//!
//! Three failed checks in a row pause an agent; a good one ends that pause. Neither changes a rating. **Invariant:** a check that
//! the limits of its target refuse waits, and is not due meanwhile, so that it keeps no other one from its turn. **Invariant:** a check runs
//! beside the steps: an endpoint that hangs delays no check of another.

use std::time::Duration;

use buildtrack_domain::ids::AgentId;
use buildtrack_store::{ArenaChange, EndpointState, PauseReason, Store, StoreError};
use reqwest::Method;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::aap::{health_claims, read_health};
use crate::{
    leased::{LeasedTask, Next, Schedule},
    outbound::{Client, Limits, Refused, Request},
};

const LEASE: &str = "arena health";
/// Pause between two polls for due checks.
const EVERY: Duration = Duration::from_millis(500);
/// The time between two checks of an endpoint.
const INTERVAL: Duration = Duration::from_secs(30);
/// How long an agent gets no ranked match after a failed check before one.
const REST: Duration = Duration::from_secs(15);
/// Checks that begin in one step, and those that are under way.
const CHECKS: i64 = 50;
const UNDER_WAY: usize = 1000;
/// Failed checks in a row that pause an agent.
const MISSES: i64 = 3;
const LIMITS: Limits = Limits { timeout: Duration::from_secs(5), body_max: 16 * 1024 };

/// Makes health checks. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Checker {
    store: Store,
    client: Client,
    /// The issuer of the tokens.
    public_url: String,
}

/// Checks the endpoints of enrolled agents.
pub(crate) struct HealthChecks {
    checker: Checker,
    checks: JoinSet<()>,
}

impl HealthChecks {
    pub(crate) fn new(checker: Checker) -> Self {
        Self { checker, checks: JoinSet::new() }
    }

    /// Begins the checks that are due, up to a number. True if there may be more to check now.
    async fn begin_due(&mut self) -> Result<bool, StoreError> {
        while self.checks.try_join_next().is_some() {}
        if self.checks.len() >= UNDER_WAY {
            return Ok(false);
        }
        let store = &self.checker.store;
        let due = store.arena().endpoints_due(CHECKS).await?;
        if due.is_empty() {
            return Ok(false);
        }
        let is_full = i64::try_from(due.len()).unwrap_or(i64::MAX) == CHECKS;
        // A lease: an endpoint is not due while it is checked, and moves behind those that wait.
        let until = store.log().clock().after(INTERVAL);
        let leased = due.iter().map(|(agent_id, ..)| ArenaChange::EndpointPostponed { agent_id: *agent_id, until });
        store.log().write_side(leased.collect::<Vec<_>>()).await?;
        for (agent_id, base, before) in due {
            let checker = self.checker.clone();
            self.checks.spawn(async move {
                if let Err(error) = checker.check_and_store(agent_id, base, before).await {
                    tracing::warn!(%error, %agent_id, "a health check could not be recorded; it is made again");
                }
            });
        }
        Ok(is_full)
    }
}

impl LeasedTask for HealthChecks {
    type Error = StoreError;

    const SCHEDULE: Schedule = Schedule::every(EVERY, LEASE, Duration::from_secs(20));

    async fn step(&mut self, _stop: &CancellationToken) -> Result<Next, StoreError> {
        self.begin_due().await.map(Next::now_if)
    }
}

impl Checker {
    pub(crate) fn new(store: Store, client: Client, public_url: String) -> Self {
        Self { store, client, public_url }
    }

    /// Checks an endpoint, and stores what it found, or when it is checked.
    async fn check_and_store(&self, agent_id: AgentId, base: String, before: EndpointState) -> Result<(), StoreError> {
        let change = match self.check(agent_id, &base, before).await? {
            Ok(state) => ArenaChange::EndpointChecked { agent_id, endpoint_url: base, state: Box::new(state) },
            Err(Refused { wait }) => {
                ArenaChange::EndpointPostponed { agent_id, until: self.store.log().clock().after(wait) }
            }
        };
        self.store.log().write_side([change]).await
    }

    /// Checks one endpoint now, and stores what it found. False if the agent is not well.
    pub(super) async fn check_now(&self, agent_id: AgentId) -> Result<bool, StoreError> {
        let (Some(before), Some(enrolment)) =
            (self.store.arena().endpoint(agent_id).await?, self.store.arena().enrolment(agent_id).await?)
        else {
            return Ok(false);
        };
        let Some(base) = enrolment.endpoint_url else { return Ok(false) };
        let Ok(state) = self.check(agent_id, &base, before).await? else { return Ok(false) };
        let is_well = state.misses == 0;
        // A failed check before a match does not count as one of three: such checks follow each other closely.
        let change = if is_well {
            ArenaChange::EndpointChecked { agent_id, endpoint_url: base, state: Box::new(state) }
        } else {
            let until = self.store.log().clock().after(REST);
            ArenaChange::EndpointPaused { agent_id, endpoint_url: base, until, reason: PauseReason::Unavailable }
        };
        self.store.log().write_side([change]).await?;
        Ok(is_well)
    }

    /// Checks an endpoint, unless the limits of its target refuse the call.
    async fn check(
        &self,
        agent_id: AgentId,
        base: &str,
        before: EndpointState,
    ) -> Result<Result<EndpointState, Refused>, StoreError> {
        let (url, clock) = (format!("{base}/agora/health"), self.store.log().clock());
        let permit = match self.client.admit(&url, before.is_healthy).await {
            Ok(permit) => permit,
            Err(refused) => return Ok(Err(refused)),
        };
        let claims = health_claims(agent_id, (&self.public_url, base), clock.now(), clock.uuid());
        let token = self.store.log().sign_token(&claims).await?;
        let answer = self.client.send_repeatable(request(&url, &token)).await;
        let (health, reason, latency_ms) = match answer {
            Ok(answer) if answer.status.is_success() => match read_health(&answer.body.bytes) {
                Some(health) => {
                    permit.learn(Some(&answer));
                    (Some(health), None, i64::try_from(answer.elapsed.as_millis()).ok())
                }
                None => (None, Some("the answer does not say {\"status\": \"ok\"}".to_owned()), None),
            },
            Ok(answer) => {
                permit.learn(Some(&answer));
                (None, Some(format!("status {}", answer.status.as_u16())), None)
            }
            Err(error) => {
                permit.learn(None);
                (None, Some(error.to_string()), None)
            }
        };
        let misses = if health.is_some() { 0 } else { before.misses.saturating_add(1) };
        Ok(Ok(EndpointState {
            misses,
            // An endpoint is healthy from its first good check until the third failed one.
            is_healthy: health.is_some() || before.is_healthy && misses < MISSES,
            paused_until: before.paused_until,
            reason,
            latency_ms: latency_ms.or(before.latency_ms),
            max_concurrent: health.map_or(before.max_concurrent, |health| health.max_concurrent()),
            checked_at: Some(clock.now()),
            check_at: clock.after(INTERVAL),
        }))
    }
}

/// The request of a health check.
pub(super) fn request<'u>(url: &'u str, token: &str) -> Request<'u> {
    let headers = vec![("Authorization", format!("Bearer {token}"))];
    Request { method: Method::GET, url, headers, body: None, limits: LIMITS }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use buildtrack_store::{Database, Secret, Settings, clock::Clock};
    use tempfile::TempDir;

    use super::*;
    use crate::arena::matchmaker::tests::reachable;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_check_that_hangs_is_waited_for_by_no_step_and_is_not_due_meanwhile() {
        let folder = TempDir::new().unwrap();
        let database = Database::Sqlite(folder.path().join("buildtrack.sqlite"));
        let secret = Secret::new(&Secret::generate()).unwrap();
        let clock = Clock::fixed("2026-03-01T12:00:00Z".parse().unwrap());
        let store = Store::open(Settings { database, secret, clock }).await.unwrap();
        // It takes connections, and never answers.
        let silent = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let agent_id = reachable(&store, &format!("http://{}", silent.local_addr().unwrap())).await;
        store.log().clock().advance(INTERVAL);
        let client = Client::new(true).unwrap();
        let mut checks = HealthChecks::new(Checker::new(store.clone(), client, "https://build.example".to_owned()));
        assert_eq!(store.arena().endpoints_due(CHECKS).await.unwrap().len(), 1);
        assert!(!checks.begin_due().await.unwrap());
        assert_eq!(checks.checks.len(), 1);
        assert_eq!(store.arena().endpoints_due(CHECKS).await.unwrap(), []);
        let state = store.arena().endpoint(agent_id).await.unwrap().unwrap();
        assert_eq!(state.check_at, store.log().clock().after(INTERVAL));
    }
}
