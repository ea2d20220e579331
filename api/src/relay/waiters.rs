//! Who waits for envelopes in this process, and who calls them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use buildtrack_store::{EnvelopeFilter, EnvelopeHeader, Store, StoreError};
use tokio::{
    sync::{Notify, futures::Notified},
    time::sleep,
};

use crate::app::App;

/// Envelopes looked at in one step.
const STEP: i64 = 1000;
/// After a read that failed.
const RECOVERY: Duration = Duration::from_secs(1);

/// Everybody who waits. Those who wait for what is addressed to one agent are found by it.
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
    /// Up to where those who wait were called; none while nobody waits.
    position: Option<i64>,
}

#[derive(Debug)]
struct Waiter {
    filter: EnvelopeFilter,
    call: Arc<Notify>,
}

/// A place among those who wait, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place<'w> {
    waiters: &'w Waiters,
    key: u64,
    recipient: Option<String>,
    call: Arc<Notify>,
}

impl Place<'_> {
    /// Waits until something came in that it waits for. Whoever has this before a look misses nothing after it.
    pub(crate) fn called(&self) -> Notified<'_> {
        self.call.notified()
    }
}

impl Drop for Place<'_> {
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
    /// Takes a place; from now on whoever has it is called.
    pub(crate) fn enter(&self, filter: &EnvelopeFilter, store: &Store) -> Place<'_> {
        let call = Arc::new(Notify::new());
        let waiter = Waiter { filter: filter.clone(), call: Arc::clone(&call) };
        let mut state = self.state();
        let key = state.next_key;
        state.next_key += 1;
        // What is committed by now is seen by whoever looks from now on.
        state.position.get_or_insert_with(|| store.tail().head());
        let waiting = match &filter.recipient {
            Some(recipient) => state.by_recipient.entry(recipient.clone()).or_default(),
            None => &mut state.others,
        };
        waiting.insert(key, waiter);
        drop(state);
        self.wanted.notify_one();
        Place { waiters: self, key, recipient: filter.recipient.clone(), call }
    }

    /// Up to where those who wait were called; none where nobody waits.
    fn position(&self) -> Option<i64> {
        let mut state = self.state();
        if state.others.is_empty() && state.by_recipient.is_empty() {
            state.position = None;
        }
        state.position
    }

    fn call(&self, headers: &[EnvelopeHeader], reached: i64) {
        let mut state = self.state();
        for header in headers {
            let addressed = header.recipient.as_ref().and_then(|recipient| state.by_recipient.get(recipient));
            for waiter in addressed.into_iter().flat_map(HashMap::values).chain(state.others.values()) {
                if header.fits(&waiter.filter) {
                    waiter.call.notify_one();
                }
            }
        }
        state.position = Some(reached);
    }

    /// The log has lost its last events: every waiter looks again, and is called from its end on.
    fn rewind(&self, head: i64) {
        let mut state = self.state();
        state.position = Some(head);
        let waiting = state.by_recipient.values().flat_map(HashMap::values).chain(state.others.values());
        waiting.for_each(|waiter| waiter.call.notify_one());
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Follows the log until the server stops.
pub(crate) async fn follow(app: Arc<App>) {
    let following = async {
        let mut rewinds = app.store.tail().rewinds();
        loop {
            let Some(position) = app.relay.waiters.position() else {
                app.relay.waiters.wanted.notified().await;
                continue;
            };
            app.store.tail().beyond(position).await;
            let found = app.store.tail().rewinds();
            if std::mem::replace(&mut rewinds, found) != found {
                app.relay.waiters.rewind(app.store.tail().head());
                continue;
            }
            if let Err(error) = step(&app.store, &app.relay.waiters, position).await {
                tracing::warn!(%error, "the log cannot be followed for those who poll");
                sleep(RECOVERY).await;
            }
        }
    };
    app.stopping.run_until_cancelled(following).await;
}

async fn step(store: &Store, waiters: &Waiters, position: i64) -> Result<(), StoreError> {
    let head = store.tail().head();
    let headers = store.envelope_headers(position, head, STEP).await?;
    let full = i64::try_from(headers.len()).unwrap_or(i64::MAX) == STEP;
    let reached = headers.last().filter(|_| full).map_or(head, |last| last.position);
    waiters.call(&headers, reached);
    Ok(())
}
