//! Pushes the next update of a task to one config, and records the outcome.

use std::time::Duration;

use buildtrack_domain::{
    exchange::tasks::{
        MEDIA_TYPE, PushConfig, RETENTION, RETENTION_PENDING, TaskState, TaskStatus, TaskUpdate, expired,
        status_update, update_of,
    },
    webhooks::{RetrySchedule, retry_after},
};
use buildtrack_store::{
    DueTaskPush, ExchangeChange, Purpose, Store, StoreError, TaskPush, TaskPushOutcome, clock::jitter,
};
use futures_util::future::join_all;
use reqwest::{Method, StatusCode, header::RETRY_AFTER};

use super::{CONFIGS, CONFIGS_OF_OWNER};
use crate::outbound::{CallError, Client, Limits, Refused, Request};

/// Bytes of a response that are read.
const BODY_MAX: usize = 1024;

/// Pushes updates.
#[derive(Debug, Clone)]
pub(crate) struct TaskPusher {
    pub(crate) store: Store,
    pub(crate) client: Client,
    pub(crate) timeout: Duration,
    pub(crate) schedule: RetrySchedule,
}

/// Why an update was not pushed. Contains no part of the address.
#[derive(Debug, thiserror::Error)]
enum PushError {
    /// No attempt was made.
    #[error("the target has reached its limit of calls")]
    Busy(Duration),
    /// The config was sealed with another secret.
    #[error("the config cannot be read")]
    Unreadable,
    #[error(transparent)]
    Call(#[from] CallError),
    /// The response is none of 2xx; `wait` is what its `Retry-After` asks for.
    #[error("the receiver answered {status}")]
    Status { status: StatusCode, wait: Option<Duration> },
}

/// The next push to a config.
struct Step {
    /// The position that is covered then.
    pushed_to: i64,
    bodies: Vec<String>,
    /// The state of the task then; none if it is not known to have changed.
    state: Option<TaskState>,
}

impl Step {
    fn new(pushed_to: i64, update: Option<TaskUpdate>) -> Self {
        let (state, bodies) = update.map_or((None, vec![]), |update| (Some(update.state), update.bodies));
        Self { pushed_to, bodies, state }
    }
}

impl TaskPusher {
    /// The configs that are due, of which each owner has a share.
    pub(super) async fn due(&self) -> Result<Vec<DueTaskPush>, StoreError> {
        let [limit, share] = [CONFIGS, CONFIGS_OF_OWNER].map(|number| i64::try_from(number).unwrap_or(i64::MAX));
        self.store.exchange().task_pushes_due(limit, share).await
    }

    /// Pushes every update that is due. For tests.
    pub(crate) async fn push_all(&self) -> Result<(), StoreError> {
        loop {
            let due = self.due().await?;
            if due.is_empty() {
                return Ok(());
            }
            let pushed = join_all(due.into_iter().map(|due| self.push(due.push))).await;
            pushed.into_iter().collect::<Result<(), StoreError>>()?;
        }
    }

    pub(super) async fn push_or_report(&self, push: TaskPush) {
        let exchange_id = push.exchange_id;
        if let Err(error) = self.push(push).await {
            tracing::warn!(%error, %exchange_id, "the updates of a task could not be pushed; the worker retries");
        }
    }

    /// Pushes the next update of a task to one config. What follows is due at once, after what others wait for.
    async fn push(&self, push: TaskPush) -> Result<(), StoreError> {
        let Some(Step { pushed_to, bodies, state }) = self.next_step(&push).await? else { return Ok(()) };
        let has_ended = state.is_some_and(TaskState::is_terminal);
        match self.post_all(&push, bodies).await {
            Ok(()) => {}
            Err(PushError::Busy(wait)) => {
                count("postponed");
                // At least a second, so that a config is never due again at once.
                let wait = Some(wait.max(Duration::from_secs(1)));
                return self.record(&push, (push.pushed_to, push.failures), wait).await;
            }
            Err(PushError::Status { status: StatusCode::GONE, .. }) => {
                count("given_up");
                return self.record(&push, (pushed_to, 0), None).await;
            }
            Err(error) => {
                if let Some(wait) = self.wait_after(&push, &error) {
                    return self.record(&push, (push.pushed_to, push.failures + 1), Some(wait)).await;
                }
            }
        }
        self.record(&push, (pushed_to, 0), (!has_ended).then_some(Duration::ZERO)).await
    }

    /// The next push; none if nothing is left, or the config was removed or replaced meanwhile.
    async fn next_step(&self, push: &TaskPush) -> Result<Option<Step>, StoreError> {
        let is_stored = |stored: &TaskPush| stored.id == push.id && stored.config_sealed == push.config_sealed;
        if !self.store.exchange().task_pushes(push.exchange_id).await?.iter().any(is_stored) {
            return Ok(None);
        }
        let Some(view) = self.store.exchange().exchange(push.exchange_id).await? else { return Ok(None) };
        let (task_id, now) = (push.exchange_id.to_string(), self.store.log().clock().now());
        if let Some(said) = self.store.exchange().next_transcript_event(push.exchange_id, push.pushed_to).await? {
            let update = update_of(&task_id, &said.event, said.recorded_at, view.expires_at);
            return Ok(Some(Step::new(said.position, update)));
        }
        let pushed_to = view.active_position;
        if let Some(update) = expired(&task_id, view.phase, view.expires_at, now) {
            return Ok(Some(Step::new(pushed_to, Some(update))));
        }
        if pushed_to <= push.pushed_to {
            return Ok(None);
        }
        // No event is left that can be read: the state alone is known.
        let state = TaskState::of(view.phase, view.expires_at, now);
        let body = status_update(&task_id, &TaskStatus::new(state, None, view.updated_at));
        Ok(Some(Step { pushed_to, bodies: vec![body], state: Some(state) }))
    }

    async fn post_all(&self, push: &TaskPush, bodies: Vec<String>) -> Result<(), PushError> {
        if bodies.is_empty() {
            return Ok(());
        }
        let opened = self
            .store
            .log()
            .secret()
            .open(Purpose::TaskPush, &push.config_sealed)
            .map_err(|_| PushError::Unreadable)?;
        let config: PushConfig = serde_json::from_str(&opened).map_err(|_| PushError::Unreadable)?;
        for body in bodies {
            self.post(&config, body).await?;
            count("pushed");
        }
        Ok(())
    }

    async fn post(&self, config: &PushConfig, body: String) -> Result<(), PushError> {
        let url = &*config.url;
        let permit = self.client.admit(url, false).await.map_err(|Refused { wait }| PushError::Busy(wait))?;
        let mut headers = vec![("Content-Type", MEDIA_TYPE.to_owned())];
        headers.extend(config.headers());
        let limits = Limits { timeout: self.timeout, body_max: BODY_MAX };
        let request = Request { method: Method::POST, url, headers, body: Some(body), limits };
        let response = self.client.send_within(&permit, request).await?;
        if response.status.is_success() {
            return Ok(());
        }
        let asked = response.headers.get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let wait = asked.and_then(|asked| retry_after(asked, self.store.log().clock().now()));
        Err(PushError::Status { status: response.status, wait })
    }

    /// The wait before the next attempt; none if the update is given up.
    fn wait_after(&self, push: &TaskPush, error: &PushError) -> Option<Duration> {
        let failures = push.failures + 1;
        let asked = if let PushError::Status { wait, .. } = error { *wait } else { None };
        let wait = self.schedule.wait(u32::try_from(failures).unwrap_or(u32::MAX), jitter());
        let wait = wait.map(|wait| wait.max(asked.unwrap_or_default()));
        count(if wait.is_some() { "failed" } else { "given_up" });
        tracing::info!(exchange_id = %push.exchange_id, failures, %error, "an update of a task was not accepted");
        wait
    }

    /// Records how far the updates were pushed, and when to continue; never if the task has ended or the receiver is gone.
    async fn record(
        &self,
        push: &TaskPush,
        (pushed_to, failures): (i64, i64),
        wait: Option<Duration>,
    ) -> Result<(), StoreError> {
        let clock = self.store.log().clock();
        let next_at = wait.map(|wait| clock.after(wait));
        let expires_at = clock.after(wait.map_or(RETENTION, |wait| wait + RETENTION_PENDING));
        let outcome = TaskPushOutcome { push: push.clone(), pushed_to, failures, next_at, expires_at };
        self.store.log().write_side([ExchangeChange::TaskPushAttempted(Box::new(outcome))]).await
    }
}

fn count(outcome: &'static str) {
    metrics::counter!("buildtrack_task_pushes_total", "outcome" => outcome).increment(1);
}
