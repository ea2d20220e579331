//! Registry of the polls that wait for envelopes in this process, and the task that wakes them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use buildtrack_http::app::App;
use buildtrack_store::{EnvelopeFilter, EnvelopeHeader, Store, StoreError};
use tokio::{
    sync::{Notify, futures::Notified},
    time::sleep,
};

use super::Relay;

/// Envelopes read from the log in one step.
const STEP: i64 = 1000;
/// Delay after a failed read.
const RECOVERY: Duration = Duration::from_secs(1);

/// All waiting polls, indexed by the recipient that they filter by.
#[derive(Debug, Default)]
pub(crate) struct Waiters {
    state: Mutex<State>,
    wanted: Notify,
}

#[derive(Debug, Default)]
struct State {
    next_key: u64,
    by_recipient: HashMap<String, HashMap<u64, Waiter>>,
    others: HashMap<u64, Waiter>,
    /// Position up to which waiters were notified; none while there are no waiters.
    position: Option<i64>,
}

#[derive(Debug)]
struct Waiter {
    filter: EnvelopeFilter,
    notify: Arc<Notify>,
}

/// The registration of a waiting poll; dropping it ends the registration.
#[derive(Debug)]
pub(crate) struct Registration<'w> {
    waiters: &'w Waiters,
    key: u64,
    recipient: Option<String>,
    notify: Arc<Notify>,
}

impl Registration<'_> {
    /// Waits for an envelope that matches the filter. A registration made before a query misses no envelope after that
    /// query.
    pub(crate) fn notified(&self) -> Notified<'_> {
        self.notify.notified()
    }
}

impl Drop for Registration<'_> {
    fn drop(&mut self) {
        let mut state = self.waiters.state();
        let Some(recipient) = &self.recipient else {
            state.others.remove(&self.key);
            return;
        };
        if let Some(waiting) = state.by_recipient.get_mut(recipient) {
            waiting.remove(&self.key);
            if waiting.is_empty() {
                state.by_recipient.remove(recipient);
            }
        }
    }
}

impl Waiters {
    /// Registers a poll. The task notifies it of every matching envelope from now on.
    pub(crate) fn register(&self, filter: &EnvelopeFilter, store: &Store) -> Registration<'_> {
        let notify = Arc::new(Notify::new());
        let waiter = Waiter { filter: filter.clone(), notify: Arc::clone(&notify) };
        let mut state = self.state();
        let key = state.next_key;
        state.next_key += 1;
        // A query from now on sees everything that is committed by now.
        state.position.get_or_insert_with(|| store.log().tail().head());
        let waiting = match &filter.recipient {
            Some(recipient) => state.by_recipient.entry(recipient.clone()).or_default(),
            None => &mut state.others,
        };
        waiting.insert(key, waiter);
        drop(state);
        self.wanted.notify_one();
        Registration { waiters: self, key, recipient: filter.recipient.clone(), notify }
    }

    /// Position up to which waiters were notified; none if there are no waiters.
    fn position(&self) -> Option<i64> {
        let mut state = self.state();
        if state.others.is_empty() && state.by_recipient.is_empty() {
            state.position = None;
        }
        state.position
    }

    fn notify(&self, headers: &[EnvelopeHeader], reached: i64) {
        let mut state = self.state();
        for header in headers {
            let addressed = header.recipient.as_ref().and_then(|recipient| state.by_recipient.get(recipient));
            for waiter in addressed.into_iter().flat_map(HashMap::values).chain(state.others.values()) {
                if header.fits(&waiter.filter) {
                    waiter.notify.notify_one();
                }
            }
        }
        state.position = Some(reached);
    }

    /// The log was truncated: wakes every waiter, and continues from the new head.
    fn rewind(&self, head: i64) {
        let mut state = self.state();
        state.position = Some(head);
        let waiting = state.by_recipient.values().flat_map(HashMap::values).chain(state.others.values());
        waiting.for_each(|waiter| waiter.notify.notify_one());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Follows the log and wakes waiting polls until the server stops.
pub async fn follow(app: Arc<App>, relay: Arc<Relay>) {
    let following = async {
        let mut rewinds = app.store.log().tail().rewinds();
        loop {
            let Some(position) = relay.waiters.position() else {
                relay.waiters.wanted.notified().await;
                continue;
            };
            app.store.log().tail().wait_past(position).await;
            let found = app.store.log().tail().rewinds();
            if std::mem::replace(&mut rewinds, found) != found {
                relay.waiters.rewind(app.store.log().tail().head());
                continue;
            }
            if let Err(error) = step(&app.store, &relay.waiters, position).await {
                tracing::warn!(%error, "reading envelopes for waiting polls failed; the relay retries");
                sleep(RECOVERY).await;
            }
        }
    };
    app.stopping.run_until_cancelled(following).await;
}

async fn step(store: &Store, waiters: &Waiters, position: i64) -> Result<(), StoreError> {
    let head = store.log().tail().head();
    let headers = store.relay().envelope_headers(position, head, STEP).await?;
    let full = i64::try_from(headers.len()).unwrap_or(i64::MAX) == STEP;
    let reached = headers.last().filter(|_| full).map_or(head, |last| last.position);
    waiters.notify(&headers, reached);
    Ok(())
}
