//! In-process bus: bounded queues in memory, lost when the process ends.

use std::{
    collections::{BTreeMap, VecDeque},
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use chrono::{DateTime, Utc};
use futures_util::future::join_all;
use tokio::sync::Notify;

use crate::{
    BusError, Confirmation, DeadLetter, Notice, Queue, Received,
    notices::Tag,
    queues::{DELIVERY_LIMIT, GIVEN_UP},
};

/// Notices in a queue from which on publishing waits.
const CAPACITY: usize = 10_000;

#[derive(Debug, Clone)]
pub(crate) struct Local(Arc<Mutex<Vec<Arc<LocalQueue>>>>);

#[derive(Debug)]
struct LocalQueue {
    queue: Queue,
    state: Mutex<State>,
    /// Signals that a notice arrived, or that another consumer became the active one.
    arrived: Notify,
    freed: Notify,
}

#[derive(Debug, Default)]
struct State {
    waiting: VecDeque<Waiting>,
    dead: VecDeque<DeadLetter>,
    /// In order of arrival. The first one is the active consumer of a `single_active` queue.
    consumers: Vec<u64>,
    consumers_so_far: u64,
}

#[derive(Debug, Clone)]
struct Waiting {
    notice: Notice,
    returns: u32,
}

impl Local {
    pub(crate) fn new(queues: &[Queue]) -> Self {
        Self(Arc::new(Mutex::new(queues.iter().cloned().map(LocalQueue::new).collect())))
    }

    pub(crate) async fn publish(&self, notices: &[Notice]) -> Result<Confirmation, BusError> {
        let queues = lock(&self.0).clone();
        join_all(queues.iter().map(|queue| queue.publish(notices))).await;
        Ok(Confirmation::immediate())
    }

    pub(crate) fn consume(&self, queue: &Queue) -> LocalConsumer {
        let queue = self.queue(queue);
        let id = {
            let mut state = lock(&queue.state);
            state.consumers_so_far += 1;
            let id = state.consumers_so_far;
            state.consumers.push(id);
            id
        };
        LocalConsumer { queue, id, held: BTreeMap::new(), deliveries: 0 }
    }

    // Asynchronous like the methods of RabbitMQ.
    #[expect(clippy::unused_async, reason = "the RabbitMQ bus awaits here")]
    pub(crate) async fn depth(&self, queue: &Queue) -> Result<u64, BusError> {
        Ok(lock(&self.queue(queue).state).waiting.len() as u64)
    }

    #[expect(clippy::unused_async, reason = "the RabbitMQ bus awaits here")]
    pub(crate) async fn dead_letters(&self, queue: &Queue, limit: usize) -> Result<Vec<DeadLetter>, BusError> {
        Ok(lock(&self.queue(queue).state).dead.iter().take(limit).cloned().collect())
    }

    #[expect(clippy::unused_async, reason = "the RabbitMQ bus awaits here")]
    pub(crate) async fn dead_letter_count(&self, queue: &Queue) -> Result<u64, BusError> {
        Ok(lock(&self.queue(queue).state).dead.len() as u64)
    }

    #[expect(clippy::unused_async, reason = "the RabbitMQ bus awaits here")]
    pub(crate) async fn replay_dead_letters(&self, queue: &Queue, limit: usize) -> Result<usize, BusError> {
        let queue = self.queue(queue);
        let mut state = lock(&queue.state);
        let count = limit.min(state.dead.len());
        let replayed: Vec<_> = state.dead.drain(..count).collect();
        state.waiting.extend(replayed.into_iter().map(|dead_letter| Waiting {
            notice: Notice { position: dead_letter.position, event_type: dead_letter.event_type },
            returns: 0,
        }));
        queue.arrived.notify_waiters();
        Ok(count)
    }

    fn queue(&self, wanted: &Queue) -> Arc<LocalQueue> {
        let mut queues = lock(&self.0);
        if let Some(queue) = queues.iter().find(|queue| queue.queue.name == wanted.name) {
            return Arc::clone(queue);
        }
        let queue = LocalQueue::new(wanted.clone());
        queues.push(Arc::clone(&queue));
        queue
    }
}

impl LocalQueue {
    fn new(queue: Queue) -> Arc<Self> {
        Arc::new(Self { queue, state: Mutex::default(), arrived: Notify::new(), freed: Notify::new() })
    }

    async fn publish(&self, notices: &[Notice]) {
        let mut wanted: VecDeque<_> =
            notices.iter().filter(|notice| self.queue.wants(&notice.event_type)).cloned().collect();
        while !wanted.is_empty() {
            let mut freed = pin!(self.freed.notified());
            // Enabled before the check, so that no signal is missed.
            freed.as_mut().enable();
            let full = {
                let mut state = lock(&self.state);
                let free = CAPACITY.saturating_sub(state.waiting.len()).min(wanted.len());
                state.waiting.extend(wanted.drain(..free).map(|notice| Waiting { notice, returns: 0 }));
                free == 0
            };
            self.arrived.notify_waiters();
            if full {
                freed.await;
            }
        }
    }
}

/// A consumer of the in-process bus.
#[derive(Debug)]
pub(crate) struct LocalConsumer {
    queue: Arc<LocalQueue>,
    id: u64,
    held: BTreeMap<u64, Waiting>,
    deliveries: u64,
}

impl LocalConsumer {
    pub(crate) async fn next(&mut self, max: usize) -> Vec<Received> {
        let queue = Arc::clone(&self.queue);
        loop {
            let mut arrived = pin!(queue.arrived.notified());
            arrived.as_mut().enable();
            let received = self.take(max);
            if !received.is_empty() {
                return received;
            }
            arrived.await;
        }
    }

    fn take(&mut self, max: usize) -> Vec<Received> {
        let mut state = lock(&self.queue.state);
        if self.queue.queue.single_active && state.consumers.first() != Some(&self.id) {
            return vec![];
        }
        let allowed = usize::from(self.queue.queue.prefetch).saturating_sub(self.held.len());
        let count = max.min(allowed).min(state.waiting.len());
        let taken: Vec<_> = state.waiting.drain(..count).collect();
        drop(state);
        self.queue.freed.notify_waiters();
        taken.into_iter().map(|waiting| self.hold(waiting)).collect()
    }

    fn hold(&mut self, waiting: Waiting) -> Received {
        self.deliveries += 1;
        let tag = Tag { session: self.id, delivery: self.deliveries };
        let received = Received { notice: waiting.notice.clone(), attempt: Some(waiting.returns + 1), tag };
        self.held.insert(tag.delivery, waiting);
        received
    }

    fn remove(&mut self, received: &Received) -> Option<Waiting> {
        if received.tag.session == self.id { self.held.remove(&received.tag.delivery) } else { None }
    }

    pub(crate) fn ack<'a>(&mut self, received: impl IntoIterator<Item = &'a Received>) {
        for received in received {
            self.remove(received);
        }
    }

    pub(crate) fn reject(&mut self, received: &Received, reason: &str, now: DateTime<Utc>) {
        if let Some(waiting) = self.remove(received) {
            lock(&self.queue.state).dead.push_back(dead(waiting.notice, reason, Some(now)));
        }
    }
}

impl Drop for LocalConsumer {
    fn drop(&mut self) {
        let mut state = lock(&self.queue.state);
        state.consumers.retain(|consumer| *consumer != self.id);
        for (_, mut waiting) in std::mem::take(&mut self.held).into_iter().rev() {
            waiting.returns += 1;
            if waiting.returns > DELIVERY_LIMIT {
                state.dead.push_back(dead(waiting.notice, GIVEN_UP, None));
            } else {
                state.waiting.push_front(waiting);
            }
        }
        drop(state);
        self.queue.arrived.notify_waiters();
    }
}

fn dead(notice: Notice, reason: &str, died_at: Option<DateTime<Utc>>) -> DeadLetter {
    DeadLetter { position: notice.position, event_type: notice.event_type, died_at, reason: reason.to_owned() }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
