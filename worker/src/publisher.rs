//! Publisher: follows the log and publishes a notice of every event, in log order, in one process at a time. When the holder
//! of the lease is gone, another process takes over within seconds.
//!
//! **Invariant:** the saved position is never beyond the notices that the bus has confirmed, so a successor skips no event.
//! After a fault some notices are published twice; consumers process each event once. **Invariant:** notices that a broker
//! confirmed and lost, with its disk or with a deleted queue, are published again.

use std::{mem, ops::RangeInclusive, time::Duration};

use buildtrack_bus::{Bus, BusError, Confirmation, Notice};
use buildtrack_store::{LogChange, Store, StoreError};
use buildtrack_traces::{Begun, Event};
use tokio::{
    sync::mpsc,
    time::{Instant, timeout, timeout_at},
};
use tokio_util::sync::CancellationToken;

use crate::{
    leased::{LeasedTask, Next, Schedule},
    webhooks::{self, CONSUMER},
};

/// The consumer whose position records how far the log is published, and the name of the lease.
const PUBLISHER: &str = "publisher";
/// How often a process without the lease asks for it.
const LEASE_POLL: Duration = Duration::from_millis(500);
/// Notices per batch, and batches that may be published before the first of them is confirmed.
const NOTICES: usize = 1000;
const AHEAD: usize = 16;
/// How often the position is saved. Each save queues among the writes of the consumers.
const SAVE: Duration = Duration::from_millis(500);
/// How often the publisher searches for events that the bus has lost. Events missing in two consecutive searches are lost.
const SEARCH: Duration = Duration::from_secs(5);

/// Why publishing was interrupted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublishError {
    #[error(transparent)]
    Bus(#[from] BusError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the database has lost its last events; the publisher restarts from the position of its consumer")]
    Rewound,
}

/// The result of the last search for lost events.
#[derive(Debug)]
struct Search {
    at: Instant,
    /// The published position at that time.
    published: i64,
    /// The position of the first event that the consumer had not processed.
    first_missing: Option<i64>,
}

/// Published notices that the bus has not confirmed yet.
struct Unconfirmed {
    notices: Vec<Notice>,
    begun: Begun,
    confirmation: Confirmation,
}

/// Publishes the log.
#[derive(Debug)]
pub(crate) struct Publisher {
    store: Store,
    bus: Bus,
}

impl LeasedTask for Publisher {
    type Error = PublishError;

    const SCHEDULE: Schedule = Schedule::following(PUBLISHER, Duration::from_secs(5), LEASE_POLL);

    /// Publishes until the stop or a failure.
    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, PublishError> {
        let published = stop.run_until_cancelled(self.publish(stop)).await;
        published.unwrap_or(Ok(())).map(|()| Next::Idle)
    }
}

impl Publisher {
    pub(crate) fn new(store: Store, bus: Bus) -> Self {
        Self { store, bus }
    }

    async fn publish(&self, stop: &CancellationToken) -> Result<(), PublishError> {
        // Events that the consumer has processed need no notice. A bus in this process lost all other notices at the last
        // exit; a durable bus lacks only those beyond the saved position.
        let mut published = self.store.log().consumer_position(CONSUMER).await?;
        let mut saved = published;
        if self.bus.is_durable() {
            saved = self.store.log().consumer_position(PUBLISHER).await?;
            published = published.max(saved);
        }
        let (sender, unconfirmed) = mpsc::channel(AHEAD);
        tokio::try_join!(self.follow(published, sender, stop), self.confirm_all(published, saved, unconfirmed))?;
        Ok(())
    }

    /// Follows the log and publishes its events.
    async fn follow(
        &self,
        mut position: i64,
        sender: mpsc::Sender<Unconfirmed>,
        stop: &CancellationToken,
    ) -> Result<(), PublishError> {
        let rewinds = self.store.log().tail().rewinds();
        while !stop.is_cancelled() {
            if self.store.log().tail().rewinds() != rewinds {
                return Err(PublishError::Rewound);
            }
            let events = self.store.log().announced(position, NOTICES).await?;
            let Some(last) = events.last().map(|(position, _)| *position) else {
                // A timeout is as good as a new event: the loop reads the log again.
                drop(timeout(SEARCH, self.store.log().tail().wait_past(position)).await);
                continue;
            };
            // Sending fails if `confirm_all` has failed; that error ends `publish`.
            drop(sender.send(self.announce(events).await?).await);
            position = last;
        }
        Ok(())
    }

    /// Waits for confirmations, saves the position, and searches for lost events.
    async fn confirm_all(
        &self,
        mut published: i64,
        mut saved: i64,
        mut unconfirmed: mpsc::Receiver<Unconfirmed>,
    ) -> Result<(), PublishError> {
        let mut saved_at = Instant::now();
        let mut search = Search { at: Instant::now(), published, first_missing: None };
        loop {
            let wake_at = if saved < published { saved_at + SAVE } else { search.at + SEARCH };
            match timeout_at(wake_at, unconfirmed.recv()).await {
                Ok(Some(unconfirmed)) => {
                    let last = unconfirmed.notices.last().map_or(published, |notice| notice.position);
                    self.confirm(unconfirmed).await?;
                    published = last;
                }
                Ok(None) => return Ok(()),
                Err(_) => {}
            }
            if saved < published && saved_at.elapsed() >= SAVE {
                self.save(saved, published).await?;
                (saved, saved_at) = (published, Instant::now());
            }
            if search.at.elapsed() >= SEARCH {
                for stretch in self.lost(&mut search, published).await? {
                    self.publish_again(stretch).await?;
                }
            }
        }
    }

    async fn announce(&self, events: Vec<(i64, String)>) -> Result<Unconfirmed, PublishError> {
        let notices: Vec<_> =
            events.into_iter().map(|(position, event_type)| Notice::new(position, event_type)).collect();
        let begun = buildtrack_traces::begin();
        let confirmation = self.bus.begin_publishing(&notices).await?;
        Ok(Unconfirmed { notices, begun, confirmation })
    }

    async fn confirm(&self, Unconfirmed { notices, begun, confirmation }: Unconfirmed) -> Result<(), PublishError> {
        confirmation.confirmed().await?;
        self.trace(begun, &notices).await;
        Ok(())
    }

    /// Events that were published before the last search, are missing in both searches, and are neither in the queue nor,
    /// judging by their number, among the dead letters.
    async fn lost(&self, search: &mut Search, published: i64) -> Result<Vec<RangeInclusive<i64>>, PublishError> {
        if !self.bus.is_durable() {
            search.at = Instant::now();
            return Ok(vec![]);
        }
        let missing = self.store.log().missing(CONSUMER, published).await?;
        let first_missing = missing.first().map(|stretch| *stretch.start());
        let before = mem::replace(search, Search { at: Instant::now(), published, first_missing });
        if first_missing.is_none() || first_missing != before.first_missing {
            return Ok(vec![]);
        }
        let lost = missing.into_iter().map(|stretch| *stretch.start()..=before.published.min(*stretch.end()));
        let lost: Vec<_> = lost.filter(|stretch| !stretch.is_empty()).collect();
        let events: i64 = lost.iter().map(|stretch| stretch.end() - stretch.start() + 1).sum();
        let queue = webhooks::queue();
        if self.bus.depth(&queue).await? > 0 || self.bus.dead_letter_count(&queue).await? >= events.unsigned_abs() {
            return Ok(vec![]);
        }
        tracing::warn!(events, first = first_missing, "the bus has lost events; the worker publishes them again");
        Ok(lost)
    }

    async fn publish_again(&self, stretch: RangeInclusive<i64>) -> Result<(), PublishError> {
        let mut published = stretch.start() - 1;
        while published < *stretch.end() {
            let mut events = self.store.log().announced(published, NOTICES).await?;
            events.retain(|(position, _)| position <= stretch.end());
            let Some(last) = events.last().map(|(position, _)| *position) else { break };
            self.confirm(self.announce(events).await?).await?;
            published = last;
        }
        Ok(())
    }

    /// Adds a span for the publication to the events' traces. The hashes are read only for this.
    async fn trace(&self, begun: Begun, notices: &[Notice]) {
        let Some(first) = notices.first().filter(|_| buildtrack_traces::is_on()) else { return };
        // Without hashes the traces lack this span; the events are published all the same.
        let hashes = self.store.log().hashes(first.position - 1, notices.len()).await.unwrap_or_default();
        let events = notices.iter().zip(&hashes).map(|(notice, (_, hash))| Event {
            position: notice.position,
            event_type: Some(&notice.event_type),
            hash,
        });
        buildtrack_traces::published(begun, events);
    }

    async fn save(&self, from: i64, to: i64) -> Result<(), StoreError> {
        if !self.bus.is_durable() {
            return Ok(());
        }
        self.store.log().write_side(vec![LogChange::Consumed { consumer: PUBLISHER, from, to }]).await
    }
}
